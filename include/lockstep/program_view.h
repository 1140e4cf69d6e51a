/* The parts of a program beside its systems: stages, the two ends of a par, and the order. */
#ifndef LS_PROGRAM_VIEW_H
#define LS_PROGRAM_VIEW_H
#include <lockstep/schedule.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A position that holds no system of the simulation: the fork of a par, and its merge, where the
 * changes of its sides are put together. */
LS_API bool ls_program_is_fork(const ls_program *program, uint32_t position);
LS_API bool ls_program_is_merge(const ls_program *program, uint32_t position);
/* Stages in the order in which they run, and the place of a system's stage among them. */
LS_API uint32_t ls_program_stage_count(const ls_program *program);
LS_API const ls_stage *ls_program_stage(const ls_program *program, uint32_t index);
LS_API uint32_t ls_program_stage_of(const ls_program *program, uint32_t position);
/* Whether the system at `later` has to wait for the one at `earlier`, directly or through others.
 */
LS_API bool ls_program_is_ordered(const ls_program *program, uint32_t earlier, uint32_t later);

#ifdef __cplusplus
}
#endif

#endif
