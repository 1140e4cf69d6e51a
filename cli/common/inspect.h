/* Part of a state as text or JSON: of one entity, of one component, of both, or all. */
#ifndef LS_INSPECT_H
#define LS_INSPECT_H

#include "core/base/json_writer.h"
#include <lockstep/world.h>

typedef struct ls_inspect {
    const ls_component *component; /* NULL: all */
    ls_entity entity;              /* LS_ENTITY_NULL: all */
} ls_inspect;

/* Resolves what a user typed; either text may be NULL: the name of a component, and an entity as
 * `lane/slot:generation`.
 *   errors  NOT_FOUND: no such component, with the nearest; USAGE: no entity, or an entity together
 *           with a component that belongs to the whole world */
ls_status ls_inspect_find(const ls_program *program, const char *component, const char *entity,
                          ls_inspect *inspect, ls_error *error) LS_MUST_USE;

/* A line for each cell: `armies/3:1 Health {"points": 80}`; of a singleton without the entity. */
void ls_inspect_text(const ls_inspect *inspect, const ls_world *world, ls_builder *text);
/* One JSON object {"component": {"entity": {"field": value}}}, values as in ls_world_json(). */
void ls_inspect_json(const ls_inspect *inspect, const ls_world *world, ls_builder *text);

#endif
