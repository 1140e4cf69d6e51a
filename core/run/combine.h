/* Combines accumulated values as a whole: LS_ARG_MIN, LS_ARG_MAX and operations of the simulation's
 * own. core/run/merge.c combines the others field by field. */
#ifndef LS_COMBINE_H
#define LS_COMBINE_H
#include "core/schedule/program_data.h"

/* Combines `value` with `cell`, a cell of the term's column, into `cell`. */
void ls_combine_whole(const ls_program *program, const ls_plan_term *term, void *cell,
                      const void *value);

#endif
