/* The end of a simulation that does what it did not declare: it would make machines differ. */
#ifndef LS_ACCESS_FAULT_H
#define LS_ACCESS_FAULT_H
#include "core/run/invocation.h"

/* For what is not done through a term. Not UINT32_MAX, which is what a lookup that failed gives,
 * and which a simulation may then pass as a term: the message should show it. */
#define LS_NO_TERM (UINT32_MAX - 1)

/* Says whose fault it is, and aborts: system, component, tick, and `entity`, or when that is
 * LS_ENTITY_NULL and the system is concurrent, for which of its own entities it was called. */
_Noreturn void ls_access_fault(const ls_context *context, uint32_t term, ls_entity entity,
                               const char *why);

#endif
