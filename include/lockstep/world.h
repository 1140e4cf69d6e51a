/* The state of one match, and the only way to move it on. */
#ifndef LS_WORLD_H
#define LS_WORLD_H

#include <lockstep/executor.h>
#include <lockstep/program.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ls_snapshot ls_snapshot;

/* Checks the match and runs the simulation's setup: the state before tick 0.
 *   owns    the program outlives the world
 *   thread  a world belongs to one thread at a time */
LS_API ls_status ls_world_create(const ls_program *program, const ls_match *match, ls_world **world,
                                 ls_error *error) LS_MUST_USE;
/* A second world of the same program and match in the state of the first, which takes its pages
 * from the same pools: a snapshot of either can be restored into the other, and costs what it costs
 * in one. For prediction, and to look at an earlier state. Runs no setup.
 *   owns    destroyed before the world that was made by ls_world_create(), also when it was made
 *           beside one that was made so; asserted
 *   thread  all of them belong to one thread at a time */
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

/* Hash of everything that can influence a later tick. Recomputes what was written since the last
 * call and caches the rest, hence not const. */
LS_API uint64_t ls_world_root(ls_world *world);
/* The same value; what was written is hashed on the executor's threads too. */
LS_API uint64_t ls_world_root_on(ls_world *world, ls_executor *executor);
/* Hash of each column, in the order of ls_program_component(). `hashes` has room for all. */
LS_API void ls_world_column_hashes(ls_world *world, uint64_t *hashes);

/* A snapshot shares the world's pages until one of the two writes. Costs O(columns).
 *   owns    destroy it on the world's thread, before the world; any thread may encode it meanwhile
 */
LS_API ls_snapshot *ls_world_snapshot(ls_world *world);
LS_API void ls_snapshot_destroy(ls_snapshot *snapshot);
LS_API uint64_t ls_snapshot_tick(const ls_snapshot *snapshot);
/* Makes the world what it was: the one that it was taken of, or one that shares pools with that
 * one; another is asserted against. The snapshot stays. */
LS_API void ls_world_restore(ls_world *world, const ls_snapshot *snapshot);

/* The canonical byte form: equal states give equal bytes, on every machine.
 *   owns  ls_free(*bytes) by the caller */
LS_API void ls_snapshot_encode(const ls_snapshot *snapshot, uint8_t **bytes, size_t *count);
LS_API void ls_world_encode(ls_world *world, uint8_t **bytes, size_t *count); /* as it is now */
/* Replaces the world's state by the bytes, which may be hostile.
 *   errors  LS_ERROR_CORRUPT or LS_ERROR_INCOMPATIBLE; the world is then unchanged */
LS_API ls_status ls_world_decode(ls_world *world, const uint8_t *bytes, size_t count,
                                 ls_error *error) LS_MUST_USE;

/* Reading a world between ticks: bots, printing, tests. */
LS_API bool ls_world_is_alive(const ls_world *world, ls_entity entity);
LS_API uint64_t ls_world_entity_count(const ls_world *world);
/* What the state, and snapshots of it, took from the system for pages and their tables; together
 * with all worlds that share its pools. */
LS_API size_t ls_world_memory_bytes(const ls_world *world);
/* NULL when the entity is dead or lacks it. The component is one of the simulation's, here and
 * below: another one stops the process with its name. The cell lives until the next tick or
 * restore. */
LS_API const void *ls_world_cell(const ls_world *world, const ls_component *component,
                                 ls_entity entity);
LS_API const void *ls_world_singleton(const ls_world *world, const ls_component *component);

/* A walk over all spans that match `terms` (query 0; read access only), in canonical order. The
 * caller's storage; members but `span` and `cells` are private. */
typedef struct ls_world_walk {
    ls_span span;
    const ls_world *world;
    const ls_term *terms;
    uint32_t columns[LS_QUERY_TERMS_MAX];
    uint32_t lane, page;
    uint64_t mask[4];
} ls_world_walk;

/* `terms` ends with a term whose component is NULL and outlives the walk. */
LS_API void ls_world_walk_begin(const ls_world *world, const ls_term *terms, ls_world_walk *walk);
/* False at the end; otherwise walk->span is the next span, its cells in span.const_cells[term]. */
LS_API bool ls_world_walk_next(ls_world_walk *walk);

/* A walk over what the last tick sent of an event type, for presentation; valid until the next. */
LS_API void ls_world_event_begin(const ls_world *world, const ls_component *event,
                                 ls_event_walk *walk);

/* The state as text, in the notation of the Core ECS paper: `Pos→{e0 ↦ Pos 1, ...} :+ ...`.
 *   owns  ls_free() by the caller */
LS_API char *ls_world_print(const ls_world *world);
/* One component of it: `Pos→{e0 ↦ Pos 1, ...}`.
 *   owns  ls_free() by the caller */
LS_API char *ls_world_print_component(const ls_world *world, const ls_component *component);

/* For tests of desync detection: flips one bit of one cell, chosen by `pick`, behind the back of
 * the schedule. `what` says which. False when the world holds no cell. */
LS_API bool ls_world_flip_bit(ls_world *world, uint64_t pick, char *what, size_t what_bytes);

#ifdef __cplusplus
}
#endif

#endif
