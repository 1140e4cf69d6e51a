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

static _Noreturn void stop_dimensions(const ls_context *context, uint32_t grid, bool has_z)
{
    fprintf(stderr,
            "lockstep: system \"%s\", tick %" PRIu64 ": walks grid %" PRIu32 " %s; call %s\n",
            context->plan->system->name, context->world->state.tick, grid,
            has_z ? "by x and y, but it has z" : "by x, y and z, but it has no z",
            has_z ? "ls_grid_begin_3d() or ls_grid_nearest_3d()"
                  : "ls_grid_begin() or ls_grid_nearest(), or list it as LS_POSITION(T, x, y, z)");
    abort();
}

static const ls_grid_index *grid_of(const ls_context *context, uint32_t grid, bool has_z)
{
    if (LS_UNLIKELY(grid >= context->plan->grid_count))
        stop(context, "grid", grid);
    const ls_grid_index *index = &context->world->indexes->grids[context->plan->grids[grid]];
    if (LS_UNLIKELY(index->has_z != has_z))
        stop_dimensions(context, grid, index->has_z);
    return index;
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
    ls_grid_index_begin(grid_of(context, grid, false), x, y, radius, walk);
}

void ls_grid_begin_3d(const ls_context *context, uint32_t grid, ls_fix3 at, ls_fix radius,
                      ls_grid_walk *walk)
{
    ls_grid_index_begin_3d(grid_of(context, grid, true), at, radius, walk);
}

uint32_t ls_grid_nearest(const ls_context *context, uint32_t grid, ls_fix x, ls_fix y,
                         ls_fix radius, uint32_t count, ls_neighbour *neighbours)
{
    return ls_grid_index_nearest(grid_of(context, grid, false), ls_fix3_make(x, y, 0), radius,
                                 count, neighbours);
}

uint32_t ls_grid_nearest_3d(const ls_context *context, uint32_t grid, ls_fix3 at, ls_fix radius,
                            uint32_t count, ls_neighbour *neighbours)
{
    return ls_grid_index_nearest(grid_of(context, grid, true), at, radius, count, neighbours);
}

void ls_join_begin(const ls_context *context, uint32_t join, uint64_t key, ls_join_walk *walk)
{
    ls_join_index_begin(join_of(context, join), key, walk);
}

uint32_t ls_join_count(const ls_context *context, uint32_t join, uint64_t key)
{
    return ls_join_index_count(join_of(context, join), key);
}
