/* Pars while a schedule is built: the members of each side, the columns to keep apart, and the
 * steps before and after. source  docs/scheduler.md; theorem 4.7 of the Core ECS paper */
#ifndef LS_PARS_H
#define LS_PARS_H
#include "core/schedule/build.h"

/* Adds a par to the program, named or not; its sides are empty sets of the simulation's systems.
 * NULL, and a finding, when there are too many. */
ls_plan_par *ls_par_add(ls_build *build, const char *name, uint32_t side_count);
/* The simulation's list, with `names` made; then what is wrong with any of them. */
void ls_pars_read(ls_build *build);
/* Finds the columns that sides keep apart, and appends the steps that this requires to the systems.
 * True when there are any; the systems must then be sorted again. */
bool ls_pars_add_steps(ls_build *build);
/* Brings members and steps in line with the positions that the systems have now. */
void ls_pars_place(ls_program *program);
void ls_pars_destroy(ls_program *program);

#endif
