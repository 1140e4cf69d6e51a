/* Explains a cycle of parents that ended a tick. */
#ifndef LS_PARENT_CYCLE_H
#define LS_PARENT_CYCLE_H
#include "core/run/invocation.h"

/* Runs the tick, or the part of it, again to find the system, par or stage that made an entity its
 * own ancestor. Before and after the call the world is in the state before the tick.
 *   errors  always LS_ERROR_REFUSED, with the entity, the component and the field in the message */
ls_status ls_parent_cycle_explain(const ls_tick_job *failed, ls_error *error);
/* The error of a setup after which an entity is its own ancestor. */
ls_status ls_parent_cycle_of_setup(const ls_world *world, uint32_t position, ls_error *error);

#endif
