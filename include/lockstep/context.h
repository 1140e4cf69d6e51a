/* The calls of a running system: read and write cells, spawn, despawn, draw random numbers. `term`
 * is an index into the system's list of terms. Access that the system did not declare stops the
 * process; the message names system, component and, if there is one, entity. So does a concurrent
 * system that uses a term of query 0 with another entity than its invocation's. A handle that is
 * dead, null or invented is no error: the call finds nothing.
 *   thread  the thread that runs the invocation
 *   owns    a cell pointer is valid until the next write, attach, detach or spawn on its column */
#ifndef LS_CONTEXT_H
#define LS_CONTEXT_H
#include <lockstep/access.h>
#include <lockstep/cell_change.h>
#include <lockstep/event.h>
#include <lockstep/join.h>
#include <lockstep/match.h>
#include <lockstep/query_walk.h>
#include <lockstep/schedule.h>
#include <lockstep/span.h>

#ifdef __cplusplus
extern "C" {
#endif

LS_API const void *ls_singleton_read_(const ls_context *context, uint32_t term);
LS_API void *ls_singleton_write_(ls_context *context, uint32_t term);

/* Spawns an entity without components; `lane` is an index into the system's list of lanes. Attach
 * components through LS_SPAWNED terms, or in a sequential system through LS_OTHERS terms. A
 * sequential system gets LS_ENTITY_NULL when the lane is full.
 * A concurrent system gets a pending handle: the entity gets its slot when the system ends, in
 * canonical order of pages and, within a page, of calls. Until then the handle may be attached to,
 * passed to ls_random(), and stored in entity fields: of the invocation's own and spawned cells, of
 * its events and its commands. Every other call treats it as dead. If the lane fills up, the last
 * entities in canonical order are dropped: references to them become null, and a counter in the
 * state counts them. */
LS_API ls_entity ls_spawn(ls_context *context, uint32_t lane);
/* Spawns `count` entities, or as many as the lane has room for; sets the rest of `entities` to
 * LS_ENTITY_NULL. Returns how many were spawned. Much cheaper per entity than ls_spawn(). */
LS_API uint32_t ls_spawn_many(ls_context *context, uint32_t lane, uint32_t count,
                              ls_entity *entities);
/* Marks the entity; the end of the stage despawns it. Until then other systems still see it, and so
 * does this one if it is concurrent. Any system may mark any entity; marking an entity twice, or a
 * dead one, has no effect. */
LS_API void ls_despawn(ls_context *context, ls_entity entity);
LS_API void ls_despawn_many(ls_context *context, const ls_entity *entities, uint32_t count);
/* Whether the entity is alive. If its spawner has no order with this system, the answer is false
 * until the next tick. */
LS_API bool ls_is_alive(const ls_context *context, ls_entity entity);

/* The number of a lane in spans, blocks and handles (include/lockstep/span_types.h). Stops the
 * process when the simulation has no lane of that name. It compares names: call it once per
 * invocation, not once per entity. */
LS_API uint32_t ls_lane_named(const ls_context *context, const char *name);

LS_API uint64_t ls_tick(const ls_context *context);
/* How often the stage has already run in this tick; 0 unless one of its sets or the stage loops. */
LS_API uint32_t ls_iteration(const ls_context *context);
/* Sets the answer of a run criterion; in any other system it stops the process. */
LS_API void ls_decide(ls_context *context, ls_decision decision);
LS_API const ls_match *ls_match_of(const ls_context *context);
/* The tick's inputs and player events, in player order. */
LS_API const ls_frame *ls_inputs(const ls_context *context);
/* The first input of `player` in this tick, in the order of ls_inputs(); NULL without one. Only
 * inputs with data count: orders (LS_INPUT), a state and its substitute; events of the player do
 * not. In a simulation that takes only states it is the player's state.
 *   cost  a binary search, instead of a loop over all players' inputs */
LS_API const ls_input *ls_input_of(const ls_context *context, uint32_t player);
/* The same player's next input after `input`, which ls_input_of() or this call gave in this tick;
 * NULL at the end. */
LS_API const ls_input *ls_input_next(const ls_context *context, const ls_input *input);
/* A random number that depends only on seed, tick, this system's name, `entity` and `draw`. */
LS_API uint64_t ls_random(const ls_context *context, ls_entity entity, uint32_t draw);

/* Memory for the intermediate values of an invocation: the system's `scratch_bytes`, all zeros,
 * aligned for every type. It belongs to the worker and serves its next invocations too, so a tick
 * allocates nothing. Each call clears it and returns the same address, so nothing that an earlier
 * invocation left in it can reach a result. A system without `scratch_bytes` stops the process.
 *   owns  the invocation; snapshots, hashes and recordings have no part of it */
LS_API void *ls_scratch_memory(ls_context *context);

/* The running system's `data`. */
LS_API const void *ls_system_data(const ls_context *context);
/* The rows of the match data table that `row` describes (include/lockstep/sim.h). */
LS_API const void *ls_match_rows(const ls_context *context, const ls_component *row,
                                 uint32_t *count);

/* Combines `value`, a whole cell, with the cell of `entity`: field by field, with the operation of
 * the LS_ACCUMULATED term, when the system ends. Any entity is allowed; LS_ENTITY_NULL means a
 * singleton. False when the entity is dead or lacks the component. If a sequential system later
 * detaches the cell, the value is dropped and counted. NULL means all zeros. */
LS_API bool ls_accumulate_(ls_context *context, uint32_t term, ls_entity entity, const void *value);

/* Sends a copy of `event` (NULL: all zeros) to the systems that are ordered after this one in this
 * tick, and to all that receive it in the further ticks for which it lives. */
LS_API void ls_event_send_(ls_context *context, uint32_t term, const void *event);
LS_API void ls_event_begin(const ls_context *context, uint32_t term, ls_event_walk *walk);

/* Commands: changes that wait for the sync point and are applied there by the order of systems,
 * then of matches, then of calls. A command on an entity that is dead by then is dropped and
 * counted. `value` NULL means all zeros. */
LS_API void ls_command_attach_(ls_context *context, uint32_t term, ls_entity entity,
                               const void *value);
LS_API void ls_command_detach(ls_context *context, uint32_t term, ls_entity entity);
/* Spawns an entity at the sync point; `lane` is an index into the system's `command_lanes`. The
 * handle is pending until then and may be used only in commands of the same invocation. */
LS_API ls_entity ls_command_spawn(ls_context *context, uint32_t lane);

#ifdef __cplusplus
}
#endif

#endif
