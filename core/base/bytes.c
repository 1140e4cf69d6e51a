#include <lockstep/bytes.h>

#include "core/base/platform.h"

#include <string.h>

void ls_writer_init(ls_writer *writer, void *data, size_t capacity)
{
    *writer = (ls_writer){.data = data, .capacity = capacity};
}

/* Reserves `count` bytes. If they do not fit, or an earlier write did not, returns NULL and sets
 * `failed`. */
static uint8_t *claim(ls_writer *writer, size_t count)
{
    if (writer->failed || count > writer->capacity - writer->count) {
        writer->failed = true;
        return NULL;
    }
    uint8_t *space = writer->data + writer->count;
    writer->count += count;
    return space;
}

/* Writes the low `count` bytes of the value, which in little-endian order are the first ones. */
static inline void write_little_endian(ls_writer *writer, uint64_t value, size_t count)
{
    uint8_t *space = claim(writer, count);
    value = ls_little_endian(value);
    if (space)
        memcpy(space, &value, count);
}

void ls_write_u8(ls_writer *writer, uint8_t value)
{
    write_little_endian(writer, value, 1);
}

void ls_write_u16(ls_writer *writer, uint16_t value)
{
    write_little_endian(writer, value, 2);
}

void ls_write_u32(ls_writer *writer, uint32_t value)
{
    write_little_endian(writer, value, 4);
}

void ls_write_u64(ls_writer *writer, uint64_t value)
{
    write_little_endian(writer, value, 8);
}

void ls_write_bytes(ls_writer *writer, const void *data, size_t count)
{
    uint8_t *space = claim(writer, count);
    if (space && count)
        memcpy(space, data, count);
}

void ls_write_text(ls_writer *writer, const char *text)
{
    size_t count = strlen(text);
    if (count > 255) {
        writer->failed = true;
        return;
    }
    ls_write_u8(writer, (uint8_t)count);
    ls_write_bytes(writer, text, count);
}

void ls_reader_init(ls_reader *reader, const void *data, size_t count)
{
    *reader = (ls_reader){.data = data, .count = count};
}

const uint8_t *ls_read_view(ls_reader *reader, size_t count)
{
    if (reader->failed || count > reader->count - reader->offset) {
        reader->failed = true;
        return NULL;
    }
    const uint8_t *view = reader->data + reader->offset;
    reader->offset += count;
    return view;
}

static inline uint64_t read_little_endian(ls_reader *reader, size_t count)
{
    const uint8_t *view = ls_read_view(reader, count);
    uint64_t value = 0;
    if (view)
        memcpy(&value, view, count);
    return ls_little_endian(value);
}

uint8_t ls_read_u8(ls_reader *reader)
{
    return (uint8_t)read_little_endian(reader, 1);
}

uint16_t ls_read_u16(ls_reader *reader)
{
    return (uint16_t)read_little_endian(reader, 2);
}

uint32_t ls_read_u32(ls_reader *reader)
{
    return (uint32_t)read_little_endian(reader, 4);
}

uint64_t ls_read_u64(ls_reader *reader)
{
    return read_little_endian(reader, 8);
}

void ls_read_bytes(ls_reader *reader, void *data, size_t count)
{
    const uint8_t *view = ls_read_view(reader, count);
    if (view && count)
        memcpy(data, view, count);
    else if (count)
        memset(data, 0, count);
}

void ls_read_text(ls_reader *reader, char *text, size_t capacity)
{
    size_t count = ls_read_u8(reader);
    const uint8_t *view = ls_read_view(reader, count);
    text[0] = 0;
    if (!view)
        return;
    for (size_t i = 0; i < count; i++)
        reader->failed |= view[i] < 0x20 || view[i] == 0x7f;
    reader->failed |= count >= capacity;
    if (reader->failed)
        return;
    memcpy(text, view, count);
    text[count] = 0;
}

bool ls_reader_done(const ls_reader *reader)
{
    return !reader->failed && reader->offset == reader->count;
}

size_t ls_reader_left(const ls_reader *reader)
{
    return reader->count - reader->offset;
}
