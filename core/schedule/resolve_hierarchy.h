/* Resolves the reference by which a system runs parents first. */
#ifndef LS_RESOLVE_HIERARCHY_H
#define LS_RESOLVE_HIERARCHY_H
#include "core/schedule/program_data.h"

/* Call it when all terms are resolved. The system then reads the reference of all entities.
 *   errors  names the system and the rule that it violates */
ls_status ls_plan_resolve_hierarchy(const ls_program *program, ls_plan_system *plan,
                                    ls_error *error);

#endif
