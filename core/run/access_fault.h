/* Stops a simulation that does something undeclared, because it could make machines differ. */
#ifndef LS_ACCESS_FAULT_H
#define LS_ACCESS_FAULT_H
#include "core/run/invocation.h"

/* The term number of a fault without a term. It is not UINT32_MAX, which a failed lookup returns: a
 * simulation may pass that on as a term, and the message should then show it. */
#define LS_NO_TERM (UINT32_MAX - 1)

/* Prints the fault and aborts. The message has the system, the term with its component, event or
 * lane, the entity and the tick. If `entity` is LS_ENTITY_NULL and the system is concurrent, the
 * message shows the invocation's entity, or for several the number of slots and the first
 * entity. */
_Noreturn void ls_access_fault(const ls_context *context, uint32_t term, ls_entity entity,
                               const char *why);

#endif
