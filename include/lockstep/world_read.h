/* Reads a world between its ticks, for bots, pictures and tests. */
#ifndef LS_WORLD_READ_H
#define LS_WORLD_READ_H
#include <lockstep/event.h>
#include <lockstep/span_types.h>

#ifdef __cplusplus
extern "C" {
#endif

LS_API bool ls_world_is_alive(const ls_world *world, ls_entity entity);
LS_API uint64_t ls_world_entity_count(const ls_world *world);
/* The entity's cell; NULL when the entity is dead or lacks the component. A component of another
 * simulation stops the process with its name, here and below. The cell is valid until the next tick
 * or restore. */
LS_API const void *ls_world_cell(const ls_world *world, const ls_component *component,
                                 ls_entity entity);
LS_API const void *ls_world_singleton(const ls_world *world, const ls_component *component);

/* A walk over all spans that match `terms` (query 0; read access only), in canonical order. Storage
 * of the caller; only `span` may be used, the other members are private. */
typedef struct ls_world_walk {
    ls_span span;
    const ls_world *world;
    const ls_term *terms;
    uint32_t columns[LS_QUERY_TERMS_MAX];
    uint32_t lane, page;
    uint64_t mask[4];
} ls_world_walk;

/* Begins a walk. `terms` ends with an all-zero term, and must outlive the walk. */
LS_API void ls_world_walk_begin(const ls_world *world, const ls_term *terms, ls_world_walk *walk);
/* Gets the next span in walk->span, with its cells in span.const_cells[term]; false at the end. */
LS_API bool ls_world_walk_next(ls_world_walk *walk);

/* Begins a walk over the events of one type that the last tick sent, for presentation; valid until
 * the next tick. */
LS_API void ls_world_event_begin(const ls_world *world, const ls_component *event,
                                 ls_event_walk *walk);

#ifdef __cplusplus
}
#endif

#endif
