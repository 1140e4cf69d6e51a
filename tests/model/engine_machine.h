/* Shared by the parts of the machine that the engine implements. */
#ifndef LS_MODEL_ENGINE_MACHINE_H
#define LS_MODEL_ENGINE_MACHINE_H

#include "tests/model/interpret.h"
#include <lockstep/context.h>
#include <lockstep/span.h>

struct engine_machine {
    machine machine;
    ls_context *context;
    const ls_span *span; /* of the invocation, or NULL */
    const ls_block *block;
    uint32_t index; /* index of the match in the span or block */
    uint32_t calls; /* operations of this invocation so far */
};

static inline ls_context *context_of(machine *self)
{
    return ((struct engine_machine *)(void *)self)->context;
}

/* on_engine_find.c */
void on_engine_each_neighbour(machine *self, uint32_t grid, const machine_area *area,
                              bool has_values, machine_visit_neighbour *visit, void *visitor);
uint32_t on_engine_nearest(machine *self, uint32_t grid, const machine_area *area, uint32_t count,
                           ls_neighbour *found);
void on_engine_each_of_key(machine *self, uint32_t join, uint64_t key, bool has_values,
                           machine_visit_neighbour *visit, void *visitor);
uint32_t on_engine_count_of_key(machine *self, uint32_t join, uint64_t key);
void on_engine_each_input(machine *self, uint32_t player, machine_visit_input *visit,
                          void *visitor);
ls_entity on_engine_spawn_prefab(machine *self, uint32_t lane, bool is_command,
                                 const machine_part *parts, uint32_t count);
bool on_engine_world_read(machine *self, uint32_t component, ls_entity entity, uint8_t *cell);
bool on_engine_world_attach(machine *self, uint32_t component, ls_entity entity,
                            const uint8_t *cell);
bool on_engine_world_detach(machine *self, uint32_t component, ls_entity entity);

#endif
