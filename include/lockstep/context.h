/* The calls of a running system: read and write cells, spawn, despawn, draw random numbers. A term
 * is named by its index in the system's list. Access beyond the declaration stops the process with
 * the names of system, component and, where there is one, entity. A handle that is dead, null or
 * made up is not a mistake: it finds nothing. In a concurrent system, a term of query 0 used with
 * the handle of another entity than the invocation's own is a mistake.
 *   thread  the thread that runs the invocation
 *   owns    a cell pointer lives until the next write, attach, detach or spawn on its column */
#ifndef LS_CONTEXT_H
#define LS_CONTEXT_H
#include <lockstep/access.h>
#include <lockstep/event.h>
#include <lockstep/join.h>
#include <lockstep/match.h>
#include <lockstep/schedule.h>
#include <lockstep/span.h>

#ifdef __cplusplus
extern "C" {
#endif

LS_API const void *ls_singleton_read(const ls_context *context, uint32_t term);
LS_API void *ls_singleton_write(ls_context *context, uint32_t term);

/* Spawns an entity without components in the lane `lane` of the system's list. Attach components
 * through LS_SPAWNED terms, or in a sequential system through LS_OTHERS ones. LS_ENTITY_NULL when
 * a sequential system finds the lane full. In a concurrent system the handle is pending: the entity
 * gets its slot when the system ends, in canonical order of pages and, within a page, of calls.
 * Until then the handle may be attached to, stored in entity fields of the invocation's own and
 * spawned cells, of its events and commands, and given to ls_random(); every other call takes it
 * for a dead entity. When the lane is full, the last in canonical order are dropped: references to
 * them become null, and a counter in the state counts them. */
LS_API ls_entity ls_spawn(ls_context *context, uint32_t lane);
/* Spawns many entities, at a much lower cost each: `count`, or as many as the lane has room for;
 * the rest of `entities` are LS_ENTITY_NULL. Returns how many were spawned. */
LS_API uint32_t ls_spawn_many(ls_context *context, uint32_t lane, uint32_t count,
                              ls_entity *entities);
/* Marks the entity to be despawned at the end of the stage. Until then other systems still see it;
 * only the marking system does not, if it is sequential. Any system may mark any entity; marking an
 * entity twice, or a dead one, has no effect. */
LS_API void ls_despawn(ls_context *context, ls_entity entity);
LS_API void ls_despawn_many(ls_context *context, const ls_entity *entities, uint32_t count);
/* An entity that was spawned by a system without an order with this one counts as alive only from
 * the next tick on. */
LS_API bool ls_is_alive(const ls_context *context, ls_entity entity);

/* The lane's number in spans, blocks and handles (include/lockstep/span_types.h); stops the process
 * when the simulation has no lane of that name. It compares names: call it once per invocation, not
 * once per entity. */
LS_API uint32_t ls_lane_named(const ls_context *context, const char *name);

LS_API uint64_t ls_tick(const ls_context *context);
/* How often the stage ran in this tick before: 0 unless a set of it asks for more. */
LS_API uint32_t ls_iteration(const ls_context *context);
/* The answer of a run criterion; stops any other system. */
LS_API void ls_decide(ls_context *context, ls_decision decision);
LS_API const ls_match *ls_match_of(const ls_context *context);
/* The tick's inputs and player events, in player order. */
LS_API const ls_frame *ls_inputs(const ls_context *context);
/* A random number that depends on seed, tick, this system's name, `entity` and `draw` alone. */
LS_API uint64_t ls_random(const ls_context *context, ls_entity entity, uint32_t draw);

/* The `data` of the system that runs. */
LS_API const void *ls_system_data(const ls_context *context);
/* The rows of the match data table that `row` describes: include/lockstep/sim.h. */
LS_API const void *ls_match_rows(const ls_context *context, const ls_component *row,
                                 uint32_t *count);

/* Combines `value`, a whole cell, field by field with the cell of any entity when the system ends,
 * by the operation of the LS_ACCUMULATED term. False when the entity is dead or lacks the
 * component; for a singleton it is LS_ENTITY_NULL. A value for a cell that a sequential system
 * detaches after the call is dropped and counted. `value` NULL is all zeros. */
LS_API bool ls_accumulate(ls_context *context, uint32_t term, ls_entity entity, const void *value);

/* Sends a copy of `event`, NULL for all zeros, to the systems that are ordered after this one, in
 * this tick. */
LS_API void ls_event_send(ls_context *context, uint32_t term, const void *event);
LS_API void ls_event_begin(const ls_context *context, uint32_t term, ls_event_walk *walk);

/* Commands: changes that wait for the sync point and are applied there by the order of systems,
 * then of matches, then of calls. One on an entity that is dead by then is dropped and counted.
 * `value` NULL zeros the cell. */
LS_API void ls_command_attach(ls_context *context, uint32_t term, ls_entity entity,
                              const void *value);
LS_API void ls_command_detach(ls_context *context, uint32_t term, ls_entity entity);
/* Spawns an entity in the lane `lane` of the system's `command_lanes`. The handle is pending until
 * the sync point and may only be used in commands of the same invocation. */
LS_API ls_entity ls_command_spawn(ls_context *context, uint32_t lane);

#ifdef __cplusplus
}
#endif

#endif
