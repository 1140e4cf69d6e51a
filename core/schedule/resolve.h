/* Resolves the names in a system to indexes. */
#ifndef LS_RESOLVE_H
#define LS_RESOLVE_H
#include "core/schedule/program_data.h"
#include <lockstep/schedule_report.h>

/* UINT32_MAX when the simulation has no such event. */
uint32_t ls_program_find_event(const ls_program *program, const ls_component *event);

/* Checks one system, which has a name, and fills in its plan. Adds every fault to the report and
 * returns the first one; the plan then has what could be resolved. */
ls_status ls_plan_resolve(ls_program *program, const ls_system *system, ls_plan_system *plan,
                          struct ls_schedule_report *report) LS_MUST_USE;

void ls_plan_reset(ls_plan_system *plan);

/* Whether a system is sequential, has no query and changes nothing: the rule for criteria. */
bool ls_plan_is_pure(const ls_plan_system *plan);

#endif
