/* Shared by the parts of the machine that the model implements. */
#ifndef LS_MODEL_MODEL_MACHINE_H
#define LS_MODEL_MODEL_MACHINE_H

#include "tests/model/interpret.h"
#include "tests/model/invocation.h"

struct model_machine {
    machine machine;
    model_invocation *invocation;
};

static inline model_invocation *invocation_of(machine *self)
{
    return ((struct model_machine *)(void *)self)->invocation;
}

/* on_model_find.c */
void on_model_each_neighbour(machine *self, uint32_t grid, const machine_area *area,
                             bool has_values, machine_visit_neighbour *visit, void *visitor);
uint32_t on_model_nearest(machine *self, uint32_t grid, const machine_area *area, uint32_t count,
                          ls_neighbour *found);
void on_model_each_of_key(machine *self, uint32_t join, uint64_t key, bool has_values,
                          machine_visit_neighbour *visit, void *visitor);
uint32_t on_model_count_of_key(machine *self, uint32_t join, uint64_t key);
void on_model_each_input(machine *self, uint32_t player, machine_visit_input *visit, void *visitor);
ls_entity on_model_spawn_prefab(machine *self, uint32_t lane, bool is_command,
                                const machine_part *parts, uint32_t count);

#endif
