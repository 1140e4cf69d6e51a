/* States as text, in the notation of the Core ECS paper's executable model. */
#include "core/query.h"
#include "core/store.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct text {
    char *data;
    size_t count, capacity;
};

static void append(struct text *text, const char *format, ...) LS_PRINTF(2, 3);

static void append(struct text *text, const char *format, ...)
{
    if (text->capacity - text->count < 256) {
        text->capacity = text->capacity * 2 + 1024;
        text->data = ls_realloc(text->data, text->capacity);
    }
    va_list arguments;
    va_start(arguments, format);
    int written = vsnprintf(text->data + text->count, 256, format, arguments);
    va_end(arguments);
    text->count += written < 256 ? (size_t)written : 255;
}

static void append_entity(struct text *text, const ls_world *world, ls_entity entity)
{
    uint32_t lane = ls_entity_lane(entity);
    if (entity == LS_ENTITY_NULL)
        append(text, "null");
    else if (world->program->lane_count <= 2)
        append(text, "e%" PRIu32, ls_entity_slot(entity));
    else
        append(text, "%.100s/%" PRIu32,
               lane < world->program->lane_count ? world->program->lanes[lane] : "?",
               ls_entity_slot(entity));
}

/* Sixteen binary places are at most sixteen decimal ones; five are enough to tell neighbours apart.
 */
static void append_fix(struct text *text, ls_fix value)
{
    uint64_t magnitude = value < 0 ? (uint64_t) - (int64_t)value : (uint64_t)value;
    append(text, "%s%" PRIu64 ".%05" PRIu64, value < 0 ? "-" : "", magnitude >> 16,
           ((magnitude & 0xffff) * 100000 + 0x8000) >> 16 > 99999
               ? 99999
               : ((magnitude & 0xffff) * 100000 + 0x8000) >> 16);
}

static int64_t read_signed(const uint8_t *bytes, uint32_t count)
{
    int64_t value = 0;
    if (count == 1)
        value = *(const int8_t *)bytes;
    else if (count == 2)
        value = *(const int16_t *)(const void *)bytes;
    else if (count == 4)
        value = *(const int32_t *)(const void *)bytes;
    else
        memcpy(&value, bytes, sizeof value);
    return value;
}

static void append_value(struct text *text, const ls_world *world, ls_type type,
                         const uint8_t *bytes, bool is_argument)
{
    uint32_t size = ls_type_bytes(type);
    int64_t number = read_signed(bytes, size);
    uint64_t mask = size == 8 ? UINT64_MAX : ((uint64_t)1 << (8 * size)) - 1;
    bool is_negative =
        number < 0 && (type == LS_TYPE_I8 || type == LS_TYPE_I16 || type == LS_TYPE_I32 ||
                       type == LS_TYPE_I64 || type == LS_TYPE_FIX);
    if (is_negative && is_argument)
        append(text, "(");
    if (type == LS_TYPE_ENTITY)
        append_entity(text, world, (ls_entity)number);
    else if (type == LS_TYPE_FIX)
        append_fix(text, (ls_fix)number);
    else if (type == LS_TYPE_BOOL)
        append(text, "%s", number ? "true" : "false");
    else if (is_negative)
        append(text, "%" PRId64, number);
    else
        append(text, "%" PRIu64, (uint64_t)number & mask);
    if (is_negative && is_argument)
        append(text, ")");
}

static void append_field(struct text *text, const ls_world *world, const ls_field *field,
                         const uint8_t *cell, bool is_argument)
{
    uint32_t unit = ls_type_bytes(field->type);
    if (field->bytes == unit) {
        append_value(text, world, field->type, cell + field->offset, is_argument);
        return;
    }
    append(text, "[");
    for (uint32_t at = 0; at < field->bytes; at += unit) {
        append(text, "%s", at ? "," : "");
        append_value(text, world, field->type, cell + field->offset + at, false);
    }
    append(text, "]");
}

/* One field: `Pos 1`; several: `Body {x = 1, y = 2}`; a tag: its name. */
static void append_cell(struct text *text, const ls_world *world, const ls_component *component,
                        const uint8_t *cell)
{
    append(text, "%.100s", component->name);
    if (component->field_count == 1) {
        append(text, " ");
        append_field(text, world, &component->fields[0], cell, true);
    }
    for (uint32_t i = 0; component->field_count > 1 && i < component->field_count; i++) {
        append(text, "%s%.100s = ", i ? ", " : " {", component->fields[i].name);
        append_field(text, world, &component->fields[i], cell, false);
    }
    if (component->field_count > 1)
        append(text, "}");
}

static void append_column(struct text *text, const ls_world *world, const ls_component *component)
{
    append(text, "%.100s→{", component->name);
    if (component->is_singleton) {
        append_cell(text, world, component, ls_world_singleton(world, component));
        append(text, "}");
        return;
    }
    const ls_term terms[2] = {{component, LS_INCLUDE, LS_READ, 0}};
    ls_world_walk walk;
    bool is_first = true;
    ls_world_walk_begin(world, terms, &walk);
    while (ls_world_walk_next(&walk)) {
        for (uint32_t i = 0; i < walk.span.count; i++, is_first = false) {
            append(text, "%s", is_first ? "" : ", ");
            append_entity(text, world, ls_span_entity(&walk.span, i));
            append(text, " ↦ ");
            append_cell(text, world, component,
                        (const uint8_t *)walk.span.const_cells[0] + (size_t)component->bytes * i);
        }
    }
    append(text, "}");
}

char *ls_world_print(const ls_world *world)
{
    struct text text = {0};
    for (uint32_t column = 0; column < world->program->column_count; column++) {
        append_column(&text, world, world->program->components[column]);
        append(&text, " :+ ");
    }
    append(&text, "Metadata {");
    for (uint32_t lane = world->program->lane_count > 1; lane < world->program->lane_count;
         lane++) {
        append(&text, "%snextFresh = ", lane > 1 ? ", " : "");
        uint32_t slot = ls_store_next_free(world, lane, 0);
        append_entity(&text, world,
                      slot < LS_SLOTS_MAX ? ls_entity_make(lane, slot, 1) : LS_ENTITY_NULL);
    }
    append(&text, "}");
    return text.data;
}
