#include "web/rows.h"

#include <string.h>

static void make_room(ls_web_rows_data *rows, uint32_t capacity, const ls_component **components)
{
    if (capacity > rows->capacity) {
        rows->entities = ls_realloc(rows->entities, capacity * sizeof *rows->entities);
        rows->presence = ls_realloc(rows->presence, capacity);
        rows->capacity = capacity;
    }
    for (uint32_t t = 0; t < LS_WEB_TERMS; t++) {
        size_t bytes = components[t] ? (size_t)rows->capacity * components[t]->bytes : 0;
        if (bytes > rows->cell_bytes[t]) {
            rows->cells[t] = ls_realloc(rows->cells[t], bytes);
            rows->cell_bytes[t] = bytes;
        }
    }
}

/* `terms` counts the columns up to the first -1; the span has the cells of that number of terms. */
static void add_span(ls_web_rows_data *rows, const ls_span *span, uint32_t terms,
                     const ls_component **components)
{
    uint8_t presence = 0;
    for (uint32_t t = 0; t < terms; t++) {
        size_t bytes = components[t]->bytes;
        uint8_t *to = rows->cells[t] + rows->count * bytes;
        if (bytes && span->const_cells[t])
            memcpy(to, span->const_cells[t], span->count * bytes);
        else if (bytes)
            memset(to, 0, span->count * bytes);
        presence |= (uint8_t)((t == 0 || span->const_cells[t] != NULL) << t);
    }
    memset(rows->presence + rows->count, presence, span->count);
    for (uint32_t i = 0; i < span->count; i++)
        rows->entities[rows->count++] = ls_span_entity(span, i);
}

void ls_web_rows_collect(ls_web_rows_data *rows, const ls_world *world,
                         const int32_t columns[LS_WEB_TERMS])
{
    const ls_program *program = ls_world_program(world);
    const ls_component *components[LS_WEB_TERMS] = {NULL};
    ls_term terms[LS_WEB_TERMS + 1] = {{NULL, LS_INCLUDE, LS_ACCESS_READ, 0}};
    uint32_t count = 0;
    for (; count < LS_WEB_TERMS && columns[count] >= 0; count++) {
        const ls_component *component = ls_program_component(program, (uint32_t)columns[count]);
        components[count] = component;
        terms[count] = (ls_term){component, count ? LS_OPTIONAL : LS_INCLUDE,
                                 component->bytes ? LS_ACCESS_READ : LS_ACCESS_PRESENCE, 0};
    }
    make_room(rows, (uint32_t)ls_world_entity_count(world), components);
    rows->count = 0;
    ls_world_walk walk;
    ls_world_walk_begin(world, terms, &walk);
    while (ls_world_walk_next(&walk))
        add_span(rows, &walk.span, count, components);
}

bool ls_web_rows_has(const ls_world *world, const ls_component *component, ls_entity entity)
{
    const ls_term terms[2] = {{component, LS_INCLUDE, LS_ACCESS_PRESENCE, 0}};
    ls_world_walk walk;
    if (component->bytes)
        return ls_world_cell(world, component, entity) != NULL;
    ls_world_walk_begin(world, terms, &walk);
    while (ls_world_walk_next(&walk)) {
        uint32_t at = ls_entity_slot(entity) - walk.span.first_slot;
        if (walk.span.lane == ls_entity_lane(entity) && at < walk.span.count)
            return true;
    }
    return false;
}
