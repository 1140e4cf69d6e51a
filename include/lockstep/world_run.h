/* Runs one system or one stage of a world by name, for tests and tools. The rest of the simulation
 * does not run, and the tick does not end: the world keeps its tick number, and kept events do not
 * grow older. Systems check their declarations as in a tick.
 *
 * The sets of the system and the condition of the stage are not asked. Conditions within the stage
 * are asked. Systems outside count as having run for `needs`.
 *
 * A system receives the events that earlier calls sent, until the next tick, restored snapshot or
 * error. Random numbers are those of the world's tick, so a second call draws the same ones.
 *
 * Do not call these for the world of a room, a client or a replay: its peers and its recording do
 * not know of the call, so their states differ afterwards.
 *   source  docs/ecs.md, "Run one system" */
#ifndef LS_WORLD_RUN_H
#define LS_WORLD_RUN_H
#include <lockstep/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Runs the system on the calling thread; then the sync point applies its commands and despawns. If
 * the system is in a par, the par's merge follows too. A setup or a criterion is refused.
 *   shape   `frame` has the inputs of the world's tick; NULL: none. `executor` as in
 *           ls_world_advance(): one with `.check` reports findings
 *   errors  those of ls_world_advance(), and LS_ERROR_USAGE: no system has this name; the message
 *           has the name that is probably meant. The state is then unchanged */
LS_API ls_status ls_world_run_system(ls_world *world, const char *name, const ls_frame *frame,
                                     ls_executor *executor, ls_error *error) LS_MUST_USE;
/* Like ls_world_run_system() for a stage: its systems, its sync point, and all stages within it,
 * once. "main" is the stage of a simulation that declares none.
 *   errors  as ls_world_run_system(): LS_ERROR_USAGE for a name that is no stage */
LS_API ls_status ls_world_run_stage(ls_world *world, const char *name, const ls_frame *frame,
                                    ls_executor *executor, ls_error *error) LS_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
