#include "cli/schedule/trace_file.h"

#include "cli/common/output.h"

#include <inttypes.h>
#include <stdio.h>

/* Shorter ones than this say nothing. */
enum { IDLE_MIN_NS = 500 };

typedef struct trace_file {
    FILE *file;
    const ls_trace *trace;
    const ls_schedule_graph *graph;
    uint64_t origin_ns;
    char **names; /* of systems and criteria by position, then stages: JSON strings */
    uint32_t stage_names;
} trace_file;

/* The name of the system, or the criterion, at a position of a span. */
static const char *system_name(const ls_schedule_graph *graph, uint32_t position)
{
    if (position < graph->node_count)
        return graph->nodes[position].system->name;
    uint32_t gate = position - graph->node_count - 1;
    return position == graph->node_count ? "setup" : graph->gates[gate].when->criterion->name;
}

static char *json_string(const char *words)
{
    ls_builder text = {0};
    ls_builder_add_string(&text, words);
    return text.data;
}

static void make_names(trace_file *to)
{
    const ls_schedule_graph *graph = to->graph;
    to->stage_names = graph->node_count + 1 + graph->gate_count;
    to->names = ls_alloc(sizeof *to->names * (to->stage_names + graph->stage_count + 1));
    for (uint32_t i = 0; i < to->stage_names; i++) {
        bool is_gate = i > graph->node_count;
        if (is_gate && !graph->gates[i - graph->node_count - 1].when->criterion)
            continue;
        to->names[i] = json_string(system_name(graph, i));
    }
    for (uint32_t i = 0; i < graph->stage_count; i++)
        to->names[to->stage_names + i] = json_string(graph->stages[i].stage->name);
}

static void free_names(trace_file *to)
{
    for (uint32_t i = 0; i < to->stage_names + to->graph->stage_count; i++)
        ls_free(to->names[i]);
    ls_free(to->names);
}

static uint64_t find_origin(const ls_trace *trace)
{
    uint64_t origin = UINT64_MAX;
    for (uint32_t thread = 0; thread < ls_trace_thread_count(trace); thread++) {
        uint32_t count;
        const ls_trace_span *spans = ls_trace_spans(trace, thread, &count);
        for (uint32_t i = 0; i < count; i++)
            origin = spans[i].start_ns < origin ? spans[i].start_ns : origin;
    }
    return origin;
}

/* Microseconds, exactly. */
static void write_time(const trace_file *to, uint64_t start_ns, uint64_t end_ns)
{
    uint64_t at = start_ns - to->origin_ns, took = end_ns - start_ns;
    fprintf(to->file,
            "\"ph\":\"X\",\"ts\":%" PRIu64 ".%03" PRIu64 ",\"dur\":%" PRIu64 ".%03" PRIu64
            ",\"pid\":1",
            at / 1000, at % 1000, took / 1000, took % 1000);
}

static const char *const categories[LS_SPAN_KINDS] = {
    [LS_SPAN_TICK] = "tick",         [LS_SPAN_STAGE] = "stage", [LS_SPAN_PARALLEL] = "parallel",
    [LS_SPAN_CRITERIA] = "criteria", [LS_SPAN_SYNC] = "sync",   [LS_SPAN_BEGIN] = "begin",
    [LS_SPAN_PART] = "part",         [LS_SPAN_END] = "end",     [LS_SPAN_OFF] = "off",
    [LS_SPAN_ROOT] = "hash",
};

static bool is_of_system(const ls_trace_span *span)
{
    return span->kind >= LS_SPAN_BEGIN && span->kind <= LS_SPAN_OFF;
}

static const char *span_name(const trace_file *to, const ls_trace_span *span)
{
    switch (span->kind) {
    case LS_SPAN_TICK:
        return "\"tick\"";
    case LS_SPAN_PARALLEL:
        return "\"parallel systems\"";
    case LS_SPAN_CRITERIA:
        return "\"criteria\"";
    case LS_SPAN_SYNC:
        return "\"sync point\"";
    case LS_SPAN_ROOT:
        return "\"hash of the state\"";
    default:
        return to->names[is_of_system(span) ? span->index : to->stage_names + span->index];
    }
}

static void write_span(const trace_file *to, uint32_t thread, const ls_trace_span *span)
{
    fprintf(to->file, ",\n{\"name\":%s,\"cat\":\"%s\",", span_name(to, span),
            categories[span->kind]);
    if (span->kind == LS_SPAN_OFF) {
        uint64_t at = span->start_ns - to->origin_ns;
        fprintf(to->file, "\"ph\":\"i\",\"s\":\"t\",\"ts\":%" PRIu64 ".%03" PRIu64 ",\"pid\":1",
                at / 1000, at % 1000);
    } else {
        write_time(to, span->start_ns, span->end_ns);
    }
    fprintf(to->file, ",\"tid\":%u,\"args\":{\"tick\":%" PRIu64, thread, span->tick);
    if (span->kind == LS_SPAN_STAGE || span->kind == LS_SPAN_PARALLEL ||
        span->kind == LS_SPAN_SYNC || span->kind == LS_SPAN_CRITERIA)
        fprintf(to->file, ",\"stage\":%s", to->names[to->stage_names + span->index]);
    if (span->kind != LS_SPAN_TICK && span->kind != LS_SPAN_ROOT && span->kind != LS_SPAN_STAGE)
        fprintf(to->file, ",\"run\":%u", span->run);
    if (span->kind == LS_SPAN_PART)
        fprintf(to->file, ",\"first_page\":%u", span->first_page);
    if (span->kind == LS_SPAN_PART || span->kind == LS_SPAN_BEGIN)
        fprintf(to->file, ",\"pages\":%u", span->page_count);
    if (span->kind == LS_SPAN_PART)
        fprintf(to->file, ",\"entities\":%u", span->entities);
    fputs("}}", to->file);
}

static void write_gap(const trace_file *to, uint32_t thread, bool is_wake, uint64_t start_ns,
                      uint64_t end_ns, uint64_t tick)
{
    if (start_ns + IDLE_MIN_NS > end_ns)
        return;
    fprintf(to->file, ",\n{\"name\":\"%s\",\"cat\":\"idle\",", is_wake ? "wake" : "idle");
    write_time(to, start_ns, end_ns);
    fprintf(to->file, ",\"tid\":%u,\"args\":{\"tick\":%" PRIu64 "}}", thread, tick);
}

/* What a thread did not do between the first and the last of some parallel systems. `at` is the
 * first of its spans that may be in there, and then the first behind. */
static void write_gaps(const trace_file *to, uint32_t thread, const ls_trace_span *window,
                       uint32_t *at)
{
    uint32_t count;
    const ls_trace_span *spans = ls_trace_spans(to->trace, thread, &count);
    uint64_t busy_until_ns = window->start_ns;
    bool is_first = thread > 0;
    for (; *at < count && spans[*at].end_ns <= window->end_ns; ++*at) {
        const ls_trace_span *span = &spans[*at];
        if (span->start_ns < window->start_ns || !is_of_system(span))
            continue;
        write_gap(to, thread, is_first, busy_until_ns, span->start_ns, window->tick);
        busy_until_ns = span->end_ns;
        is_first = false;
    }
    write_gap(to, thread, false, busy_until_ns, window->end_ns, window->tick);
}

static void write_idle(const trace_file *to, uint32_t thread)
{
    uint32_t count, at = 0;
    const ls_trace_span *spans = ls_trace_spans(to->trace, 0, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (spans[i].kind == LS_SPAN_PARALLEL)
            write_gaps(to, thread, &spans[i], &at);
    }
}

static void write_meta(const trace_file *to, uint32_t thread)
{
    fprintf(to->file,
            ",\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":%u,\"args\":{\"name\":"
            "\"worker %u%s\"}}",
            thread, thread, thread ? "" : " (the caller)");
}

static void write_all(const trace_file *to)
{
    const ls_program *program = to->graph->program;
    char *name = json_string(ls_program_sim(program)->name);
    fprintf(to->file,
            "{\"displayTimeUnit\":\"ns\",\n\"otherData\":{\"format\":1,\"simulation\":%s,"
            "\"dropped_spans\":%" PRIu64 "},\n\"traceEvents\":[\n",
            name, ls_trace_dropped(to->trace));
    fprintf(to->file, "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"args\":{\"name\":%s}}",
            name);
    ls_free(name);
    for (uint32_t thread = 0; thread < ls_trace_thread_count(to->trace); thread++) {
        uint32_t count;
        const ls_trace_span *spans = ls_trace_spans(to->trace, thread, &count);
        write_meta(to, thread);
        for (uint32_t i = 0; i < count; i++)
            write_span(to, thread, &spans[i]);
        if (ls_trace_dropped(to->trace) == 0)
            write_idle(to, thread);
    }
    fputs("\n]}\n", to->file);
}

ls_status ls_trace_file_write(const char *path, const ls_trace *trace,
                              const ls_schedule_graph *graph, ls_error *error)
{
    trace_file to = {.trace = trace, .graph = graph, .origin_ns = find_origin(trace)};
    ls_status status = ls_output_open(path, &to.file, error);
    if (status)
        return status;
    make_names(&to);
    write_all(&to);
    free_names(&to);
    return ls_output_close(path, to.file, error);
}
