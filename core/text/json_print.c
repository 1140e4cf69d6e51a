/* Prints states as JSON; core/text/json.c reads it. */
#include "core/text/json_print.h"
#include "core/base/json_writer.h"
#include "core/schedule/value_text.h"
#include "core/schema/codec.h"
#include "core/state/page.h"
#include "core/state/state_internal.h"
#include "core/state/table.h"
#include "core/state/world_state.h"
#include <lockstep/fix.h>
#include <lockstep/json.h>

static char *entity_text(const ls_program *program, ls_entity entity)
{
    ls_builder text = {0};
    ls_entity_print(&text, program, entity);
    return text.data;
}

/* Whether the value is a JSON string: the name of an enum's value, an entity except null, or a
 * 64-bit number, because many readers keep only 53 bits of a number. */
static bool is_string(const ls_field *field, const void *item)
{
    uint64_t number = ls_value_read(field->type, item);
    if (field->type == LS_TYPE_ENUM)
        return number <= field->max;
    if (field->type == LS_TYPE_ENTITY)
        return number != LS_ENTITY_NULL;
    return field->type == LS_TYPE_U64 || field->type == LS_TYPE_I64;
}

static void add_value(ls_builder *text, const ls_program *program, const char *name,
                      const ls_field *field, const uint8_t *item)
{
    static const ls_field axis = {.name = "axis", .type = LS_TYPE_FIX};
    uint64_t number = ls_value_read(field->type, item);
    uint32_t bytes = ls_type_bytes(field->type), unit = ls_type_unit(field->type);
    if (ls_type_is_vector(field->type)) {
        ls_json_open(text, name, '[');
        for (uint32_t at = 0; at < bytes; at += unit) {
            ls_builder_add(text, "%s", at ? ", " : "");
            ls_value_text_print(text, program, &axis, item + at);
        }
        ls_json_close(text, ']');
        return;
    }
    ls_builder value = {0};
    if (field->type == LS_TYPE_ENTITY && number != LS_ENTITY_NULL)
        ls_entity_print(&value, program, number);
    else
        ls_value_text_print(&value, program, field, item);
    if (is_string(field, item))
        ls_json_string(text, name, value.data);
    else
        ls_json_raw(text, name, value.data);
    ls_free(value.data);
}

static bool is_zero(const uint8_t *bytes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (bytes[i])
            return false;
    }
    return true;
}

/* The number of items to print. Values after the items in use are part of the state, so they are
 * printed, too. */
static uint32_t items_to_show(const ls_component *component, const ls_field *field,
                              const uint8_t *cell)
{
    uint32_t unit = ls_type_bytes(field->type), shown = field->bytes / unit;
    uint32_t used = ls_field_items(component, field, cell);
    while (shown > used && is_zero(cell + field->offset + (size_t)unit * (shown - 1), unit))
        shown--;
    return shown;
}

void ls_cell_json(ls_builder *text, const ls_program *program, const char *name,
                  const ls_component *component, const void *bytes)
{
    const uint8_t *cell = bytes;
    ls_json_open(text, name, '{');
    for (uint32_t i = 0; i < component->field_count; i++) {
        const ls_field *field = &component->fields[i];
        uint32_t unit = ls_type_bytes(field->type);
        if (field->bytes == unit && !field->count) {
            add_value(text, program, field->name, field, cell + field->offset);
            continue;
        }
        uint32_t count = items_to_show(component, field, cell);
        ls_json_open(text, field->name, '[');
        for (uint32_t item = 0; item < count; item++)
            add_value(text, program, NULL, field, cell + field->offset + (size_t)unit * item);
        ls_json_close(text, ']');
    }
    ls_json_close(text, '}');
}

static void add_column(ls_builder *text, const ls_world *world, const ls_component *component)
{
    if (component->is_singleton) {
        ls_cell_json(text, world->program, component->name, component,
                     ls_world_singleton(world, component));
        return;
    }
    const ls_term terms[2] = {{component, LS_INCLUDE, LS_ACCESS_READ, 0}};
    ls_world_walk walk;
    ls_json_open(text, component->name, '{');
    ls_world_walk_begin(world, terms, &walk);
    while (ls_world_walk_next(&walk)) {
        const uint8_t *cells = walk.span.const_cells[0]; /* NULL for a tag */
        for (uint32_t i = 0; i < walk.span.count; i++) {
            char *entity = entity_text(world->program, ls_span_entity(&walk.span, i));
            ls_json_line(text, 3);
            ls_cell_json(text, world->program, entity, component,
                         component->bytes ? cells + (size_t)component->bytes * i : cells);
            ls_free(entity);
        }
    }
    ls_json_close_lines(text, 2, '}');
}

/* Prints the generations from slot 0 to the last slot ever used; slots with odd ones are alive. */
static void add_generations(ls_builder *text, const ls_world *world, uint32_t lane)
{
    uint32_t liveness = ls_liveness(world), zeros = 0;
    uint32_t pages = ls_table_page_count(*ls_world_table(world, liveness, lane));
    ls_json_open(text, "generations", '[');
    for (uint32_t slot = 0; slot < pages * LS_PAGE_SLOTS; slot++) {
        ls_page *page = ls_world_page(world, liveness, lane, slot / LS_PAGE_SLOTS);
        const uint32_t *generations = page ? (const uint32_t *)(void *)ls_page_cells(page) : NULL;
        uint32_t generation = page ? generations[slot % LS_PAGE_SLOTS] : 0;
        if (generation == 0) {
            zeros++;
            continue;
        }
        for (; zeros > 0; zeros--)
            ls_json_u64(text, NULL, 0);
        ls_json_u64(text, NULL, generation);
    }
    ls_json_close(text, ']');
}

static void add_match(ls_builder *text, const ls_world *world)
{
    const ls_match *match = &world->match;
    ls_json_line(text, 1);
    ls_json_open(text, "match", '{');
    ls_json_u64_string(text, "seed", match->seed);
    ls_json_u64(text, "tick_rate", match->tick_rate);
    ls_json_u64(text, "players", match->player_count);
    ls_json_open(text, "options", '{');
    for (uint32_t i = 0; i < match->option_count; i++)
        ls_json_i64_string(text, world->program->sim->options[i].name, match->options[i]);
    ls_json_close(text, '}');
    ls_json_close(text, '}');
}

static void add_lanes(ls_builder *text, const ls_world *world)
{
    ls_json_line(text, 1);
    ls_json_open(text, "lanes", '{');
    for (uint32_t lane = 0; lane < world->program->lane_count; lane++) {
        ls_json_line(text, 2);
        ls_json_open(text, world->program->lanes[lane], '{');
        ls_json_u64_string(text, "refused_spawns", world->state.refused_spawns[lane]);
        add_generations(text, world, lane);
        ls_json_close(text, '}');
    }
    ls_json_close_lines(text, 1, '}');
}

static void add_dropped(ls_builder *text, const ls_world *world)
{
    ls_json_line(text, 1);
    ls_json_open(text, "dropped", '{');
    for (uint32_t i = 0; i < LS_DROPPED_COUNT; i++)
        ls_json_u64_string(text, ls_dropped_names[i], world->state.dropped[i]);
    ls_json_close(text, '}');
}

char *ls_world_json(const ls_world *world)
{
    ls_builder text = {0};
    ls_json_open(&text, NULL, '{');
    ls_json_line(&text, 1);
    ls_json_u64(&text, "format", LS_JSON_FORMAT);
    ls_json_line(&text, 1);
    ls_json_string(&text, "simulation", world->program->sim->name);
    add_match(&text, world);
    ls_json_line(&text, 1);
    ls_json_u64_string(&text, "tick", world->state.tick);
    add_dropped(&text, world);
    add_lanes(&text, world);
    ls_json_line(&text, 1);
    ls_json_open(&text, "components", '{');
    for (uint32_t column = 0; column < world->program->column_count; column++) {
        ls_json_line(&text, 2);
        add_column(&text, world, world->program->components[column]);
    }
    ls_json_close_lines(&text, 1, '}');
    ls_json_close_lines(&text, 0, '}');
    return text.data;
}
