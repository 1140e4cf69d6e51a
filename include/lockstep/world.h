/* The state of one match, and the only way to advance it. */
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

/* Creates a world: checks the match and runs the simulation's setup. The result is the state before
 * tick 0.
 *   errors  LS_ERROR_USAGE: the match has a tick rate, players or an option outside the limits;
 *           LS_ERROR_INCOMPATIBLE: it sets another number of options than the simulation has;
 *           LS_ERROR_LIMIT: a table wants more than LS_MATCH_ROWS_MAX rows. `*world` is then NULL
 *   owns    the program must outlive the world
 *   thread  a world belongs to one thread at a time */
LS_API ls_status ls_world_create(const ls_program *program, const ls_match *match, ls_world **world,
                                 ls_error *error) LS_MUST_USE;
/* Like ls_world_create() without the setup, for a client: the world has no state until
 * ls_world_decode() succeeds. A match that a stranger names then costs no more than its match data.
 *   errors  as ls_world_create() */
LS_API ls_status ls_world_create_for_snapshot(const ls_program *program, const ls_match *match,
                                              ls_world **world, ls_error *error) LS_MUST_USE;
/* Creates a second world of the same program and match, with the state of the first; runs no setup.
 * Both use the same page pools, so restoring a snapshot of one into the other copies no pages. For
 * prediction, and to inspect an earlier state.
 *   owns    must be destroyed before the world that ls_world_create() made, directly or through
 *           others beside it (asserted) */
LS_API ls_world *ls_world_create_sibling(ls_world *world);
/* Destroy all snapshots of the world first, and all worlds created beside it. */
LS_API void ls_world_destroy(ls_world *world);

/* Runs one tick. A pure function of the world and the frame. `executor` NULL runs serially.
 *   errors  LS_ERROR_USAGE: frame->tick is not the world's tick, an input names no seat, or inputs
 *           are not in player order;
 *           LS_ERROR_CORRUPT: the simulation's validator refuses an input;
 *           LS_ERROR_LIMIT: a set or stage asks for more runs than its limit;
 *           LS_ERROR_REFUSED: two sides of a par change one cell; the message names both systems,
 *           the component and the entity;
 *           LS_ERROR_DIVERGED: a checking executor has findings; each is one line that names tick,
 *           system, component, entity and field */
LS_API ls_status ls_world_advance(ls_world *world, const ls_frame *frame, ls_executor *executor,
                                  ls_error *error) LS_MUST_USE;

LS_API const ls_program *ls_world_program(const ls_world *world);
LS_API const ls_match *ls_world_match(const ls_world *world);
/* The rows of the match data table that `row` describes, valid as long as the world. A `row` of
 * another simulation stops the process; the message has its name. */
LS_API const void *ls_world_rows(const ls_world *world, const ls_component *row, uint32_t *count);
LS_API uint64_t ls_world_tick(const ls_world *world); /* the number of ticks advanced so far */

/* Limits ls_world_decode(): it fails when ls_world_memory() and the bytes that it decodes together
 * would exceed `bytes`. The state that it replaces counts until it has ended. 0: no limit. Ticks
 * are not limited; their caller can check ls_world_memory(). */
LS_API void ls_world_set_memory_max(ls_world *world, size_t bytes);
/* The bytes of all pages of this world, its snapshots and the worlds beside it. Grows in pieces of
 * up to 2 MiB, and never falls. */
LS_API size_t ls_world_memory(const ls_world *world);

/* Like ls_world_root(), but the executor's threads share the hashing. */
LS_API uint64_t ls_world_root_on(ls_world *world, ls_executor *executor);

/* For tests of desync detection: flips one bit of one cell, chosen by `pick`, outside of the
 * schedule. `what` gets a text that names the cell. False when the world has no cell. */
LS_API bool ls_world_flip_bit(ls_world *world, uint64_t pick, char *what, size_t what_bytes);

#ifdef __cplusplus
}
#endif

#endif
