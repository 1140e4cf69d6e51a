#include "core/schema/codec.h"

#include "core/base/hash_stream.h"
#include "core/base/platform.h"
#include <lockstep/bytes.h>
#include <lockstep/hash.h>

#include <string.h>

#define MACHINE_ORDER (LS_IS_BIG_ENDIAN ? LS_ORDER_BIG : LS_ORDER_LITTLE)

static void swap_units(const uint8_t *from, uint8_t *to, size_t bytes, size_t unit)
{
    for (size_t at = 0; at < bytes; at += unit) {
        for (size_t i = 0; i < unit; i++)
            to[at + i] = from[at + unit - 1 - i];
    }
}

static void convert_cell(const ls_component *component, const uint8_t *from, uint8_t *to)
{
    for (uint32_t i = 0; i < component->field_count; i++) {
        const ls_field *field = &component->fields[i];
        swap_units(from + field->offset, to + field->offset, field->bytes,
                   ls_type_unit(field->type));
    }
}

void ls_cells_convert_as(ls_byte_order order, const ls_component *component, const void *from,
                         void *to, size_t count)
{
    size_t bytes = component->bytes;
    if (order == LS_ORDER_LITTLE) {
        if (bytes != 0 && count != 0)
            memcpy(to, from, bytes * count);
        return;
    }
    for (size_t i = 0; i < count; i++)
        convert_cell(component, (const uint8_t *)from + bytes * i, (uint8_t *)to + bytes * i);
}

/* Converts pieces on the stack, because a steady tick allocates nothing. A piece is many cells or
 * a part of a field. */
enum { PIECE_BYTES = 4096 };

static void add_cell(ls_hash_stream *stream, const ls_component *component, const uint8_t *cell)
{
    uint8_t piece[PIECE_BYTES];
    for (uint32_t i = 0; i < component->field_count; i++) {
        const ls_field *field = &component->fields[i];
        for (size_t at = 0, step; at < field->bytes; at += step) {
            step = field->bytes - at < PIECE_BYTES ? field->bytes - at : PIECE_BYTES;
            swap_units(cell + field->offset + at, piece, step, ls_type_unit(field->type));
            ls_hash_stream_add(stream, piece, step);
        }
    }
}

static uint64_t hash_swapped(const ls_component *component, const uint8_t *cells, size_t count)
{
    uint8_t piece[PIECE_BYTES];
    ls_hash_stream stream;
    size_t bytes = component->bytes,
           block = bytes && bytes <= PIECE_BYTES ? PIECE_BYTES / bytes : 0;
    ls_hash_stream_init(&stream);
    for (size_t at = 0, step = 1; bytes && at < count; at += step) {
        if (block == 0) {
            add_cell(&stream, component, cells + bytes * at);
            continue;
        }
        step = count - at < block ? count - at : block;
        ls_cells_convert_as(LS_ORDER_BIG, component, cells + bytes * at, piece, step);
        ls_hash_stream_add(&stream, piece, bytes * step);
    }
    return ls_hash_stream_get(&stream);
}

uint64_t ls_cells_hash_as(ls_byte_order order, const ls_component *component, const void *cells,
                          size_t count)
{
    if (order == LS_ORDER_LITTLE)
        return ls_hash_bytes(cells, component->bytes * count);
    return hash_swapped(component, cells, count);
}

uint64_t ls_words_hash_as(ls_byte_order order, const uint64_t *words, size_t count)
{
    if (order == LS_ORDER_LITTLE)
        return ls_hash_bytes(words, sizeof *words * count);
    uint64_t little[16];
    LS_ASSERT(count <= LS_COUNT_OF(little));
    for (size_t i = 0; i < count; i++)
        little[i] = __builtin_bswap64(words[i]);
    return ls_hash_bytes(little, sizeof *words * count);
}

void ls_cells_convert(const ls_component *component, const void *from, void *to, size_t count)
{
    ls_cells_convert_as(MACHINE_ORDER, component, from, to, count);
}

uint64_t ls_cells_hash(const ls_component *component, const void *cells, size_t count)
{
    return ls_cells_hash_as(MACHINE_ORDER, component, cells, count);
}

uint64_t ls_words_hash(const uint64_t *words, size_t count)
{
    return ls_words_hash_as(MACHINE_ORDER, words, count);
}

const ls_field *ls_cell_fault(const ls_component *component, const void *cell)
{
    for (uint32_t i = 0; i < component->field_count; i++) {
        const ls_field *field = &component->fields[i];
        uint64_t max = field->type == LS_TYPE_BOOL ? 1 : field->max;
        uint32_t unit = ls_type_unit(field->type);
        if (max == 0 && field->type != LS_TYPE_ENUM)
            continue;
        for (uint32_t at = 0; at < field->bytes; at += unit) {
            if (ls_value_read(field->type, (const uint8_t *)cell + field->offset + at) > max)
                return field;
        }
    }
    return NULL;
}

uint32_t ls_field_items(const ls_component *component, const ls_field *field, const void *cell)
{
    uint32_t room = field->bytes / ls_type_bytes(field->type);
    for (uint32_t i = 0; field->count && i < component->field_count; i++) {
        const ls_field *count = &component->fields[i];
        if (strcmp(count->name, field->count) != 0)
            continue;
        uint64_t used = ls_value_read(LS_TYPE_U16, (const uint8_t *)cell + count->offset);
        return used < room ? (uint32_t)used : room;
    }
    return room;
}

bool ls_component_has_entities(const ls_component *component)
{
    for (uint32_t i = 0; i < component->field_count; i++) {
        if (component->fields[i].type == LS_TYPE_ENTITY)
            return true;
    }
    return false;
}
