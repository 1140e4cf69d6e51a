/* Stops a simulation that does something undeclared: it would make machines differ. */
#ifndef LS_ACCESS_FAULT_H
#define LS_ACCESS_FAULT_H
#include "core/run/invocation.h"

/* The term number of a fault that concerns no term. Not UINT32_MAX: a failed lookup gives that, a
 * simulation may pass it on as a term, and the message should then show it. */
#define LS_NO_TERM (UINT32_MAX - 1)

/* Prints the fault and aborts. The message has system, component, tick and entity; if `entity` is
 * LS_ENTITY_NULL and the system is concurrent, it has the entity for which the system was called.
 */
_Noreturn void ls_access_fault(const ls_context *context, uint32_t term, ls_entity entity,
                               const char *why);

#endif
