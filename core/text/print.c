/* Prints states as text, in the notation of the Core ECS paper's executable model. */
#include <lockstep/print.h>

#include "core/schedule/value_text.h"
#include "core/schema/codec.h"
#include "core/state/store.h"
#include <lockstep/fix.h>
#include <lockstep/world_read.h>

#include <inttypes.h>
#include <string.h>

static void add_entity(ls_builder *text, const ls_world *world, ls_entity entity)
{
    uint32_t lane = ls_entity_lane(entity);
    if (entity == LS_ENTITY_NULL)
        ls_builder_add(text, "null");
    else if (world->program->lane_count <= 2)
        ls_builder_add(text, "e%" PRIu32, ls_entity_slot(entity));
    else
        ls_builder_add(text, "%s/%" PRIu32,
                       lane < world->program->lane_count ? world->program->lanes[lane] : "?",
                       ls_entity_slot(entity));
}

/* Marks a dead handle. Handles are printed as in the paper, without a generation, so a dead handle
 * would otherwise look like the handle of the slot's current entity. */
static void add_reference(ls_builder *text, const ls_world *world, ls_entity entity,
                          bool is_argument)
{
    bool is_dead = entity != LS_ENTITY_NULL && !ls_store_is_alive(world, entity);
    ls_builder_add(text, "%s", !is_dead ? "" : is_argument ? "(dead " : "dead ");
    add_entity(text, world, entity);
    ls_builder_add(text, "%s", is_dead && is_argument ? ")" : "");
}

static void add_vector(ls_builder *text, ls_type type, const uint8_t *item)
{
    for (uint32_t at = 0; at < ls_type_bytes(type); at += ls_type_unit(type)) {
        ls_builder_add(text, "%s", at ? ", " : "(");
        ls_fix_print(text, (ls_fix)ls_value_read(LS_TYPE_FIX, item + at));
    }
    ls_builder_add(text, ")");
}

static void add_value(ls_builder *text, const ls_world *world, const ls_field *field,
                      const uint8_t *item, bool is_argument)
{
    int64_t number = (int64_t)ls_value_read(field->type, item);
    bool is_negative = ls_type_is_signed(field->type) && number < 0;
    if (is_negative && is_argument)
        ls_builder_add(text, "(");
    if (field->type == LS_TYPE_ENTITY)
        add_reference(text, world, (ls_entity)number, is_argument);
    else if (field->type == LS_TYPE_FIX)
        ls_fix_print(text, (ls_fix)number);
    else if (ls_type_is_vector(field->type))
        add_vector(text, field->type, item);
    else
        ls_value_text_print(text, world->program, field, item);
    if (is_negative && is_argument)
        ls_builder_add(text, ")");
}

static void add_field(ls_builder *text, const ls_world *world, const ls_component *component,
                      const ls_field *field, const uint8_t *cell, bool is_argument)
{
    uint32_t unit = ls_type_bytes(field->type);
    if (field->bytes == unit && !field->count) {
        add_value(text, world, field, cell + field->offset, is_argument);
        return;
    }
    ls_builder_add(text, "[");
    uint32_t count = ls_field_items(component, field, cell);
    for (uint32_t i = 0; i < count; i++) {
        ls_builder_add(text, "%s", i ? "," : "");
        add_value(text, world, field, cell + field->offset + (size_t)unit * i, false);
    }
    ls_builder_add(text, "]");
}

/* Prints a cell. One field: `Pos 1`; several: `Body {x = 1, y = 2}`; a tag: its name. */
static void add_cell(ls_builder *text, const ls_world *world, const ls_component *component,
                     const uint8_t *cell)
{
    ls_builder_add(text, "%s", component->name);
    if (component->field_count == 1) {
        ls_builder_add(text, " ");
        add_field(text, world, component, &component->fields[0], cell, true);
        return;
    }
    for (uint32_t i = 0; i < component->field_count; i++) {
        ls_builder_add(text, "%s%s = ", i ? ", " : " {", component->fields[i].name);
        add_field(text, world, component, &component->fields[i], cell, false);
    }
    if (component->field_count > 1)
        ls_builder_add(text, "}");
}

static void add_column(ls_builder *text, const ls_world *world, const ls_component *component)
{
    ls_builder_add(text, "%s→{", component->name);
    if (component->is_singleton) {
        add_cell(text, world, component, ls_world_singleton(world, component));
        ls_builder_add(text, "}");
        return;
    }
    const ls_term terms[2] = {{component, LS_INCLUDE, LS_ACCESS_READ, 0}};
    ls_world_walk walk;
    bool is_first = true;
    ls_world_walk_begin(world, terms, &walk);
    while (ls_world_walk_next(&walk)) {
        const uint8_t *cell = walk.span.const_cells[0]; /* NULL: a tag */
        for (uint32_t i = 0; i < walk.span.count; i++, is_first = false) {
            ls_builder_add(text, "%s", is_first ? "" : ", ");
            add_entity(text, world, ls_span_entity(&walk.span, i));
            ls_builder_add(text, " ↦ ");
            add_cell(text, world, component, cell);
            cell = cell ? cell + component->bytes : NULL;
        }
    }
    ls_builder_add(text, "}");
}

char *ls_world_print_component(const ls_world *world, const ls_component *component)
{
    ls_builder text = {0};
    add_column(&text, world, component);
    return text.data;
}

char *ls_world_print(const ls_world *world)
{
    ls_builder text = {0};
    for (uint32_t column = 0; column < world->program->column_count; column++) {
        add_column(&text, world, world->program->components[column]);
        ls_builder_add(&text, " :+ ");
    }
    ls_builder_add(&text, "Metadata {");
    for (uint32_t lane = world->program->lane_count > 1; lane < world->program->lane_count;
         lane++) {
        ls_builder_add(&text, "%snextFresh = ", lane > 1 ? ", " : "");
        uint32_t slot = ls_store_next_free(world, lane, 0);
        add_entity(&text, world,
                   slot < LS_SLOTS_MAX ? ls_entity_make(lane, slot, 1) : LS_ENTITY_NULL);
    }
    ls_builder_add(&text, "}");
    return text.data;
}
