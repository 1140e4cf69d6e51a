#include "cli/schedule/trace_file.h"

#include "cli/common/output.h"
#include "core/base/json_writer.h"

#include <stdio.h>

/* Shorter gaps are not written, because they show nothing. */
enum { IDLE_MIN_NS = 500 };

typedef struct trace_file {
    FILE *file;
    const ls_trace *trace;
    const ls_schedule_graph *graph;
    uint64_t origin_ns;
    ls_builder *text; /* the event that is being written */
} trace_file;

/* Returns the name of the system or criterion at the position in a slice. */
static const char *system_name(const ls_schedule_graph *graph, uint32_t position)
{
    if (position < graph->node_count)
        return graph->nodes[position].system->name;
    return graph->gates[position - graph->gate_first].when->criterion->name;
}

static uint64_t find_origin(const ls_trace *trace)
{
    uint64_t origin = UINT64_MAX;
    for (uint32_t thread = 0; thread < ls_trace_thread_count(trace); thread++) {
        uint32_t count;
        const ls_trace_slice *slices = ls_trace_slices(trace, thread, &count);
        for (uint32_t i = 0; i < count; i++)
            origin = slices[i].start_ns < origin ? slices[i].start_ns : origin;
    }
    return origin;
}

/* Adds a time in microseconds, without rounding. */
static void add_time(const trace_file *to, const char *name, uint64_t ns)
{
    ls_json_decimal(to->text, name, ns, 3);
}

static void open_event(const trace_file *to, const char *name, const char *category)
{
    ls_json_open(to->text, NULL, '{');
    ls_json_string(to->text, "name", name);
    ls_json_string(to->text, "cat", category);
}

/* Adds process and thread, and opens the event's arguments. */
static void add_place(const trace_file *to, uint32_t thread, uint64_t tick)
{
    ls_json_u64(to->text, "pid", 1);
    ls_json_u64(to->text, "tid", thread);
    ls_json_open(to->text, "args", '{');
    ls_json_u64(to->text, "tick", tick);
}

/* Makes the event one with a duration. */
static void add_duration(const trace_file *to, uint64_t start_ns, uint64_t end_ns)
{
    ls_json_string(to->text, "ph", "X");
    add_time(to, "ts", start_ns - to->origin_ns);
    add_time(to, "dur", end_ns - start_ns);
}

/* Ends an event and writes it at once, because the text of a long trace would be large. */
static void close_event(const trace_file *to)
{
    ls_json_close(to->text, '}');
    ls_json_close(to->text, '}');
    fputs(",\n", to->file);
    fwrite(to->text->data, 1, to->text->count, to->file);
    to->text->count = 0;
}

static const char *const categories[LS_TRACE_KINDS] = {
    [LS_TRACE_TICK] = "tick",         [LS_TRACE_STAGE] = "stage", [LS_TRACE_PARALLEL] = "parallel",
    [LS_TRACE_CRITERIA] = "criteria", [LS_TRACE_SYNC] = "sync",   [LS_TRACE_BEGIN] = "begin",
    [LS_TRACE_PART] = "part",         [LS_TRACE_END] = "end",     [LS_TRACE_OFF] = "off",
    [LS_TRACE_ROOT] = "hash",
};

static bool is_of_system(const ls_trace_slice *slice)
{
    return slice->kind >= LS_TRACE_BEGIN && slice->kind <= LS_TRACE_OFF;
}

static const char *stage_name(const trace_file *to, const ls_trace_slice *slice)
{
    return to->graph->stages[slice->index].stage->name;
}

static const char *slice_name(const trace_file *to, const ls_trace_slice *slice)
{
    switch (slice->kind) {
    case LS_TRACE_TICK:
        return "tick";
    case LS_TRACE_PARALLEL:
        return "parallel systems";
    case LS_TRACE_CRITERIA:
        return "criteria";
    case LS_TRACE_SYNC:
        return "sync point";
    case LS_TRACE_ROOT:
        return "hash of the state";
    default:
        return is_of_system(slice) ? system_name(to->graph, slice->index) : stage_name(to, slice);
    }
}

static void write_slice(const trace_file *to, uint32_t thread, const ls_trace_slice *slice)
{
    open_event(to, slice_name(to, slice), categories[slice->kind]);
    if (slice->kind == LS_TRACE_OFF) {
        ls_json_string(to->text, "ph", "i");
        ls_json_string(to->text, "s", "t");
        add_time(to, "ts", slice->start_ns - to->origin_ns);
    } else {
        add_duration(to, slice->start_ns, slice->end_ns);
    }
    add_place(to, thread, slice->tick);
    if (slice->kind == LS_TRACE_STAGE || slice->kind == LS_TRACE_PARALLEL ||
        slice->kind == LS_TRACE_SYNC || slice->kind == LS_TRACE_CRITERIA)
        ls_json_string(to->text, "stage", stage_name(to, slice));
    if (slice->kind != LS_TRACE_TICK && slice->kind != LS_TRACE_ROOT &&
        slice->kind != LS_TRACE_STAGE)
        ls_json_u64(to->text, "run", slice->run);
    if (slice->kind == LS_TRACE_PART)
        ls_json_u64(to->text, "first_page", slice->first_page);
    if (slice->kind == LS_TRACE_PART || slice->kind == LS_TRACE_BEGIN)
        ls_json_u64(to->text, "pages", slice->page_count);
    if (slice->kind == LS_TRACE_PART)
        ls_json_u64(to->text, "entities", slice->entities);
    close_event(to);
}

static void write_gap(const trace_file *to, uint32_t thread, bool is_wake, uint64_t start_ns,
                      uint64_t end_ns, uint64_t tick)
{
    if (start_ns + IDLE_MIN_NS > end_ns)
        return;
    open_event(to, is_wake ? "wake" : "idle", "idle");
    add_duration(to, start_ns, end_ns);
    add_place(to, thread, tick);
    close_event(to);
}

/* Writes the gaps of a thread: times between the start and the end of a stage's parallel systems in
 * which the thread did nothing. `at` is the thread's first slice that may be in that time; it
 * becomes the first slice after it. */
static void write_gaps(const trace_file *to, uint32_t thread, const ls_trace_slice *window,
                       uint32_t *at)
{
    uint32_t count;
    const ls_trace_slice *slices = ls_trace_slices(to->trace, thread, &count);
    uint64_t busy_until_ns = window->start_ns;
    bool is_first = thread > 0;
    for (; *at < count && slices[*at].end_ns <= window->end_ns; ++*at) {
        const ls_trace_slice *slice = &slices[*at];
        if (slice->start_ns < window->start_ns || !is_of_system(slice))
            continue;
        write_gap(to, thread, is_first, busy_until_ns, slice->start_ns, window->tick);
        busy_until_ns = slice->end_ns;
        is_first = false;
    }
    write_gap(to, thread, false, busy_until_ns, window->end_ns, window->tick);
}

static void write_idle(const trace_file *to, uint32_t thread)
{
    uint32_t count, at = 0;
    const ls_trace_slice *slices = ls_trace_slices(to->trace, 0, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (slices[i].kind == LS_TRACE_PARALLEL)
            write_gaps(to, thread, &slices[i], &at);
    }
}

/* Begins the event that names the process or a thread. The caller may add arguments, and closes
 * both objects. */
static void add_meta(const trace_file *to, const char *what, uint32_t thread, const char *name)
{
    ls_json_open(to->text, NULL, '{');
    ls_json_string(to->text, "name", what);
    ls_json_string(to->text, "ph", "M");
    ls_json_u64(to->text, "pid", 1);
    ls_json_u64(to->text, "tid", thread);
    ls_json_open(to->text, "args", '{');
    ls_json_string(to->text, "name", name);
}

static void write_head(const trace_file *to)
{
    const char *simulation = ls_program_sim(to->graph->program)->name;
    ls_json_open(to->text, NULL, '{');
    ls_json_string(to->text, "displayTimeUnit", "ns");
    ls_json_open(to->text, "otherData", '{');
    ls_json_u64(to->text, "format", 1);
    ls_json_string(to->text, "simulation", simulation);
    ls_json_u64(to->text, "dropped_slices", ls_trace_dropped(to->trace));
    ls_json_close(to->text, '}');
    ls_json_open(to->text, "traceEvents", '[');
    ls_json_line(to->text, 0);
    add_meta(to, "process_name", 0, simulation);
    ls_builder_add(to->text, "}}");
    fwrite(to->text->data, 1, to->text->count, to->file);
    to->text->count = 0;
}

static void write_thread(const trace_file *to, uint32_t thread)
{
    char name[48];
    uint32_t count;
    const ls_trace_slice *slices = ls_trace_slices(to->trace, thread, &count);
    snprintf(name, sizeof name, "worker %u%s", thread, thread ? "" : " (the caller)");
    add_meta(to, "thread_name", thread, name);
    close_event(to);
    for (uint32_t i = 0; i < count; i++)
        write_slice(to, thread, &slices[i]);
    if (ls_trace_dropped(to->trace) == 0)
        write_idle(to, thread);
}

ls_status ls_trace_file_write(const char *path, const ls_trace *trace,
                              const ls_schedule_graph *graph, ls_error *error)
{
    ls_builder text = {0};
    trace_file to = {
        .trace = trace, .graph = graph, .origin_ns = find_origin(trace), .text = &text};
    ls_status status = ls_output_open(path, &to.file, error);
    if (status)
        return status;
    write_head(&to);
    for (uint32_t thread = 0; thread < ls_trace_thread_count(trace); thread++)
        write_thread(&to, thread);
    fputs("\n]}\n", to.file);
    ls_free(text.data);
    return ls_output_close(path, to.file, error);
}
