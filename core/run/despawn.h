/* Despawning: entities are marked while systems run, and cleared at the sync point. */
#ifndef LS_DESPAWN_H
#define LS_DESPAWN_H
#include "core/run/scratch.h"
#include "core/state/world_state.h"

typedef struct ls_despawn_scratch ls_despawn_scratch; /* scratch of the sweep, reused each tick */

ls_despawn_scratch *ls_despawn_scratch_create(const ls_program *program);
void ls_despawn_scratch_destroy(ls_despawn_scratch *despawn);

/* Makes room for `count` more marks. */
void ls_despawn_marks_reserve(ls_despawn_marks *marks, uint32_t count);
/* Marks any entity; order and repetition do not matter. */
static inline void ls_despawn_marks_add(ls_despawn_marks *marks, ls_entity entity)
{
    if (marks->count == marks->capacity)
        ls_despawn_marks_reserve(marks, 1);
    marks->entities[marks->count++] = entity;
}

/* Ends the marked entities, those without a component if the simulation says so, and all that
 * depend on them through LS_CASCADE fields: clears their cells, raises their generations and frees
 * their slots. Sets LS_NULL fields that refer to them to null. Empties the marks. */
void ls_despawn_sweep(ls_world *world);

#endif
