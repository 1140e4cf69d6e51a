/* Resolves the partner of a system: the reference by which each match finds it. */
#ifndef LS_RESOLVE_PARTNER_H
#define LS_RESOLVE_PARTNER_H
#include "core/schedule/program_data.h"

/* Call it when all terms are resolved. Refuses a system that could, during its run, change the
 * references to its partners, or look at the partners' cells through other terms.
 *   errors  names the system and the rule that it violates */
ls_status ls_plan_resolve_partner(ls_program *program, ls_plan_system *plan, ls_error *error);

#endif
