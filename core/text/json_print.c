/* States as JSON; core/text/json.c reads it. */
#include "core/schedule/value_text.h"
#include "core/schema/codec.h"
#include "core/state/page.h"
#include "core/state/state_internal.h"
#include "core/state/table.h"
#include "core/state/world_state.h"
#include <lockstep/fix2.h>
#include <lockstep/json.h>

#include <inttypes.h>
#include <string.h>

static void add_key(ls_builder *text, const char *name)
{
    ls_builder_add_string(text, name);
    ls_builder_add(text, ": ");
}

static void add_entity(ls_builder *text, const ls_program *program, ls_entity entity)
{
    ls_builder string = {0};
    ls_entity_print(&string, program, entity);
    ls_builder_add_string(text, string.data);
    ls_free(string.data);
}

/* True for what ls_value_text_print() gives as no JSON by itself. */
static bool is_string(const ls_field *field, const void *item)
{
    uint64_t number = ls_value_read(field->type, item);
    if (field->type == LS_TYPE_ENUM)
        return number <= field->max;
    return field->type == LS_TYPE_U64 || field->type == LS_TYPE_I64;
}

static void add_value(ls_builder *text, const ls_program *program, const ls_field *field,
                      const uint8_t *item)
{
    static const ls_field axis = {.name = "axis", .type = LS_TYPE_FIX};
    uint64_t number = ls_value_read(field->type, item);
    if (field->type == LS_TYPE_ENTITY && number != LS_ENTITY_NULL) {
        add_entity(text, program, number);
    } else if (field->type == LS_TYPE_FIX2) {
        ls_builder_add(text, "[");
        ls_value_text_print(text, program, &axis, item + offsetof(ls_fix2, x));
        ls_builder_add(text, ", ");
        ls_value_text_print(text, program, &axis, item + offsetof(ls_fix2, y));
        ls_builder_add(text, "]");
    } else if (is_string(field, item)) {
        ls_builder string = {0};
        ls_value_text_print(&string, program, field, item);
        ls_builder_add_string(text, string.data);
        ls_free(string.data);
    } else {
        ls_value_text_print(text, program, field, item);
    }
}

static bool is_zero(const uint8_t *bytes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (bytes[i])
            return false;
    }
    return true;
}

/* A system may have left something behind the items in use: it is part of the state all the same.
 */
static uint32_t items_to_show(const ls_component *component, const ls_field *field,
                              const uint8_t *cell)
{
    uint32_t unit = ls_type_bytes(field->type), shown = field->bytes / unit;
    uint32_t used = ls_field_items(component, field, cell);
    while (shown > used && is_zero(cell + field->offset + (size_t)unit * (shown - 1), unit))
        shown--;
    return shown;
}

void ls_cell_json(ls_builder *text, const ls_program *program, const ls_component *component,
                  const void *bytes)
{
    const uint8_t *cell = bytes;
    ls_builder_add(text, "{");
    for (uint32_t i = 0; i < component->field_count; i++) {
        const ls_field *field = &component->fields[i];
        uint32_t unit = ls_type_bytes(field->type);
        ls_builder_add(text, "%s", i ? ", " : "");
        add_key(text, field->name);
        if (field->bytes == unit && !field->count) {
            add_value(text, program, field, cell + field->offset);
            continue;
        }
        uint32_t count = items_to_show(component, field, cell);
        ls_builder_add(text, "[");
        for (uint32_t item = 0; item < count; item++) {
            ls_builder_add(text, "%s", item ? ", " : "");
            add_value(text, program, field, cell + field->offset + (size_t)unit * item);
        }
        ls_builder_add(text, "]");
    }
    ls_builder_add(text, "}");
}

static void add_column(ls_builder *text, const ls_world *world, const ls_component *component)
{
    if (component->is_singleton) {
        ls_cell_json(text, world->program, component, ls_world_singleton(world, component));
        return;
    }
    const ls_term terms[2] = {{component, LS_INCLUDE, LS_READ, 0}};
    ls_world_walk walk;
    bool is_any = false;
    ls_builder_add(text, "{");
    ls_world_walk_begin(world, terms, &walk);
    while (ls_world_walk_next(&walk)) {
        const uint8_t *cells = walk.span.const_cells[0]; /* NULL for a tag */
        for (uint32_t i = 0; i < walk.span.count; i++, is_any = true) {
            ls_builder_add(text, "%s\n      ", is_any ? "," : "");
            add_entity(text, world->program, ls_span_entity(&walk.span, i));
            ls_builder_add(text, ": ");
            ls_cell_json(text, world->program, component,
                         component->bytes ? cells + (size_t)component->bytes * i : cells);
        }
    }
    ls_builder_add(text, "%s}", is_any ? "\n    " : "");
}

/* From slot 0 to the last that was ever used; an odd one lives. */
static void add_generations(ls_builder *text, const ls_world *world, uint32_t lane)
{
    uint32_t liveness = ls_liveness(world), zeros = 0;
    uint32_t pages = ls_table_page_count(*ls_world_table(world, liveness, lane));
    bool is_any = false;
    ls_builder_add(text, "[");
    for (uint32_t slot = 0; slot < pages * LS_PAGE_SLOTS; slot++) {
        ls_page *page = ls_world_page(world, liveness, lane, slot / LS_PAGE_SLOTS);
        const uint32_t *generations = page ? (const uint32_t *)(void *)ls_page_cells(page) : NULL;
        uint32_t generation = page ? generations[slot % LS_PAGE_SLOTS] : 0;
        if (generation == 0) {
            zeros++;
            continue;
        }
        for (; zeros > 0; zeros--, is_any = true)
            ls_builder_add(text, "%s0", is_any ? ", " : "");
        ls_builder_add(text, "%s%" PRIu32, is_any ? ", " : "", generation);
        is_any = true;
    }
    ls_builder_add(text, "]");
}

static void add_match(ls_builder *text, const ls_world *world)
{
    const ls_match *match = &world->match;
    ls_builder_add(text,
                   "{\"seed\": \"%" PRIu64 "\", \"tick_rate\": %" PRIu32 ", \"players\": %" PRIu32
                   ", \"options\": {",
                   match->seed, match->tick_rate, match->player_count);
    for (uint32_t i = 0; i < match->option_count; i++) {
        ls_builder_add(text, "%s", i ? ", " : "");
        add_key(text, world->program->sim->options[i].name);
        ls_builder_add(text, "\"%" PRId64 "\"", match->options[i]);
    }
    ls_builder_add(text, "}}");
}

static void add_lanes(ls_builder *text, const ls_world *world)
{
    ls_builder_add(text, "{");
    for (uint32_t lane = 0; lane < world->program->lane_count; lane++) {
        ls_builder_add(text, "%s\n    ", lane ? "," : "");
        add_key(text, world->program->lanes[lane]);
        ls_builder_add(text, "{\"refused_spawns\": \"%" PRIu64 "\", \"generations\": ",
                       world->state.refused_spawns[lane]);
        add_generations(text, world, lane);
        ls_builder_add(text, "}");
    }
    ls_builder_add(text, "\n  }");
}

char *ls_world_json(const ls_world *world)
{
    ls_builder text = {0};
    bool is_any = false;
    ls_builder_add(&text, "{\n  \"format\": %d,\n  \"simulation\": ", LS_JSON_FORMAT);
    ls_builder_add_string(&text, world->program->sim->name);
    ls_builder_add(&text, ",\n  \"match\": ");
    add_match(&text, world);
    ls_builder_add(&text, ",\n  \"tick\": \"%" PRIu64 "\",\n  \"dropped\": {", world->state.tick);
    for (uint32_t i = 0; i < LS_DROPPED_COUNT; i++)
        ls_builder_add(&text, "%s\"%s\": \"%" PRIu64 "\"", i ? ", " : "", ls_dropped_names[i],
                       world->state.dropped[i]);
    ls_builder_add(&text, "},\n  \"lanes\": ");
    add_lanes(&text, world);
    ls_builder_add(&text, ",\n  \"components\": {");
    for (uint32_t column = 0; column < world->program->column_count; column++) {
        const ls_component *component = world->program->components[column];
        ls_builder_add(&text, "%s\n    ", is_any ? "," : "");
        add_key(&text, component->name);
        add_column(&text, world, component);
        is_any = true;
    }
    ls_builder_add(&text, "%s}\n}", is_any ? "\n  " : "");
    return text.data;
}
