/* Hierarchies: fields with LS_PARENT. Following such a field from entity to entity ends at a root,
 * never where it began. Nothing can refuse a write in place, so this is checked at the end of each
 * sync point, and in every state that is read from bytes. A parent that is dead, or that lacks the
 * component, is a root.
 *   source  docs/ecs-reference.md */
#ifndef LS_PARENTS_H
#define LS_PARENTS_H
#include "core/state/world_state.h"

typedef struct ls_parents ls_parents;

/* An entity that is its own ancestor: the lowest one of its cycle. */
typedef struct ls_parent_cycle {
    uint32_t column, field;
    ls_entity entity;
} ls_parent_cycle;

/* NULL when no field of the program has LS_PARENT. */
ls_parents *ls_parents_create(const ls_program *program);
void ls_parents_destroy(ls_parents *parents);

/* Finds a cycle in the columns that may have changed since the last check found none in them. Which
 * cycle is found depends on the state alone. False when there is none, or `parents` is NULL.
 *   cost  each entity of such a column once */
bool ls_parents_find_cycle(ls_parents *parents, const ls_world *world, ls_parent_cycle *cycle);
/* Whether the entity is its own ancestor now. The path from the entity may lead into a cycle
 * without it; a second pointer at half the speed, which the first then meets, detects that. */
bool ls_parents_is_in_cycle(const ls_world *world, const ls_parent_cycle *cycle);
/* Describes the cycle: "joint.parent leads from a/3 to a/5 and back". */
void ls_parents_print(const ls_world *world, const ls_parent_cycle *cycle, char *text,
                      size_t bytes);
/* Checks a state that was read from bytes.
 *   errors  LS_ERROR_CORRUPT names the cycle */
ls_status ls_parents_check(const ls_world *world, ls_error *error) LS_MUST_USE;

#endif
