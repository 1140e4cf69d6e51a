#include "cli/schedule/measure_match.h"

#include "cli/common/progress_bar.h"
#include "cli/common/random_inputs.h"

/* Trace slices kept per tick and thread: enough for every system in as many parts as it can have
 * pages. */
enum { SLICES = 1 << 17 };

static ls_status run_tick(ls_world *world, ls_random_inputs *players, ls_executor *executor,
                          ls_trace *trace, ls_error *error)
{
    ls_frame frame = {.tick = ls_world_tick(world)};
    if (ls_program_sim(ls_world_program(world))->bot)
        frame = ls_random_inputs_frame(players, world);
    ls_status status = ls_world_advance(world, &frame, executor, error);
    if (status)
        return status;
    ls_trace_slice root = {.kind = LS_TRACE_ROOT, .start_ns = ls_trace_now(trace)};
    (void)ls_world_root_on(world, executor);
    ls_trace_add(trace, root);
    return LS_OK;
}

static ls_status run_ticks(ls_world *world, uint64_t ticks, ls_executor *executor, ls_trace *trace,
                           ls_tick_times *times, ls_error *error)
{
    ls_random_inputs *players = ls_alloc(sizeof *players);
    ls_status status = LS_OK;
    ls_tick_progress progress;
    ls_tick_progress_begin(&progress);
    for (uint64_t i = 0; i < ticks && !status; i++) {
        ls_trace_clear(trace);
        status = run_tick(world, players, executor, trace, error);
        if (!status && ls_trace_dropped(trace))
            status = ls_error_set(error, LS_ERROR_LIMIT, "a tick has too many parts to measure");
        if (!status)
            ls_tick_times_add(times, trace);
        ls_tick_progress_show(&progress, i + 1, ticks);
    }
    ls_tick_progress_end(&progress);
    ls_free(players);
    return status;
}

ls_status ls_measure_match(const ls_match_options *options, uint64_t ticks, ls_tick_times *times,
                           ls_error *error)
{
    const ls_program *program = times->graph->program;
    ls_match match;
    ls_trace *trace = NULL;
    ls_executor *executor = NULL;
    ls_world *world = NULL;
    ls_status status = ls_match_options_apply(options, program, &match, error);
    if (!status)
        status = ls_trace_create(times->threads, SLICES, &trace, error);
    const ls_executor_config config = {.threads = times->threads, .trace = trace};
    if (!status)
        status = ls_executor_create(&config, &executor, error);
    if (!status)
        status = ls_world_create(program, &match, &world, error);
    if (!status)
        status = run_ticks(world, ticks, executor, trace, times, error);
    ls_world_destroy(world);
    ls_executor_destroy(executor);
    ls_trace_destroy(trace);
    return status;
}
