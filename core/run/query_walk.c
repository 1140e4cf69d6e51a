/* Walks over the matches of a query that the system's function visits itself. The matches were
 * listed when the system began, like the matches of its query vector. */
#include <lockstep/query_walk.h>

#include "core/run/access_fault.h"
#include "core/run/match_loop.h"
#include "core/state/store.h"

#include <inttypes.h>
#include <stdio.h>

void ls_query_walk_begin(const ls_context *context, uint32_t query, ls_query_walk *walk)
{
    if (LS_UNLIKELY(query >= LS_QUERIES_MAX || !(context->plan->walked >> query & 1))) {
        char why[120];
        snprintf(why, sizeof why, "walks query %" PRIu32 ", which it does not list with WALKS(...)",
                 query);
        ls_access_fault(context, LS_NO_TERM, LS_ENTITY_NULL, why);
    }
    *walk = (ls_query_walk){.context = context, .query = query};
}

/* Whether a listed entity still matches. Liveness needs no check: entities do not die within a
 * stage, and those that a sequential system despawns leave the masks. A concurrent system needs no
 * check: while it runs, no system changes presence in the columns that it walks. */
static bool still_matches(const ls_context *context, uint32_t query, ls_entity entity)
{
    return context->plan->system->mode == LS_CONCURRENT ||
           ls_match_loop_holds(context, query, entity);
}

ls_entity ls_query_walk_next(ls_query_walk *walk)
{
    const ls_context *context = walk->context;
    const ls_page_list *list = &context->run->queries[walk->query];
    for (; walk->page < list->count; walk->page++, walk->slot = 0) {
        uint32_t lane = list->keys[walk->page] >> 16, page = list->keys[walk->page] & 0xffff;
        /* The mask and the handle are read anew each time: a despawn clears later bits, and a spawn
         * may replace the page of generations. */
        while ((walk->slot = ls_mask_next_set(list->masks[walk->page], walk->slot)) <
               LS_PAGE_SLOTS) {
            ls_entity entity =
                ls_store_entity_at(context->world, lane, page * LS_PAGE_SLOTS + walk->slot++);
            if (still_matches(context, walk->query, entity))
                return entity;
        }
    }
    return LS_ENTITY_NULL;
}
