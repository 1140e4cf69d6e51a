/* Grids, joins, inputs and prefabs as plainly as possible: loops over all entities of the state in
 * which the system began, and a sort of those that are found. */
#include "tests/model/model_machine.h"

#include <stdlib.h>
#include <string.h>

/* An entity of a grid. Its rank: by cell layer, row and column, or by distance; then by lane and
 * slot. */
struct place {
    ls_neighbour at;
    const uint8_t *value; /* of the component that the grid filters by */
    uint64_t rank[4];
};

struct places {
    struct place *list;
    uint32_t count;
};

static void note(machine *self, uint32_t coverage)
{
    invocation_of(self)->out->coverage |= coverage;
}

/* All entities of the grid, in order of lane and slot. */
static struct places places_of(machine *self, const program_grid *grid)
{
    const model_state *begun = invocation_of(self)->begun;
    const model_map *map = &begun->maps[grid->component];
    struct places all = {.list = ls_alloc(sizeof *all.list * (map->count + 1))};
    for (uint32_t i = 0; i < map->count; i++) {
        const model_cell *cell = &map->cells[i];
        struct place *place = &all.list[all.count];
        *place = (struct place){.at = {.entity = cell->entity}};
        place->value = grid->has_with ? model_find(begun, grid->with, cell->entity) : cell->value;
        all.count += place->value != NULL;
        memcpy(&place->at.x, cell->value + grid->offsets[0], sizeof place->at.x);
        memcpy(&place->at.y, cell->value + grid->offsets[1], sizeof place->at.y);
        if (grid->has_z)
            memcpy(&place->at.z, cell->value + grid->offsets[2], sizeof place->at.z);
    }
    return all;
}

/* No distance along an axis is above the radius, so the sum fits. */
static uint64_t distance_squared(const ls_neighbour *at, const machine_area *area)
{
    int64_t x = (int64_t)at->x - area->at.x, y = (int64_t)at->y - area->at.y;
    int64_t z = (int64_t)at->z - area->at.z;
    return (uint64_t)(x * x) + (uint64_t)(y * y) + (uint64_t)(z * z);
}

static bool is_within(const ls_neighbour *at, const machine_area *area)
{
    int64_t radius = area->radius;
    return llabs((int64_t)at->x - area->at.x) <= radius &&
           llabs((int64_t)at->y - area->at.y) <= radius &&
           llabs((int64_t)at->z - area->at.z) <= radius &&
           distance_squared(at, area) <= (uint64_t)(radius * radius);
}

/* The least corner of the box with all places, and its extent, by axis. */
struct box {
    int64_t low[3], extent[3];
};

static struct box box_of(const struct places *all)
{
    struct box box = {{INT32_MAX, INT32_MAX, INT32_MAX}, {0}};
    int64_t high[3] = {INT32_MIN, INT32_MIN, INT32_MIN};
    for (uint32_t i = 0; i < all->count; i++) {
        const int64_t at[3] = {all->list[i].at.x, all->list[i].at.y, all->list[i].at.z};
        for (uint32_t axis = 0; axis < 3; axis++) {
            box.low[axis] = at[axis] < box.low[axis] ? at[axis] : box.low[axis];
            high[axis] = at[axis] > high[axis] ? at[axis] : high[axis];
        }
    }
    for (uint32_t axis = 0; axis < 3; axis++)
        box.extent[axis] = high[axis] - box.low[axis];
    return box;
}

/* The edge of a cell doubles until there are at most two cells for each entity plus 1024 cells. */
static int64_t edge_of(const struct box *box, int64_t edge, uint32_t count)
{
    int64_t most = 2 * (int64_t)count + 1024, cells = most + 1;
    for (; cells > most; edge *= 2) {
        cells = 1;
        for (uint32_t axis = 0; axis < 3 && cells <= most; axis++)
            cells *= box->extent[axis] / edge + 1;
    }
    return edge / 2;
}

static int compare_places(const void *one, const void *other)
{
    const struct place *a = one, *b = other;
    for (uint32_t i = 0; i < LS_COUNT_OF(a->rank); i++) {
        if (a->rank[i] != b->rank[i])
            return a->rank[i] < b->rank[i] ? -1 : 1;
    }
    return 0;
}

/* Keeps the places within the area; `edge` 0 ranks them by distance. */
static void keep_near(struct places *all, const machine_area *area, int64_t edge,
                      const struct box *box)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < all->count; i++) {
        struct place *place = &all->list[kept];
        *place = all->list[i];
        if (!is_within(&place->at, area))
            continue;
        kept++;
        place->rank[3] = (uint32_t)place->at.entity;
        if (!edge) {
            place->rank[0] = distance_squared(&place->at, area);
            continue;
        }
        place->rank[0] = (uint64_t)((place->at.z - box->low[2]) / edge);
        place->rank[1] = (uint64_t)((place->at.y - box->low[1]) / edge);
        place->rank[2] = (uint64_t)((place->at.x - box->low[0]) / edge);
    }
    all->count = kept;
    qsort(all->list, kept, sizeof *all->list, compare_places);
}

void on_model_each_neighbour(machine *self, uint32_t grid, const machine_area *area,
                             bool has_values, machine_visit_neighbour *visit, void *visitor)
{
    const program_grid *given = &self->system->grids[grid];
    struct places all = places_of(self, given);
    if (all.count) {
        struct box box = box_of(&all);
        keep_near(&all, area, edge_of(&box, given->cell, all.count), &box);
    }
    for (uint32_t i = 0; i < all.count; i++)
        visit(visitor, &all.list[i].at, has_values ? all.list[i].value : NULL);
    if (all.count)
        note(self, (given->has_z ? MODEL_FOUND_IN_SPACE : MODEL_FOUND_IN_PLANE) |
                       (has_values ? MODEL_FOUND_VALUES : 0));
    ls_free(all.list);
}

uint32_t on_model_nearest(machine *self, uint32_t grid, const machine_area *area, uint32_t count,
                          ls_neighbour *found)
{
    struct places all = places_of(self, &self->system->grids[grid]);
    keep_near(&all, area, 0, NULL);
    uint32_t taken = all.count < count ? all.count : count;
    for (uint32_t i = 0; i < taken; i++)
        found[i] = all.list[i].at;
    if (taken && taken < all.count)
        note(self,
             self->system->grids[grid].has_z ? MODEL_NEAREST_IN_SPACE : MODEL_NEAREST_IN_PLANE);
    ls_free(all.list);
    return taken;
}

static bool has_key(const model_cell *cell, const ls_field *field, uint64_t key)
{
    return model_number(cell->value, field) == key &&
           (field->type != LS_TYPE_ENTITY || key != LS_ENTITY_NULL);
}

static uint32_t visit_keys(machine *self, uint32_t join, uint64_t key, bool has_values,
                           machine_visit_neighbour *visit, void *visitor)
{
    uint32_t count = 0;
    const program_join *given = &self->system->joins[join];
    const model_state *begun = invocation_of(self)->begun;
    const model_map *map = &begun->maps[given->component];
    const ls_field *field = &begun->schema->components[given->component]->fields[given->field];
    for (uint32_t i = 0; i < map->count; i++) {
        const ls_neighbour found = {.entity = map->cells[i].entity};
        const uint8_t *value =
            given->has_with ? model_find(begun, given->with, found.entity) : map->cells[i].value;
        if (!value || !has_key(&map->cells[i], field, key))
            continue;
        if (visit)
            visit(visitor, &found, has_values ? value : NULL);
        count++;
    }
    return count;
}

void on_model_each_of_key(machine *self, uint32_t join, uint64_t key, bool has_values,
                          machine_visit_neighbour *visit, void *visitor)
{
    if (visit_keys(self, join, key, has_values, visit, visitor))
        note(self, MODEL_FOUND_KEYS | (has_values ? MODEL_FOUND_KEY_VALUES : 0));
}

uint32_t on_model_count_of_key(machine *self, uint32_t join, uint64_t key)
{
    uint32_t count = visit_keys(self, join, key, false, NULL, NULL);
    if (count)
        note(self, MODEL_COUNTED_KEYS);
    return count;
}

void on_model_each_input(machine *self, uint32_t player, machine_visit_input *visit, void *visitor)
{
    program_frame made;
    const ls_frame *frame = program_inputs(self->program, invocation_of(self)->begun->tick, &made);
    for (uint32_t i = 0; i < frame->count; i++) {
        if (frame->inputs[i].player != player || !frame->inputs[i].data)
            continue;
        visit(visitor, &frame->inputs[i]);
        note(self, frame->inputs[i].kind == LS_INPUT ? MODEL_HAD_ORDER : MODEL_HAD_STATE);
    }
}

static void give(model_invocation *invocation, bool is_command, uint32_t component,
                 ls_entity entity, const uint8_t *value)
{
    if (is_command)
        model_command(invocation, MODEL_COMMAND_ATTACH, component, entity, value);
    else
        model_attach(invocation, component, entity, value);
}

ls_entity on_model_spawn_prefab(machine *self, uint32_t lane, bool is_command,
                                const machine_part *parts, uint32_t count)
{
    model_invocation *invocation = invocation_of(self);
    const uint8_t *lanes = is_command ? self->system->command_lanes : self->system->lanes;
    uint32_t number = program_lane_number(self->program, lanes[lane]);
    ls_entity entity =
        is_command ? model_command_new(invocation, number) : model_new(invocation, number);
    for (uint32_t i = 0; i < count; i++) {
        uint8_t row[CELL_BYTES];
        program_row(self->program->components[parts[i].component].layout, self->program->seed,
                    parts[i].row, row);
        give(invocation, is_command, parts[i].component, entity,
             parts[i].is_row ? row : parts[i].cell);
    }
    note(self, is_command ? MODEL_COMMANDED_PREFAB : MODEL_SPAWNED_PREFAB);
    return entity;
}
