/* The state of one match, and the only way to move it on. */
#ifndef LS_WORLD_H
#define LS_WORLD_H
#include <lockstep/executor.h>
#include <lockstep/print.h>
#include <lockstep/program.h>
#include <lockstep/snapshot.h>
#include <lockstep/state.h>
#include <lockstep/world_read.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Checks the match and runs the simulation's setup: the state before tick 0.
 *   owns    the program outlives the world
 *   thread  a world belongs to one thread at a time */
LS_API ls_status ls_world_create(const ls_program *program, const ls_match *match, ls_world **world,
                                 ls_error *error) LS_MUST_USE;
/* Creates a second world of the same program and match, in the state of the first. It takes its
 * pages from the same pools, so a snapshot of either can be restored into the other at no extra
 * cost. For prediction, and to look at an earlier state. Runs no setup.
 *   owns    destroyed before the world that ls_world_create() made, also when it was created beside
 *           another such world; asserted */
LS_API ls_world *ls_world_create_beside(ls_world *world);
/* After the last snapshot of it, and the last world beside it. */
LS_API void ls_world_destroy(ls_world *world);

/* Runs one tick. A pure function of the world and the frame; NULL for the executor runs serially.
 *   errors  LS_ERROR_USAGE when frame->tick is not the world's tick, or an event names no seat;
 *           LS_ERROR_CORRUPT when the simulation's validator refuses an input
 *           LS_ERROR_LIMIT when a set of systems wants to run again too often
 *           LS_ERROR_REFUSED when two sides of a par change one cell: names both systems, the
 *           component and the entity
 *           LS_ERROR_DIVERGED when the executor checks and has findings: each a line that names
 *           tick, system, component, entity and field */
LS_API ls_status ls_world_advance(ls_world *world, const ls_frame *frame, ls_executor *executor,
                                  ls_error *error) LS_MUST_USE;

LS_API const ls_program *ls_world_program(const ls_world *world);
LS_API const ls_match *ls_world_match(const ls_world *world);
/* The rows of the match data table that `row` describes, one of the simulation's; another one stops
 * the process with its name. The rows live as long as the world. */
LS_API const void *ls_world_rows(const ls_world *world, const ls_component *row, uint32_t *count);
LS_API uint64_t ls_world_tick(const ls_world *world); /* ticks advanced so far */

/* As ls_world_root(), and what was written is hashed on the executor's threads too. */
LS_API uint64_t ls_world_root_on(ls_world *world, ls_executor *executor);

/* For tests of desync detection: flips one bit of one cell, chosen by `pick`, behind the back of
 * the schedule. `what` says which. False when the world holds no cell. */
LS_API bool ls_world_flip_bit(ls_world *world, uint64_t pick, char *what, size_t what_bytes);

#ifdef __cplusplus
}
#endif

#endif
