/* Reads a world between its ticks by names of terms and components, for bots, pictures and tests:
 *
 *     LS_TERMS(hands, READS(position), READS(picker));
 *     for (ls_world_walk_begin(world, hands, &walk); ls_world_walk_next(&walk);) {
 *         const picker *who = LS_WALK_READ(hands, picker, &walk);
 */
#ifndef LS_WORLD_TERMS_H
#define LS_WORLD_TERMS_H
#pragma GCC system_header /* for the reason in define_table.h */

#include <lockstep/terms.h>
#include <lockstep/world_read.h>

#ifdef __cplusplus
extern "C" {
#endif

static inline ls_event_walk ls_world_events_of_(const ls_world *world, const ls_component *event)
{
    ls_event_walk walk;
    ls_world_event_begin(world, event, &walk);
    return walk;
}

/* The cells of the walk's span; `list` is the one that began the walk. */
#define LS_WALK_READ(list, name, walk)                                                             \
    ((__typeof__(*((const struct list##_terms *)NULL)->name.may_read) *)(walk)                     \
         ->span.const_cells[offsetof(struct list##_terms, name) / sizeof(void *)])
#define LS_WORLD_READ(world, component, entity)                                                    \
    ((const component##_cell_ *)ls_world_cell(world, &component##_component, entity))
#define LS_WORLD_SINGLETON(world, component)                                                       \
    ((const component##_cell_ *)ls_world_singleton(world, &component##_component))
#define LS_EACH_WORLD_EVENT(world, component, event)                                               \
    LS_EVENT_LOOP_(ls_world_events_of_(world, &component##_component), const component##_cell_,    \
                   event)

/* Runs the next statement for each event of a walk. */
#define LS_EVENT_LOOP_(begun, type, event)                                                         \
    for (ls_event_walk event##_walk_ = begun, *event##_once_ = &event##_walk_; event##_once_;      \
         event##_once_ = NULL)                                                                     \
        for (type * event; (event = (type *)ls_event_next(&event##_walk_)) != NULL;)

#ifdef __cplusplus
}
#endif

#endif
