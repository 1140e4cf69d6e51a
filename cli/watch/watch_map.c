#include "cli/watch/watch_map.h"

#include <string.h>
#include <strings.h>

/* Rates how likely the component holds positions: 0 is not at all, higher is better. */
static uint32_t rate(const ls_component *component, ls_watch_map *map)
{
    const ls_field *x = NULL, *y = NULL;
    for (uint32_t i = 0; i < component->field_count; i++) {
        const ls_field *field = &component->fields[i];
        bool is_single = field->bytes == ls_type_bytes(field->type);
        if (field->type == LS_TYPE_FIX && is_single && strcmp(field->name, "x") == 0)
            x = field;
        if (field->type == LS_TYPE_FIX && is_single && strcmp(field->name, "y") == 0)
            y = field;
        if (ls_type_is_vector(field->type) && is_single && !x && !y)
            x = y = field;
    }
    if (component->is_singleton || !x || !y)
        return 0;
    map->component = component;
    map->x_offset = x->offset;
    map->y_offset = x == y ? x->offset + (uint32_t)sizeof(ls_fix) : y->offset;
    const char *name = component->name;
    if (strncasecmp(name, "pos", 3) == 0 || strcasecmp(name, "place") == 0)
        return 3;
    /* These are names of velocities. */
    if (strncasecmp(name, "vel", 3) == 0 || strncasecmp(name, "mot", 3) == 0)
        return 0;
    return map->x_offset == 0 ? 2 : 1;
}

bool ls_watch_map_find(const ls_program *program, ls_watch_map *map)
{
    uint32_t best = 0;
    *map = (ls_watch_map){0};
    for (uint32_t i = 0; i < ls_program_column_count(program); i++) {
        ls_watch_map candidate = {0};
        uint32_t rating = rate(ls_program_component(program, i), &candidate);
        if (rating > best) {
            best = rating;
            *map = candidate;
        }
    }
    return best > 0;
}

static ls_fix read_fix(const void *cell, uint32_t offset)
{
    ls_fix value;
    memcpy(&value, (const uint8_t *)cell + offset, sizeof value);
    return value;
}

static void cover(ls_watch_map *map, ls_fix x, ls_fix y)
{
    map->left = !map->has_any || x < map->left ? x : map->left;
    map->right = !map->has_any || x > map->right ? x : map->right;
    map->top = !map->has_any || y < map->top ? y : map->top;
    map->bottom = !map->has_any || y > map->bottom ? y : map->bottom;
    map->has_any = true;
}

void ls_watch_map_cover(ls_watch_map *map, const ls_world *world)
{
    const ls_term terms[2] = {{map->component, LS_INCLUDE, LS_ACCESS_READ, 0}};
    ls_world_walk walk;
    ls_world_walk_begin(world, terms, &walk);
    while (ls_world_walk_next(&walk)) {
        const uint8_t *cells = walk.span.const_cells[0];
        for (uint32_t i = 0; i < walk.span.count; i++, cells += map->component->bytes)
            cover(map, read_fix(cells, map->x_offset), read_fix(cells, map->y_offset));
    }
}

static uint32_t scale(ls_fix value, ls_fix low, ls_fix high, uint32_t count)
{
    int64_t range = (int64_t)high - low + 1, at = ((int64_t)value - low) * count / range;
    return at < 0 ? 0 : at < (int64_t)count ? (uint32_t)at : count - 1;
}

ls_watch_spot ls_watch_map_spot(const ls_watch_map *map, const void *cell, uint32_t columns,
                                uint32_t rows)
{
    return (ls_watch_spot){
        .column = scale(read_fix(cell, map->x_offset), map->left, map->right, columns),
        .row = scale(read_fix(cell, map->y_offset), map->top, map->bottom, rows)};
}
