/* Calls a match function once for every match of its query vector: the paper's roll. */
#ifndef LS_MATCH_LOOP_H
#define LS_MATCH_LOOP_H
#include "core/run/invocation.h"

/* For a sequential system that writes keys: stores the current keys of query 0's matches. */
void ls_match_loop_keep_keys(const ls_world *world, const ls_plan_system *plan, ls_run *run);
/* Runs a sequential system over the frozen matches of all its queries. */
void ls_match_loop(ls_context *context);
/* Whether an entity that matched the query when the system began still does, by presence alone. */
bool ls_match_loop_holds(const ls_context *context, uint32_t query, ls_entity entity);
/* Runs over the matches of the other queries, with entities[0] as the match of query 0. */
void ls_match_loop_others(ls_context *context, ls_entity *entities);

#endif
