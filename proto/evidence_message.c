#include "proto/evidence_message.h"

#include "proto/message.h"
#include "proto/plain.h"
#include <lockstep/evidence_limits.h>
#include <lockstep/hash.h>

enum { PAGE_BYTES = 4 + 8 };

_Static_assert(LS_EVIDENCE_COLUMNS_MAX == LS_CELLS_COLUMNS_MAX, "every column can be asked for");
_Static_assert(LS_EVIDENCE_CELLS_MAX <= LS_EVIDENCE_COLUMNS_MAX, "places hold both");

static bool count_is_valid(uint8_t level, uint32_t count)
{
    switch (level) {
    case LS_EVIDENCE_COLUMNS:
        return count == 0;
    case LS_EVIDENCE_PAGES:
        return count >= 1 && count <= LS_EVIDENCE_COLUMNS_MAX;
    case LS_EVIDENCE_CELLS:
        return count >= 1 && count <= LS_EVIDENCE_CELLS_MAX;
    default:
        return false;
    }
}

static bool offset_is_valid(uint32_t offset)
{
    return offset < LS_EVIDENCE_ANSWER_BYTES_MAX && offset % LS_CHUNK_BYTES_MAX == 0;
}

static bool are_ascending(const ls_evidence_request *request)
{
    for (uint32_t i = 1; i < request->count; i++) {
        const ls_evidence_place *before = &request->places[i - 1], *here = &request->places[i];
        bool is_above = here->column > before->column ||
                        (here->column == before->column && here->key > before->key);
        if (!is_above)
            return false;
    }
    return true;
}

void ls_evidence_request_encode(const ls_evidence_request *request, ls_plain *plain)
{
    LS_ASSERT(count_is_valid(request->level, request->count) && are_ascending(request) &&
              offset_is_valid(request->offset));
    ls_writer writer = ls_plain_begin(plain, LS_MESSAGE_EVIDENCE_REQUEST, LS_CHANNEL_TICKS);
    ls_write_u64(&writer, request->tick);
    ls_write_u8(&writer, request->level);
    ls_write_u32(&writer, request->offset);
    ls_write_u8(&writer, (uint8_t)request->count);
    for (uint32_t i = 0; i < request->count; i++) {
        ls_write_u8(&writer, request->places[i].column);
        if (request->level == LS_EVIDENCE_CELLS)
            ls_write_u32(&writer, request->places[i].key);
    }
    LS_ASSERT(ls_plain_end(plain, &writer));
}

bool ls_evidence_request_decode(const ls_plain *plain, ls_evidence_request *request)
{
    ls_reader reader = ls_plain_open(plain, LS_MESSAGE_EVIDENCE_REQUEST, LS_CHANNEL_TICKS);
    request->tick = ls_read_u64(&reader);
    request->level = ls_read_u8(&reader);
    request->offset = ls_read_u32(&reader);
    request->count = ls_read_u8(&reader);
    if (reader.failed || !count_is_valid(request->level, request->count))
        return false;
    for (uint32_t i = 0; i < request->count; i++) {
        request->places[i].column = ls_read_u8(&reader);
        request->places[i].key = request->level == LS_EVIDENCE_CELLS ? ls_read_u32(&reader) : 0;
    }
    return ls_reader_done(&reader) && offset_is_valid(request->offset) && are_ascending(request);
}

static bool chunk_is_valid(const ls_evidence_chunk *chunk)
{
    if (chunk->level >= LS_EVIDENCE_LEVELS || chunk->total_bytes > LS_EVIDENCE_ANSWER_BYTES_MAX ||
        !offset_is_valid(chunk->offset))
        return false;
    if (chunk->total_bytes == 0)
        return chunk->offset == 0 && chunk->bytes == 0;
    uint32_t left = chunk->offset < chunk->total_bytes ? chunk->total_bytes - chunk->offset : 0;
    return left && chunk->bytes == (left < LS_CHUNK_BYTES_MAX ? left : LS_CHUNK_BYTES_MAX);
}

void ls_evidence_chunk_encode(const ls_evidence_chunk *chunk, ls_plain *plain)
{
    LS_ASSERT(chunk_is_valid(chunk));
    ls_writer writer = ls_plain_begin(plain, LS_MESSAGE_EVIDENCE, LS_CHANNEL_TICKS);
    ls_write_u64(&writer, chunk->tick);
    ls_write_u8(&writer, chunk->level);
    ls_write_u32(&writer, chunk->total_bytes);
    ls_write_u32(&writer, chunk->offset);
    ls_write_bytes(&writer, chunk->data, chunk->bytes);
    LS_ASSERT(ls_plain_end(plain, &writer));
}

bool ls_evidence_chunk_decode(const ls_plain *plain, ls_evidence_chunk *chunk)
{
    ls_reader reader = ls_plain_open(plain, LS_MESSAGE_EVIDENCE, LS_CHANNEL_TICKS);
    chunk->tick = ls_read_u64(&reader);
    chunk->level = ls_read_u8(&reader);
    chunk->total_bytes = ls_read_u32(&reader);
    chunk->offset = ls_read_u32(&reader);
    chunk->bytes = (uint32_t)ls_reader_left(&reader);
    chunk->data = ls_read_view(&reader, chunk->bytes);
    return ls_reader_done(&reader) && chunk_is_valid(chunk);
}

void ls_evidence_columns_write(const ls_evidence_columns *columns, ls_writer *writer)
{
    ls_write_u32(writer, columns->threads);
    ls_write_u32(writer, columns->step);
    ls_write_u32(writer, columns->rtt_us);
    ls_write_u16(writer, columns->loss);
    ls_write_u32(writer, columns->resumes);
    ls_write_u32(writer, columns->loads);
    ls_write_u32(writer, columns->gaps);
    ls_write_u64(writer, columns->root);
    ls_write_u64(writer, columns->inputs_first);
    ls_write_u64(writer, columns->inputs);
    ls_write_u8(writer, (uint8_t)columns->count);
    for (uint32_t i = 0; i < columns->count; i++)
        ls_write_u64(writer, columns->hashes[i]);
}

bool ls_evidence_columns_read(ls_reader *reader, ls_evidence_columns *columns)
{
    columns->threads = ls_read_u32(reader);
    columns->step = ls_read_u32(reader);
    columns->rtt_us = ls_read_u32(reader);
    columns->loss = ls_read_u16(reader);
    columns->resumes = ls_read_u32(reader);
    columns->loads = ls_read_u32(reader);
    columns->gaps = ls_read_u32(reader);
    columns->root = ls_read_u64(reader);
    columns->inputs_first = ls_read_u64(reader);
    columns->inputs = ls_read_u64(reader);
    columns->count = ls_read_u8(reader);
    if (columns->count > LS_EVIDENCE_COLUMNS_MAX)
        return false;
    for (uint32_t i = 0; i < columns->count; i++)
        columns->hashes[i] = ls_read_u64(reader);
    return !reader->failed && columns->loss <= 10000 && columns->step >= 1;
}

uint64_t ls_evidence_frame_hash(uint64_t tick, const uint8_t *body, uint32_t bytes)
{
    uint64_t words[2] = {tick, ls_hash_bytes(body, bytes)};
    return ls_hash_bytes(words, sizeof words);
}

bool ls_evidence_pages_write(const ls_cells_page *pages, uint32_t all, ls_writer *writer)
{
    size_t left = writer->capacity - writer->count;
    if (left < 8)
        return false;
    size_t fit = (left - 8) / PAGE_BYTES;
    uint32_t listed = all < fit ? all : (uint32_t)fit;
    ls_write_u32(writer, all);
    ls_write_u32(writer, listed);
    for (uint32_t i = 0; i < listed; i++) {
        ls_write_u32(writer, pages[i].key);
        ls_write_u64(writer, pages[i].hash);
    }
    return true;
}

bool ls_evidence_pages_read(ls_reader *reader, ls_evidence_pages *pages)
{
    pages->all = ls_read_u32(reader);
    pages->listed = ls_read_u32(reader);
    if (reader->failed || pages->listed > pages->all ||
        pages->listed > ls_reader_left(reader) / PAGE_BYTES)
        return false;
    pages->data = ls_read_view(reader, (size_t)pages->listed * PAGE_BYTES);
    for (uint32_t i = 1; i < pages->listed; i++)
        if (ls_evidence_pages_at(pages, i).key <= ls_evidence_pages_at(pages, i - 1).key)
            return false;
    return true;
}

ls_cells_page ls_evidence_pages_at(const ls_evidence_pages *pages, uint32_t index)
{
    LS_ASSERT(index < pages->listed);
    ls_reader reader;
    ls_reader_init(&reader, pages->data + (size_t)index * PAGE_BYTES, PAGE_BYTES);
    ls_cells_page page;
    page.key = ls_read_u32(&reader);
    page.hash = ls_read_u64(&reader);
    return page;
}

uint32_t ls_evidence_cells_write(const ls_snapshot *snapshot, const ls_evidence_place *place,
                                 size_t capacity, uint8_t *data)
{
    ls_cells_page page;
    size_t bytes = ls_cells_encode(snapshot, place->column, place->key, data + 4, capacity);
    bool is_cut = bytes == 0 && ls_cells_look_up(snapshot, place->column, place->key, &page);
    ls_writer writer;
    ls_writer_init(&writer, data, 4);
    uint32_t written = is_cut ? LS_EVIDENCE_LEFT_OUT : (uint32_t)bytes;
    ls_write_u32(&writer, written);
    return written;
}

bool ls_evidence_cells_read(ls_reader *reader, uint32_t *bytes, const uint8_t **data)
{
    *bytes = ls_read_u32(reader);
    *data = NULL;
    if (reader->failed)
        return false;
    if (*bytes == LS_EVIDENCE_LEFT_OUT)
        return true;
    *data = ls_read_view(reader, *bytes);
    return !reader->failed;
}
