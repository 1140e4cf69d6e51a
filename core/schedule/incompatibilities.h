/* Incompatible components in a program: the declared pairs, and the systems that attach one of
 * them. */
#ifndef LS_INCOMPATIBILITIES_H
#define LS_INCOMPATIBILITIES_H
#include "core/schedule/program_data.h"

/* Resolves incompatibility `index` of the simulation and adds it to the program.
 *   errors  LS_ERROR_USAGE: a component is missing, is not listed or is a singleton; the pair names
 *           one component twice, or was listed before */
ls_status ls_incompatibility_add(ls_program *program, uint32_t index, ls_error *error);
/* Adds what the check at the end of a system reads: a system that attaches one component of a pair
 * looks at the presence of the other one. */
void ls_incompatibilities_touch(const ls_program *program, ls_plan_system *plan);
/* Whether the components of the two columns are declared incompatible. */
bool ls_columns_are_incompatible(const ls_program *program, uint32_t one, uint32_t other);

#endif
