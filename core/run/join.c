/* Calls of a running system that use a join: `grid` and `join` index the system's own lists. */
#include <lockstep/join.h>

#include "core/run/grid_nearest.h"
#include "core/run/invocation.h"
#include "core/run/key_join_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static _Noreturn void stop(const ls_context *context, const char *what, uint32_t number)
{
    fprintf(stderr,
            "lockstep: system \"%s\", tick %" PRIu64 ": walks %s %" PRIu32
            ", a %s that it does not list\n",
            context->plan->system->name, context->world->state.tick, what, number, what);
    abort();
}

static const ls_grid_index *grid_of(const ls_context *context, uint32_t grid)
{
    if (LS_UNLIKELY(grid >= context->plan->grid_count))
        stop(context, "grid", grid);
    return &context->world->indexes->grids[context->plan->grids[grid]];
}

static const ls_join_index *join_of(const ls_context *context, uint32_t join)
{
    if (LS_UNLIKELY(join >= context->plan->join_count))
        stop(context, "join", join);
    return &context->world->indexes->joins[context->plan->joins[join]];
}

void ls_grid_begin(const ls_context *context, uint32_t grid, ls_fix x, ls_fix y, ls_fix radius,
                   ls_grid_walk *walk)
{
    ls_grid_index_begin(grid_of(context, grid), x, y, radius, walk);
}

uint32_t ls_grid_nearest(const ls_context *context, uint32_t grid, ls_fix x, ls_fix y,
                         ls_fix radius, uint32_t count, ls_neighbour *neighbours)
{
    return ls_grid_index_nearest(grid_of(context, grid), x, y, radius, count, neighbours);
}

void ls_join_begin(const ls_context *context, uint32_t join, uint64_t key, ls_join_walk *walk)
{
    ls_join_index_begin(join_of(context, join), key, walk);
}

uint32_t ls_join_count(const ls_context *context, uint32_t join, uint64_t key)
{
    return ls_join_index_count(join_of(context, join), key);
}
