/* Calls of a running system that begin a join walk: `grid` and `join` index the system's own
 * lists. */
#include <lockstep/join.h>

#include "core/run/grid_internal.h"
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

void ls_grid_begin(const ls_context *context, uint32_t grid, ls_fix x, ls_fix y, ls_fix radius,
                   ls_grid_walk *walk)
{
    if (LS_UNLIKELY(grid >= context->plan->grid_count))
        stop(context, "grid", grid);
    ls_grid_index_begin(&context->world->indexes->grids[context->plan->grids[grid]], x, y, radius,
                        walk);
}

void ls_join_begin(const ls_context *context, uint32_t join, uint64_t key, ls_join_walk *walk)
{
    if (LS_UNLIKELY(join >= context->plan->join_count))
        stop(context, "join", join);
    ls_join_index_begin(&context->world->indexes->joins[context->plan->joins[join]], key, walk);
}
