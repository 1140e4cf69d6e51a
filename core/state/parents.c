#include "core/state/parents.h"

#include "core/state/store.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct parent_field {
    uint32_t column, field, offset;
    uint64_t seen; /* the column's version at the last check without a cycle */
} parent_field;

/* `visited` holds the number of the walk that came past a slot. Numbers never repeat, so nothing is
 * cleared between checks. */
struct ls_parents {
    parent_field *fields;
    uint32_t count;
    uint64_t walk;
    struct {
        uint64_t *visited;
        uint32_t capacity;
    } lanes[LS_LANES_MAX];
};

ls_parents *ls_parents_create(const ls_program *program)
{
    ls_parents *parents = NULL;
    for (uint32_t column = 0; column < program->column_count; column++) {
        const ls_component *component = program->components[column];
        for (uint32_t i = 0; i < component->field_count; i++) {
            if (component->fields[i].on_despawn != LS_PARENT)
                continue;
            parents = parents ? parents : ls_alloc(sizeof *parents);
            parents->fields =
                ls_realloc(parents->fields, sizeof *parents->fields * (parents->count + 1));
            parents->fields[parents->count++] =
                (parent_field){column, i, component->fields[i].offset, UINT64_MAX};
        }
    }
    return parents;
}

void ls_parents_destroy(ls_parents *parents)
{
    if (!parents)
        return;
    for (uint32_t lane = 0; lane < LS_LANES_MAX; lane++)
        ls_free(parents->lanes[lane].visited);
    ls_free(parents->fields);
    ls_free(parents);
}

static void reserve(ls_parents *parents, uint32_t lane, uint32_t slots)
{
    uint32_t capacity = parents->lanes[lane].capacity;
    if (capacity >= slots)
        return;
    uint64_t **visited = &parents->lanes[lane].visited;
    *visited = ls_realloc(*visited, sizeof **visited * slots);
    memset(*visited + capacity, 0, sizeof **visited * (slots - capacity));
    parents->lanes[lane].capacity = slots;
}

/* The parent of an entity; null if the entity lacks the component, or is dead. */
static ls_entity parent_of(const ls_world *world, uint32_t column, uint32_t offset,
                           ls_entity entity)
{
    ls_entity parent = LS_ENTITY_NULL;
    const uint8_t *cell = ls_store_find(world, column, entity);
    if (cell)
        memcpy(&parent, cell + offset, sizeof parent);
    return parent;
}

/* Follows the parents from `entity` to a root, or to a slot that a walk of this check has visited.
 * True if this walk itself has visited that slot: `*entity` is then in a cycle. */
static bool climb(ls_parents *parents, const ls_world *world, const parent_field *field,
                  uint64_t first_walk, ls_entity *entity)
{
    parents->walk++;
    for (ls_page *page; (page = ls_store_find_page(world, field->column, *entity));) {
        const uint8_t *cell = ls_store_cell(world, field->column, page, ls_entity_slot(*entity));
        uint64_t *visited =
            &parents->lanes[ls_entity_lane(*entity)].visited[ls_entity_slot(*entity)];
        if (*visited >= first_walk)
            return *visited == parents->walk;
        *visited = parents->walk;
        memcpy(entity, cell + field->offset, sizeof *entity);
    }
    return false;
}

static uint32_t offset_of(const ls_world *world, const ls_parent_cycle *cycle)
{
    return world->program->components[cycle->column]->fields[cycle->field].offset;
}

/* Climbs from the entities of a page in the order of slots, until one is in a cycle. */
static bool climb_from_page(ls_parents *parents, const ls_world *world, const parent_field *field,
                            uint64_t first_walk, uint32_t lane, uint32_t page, ls_entity *found)
{
    const ls_page *cells = ls_world_page(world, field->column, lane, page);
    const uint32_t *generations =
        ls_page_generations(ls_world_page(world, ls_liveness(world), lane, page));
    for (uint32_t word = 0; word < LS_PAGE_WORDS; word++) {
        for (uint64_t bits = cells->present[word]; bits; bits &= bits - 1) {
            uint32_t slot = word * 64 + (uint32_t)__builtin_ctzll(bits);
            *found = ls_entity_make(lane, page * LS_PAGE_SLOTS + slot, generations[slot]);
            if (climb(parents, world, field, first_walk, found))
                return true;
        }
    }
    return false;
}

static bool find_in_field(ls_parents *parents, const ls_world *world, const parent_field *field,
                          ls_entity *found)
{
    uint64_t first_walk = parents->walk + 1;
    for (uint32_t lane = 0; lane < world->state.lanes; lane++)
        reserve(parents, lane,
                ls_table_page_count(*ls_world_table(world, field->column, lane)) * LS_PAGE_SLOTS);
    for (uint32_t lane = 0; lane < world->state.lanes; lane++) {
        const ls_table *table = *ls_world_table(world, field->column, lane);
        for (uint32_t page = ls_table_next_occupied(table, 0); page != LS_PAGE_NONE;
             page = ls_table_next_occupied(table, page + 1)) {
            if (climb_from_page(parents, world, field, first_walk, lane, page, found))
                return true;
        }
    }
    return false;
}

/* The lowest entity of the cycle names it, because the walk that found it may have entered it
 * anywhere. */
static ls_entity lowest_of(const ls_world *world, const ls_parent_cycle *cycle)
{
    ls_entity lowest = cycle->entity;
    for (ls_entity entity = parent_of(world, cycle->column, offset_of(world, cycle), cycle->entity);
         entity != cycle->entity;
         entity = parent_of(world, cycle->column, offset_of(world, cycle), entity)) {
        uint64_t place = (uint64_t)ls_entity_lane(entity) << 32 | ls_entity_slot(entity);
        if (place < ((uint64_t)ls_entity_lane(lowest) << 32 | ls_entity_slot(lowest)))
            lowest = entity;
    }
    return lowest;
}

bool ls_parents_find_cycle(ls_parents *parents, const ls_world *world, ls_parent_cycle *cycle)
{
    for (uint32_t i = 0; parents && i < parents->count; i++) {
        parent_field *field = &parents->fields[i];
        uint64_t version = world->versions[field->column];
        if (field->seen == version)
            continue;
        *cycle = (ls_parent_cycle){field->column, field->field, LS_ENTITY_NULL};
        if (find_in_field(parents, world, field, &cycle->entity)) {
            cycle->entity = lowest_of(world, cycle);
            return true;
        }
        field->seen = version;
    }
    return false;
}

bool ls_parents_is_in_cycle(const ls_world *world, const ls_parent_cycle *cycle)
{
    ls_entity slow = cycle->entity, entity = cycle->entity;
    for (uint64_t step = 1; step == 1 || entity != slow; step++) {
        entity = parent_of(world, cycle->column, offset_of(world, cycle), entity);
        if (entity == cycle->entity)
            return true;
        if (entity == LS_ENTITY_NULL)
            return false;
        if (step % 2 == 0)
            slow = parent_of(world, cycle->column, offset_of(world, cycle), slow);
    }
    return false;
}

void ls_parents_print(const ls_world *world, const ls_parent_cycle *cycle, char *text, size_t bytes)
{
    enum { NAMED_MAX = 4 };
    const ls_component *component = world->program->components[cycle->column];
    ls_entity entity = cycle->entity;
    const char *field = component->fields[cycle->field].name;
    bool is_own = parent_of(world, cycle->column, offset_of(world, cycle), entity) == entity;
    int used = snprintf(text, bytes, "%.63s.%.63s %s", component->name, field,
                        is_own ? "names its own entity" : "leads from");
    for (uint32_t i = 0; i == 0 || entity != cycle->entity; i++) {
        if (i < NAMED_MAX && used >= 0 && (size_t)used < bytes)
            used += snprintf(text + used, bytes - (size_t)used, "%s %.60s/%" PRIu32, i ? " to" : "",
                             world->program->lanes[ls_entity_lane(entity)], ls_entity_slot(entity));
        else if (i == NAMED_MAX && used >= 0 && (size_t)used < bytes)
            used += snprintf(text + used, bytes - (size_t)used, ", on");
        entity = parent_of(world, cycle->column, offset_of(world, cycle), entity);
    }
    if (used >= 0 && (size_t)used < bytes)
        snprintf(text + used, bytes - (size_t)used, "%s", is_own ? "" : " and back");
}

ls_status ls_parents_check(const ls_world *world, ls_error *error)
{
    ls_parents *parents = ls_parents_create(world->program);
    ls_parent_cycle cycle;
    char text[512];
    bool has_cycle = ls_parents_find_cycle(parents, world, &cycle);
    ls_parents_destroy(parents);
    if (!has_cycle)
        return LS_OK;
    ls_parents_print(world, &cycle, text, sizeof text);
    return ls_error_set(error, LS_ERROR_CORRUPT,
                        "the state has an entity that is its own ancestor: %s", text);
}
