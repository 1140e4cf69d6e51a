/* Writes the partners of a concurrent system's matches: ls_partner in include/lockstep/system.h.
 *   thread  the thread that runs the invocation */
#ifndef LS_PARTNER_H
#define LS_PARTNER_H
#include <lockstep/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The cell of an LS_PARTNER term, of the partner of `own`: the entity in the reference that the
 * system's `partner` names (include/lockstep/system.h). `own` is an entity that the invocation
 * matches. NULL when it has no partner, when that is dead or lacks the component, and when another
 * match has won the partner. Valid during the whole run of the system. */
LS_API void *ls_partner_write_(ls_context *context, uint32_t term, ls_entity own);
/* ls_partner_write_() by the name of the term. */
#define LS_WRITE_PARTNER(context, name, own)                                                       \
    ((LS_TYPE_OF_(name, may_write_partner) *)ls_partner_write_(context, LS_TERM_INDEX(name), own))

#ifdef __cplusplus
}
#endif

#endif
