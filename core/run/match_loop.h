/* Calls a match function once for every match of its vector of queries: the paper's roll. */
#ifndef LS_MATCH_LOOP_H
#define LS_MATCH_LOOP_H
#include "core/run/invocation.h"

/* For a sequential system that writes them: what the keys of query 0's matches are now. */
void ls_match_loop_keep_keys(const ls_world *world, const ls_plan_system *plan, ls_run *run);
/* Over the frozen matches of all queries of a sequential system. */
void ls_match_loop(ls_context *context);
/* Over those of the others, when the first of `entities`, a vector, is the match of query 0. */
void ls_match_loop_others(ls_context *context, ls_entity *entities);

#endif
