/* Reading a world between its ticks: bots, pictures, tests. */
#ifndef LS_WORLD_READ_H
#define LS_WORLD_READ_H
#include <lockstep/event.h>
#include <lockstep/span_types.h>

#ifdef __cplusplus
extern "C" {
#endif

LS_API bool ls_world_is_alive(const ls_world *world, ls_entity entity);
LS_API uint64_t ls_world_entity_count(const ls_world *world);
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

#ifdef __cplusplus
}
#endif

#endif
