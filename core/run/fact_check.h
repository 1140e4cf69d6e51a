/* Checks that systems keep the facts that a simulation declares: no entity has both of two
 * incompatible components. A tick that breaks one fails.
 *   source  docs/ecs-reference.md, "Incompatible components" */
#ifndef LS_FACT_CHECK_H
#define LS_FACT_CHECK_H
#include "core/run/invocation.h"

/* After the system at `position` has run, or the merge of a par: checks all pairs of which it may
 * have attached a component. */
void ls_fact_check_system(ls_world *world, uint32_t position);
/* After the commands of the system at `position` were applied. */
void ls_fact_check_commands(ls_world *world, uint32_t position);
/* Describes the breach of the last run.
 *   errors  always LS_ERROR_REFUSED, with entity, components and system in the message */
ls_status ls_fact_breach_print(const ls_world *world, ls_error *error);
#endif
