#include "cli/schedule/tick_times.h"

#include "core/base/bounds.h"
#include "core/base/json_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void ls_tick_times_init(ls_tick_times *times, const ls_schedule_graph *graph, uint32_t threads)
{
    *times = (ls_tick_times){.graph = graph, .threads = threads};
    times->systems = ls_alloc(sizeof *times->systems * (graph->node_count + 1));
    times->stages = ls_alloc(sizeof *times->stages * (graph->stage_count + 1));
}

void ls_tick_times_reset(ls_tick_times *times)
{
    ls_free(times->systems);
    ls_free(times->stages);
    *times = (ls_tick_times){0};
}

static bool is_system_slice(const ls_trace_slice *slice)
{
    return slice->kind >= LS_TRACE_BEGIN && slice->kind <= LS_TRACE_END;
}

static void add_system_slice(ls_tick_times *times, const ls_trace_slice *slice)
{
    if (slice->index >= times->graph->node_count)
        return; /* a criterion, which counts for its stage */
    ls_system_times *system = &times->systems[slice->index];
    system->tick_ns += slice->end_ns - slice->start_ns;
    if (slice->kind != LS_TRACE_PART)
        system->around_ns += slice->end_ns - slice->start_ns;
    system->entities += slice->entities;
    system->runs += slice->kind == LS_TRACE_BEGIN;
}

static void add_slice(ls_tick_times *times, const ls_trace_slice *slice)
{
    uint64_t took_ns = slice->end_ns - slice->start_ns;
    if (is_system_slice(slice))
        add_system_slice(times, slice);
    else if (slice->kind == LS_TRACE_SYNC)
        times->stages[slice->index].sync_ns += took_ns;
    else if (slice->kind == LS_TRACE_CRITERIA)
        times->stages[slice->index].criteria_ns += took_ns;
    else if (slice->kind == LS_TRACE_TICK)
        times->tick_ns += took_ns;
    else if (slice->kind == LS_TRACE_ROOT)
        times->root_ns += took_ns;
}

/* Adds the parts that ran within the window to their systems; returns their total time. */
static uint64_t collect_parts(ls_tick_times *times, const ls_trace *trace,
                              const ls_trace_slice *window)
{
    const uint32_t *first = &times->graph->stages[window->index].first[1];
    uint64_t work_ns = 0;
    for (uint32_t i = first[0]; i < first[1]; i++)
        times->systems[i].longest_part_ns = times->systems[i].other_ns = 0;
    for (uint32_t thread = 0; thread < ls_trace_thread_count(trace); thread++) {
        uint32_t count;
        const ls_trace_slice *slices = ls_trace_slices(trace, thread, &count);
        for (uint32_t i = 0; i < count; i++) {
            const ls_trace_slice *slice = &slices[i];
            if (!is_system_slice(slice) || slice->index < first[0] || slice->index >= first[1] ||
                slice->run != window->run)
                continue;
            uint64_t took_ns = slice->end_ns - slice->start_ns;
            ls_system_times *system = &times->systems[slice->index];
            if (slice->kind == LS_TRACE_PART)
                system->longest_part_ns = ls_max(system->longest_part_ns, took_ns);
            else
                system->other_ns += took_ns;
            work_ns += took_ns;
            times->busy_ns[thread] += took_ns;
        }
    }
    return work_ns;
}

/* Returns the time of the longest path through the systems from `first` to before `end`. Walks
 * backwards: links are sorted by their earlier end, so the paths after a system are known. */
static uint64_t find_longest_path(ls_tick_times *times, uint32_t first, uint32_t end)
{
    const ls_schedule_graph *graph = times->graph;
    uint64_t longest_ns = 0;
    uint32_t at = graph->link_count;
    while (at > 0 && graph->links[at - 1].one >= end)
        at--;
    for (uint32_t i = end; i-- > first;) {
        ls_system_times *system = &times->systems[i];
        system->path_ns = 0;
        for (; at > 0 && graph->links[at - 1].one == i; at--) {
            const ls_schedule_link *link = &graph->links[at - 1];
            if (ls_link_is_order(link->kind) && !ls_link_is_far(graph, link))
                system->path_ns = ls_max(system->path_ns, times->systems[link->other].path_ns);
        }
        system->path_ns += system->longest_part_ns + system->other_ns;
        longest_ns = ls_max(longest_ns, system->path_ns);
    }
    return longest_ns;
}

static void add_window(ls_tick_times *times, const ls_trace *trace, const ls_trace_slice *window)
{
    const uint32_t *first = &times->graph->stages[window->index].first[1];
    ls_stage_times *stage = &times->stages[window->index];
    uint64_t share_ns = collect_parts(times, trace, window) / times->threads;
    uint64_t critical_ns = find_longest_path(times, first[0], first[1]);
    stage->took_ns += window->end_ns - window->start_ns;
    stage->critical_ns += critical_ns;
    stage->share_ns += share_ns;
    stage->bound_ns += ls_max(critical_ns, share_ns);
}

void ls_tick_times_add(ls_tick_times *times, const ls_trace *trace)
{
    for (uint32_t i = 0; i < times->graph->node_count; i++)
        times->systems[i].tick_ns = 0;
    for (uint32_t thread = 0; thread < ls_trace_thread_count(trace); thread++) {
        uint32_t count;
        const ls_trace_slice *slices = ls_trace_slices(trace, thread, &count);
        for (uint32_t i = 0; i < count; i++) {
            add_slice(times, &slices[i]);
            if (slices[i].kind == LS_TRACE_PARALLEL)
                add_window(times, trace, &slices[i]);
        }
    }
    for (uint32_t i = 0; i < times->graph->node_count; i++) {
        ls_system_times *system = &times->systems[i];
        system->total_ns += system->tick_ns;
        system->max_ns = ls_max(system->max_ns, system->tick_ns);
    }
    times->ticks++;
}

/* Prints a time with at most five characters before the unit: 999 ns, 12.3 us, 12.34 ms. */
static void print_time(uint64_t ns, char *words, size_t bytes)
{
    if (ns < 1000)
        snprintf(words, bytes, "%" PRIu64 " ns", ns);
    else if (ns < 1000000)
        snprintf(words, bytes, "%.1f us", (double)ns / 1e3);
    else
        snprintf(words, bytes, "%.2f ms", (double)ns / 1e6);
}

static void add_time(const ls_tick_times *times, uint64_t total_ns, ls_builder *text)
{
    char words[32];
    print_time(times->ticks ? total_ns / times->ticks : 0, words, sizeof words);
    ls_builder_add(text, " %11s", words);
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

enum { NAME_WIDTH = 24 };

static void add_system_row(const ls_tick_times *times, uint32_t position, uint64_t all_ns,
                           ls_builder *text)
{
    const ls_system_times *system = &times->systems[position];
    char words[32];
    ls_builder_add(text, "%-*.*s", NAME_WIDTH, NAME_WIDTH,
                   times->graph->nodes[position].system->name);
    add_time(times, system->total_ns, text);
    print_time(system->max_ns, words, sizeof words);
    ls_builder_add(text, " %11s %6.1f%%", words, percent(system->total_ns, all_ns));
    add_time(times, system->around_ns, text);
    ls_builder_add(text, " %11.1f",
                   system->runs ? (double)system->entities / (double)system->runs : 0);
    if (system->entities)
        ls_builder_add(text, " %11.1f\n",
                       (double)(system->total_ns - system->around_ns) / (double)system->entities);
    else
        ls_builder_add(text, " %11s\n", "-");
}

static void add_stage_row(const ls_tick_times *times, const char *name, const ls_stage_times *stage,
                          ls_builder *text)
{
    ls_builder_add(text, "%-*.*s", NAME_WIDTH, NAME_WIDTH, name);
    add_time(times, stage->took_ns, text);
    add_time(times, stage->critical_ns, text);
    add_time(times, stage->share_ns, text);
    ls_builder_add(text, " %10.2fx",
                   stage->bound_ns ? (double)stage->took_ns / (double)stage->bound_ns : 0);
    add_time(times, stage->sync_ns, text);
    ls_builder_add(text, "\n");
}

static ls_stage_times sum_stages(const ls_tick_times *times)
{
    ls_stage_times sum = {0};
    for (uint32_t i = 0; i < times->graph->stage_count; i++) {
        const ls_stage_times *stage = &times->stages[i];
        sum.took_ns += stage->took_ns;
        sum.critical_ns += stage->critical_ns;
        sum.share_ns += stage->share_ns;
        sum.bound_ns += stage->bound_ns;
        sum.sync_ns += stage->sync_ns;
        sum.criteria_ns += stage->criteria_ns;
    }
    return sum;
}

static uint64_t sum_systems(const ls_tick_times *times)
{
    uint64_t sum_ns = 0;
    for (uint32_t i = 0; i < times->graph->node_count; i++)
        sum_ns += times->systems[i].total_ns;
    return sum_ns;
}

static void add_worker_rows(const ls_tick_times *times, uint64_t took_ns, ls_builder *text)
{
    ls_builder_add(text, "\n%-*s %11s %11s %7s\n", NAME_WIDTH, "worker", "busy", "idle", "idle");
    for (uint32_t i = 0; i < times->threads; i++) {
        uint64_t busy_ns = times->busy_ns[i] < took_ns ? times->busy_ns[i] : took_ns;
        char name[32];
        snprintf(name, sizeof name, "%u%s", i, i ? "" : " (the caller)");
        ls_builder_add(text, "%-*s", NAME_WIDTH, name);
        add_time(times, busy_ns, text);
        add_time(times, took_ns - busy_ns, text);
        ls_builder_add(text, " %6.1f%%\n", percent(took_ns - busy_ns, took_ns));
    }
}

void ls_tick_times_table(const ls_tick_times *times, ls_builder *text)
{
    const ls_schedule_graph *graph = times->graph;
    uint64_t all_ns = sum_systems(times);
    ls_stage_times sum = sum_stages(times);
    char words[32];
    print_time(times->ticks ? times->tick_ns / times->ticks : 0, words, sizeof words);
    ls_builder_add(text, "%s: %" PRIu64 " ticks on %u thread%s, %s a tick\n\n",
                   ls_program_sim(graph->program)->name, times->ticks, times->threads,
                   times->threads == 1 ? "" : "s", words);
    ls_builder_add(text, "%-*s %11s %11s %7s %11s %11s %11s\n", NAME_WIDTH, "system", "a tick",
                   "most", "share", "around it", "entities", "ns each");
    for (uint32_t i = 0; i < graph->node_count; i++)
        add_system_row(times, i, all_ns, text);
    ls_builder_add(text, "%-*s", NAME_WIDTH, "all systems");
    add_time(times, all_ns, text);
    ls_builder_add(text, "\n%-*s", NAME_WIDTH, "criteria");
    add_time(times, sum.criteria_ns, text);
    ls_builder_add(text, "\n%-*s", NAME_WIDTH, "sync points");
    add_time(times, sum.sync_ns, text);
    ls_builder_add(text, "\n%-*s", NAME_WIDTH, "hash of the state");
    add_time(times, times->root_ns, text);
    ls_builder_add(text, "\n\n%-*s %11s %11s %11s %11s %11s\n", NAME_WIDTH, "parallel systems of",
                   "took", "critical", "work/thread", "to bound", "sync point");
    for (uint32_t i = 0; i < graph->stage_count; i++)
        add_stage_row(times, graph->stages[i].stage->name, &times->stages[i], text);
    if (graph->stage_count > 1)
        add_stage_row(times, "all stages", &sum, text);
    add_worker_rows(times, sum.took_ns, text);
}

static void add_json_stage(const ls_stage_times *stage, ls_builder *text)
{
    ls_json_u64(text, "makespan_ns", stage->took_ns);
    ls_json_u64(text, "critical_ns", stage->critical_ns);
    ls_json_u64(text, "work_by_threads_ns", stage->share_ns);
    ls_json_u64(text, "bound_ns", stage->bound_ns);
    ls_json_u64(text, "sync_ns", stage->sync_ns);
    ls_json_u64(text, "criteria_ns", stage->criteria_ns);
    ls_json_close(text, '}');
}

static void add_json_system(const char *name, const ls_system_times *system, ls_builder *text)
{
    ls_json_line(text, 2);
    ls_json_open(text, NULL, '{');
    ls_json_string(text, "name", name);
    ls_json_u64(text, "total_ns", system->total_ns);
    ls_json_u64(text, "max_ns", system->max_ns);
    ls_json_u64(text, "around_ns", system->around_ns);
    ls_json_u64(text, "runs", system->runs);
    ls_json_u64(text, "entities", system->entities);
    ls_json_close(text, '}');
}

static void add_json_workers(const ls_tick_times *times, uint64_t took_ns, ls_builder *text)
{
    ls_json_line(text, 1);
    ls_json_open(text, "workers", '[');
    for (uint32_t i = 0; i < times->threads; i++) {
        uint64_t busy_ns = times->busy_ns[i];
        ls_json_open(text, NULL, '{');
        ls_json_u64(text, "busy_ns", busy_ns);
        ls_json_u64(text, "idle_ns", took_ns > busy_ns ? took_ns - busy_ns : 0);
        ls_json_close(text, '}');
    }
    ls_json_close(text, ']');
}

void ls_tick_times_json(const ls_tick_times *times, ls_builder *text)
{
    const ls_schedule_graph *graph = times->graph;
    ls_stage_times sum = sum_stages(times);
    ls_json_open(text, NULL, '{');
    ls_json_line(text, 1);
    ls_json_u64(text, "format", 1);
    ls_json_line(text, 1);
    ls_json_string(text, "simulation", ls_program_sim(graph->program)->name);
    ls_json_line(text, 1);
    ls_json_u64(text, "ticks", times->ticks);
    ls_json_u64(text, "threads", times->threads);
    ls_json_u64(text, "tick_ns", times->tick_ns);
    ls_json_u64(text, "hash_ns", times->root_ns);
    ls_json_line(text, 1);
    ls_json_open(text, "systems", '[');
    for (uint32_t i = 0; i < graph->node_count; i++)
        add_json_system(graph->nodes[i].system->name, &times->systems[i], text);
    ls_json_close_lines(text, 1, ']');
    ls_json_line(text, 1);
    ls_json_open(text, "stages", '[');
    for (uint32_t i = 0; i < graph->stage_count; i++) {
        ls_json_line(text, 2);
        ls_json_open(text, NULL, '{');
        ls_json_string(text, "name", graph->stages[i].stage->name);
        add_json_stage(&times->stages[i], text);
    }
    ls_json_close_lines(text, 1, ']');
    ls_json_line(text, 1);
    ls_json_open(text, "all_stages", '{');
    add_json_stage(&sum, text);
    add_json_workers(times, sum.took_ns, text);
    ls_json_close_lines(text, 0, '}');
    ls_builder_add(text, "\n");
}
