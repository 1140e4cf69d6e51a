/* Prints a part of a state as text or JSON: one entity, one component, one cell, or everything. */
#ifndef LS_INSPECT_H
#define LS_INSPECT_H

#include "core/base/json_writer.h"
#include <lockstep/world.h>

typedef struct ls_inspect {
    const ls_component *component; /* NULL: all */
    ls_entity entity;              /* LS_ENTITY_NULL: all */
} ls_inspect;

/* Finds what a user typed: the name of a component, and an entity as `lane/slot:generation`. Either
 * text may be NULL.
 *   errors  NOT_FOUND: no such component (suggests the nearest name); USAGE: the text is no entity,
 *           or an entity together with a component that belongs to the whole world */
ls_status ls_inspect_find(const ls_program *program, const char *component, const char *entity,
                          ls_inspect *inspect, ls_error *error) LS_MUST_USE;

/* Adds a line for each cell: `armies/3:1 Health {"points": 80}`, without the entity for a
 * singleton. */
void ls_inspect_text(const ls_inspect *inspect, const ls_world *world, ls_builder *text);
/* Adds one JSON object {"component": {"entity": {"field": value}}}, values as in
 * ls_world_json(). */
void ls_inspect_json(const ls_inspect *inspect, const ls_world *world, ls_builder *text);

#endif
