/* The structure of a program: stages, forks and merges of pars, and the order of systems. */
#ifndef LS_PROGRAM_VIEW_H
#define LS_PROGRAM_VIEW_H
#include <lockstep/schedule.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether the position is not a system but the fork of a par, or its merge, which combines the
 * changes of its sides. */
LS_API bool ls_program_is_fork(const ls_program *program, uint32_t position);
LS_API bool ls_program_is_merge(const ls_program *program, uint32_t position);
/* The number of stages, the stage with an index in the order in which they run, and the index of a
 * system's stage. */
LS_API uint32_t ls_program_stage_count(const ls_program *program);
LS_API const ls_stage *ls_program_stage(const ls_program *program, uint32_t index);
LS_API uint32_t ls_program_stage_of(const ls_program *program, uint32_t position);
/* Whether the system at `later` has to wait for the one at `earlier`, directly or through other
 * systems. */
LS_API bool ls_program_is_ordered(const ls_program *program, uint32_t earlier, uint32_t later);

#ifdef __cplusplus
}
#endif

#endif
