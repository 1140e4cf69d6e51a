/* The end of lives: marks while systems run, and the sweep that follows them at the sync point. */
#ifndef LS_DESPAWN_H
#define LS_DESPAWN_H
#include "core/run/scratch.h"
#include "core/state/world_state.h"

typedef struct ls_deaths ls_deaths; /* scratch of the sweep, kept from tick to tick */

ls_deaths *ls_deaths_create(const ls_program *program);
void ls_deaths_destroy(ls_deaths *deaths);

/* Room for `count` more. */
void ls_marks_reserve(ls_marks *marks, uint32_t count);
/* Any entity, any number of times; the order does not show. */
static inline void ls_marks_add(ls_marks *marks, ls_entity entity)
{
    if (marks->count == marks->capacity)
        ls_marks_reserve(marks, 1);
    marks->entities[marks->count++] = entity;
}

/* Ends the marked entities and all that depend on them through LS_CASCADE fields: clears their
 * cells, raises their generations, frees their slots. Sets LS_NULL fields of other entities that
 * refer to them to null. Empties the marks. */
void ls_despawn_sweep(ls_world *world);

#endif
