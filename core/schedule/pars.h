/* Pars while a schedule is built: the members of each side, the columns to keep apart, and the fork
 * and merge steps.
 *   source  docs/scheduler.md; theorem 4.7 of the Core ECS paper */
#ifndef LS_PARS_H
#define LS_PARS_H
#include "core/schedule/build.h"

/* Adds a par, from the simulation's list or from the algebra, to the program. Its sides are empty
 * sets of systems. When there are too many pars it returns NULL and adds a finding. */
ls_plan_par *ls_par_add(ls_build *build, const char *name, uint32_t side_count);
/* Adds the pars of the simulation's list, and checks all pars. `build->names` must be
 * initialised. */
void ls_pars_read(ls_build *build);
/* Finds the columns that sides keep apart, and adds the steps that this requires to the systems.
 * True when it added steps; the systems must then be sorted again. */
bool ls_pars_add_steps(ls_build *build);
/* Updates members and steps after the systems have got new positions. */
void ls_pars_place(ls_program *program);
void ls_pars_destroy(ls_program *program);

#endif
