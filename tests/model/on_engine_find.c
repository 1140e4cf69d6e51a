/* The calls of the engine that name no term of the system: grids, joins, inputs, prefabs, and
 * access to the whole world. */
#include "tests/model/engine_machine.h"

#include "tests/model/on_engine.h"
#include <lockstep/by_index.h>
#include <lockstep/join.h>
#include <lockstep/prefab.h>
#include <lockstep/whole_world.h>

#include <string.h>

void on_engine_each_neighbour(machine *self, uint32_t grid, const machine_area *area,
                              bool has_values, machine_visit_neighbour *visit, void *visitor)
{
    const ls_context *context = context_of(self);
    ls_grid_walk walk;
    ls_neighbour found;
    if (self->system->grids[grid].has_z)
        ls_grid_begin_3d(context, grid, area->at, area->radius, &walk);
    else
        ls_grid_begin(context, grid, area->at.x, area->at.y, area->radius, &walk);
    if (!has_values) {
        while (ls_grid_next(&walk, &found))
            visit(visitor, &found, NULL);
        return;
    }
    for (const void *value; (value = ls_grid_next_with(&walk, &found));)
        visit(visitor, &found, value);
}

uint32_t on_engine_nearest(machine *self, uint32_t grid, const machine_area *area, uint32_t count,
                           ls_neighbour *found)
{
    const ls_context *context = context_of(self);
    return self->system->grids[grid].has_z
               ? ls_grid_nearest_3d(context, grid, area->at, area->radius, count, found)
               : ls_grid_nearest(context, grid, area->at.x, area->at.y, area->radius, count, found);
}

void on_engine_each_of_key(machine *self, uint32_t join, uint64_t key, bool has_values,
                           machine_visit_neighbour *visit, void *visitor)
{
    ls_join_walk walk;
    ls_neighbour found = {0};
    ls_join_begin(context_of(self), join, key, &walk);
    if (!has_values) {
        while (ls_join_next(&walk, &found.entity))
            visit(visitor, &found, NULL);
        return;
    }
    for (const void *value; (value = ls_join_next_with(&walk, &found.entity));)
        visit(visitor, &found, value);
}

uint32_t on_engine_count_of_key(machine *self, uint32_t join, uint64_t key)
{
    return ls_join_count(context_of(self), join, key);
}

void on_engine_each_input(machine *self, uint32_t player, machine_visit_input *visit, void *visitor)
{
    const ls_context *context = context_of(self);
    for (const ls_input *input = ls_input_of(context, player); input;
         input = ls_input_next(context, input))
        visit(visitor, input);
}

ls_entity on_engine_spawn_prefab(machine *self, uint32_t lane, bool is_command,
                                 const machine_part *parts, uint32_t count)
{
    ls_context *context = context_of(self);
    const on_engine_data *data = ls_system_data(context);
    ls_prefab_part made[MACHINE_PARTS_MAX + 1] = {{0}};
    const ls_prefab prefab = {"prefab", made};
    for (uint32_t i = 0; i < count; i++) {
        const program_component *component = &self->program->components[parts[i].component];
        made[i] = (ls_prefab_part){
            .component = &data->engine->components[parts[i].component],
            .value = parts[i].is_row || component->layout == 0 ? NULL : parts[i].cell,
            .table = parts[i].is_row ? program_table(component->layout) : NULL,
            .row = parts[i].row};
    }
    return is_command ? ls_command_spawn_prefab(context, lane, &prefab)
                      : ls_spawn_prefab(context, lane, &prefab);
}

static uint32_t world_term(machine *self, uint32_t component)
{
    const on_engine_data *data = ls_system_data(context_of(self));
    return ls_world_term(context_of(self), &data->engine->components[component]);
}

bool on_engine_world_read(machine *self, uint32_t component, ls_entity entity, uint8_t *cell)
{
    const void *found = ls_cell_find(context_of(self), world_term(self, component), entity);
    uint32_t bytes = program_layout_of(self->program, component)->bytes;
    if (found && bytes)
        memcpy(cell, found, bytes);
    return bytes ? found != NULL
                 : ls_cell_has(context_of(self), world_term(self, component), entity);
}

bool on_engine_world_attach(machine *self, uint32_t component, ls_entity entity,
                            const uint8_t *cell)
{
    return ls_cell_attach(context_of(self), world_term(self, component), entity, cell);
}

bool on_engine_world_detach(machine *self, uint32_t component, ls_entity entity)
{
    return ls_cell_detach(context_of(self), world_term(self, component), entity);
}
