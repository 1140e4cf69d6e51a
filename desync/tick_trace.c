#include "desync/tick_trace.h"

#include "core/base/grow.h"

struct taking {
    ls_variant_runner *runner;
    ls_tick_probe tick_probe;
    ls_tick_trace *trace;
    bool is_full;
};

static ls_system_trace *add_step(struct taking *taking, const ls_world *world)
{
    ls_tick_trace *trace = taking->trace;
    if (trace->count == LS_MOMENTS_MAX) {
        taking->is_full = true;
        return NULL;
    }
    trace->steps = ls_grow(trace->steps, trace->count, &trace->capacity, sizeof *trace->steps);
    ls_system_trace *step = &trace->steps[trace->count++];
    *step = (ls_system_trace){0};
    ls_system_trace_init(step, world);
    return step;
}

/* Takes one step at a time: on one thread, a system has run before the next one begins. */
static void take(void *argument, ls_world *world, ls_tick_point kind, uint32_t at)
{
    struct taking *taking = argument;
    if (kind == LS_POINT_BEGUN) {
        ls_system_trace *step = add_step(taking, world);
        ls_tick_probe_begun(&taking->tick_probe, world, at, step);
        ls_run_variant_fill_stack(&taking->runner->variant);
    } else if (kind == LS_POINT_RAN) {
        ls_tick_trace *trace = taking->trace;
        ls_tick_probe_ran(&taking->tick_probe, at,
                          taking->is_full ? NULL : &trace->steps[trace->count - 1]);
    }
}

ls_status ls_tick_trace_take(ls_variant_runner *runner, const ls_frame *frame, ls_tick_trace *trace,
                             ls_error *error)
{
    ls_world *world = runner->variant.world;
    struct taking taking = {.runner = runner, .trace = trace};
    const ls_tick_hook hook = {.argument = &taking, .call = take};
    size_t hashes = sizeof(uint64_t) * (ls_liveness(world) + 2);
    *trace = (ls_tick_trace){.start = ls_alloc(hashes), .end = ls_alloc(hashes)};
    ls_tick_probe_init(&taking.tick_probe, world);
    ls_world_hash_raw(world, trace->start);
    trace->status = ls_run_variant_run(runner, frame, &hook, &trace->error);
    ls_world_hash_raw(world, trace->end);
    ls_run_variant_back(runner);
    ls_tick_probe_reset(&taking.tick_probe);
    return taking.is_full ? ls_error_set(error, LS_ERROR_LIMIT,
                                         "more than %u runs of systems in one tick", LS_MOMENTS_MAX)
                          : LS_OK;
}

void ls_tick_trace_reset(ls_tick_trace *trace)
{
    for (uint32_t i = 0; i < trace->count; i++)
        ls_system_trace_reset(&trace->steps[i]);
    ls_free(trace->steps);
    ls_free(trace->start);
    ls_free(trace->end);
    *trace = (ls_tick_trace){0};
}

const ls_system_trace *ls_tick_trace_find(const ls_tick_trace *trace, uint32_t position,
                                          uint32_t nth)
{
    for (uint32_t i = 0; i < trace->count; i++) {
        if (trace->steps[i].position == position && trace->steps[i].nth == nth)
            return &trace->steps[i];
    }
    return NULL;
}

const ls_system_trace *ls_tick_trace_writer(const ls_tick_trace *trace, uint32_t column,
                                            uint32_t end)
{
    while (end-- > 0) {
        if (trace->steps[end].changed[column])
            return &trace->steps[end];
    }
    return NULL;
}

struct visiting {
    ls_variant_runner *runner;
    ls_tick_probe tick_probe;
    ls_halt *halt;
};

static void visit(void *argument, ls_world *world, ls_tick_point kind, uint32_t at)
{
    struct visiting *visiting = argument;
    ls_halt *halt = visiting->halt;
    if (at != halt->position || kind > LS_POINT_RAN) {
        if (kind == LS_POINT_BEGUN)
            ls_run_variant_fill_stack(&visiting->runner->variant);
        return;
    }
    if (kind == LS_POINT_BEGUN)
        ls_tick_probe_begun(&visiting->tick_probe, world, at, NULL);
    if (visiting->tick_probe.begun[at] - 1 != halt->nth)
        return;
    if (kind == LS_POINT_RAN)
        ls_tick_probe_ran(&visiting->tick_probe, at, NULL);
    if (kind == halt->kind) {
        halt->is_reached = true;
        halt->look(halt->argument, &visiting->tick_probe);
    } else if (kind == LS_POINT_BEGUN && halt->begin) {
        halt->begin(halt->argument, &visiting->tick_probe);
    }
    if (kind == LS_POINT_BEGUN)
        ls_run_variant_fill_stack(&visiting->runner->variant);
}

void ls_tick_trace_visit(ls_variant_runner *runner, const ls_frame *frame, ls_halt *halt)
{
    struct visiting visiting = {.runner = runner, .halt = halt};
    const ls_tick_hook hook = {.argument = &visiting, .call = visit};
    ls_tick_probe_init(&visiting.tick_probe, runner->variant.world);
    halt->is_reached = false;
    ls_status status = ls_run_variant_run(runner, frame, &hook, NULL);
    (void)status;
    ls_run_variant_back(runner);
    ls_tick_probe_reset(&visiting.tick_probe);
}
