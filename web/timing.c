#include "web/timing.h"

#include "cli/schedule/schedule_picture.h"
#include "cli/schedule/tick_times.h"
#include "core/base/bounds.h"
#include "core/base/json_writer.h"
#include <lockstep/executor.h>

enum {
    SLICES = 1 << 15, /* of one tick: each system in as many parts as it has pages */
    TICKS_KEPT_MAX = 512,
    /* The most ticks that are played between two measurements; more are a seek. */
    TICKS_PLAYED_MAX = 240,
};

struct ls_web_timing {
    ls_schedule_graph *graph;
    ls_trace *trace;
    ls_executor *executor;
    ls_tick_times times;
    uint64_t tick; /* of the last measurement */
};

ls_status ls_web_timing_create(const ls_program *program, ls_web_timing **timing, ls_error *error)
{
    ls_web_timing *made = ls_alloc(sizeof *made);
    ls_status status = ls_trace_create(1, SLICES, &made->trace, error);
    ls_executor_config config = {.threads = 1, .trace = made->trace};
    if (!status)
        status = ls_executor_create(&config, &made->executor, error);
    made->graph = ls_schedule_graph_create(program);
    ls_tick_times_init(&made->times, made->graph, 1);
    *timing = made;
    return status;
}

ls_executor *ls_web_timing_executor(ls_web_timing *timing)
{
    return timing->executor;
}

/* Halves all sums when they have many ticks, so that later ticks count for more. */
static void forget(ls_tick_times *times)
{
    if (times->ticks < TICKS_KEPT_MAX)
        return;
    times->ticks /= 2;
    times->tick_ns /= 2;
    for (uint32_t i = 0; i < times->graph->node_count; i++)
        times->systems[i].total_ns /= 2;
}

/* Begins anew after a jump: means of ticks that are far apart would be true of neither. */
static void follow(ls_web_timing *timing, uint64_t tick)
{
    if (tick < timing->tick || tick - timing->tick > TICKS_PLAYED_MAX) {
        ls_tick_times_reset(&timing->times);
        ls_tick_times_init(&timing->times, timing->graph, 1);
    }
    timing->tick = tick;
}

void ls_web_timing_measure(ls_web_timing *timing, ls_replay_player *player, uint64_t tick,
                           uint32_t ticks)
{
    uint64_t first = ls_replay_player_first(player), last = ls_replay_player_last(player);
    uint64_t from = tick > first + ticks ? tick - ticks : first;
    uint64_t end = ls_min(from + ticks, last);
    ls_error error;
    follow(timing, tick);
    ls_status status = ls_replay_player_seek(player, from, &error);
    while (!status && ls_replay_player_tick(player) < end) {
        ls_trace_clear(timing->trace);
        status = ls_replay_player_step(player, &error);
        if (status || ls_trace_dropped(timing->trace))
            continue;
        forget(&timing->times);
        ls_tick_times_add(&timing->times, timing->trace);
    }
}

void ls_web_timing_print(ls_web_timing *timing, ls_builder *text)
{
    const ls_tick_times *times = &timing->times;
    uint32_t count = timing->graph->node_count;
    uint64_t ticks = times->ticks ? times->ticks : 1;
    uint64_t *weights = ls_alloc(sizeof *weights * (count + 1));
    ls_builder svg = {0};
    ls_schedule_picture picture = {.graph = timing->graph, .is_timed = times->ticks > 0};
    ls_json_u64(text, "ticks", times->ticks);
    ls_json_u64(text, "tickNs", times->tick_ns / ticks);
    ls_json_open(text, "systems", '[');
    for (uint32_t i = 0; i < count; i++) {
        weights[i] = times->systems[i].total_ns / ticks;
        ls_json_u64(text, NULL, weights[i]);
    }
    ls_json_close(text, ']');
    if (picture.is_timed)
        ls_schedule_graph_weigh(timing->graph, weights);
    ls_schedule_picture_svg(&picture, &svg);
    ls_json_string(text, "svg", svg.data);
    ls_free(svg.data);
    ls_free(weights);
}
