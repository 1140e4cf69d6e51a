/* Explains a breach of a fact that ended a tick. */
#ifndef LS_FACT_EXPLAIN_H
#define LS_FACT_EXPLAIN_H
#include "core/run/invocation.h"

/* Runs the tick, or the part of it, again, in serial order, to find which system broke a fact
 * first: the order of an executor could name another one. Before and after the call the world is in
 * the state before the tick.
 *   errors  always LS_ERROR_REFUSED, with entity, components and system in the message */
ls_status ls_fact_explain(const ls_tick_job *failed, ls_error *error);

#endif
