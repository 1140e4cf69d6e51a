#include "core/codec.h"

#include "core/bytes.h"
#include "core/hash.h"

#include <string.h>

#define IS_LITTLE_ENDIAN (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)

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
                   ls_type_bytes(field->type));
    }
}

void ls_cells_convert(const ls_component *component, const void *from, void *to, size_t count)
{
    size_t bytes = component->bytes;
    if (IS_LITTLE_ENDIAN) {
        if (bytes != 0 && count != 0)
            memcpy(to, from, bytes * count);
        return;
    }
    for (size_t i = 0; i < count; i++)
        convert_cell(component, (const uint8_t *)from + bytes * i, (uint8_t *)to + bytes * i);
}

uint64_t ls_cells_hash(const ls_component *component, const void *cells, size_t count)
{
    if (IS_LITTLE_ENDIAN)
        return ls_hash_bytes(cells, component->bytes * count);
    void *converted = ls_alloc(component->bytes * count);
    ls_cells_convert(component, cells, converted, count);
    uint64_t hash = ls_hash_bytes(converted, component->bytes * count);
    ls_free(converted);
    return hash;
}

uint64_t ls_words_hash(const uint64_t *words, size_t count)
{
    if (IS_LITTLE_ENDIAN)
        return ls_hash_bytes(words, sizeof *words * count);
    uint8_t bytes[16 * 8];
    ls_writer writer;
    ls_writer_init(&writer, bytes, sizeof bytes);
    for (size_t i = 0; i < count; i++)
        ls_write_u64(&writer, words[i]);
    LS_ASSERT(!writer.failed);
    return ls_hash_bytes(bytes, writer.count);
}

static uint64_t read_unsigned(const uint8_t *bytes, uint32_t unit)
{
    uint64_t value = 0;
    for (uint32_t i = 0; i < unit; i++)
        value |= (uint64_t)bytes[IS_LITTLE_ENDIAN ? i : unit - 1 - i] << (8 * i);
    return value;
}

bool ls_cell_is_valid(const ls_component *component, const void *cell)
{
    for (uint32_t i = 0; i < component->field_count; i++) {
        const ls_field *field = &component->fields[i];
        uint64_t max = field->type == LS_TYPE_BOOL ? 1 : field->max;
        uint32_t unit = ls_type_bytes(field->type);
        for (uint32_t at = 0; max && at < field->bytes; at += unit) {
            if (read_unsigned((const uint8_t *)cell + field->offset + at, unit) > max)
                return false;
        }
    }
    return true;
}
