/* Resolves the partner of a system: the reference by which each match finds it. */
#ifndef LS_RESOLVE_PARTNER_H
#define LS_RESOLVE_PARTNER_H
#include "core/schedule/program_data.h"

/* Call it when all terms are resolved. Nothing may change during a run of the system what decides
 * about its matches and their partners, and nothing else in it may look at the partners' cells.
 *   errors  names the system and what is missing or too much */
ls_status ls_plan_resolve_partner(ls_program *program, ls_plan_system *plan, ls_error *error);

#endif
