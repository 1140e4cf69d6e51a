/* Resolves the partner of a system: the reference by which each match finds it. */
#ifndef LS_RESOLVE_PARTNER_H
#define LS_RESOLVE_PARTNER_H
#include "core/schedule/program_data.h"

/* Call it when all terms are resolved. During a run, the system may not change what decides about
 * its matches and their partners, and may not look at the partners' cells through other terms.
 *   errors  names the system and what is missing or too much */
ls_status ls_plan_resolve_partner(ls_program *program, ls_plan_system *plan, ls_error *error);

#endif
