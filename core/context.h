/* What a running system does: read and write cells, spawn, despawn, draw random numbers. A term is
 * named by its index in the system's list; access beyond its declaration is an assertion that names
 * system and component.
 *   thread  the thread that runs the invocation
 *   owns    a cell pointer lives until the next write, attach, detach or spawn on its column */
#ifndef LS_CONTEXT_H
#define LS_CONTEXT_H

#include "core/match.h"
#include "core/system.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A run of consecutive matching slots of one page. */
struct ls_span {
    uint32_t count;
    uint32_t lane;
    uint32_t first_slot;
    const uint32_t *generations;           /* of the `count` slots */
    const void *const_cells[LS_TERMS_MAX]; /* read them through ls_span_read/_write */
};

/* The cells of term `term` for the span's entities, `span->count` of them side by side. NULL for a
 * term that is not in the query, for a tag, and for an optional term that this span lacks. */
LS_API const void *ls_span_read(const ls_context *context, const ls_span *span, uint32_t term);
/* The same for writing; the term declares LS_WRITE or LS_STRUCTURE. */
LS_API void *ls_span_write(const ls_context *context, const ls_span *span, uint32_t term);

static inline ls_entity ls_span_entity(const ls_span *span, uint32_t i)
{
    return ls_entity_make(span->lane, span->first_slot + i, span->generations[i]);
}

/* The cell of any entity that the term covers: its own in a concurrent system (any for LS_OTHERS
 * reads), any in a sequential one. NULL when the entity is dead, null or lacks the component. */
LS_API const void *ls_cell_find(const ls_context *context, uint32_t term, ls_entity entity);
LS_API void *ls_cell_write(ls_context *context, uint32_t term, ls_entity entity);
LS_API bool ls_cell_has(const ls_context *context, uint32_t term, ls_entity entity);
/* Attaches or overwrites; copies `value`, or zeros the cell for NULL. False when the entity is
 * dead. */
LS_API bool ls_cell_attach(ls_context *context, uint32_t term, ls_entity entity, const void *value);
/* False when there was nothing to detach. */
LS_API bool ls_cell_detach(ls_context *context, uint32_t term, ls_entity entity);

LS_API const void *ls_singleton_read(const ls_context *context, uint32_t term);
LS_API void *ls_singleton_write(ls_context *context, uint32_t term);

/* A newborn in the lane `lane` of the system's list, without components; attach them through
 * LS_OTHERS terms. Sequential systems only. LS_ENTITY_NULL when the lane is full. */
LS_API ls_entity ls_spawn(ls_context *context, uint32_t lane);
/* Marks the entity for the end of the stage; until then everybody but the marking sequential
 * system's own roll still sees it. Any system may mark any entity; marking twice or a dead one is
 * nothing. */
LS_API void ls_despawn(ls_context *context, ls_entity entity);
/* To a system that has no order with the one that spawned it, an entity is alive from the next tick
 * on. */
LS_API bool ls_is_alive(const ls_context *context, ls_entity entity);

LS_API uint64_t ls_tick(const ls_context *context);
LS_API const ls_match *ls_match_of(const ls_context *context);
/* The tick's inputs and player events, in player order. */
LS_API const ls_frame *ls_inputs(const ls_context *context);
/* A random number that depends on seed, tick, this system's name, `entity` and `draw` alone. */
LS_API uint64_t ls_random(const ls_context *context, ls_entity entity, uint32_t draw);

/* A neighbour found through the grid `grid` of the system's list. */
typedef struct ls_neighbour {
    ls_entity entity;
    ls_fix x, y;
} ls_neighbour;

/* A walk over the entities whose position lies within `radius` of (x, y), borders included. The
 * caller's storage; the members are private. */
typedef struct ls_grid_walk {
    const struct ls_grid_index *index;
    ls_fix x, y;
    uint64_t radius_squared;
    int32_t column_first, column_last, row, row_last;
    uint32_t next, end;
} ls_grid_walk;

LS_API void ls_grid_begin(const ls_context *context, uint32_t grid, ls_fix x, ls_fix y,
                          ls_fix radius, ls_grid_walk *walk);
/* False at the end. Order: by cell row, cell column, then lane and slot. */
LS_API bool ls_grid_next(ls_grid_walk *walk, ls_neighbour *neighbour);

#ifdef __cplusplus
}
#endif

#endif
