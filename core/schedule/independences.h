/* Lists the declared independences of a schedule. */
#ifndef LS_INDEPENDENCES_H
#define LS_INDEPENDENCES_H
#include "core/base/builder.h"
#include "core/schedule/program_data.h"
#include <lockstep/schedule_report.h>

/* Adds each independence to the report of a schedule without errors, with the number of pairs that
 * it allows. Hints at independences that are stale, that hold for another number of pairs than they
 * declare, or that name a label and declare no number. */
void ls_independences_list(const ls_program *program, struct ls_schedule_report *report);
/* Adds the independences that let systems which conflict in the component run in any order; if
 * there are none, all that let some pair do so. As text: "a" and "b" (reason), "c" and "d" (reason)
 */
void ls_independences_name(const ls_program *program, const ls_component *component,
                           ls_builder *text);

#endif
