#include "desync/tick_trace.h"

struct taking {
    ls_run_variant_keeper *keeper;
    ls_witness witness;
    ls_tick_trace *trail;
    bool is_full;
};

static ls_system_trace *add_moment(struct taking *taking, const ls_world *world)
{
    ls_tick_trace *trail = taking->trail;
    if (trail->count == LS_MOMENTS_MAX) {
        taking->is_full = true;
        return NULL;
    }
    if (trail->count == trail->capacity) {
        trail->capacity = trail->capacity * 2 + 64;
        trail->moments = ls_realloc(trail->moments, sizeof *trail->moments * trail->capacity);
    }
    ls_system_trace *moment = &trail->moments[trail->count++];
    *moment = (ls_system_trace){0};
    ls_system_trace_init(moment, world);
    return moment;
}

/* On one thread no system begins before the one that has begun has run. */
static void take(void *argument, ls_world *world, ls_moment_kind kind, uint32_t at)
{
    struct taking *taking = argument;
    if (kind == LS_MOMENT_BEGUN) {
        ls_system_trace *moment = add_moment(taking, world);
        ls_witness_begun(&taking->witness, world, at, moment);
        ls_run_variant_fill_stack(&taking->keeper->way);
    } else if (kind == LS_MOMENT_RAN) {
        ls_tick_trace *trail = taking->trail;
        ls_witness_ran(&taking->witness, at,
                       taking->is_full ? NULL : &trail->moments[trail->count - 1]);
    }
}

ls_status ls_tick_trace_take(ls_run_variant_keeper *keeper, const ls_frame *frame,
                             ls_tick_trace *trail, ls_error *error)
{
    ls_world *world = keeper->way.world;
    struct taking taking = {.keeper = keeper, .trail = trail};
    const ls_observer observer = {.argument = &taking, .see = take};
    size_t hashes = sizeof(uint64_t) * (ls_liveness(world) + 2);
    *trail = (ls_tick_trace){.start = ls_alloc(hashes), .end = ls_alloc(hashes)};
    ls_witness_init(&taking.witness, world);
    ls_world_hash_raw(world, trail->start);
    trail->status = ls_run_variant_run(keeper, frame, &observer, &trail->error);
    ls_world_hash_raw(world, trail->end);
    ls_run_variant_back(keeper);
    ls_witness_reset(&taking.witness);
    return taking.is_full ? ls_error_set(error, LS_ERROR_LIMIT,
                                         "more than %u runs of systems in one tick", LS_MOMENTS_MAX)
                          : LS_OK;
}

void ls_tick_trace_reset(ls_tick_trace *trail)
{
    for (uint32_t i = 0; i < trail->count; i++)
        ls_system_trace_reset(&trail->moments[i]);
    ls_free(trail->moments);
    ls_free(trail->start);
    ls_free(trail->end);
    *trail = (ls_tick_trace){0};
}

const ls_system_trace *ls_tick_trace_find(const ls_tick_trace *trail, uint32_t position,
                                          uint32_t nth)
{
    for (uint32_t i = 0; i < trail->count; i++) {
        if (trail->moments[i].position == position && trail->moments[i].nth == nth)
            return &trail->moments[i];
    }
    return NULL;
}

const ls_system_trace *ls_tick_trace_writer(const ls_tick_trace *trail, uint32_t column,
                                            uint32_t end)
{
    while (end-- > 0) {
        if (trail->moments[end].changed[column])
            return &trail->moments[end];
    }
    return NULL;
}

struct visiting {
    ls_run_variant_keeper *keeper;
    ls_witness witness;
    ls_halt *halt;
};

static void visit(void *argument, ls_world *world, ls_moment_kind kind, uint32_t at)
{
    struct visiting *visiting = argument;
    ls_halt *halt = visiting->halt;
    if (at != halt->position || kind > LS_MOMENT_RAN) {
        if (kind == LS_MOMENT_BEGUN)
            ls_run_variant_fill_stack(&visiting->keeper->way);
        return;
    }
    if (kind == LS_MOMENT_BEGUN)
        ls_witness_begun(&visiting->witness, world, at, NULL);
    if (visiting->witness.begun[at] - 1 != halt->nth)
        return;
    if (kind == LS_MOMENT_RAN)
        ls_witness_ran(&visiting->witness, at, NULL);
    if (kind == halt->kind) {
        halt->is_reached = true;
        halt->look(halt->argument, &visiting->witness);
    } else if (kind == LS_MOMENT_BEGUN && halt->begin) {
        halt->begin(halt->argument, &visiting->witness);
    }
    if (kind == LS_MOMENT_BEGUN)
        ls_run_variant_fill_stack(&visiting->keeper->way);
}

void ls_tick_trace_visit(ls_run_variant_keeper *keeper, const ls_frame *frame, ls_halt *halt)
{
    struct visiting visiting = {.keeper = keeper, .halt = halt};
    const ls_observer observer = {.argument = &visiting, .see = visit};
    ls_witness_init(&visiting.witness, keeper->way.world);
    halt->is_reached = false;
    ls_status status = ls_run_variant_run(keeper, frame, &observer, NULL);
    (void)status;
    ls_run_variant_back(keeper);
    ls_witness_reset(&visiting.witness);
}
