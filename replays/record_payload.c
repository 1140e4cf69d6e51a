/* Encoders and decoders for the payloads of all records except the header. */
#include "replays/record_internal.h"
#include "replays/state_memory.h"

#include <string.h>

static void write_roots(ls_writer *writer, const ls_record_roots *roots)
{
    LS_ASSERT(roots->count <= LS_RECORD_ROOTS_MAX);
    ls_write_u8(writer, (uint8_t)roots->count);
    for (uint32_t i = 0; i < roots->count; i++)
        ls_write_u64(writer, roots->values[i]);
}

static bool read_roots(ls_reader *reader, ls_record_roots *roots)
{
    roots->count = ls_read_u8(reader);
    if (roots->count > LS_RECORD_ROOTS_MAX)
        return false;
    for (uint32_t i = 0; i < roots->count; i++)
        roots->values[i] = ls_read_u64(reader);
    return !reader->failed;
}

static ls_reader payload_of(const ls_record *record)
{
    ls_reader reader;
    ls_reader_init(&reader, record->payload, record->payload_bytes);
    return reader;
}

void ls_record_encode_frame(const ls_frame *frame, const ls_record_roots *roots,
                            ls_state_memory *memory, uint64_t salt, ls_writer *writer)
{
    size_t offset = ls_record_begin(writer, LS_RECORD_FRAME);
    ls_write_number(writer, frame->tick);
    write_roots(writer, roots);
    ls_dense_encode(frame, memory, writer);
    ls_record_end(writer, offset, salt);
}

bool ls_record_decode_frame(const ls_record *record, uint32_t player_count, ls_state_memory *memory,
                            ls_input *inputs, ls_frame *frame, ls_record_roots *roots)
{
    ls_reader reader = payload_of(record);
    *frame = (ls_frame){.tick = ls_read_number(&reader)};
    return record->type == LS_RECORD_FRAME && read_roots(&reader, roots) &&
           ls_dense_decode(&reader, memory, player_count, inputs, frame) && ls_reader_done(&reader);
}

void ls_record_encode_roots(const ls_record_roots *roots, uint64_t salt, ls_writer *writer)
{
    size_t offset = ls_record_begin(writer, LS_RECORD_ROOTS);
    write_roots(writer, roots);
    ls_record_end(writer, offset, salt);
}

bool ls_record_decode_roots(const ls_record *record, ls_record_roots *roots)
{
    ls_reader reader = payload_of(record);
    return record->type == LS_RECORD_ROOTS && read_roots(&reader, roots) && roots->count > 0 &&
           ls_reader_done(&reader);
}

void ls_record_encode_epoch(const ls_recording_epoch *epoch, uint64_t salt, ls_writer *writer)
{
    size_t offset = ls_record_begin(writer, LS_RECORD_EPOCH);
    ls_write_u64(writer, epoch->tick);
    ls_write_u32(writer, epoch->epoch);
    ls_write_u64(writer, (uint64_t)epoch->unix_s);
    ls_record_end(writer, offset, salt);
}

bool ls_record_decode_epoch(const ls_record *record, ls_recording_epoch *epoch)
{
    ls_reader reader = payload_of(record);
    epoch->tick = ls_read_u64(&reader);
    epoch->epoch = ls_read_u32(&reader);
    epoch->unix_s = (int64_t)ls_read_u64(&reader);
    return record->type == LS_RECORD_EPOCH && ls_reader_done(&reader);
}

void ls_record_encode_closing(const ls_recording_closing *closing, const ls_record_roots *roots,
                              uint64_t salt, ls_writer *writer)
{
    size_t offset = ls_record_begin(writer, LS_RECORD_CLOSING);
    ls_write_number(writer, closing->tick_count);
    ls_write_u8(writer, closing->reason);
    write_roots(writer, roots);
    ls_record_end(writer, offset, salt);
}

bool ls_record_decode_closing(const ls_record *record, ls_recording_closing *closing,
                              ls_record_roots *roots)
{
    ls_reader reader = payload_of(record);
    closing->tick_count = ls_read_number(&reader);
    closing->reason = ls_read_u8(&reader);
    return record->type == LS_RECORD_CLOSING && read_roots(&reader, roots) &&
           ls_reader_done(&reader);
}

/* The base is encoded as its distance in ticks; zero means a full keyframe. */
void ls_record_encode_keyframe(const ls_recording_keyframe *keyframe, uint64_t salt,
                               ls_writer *writer)
{
    size_t offset = ls_record_begin(writer, LS_RECORD_KEYFRAME);
    ls_write_number(writer, keyframe->tick);
    ls_write_number(writer, keyframe->tick - keyframe->base_tick);
    ls_write_number(writer, keyframe->players);
    ls_write_u8(writer, keyframe->is_paused);
    ls_write_bytes(writer, keyframe->data, keyframe->bytes);
    ls_record_end(writer, offset, salt);
}

bool ls_record_decode_keyframe(const ls_record *record, uint32_t player_count,
                               ls_recording_keyframe *keyframe)
{
    ls_reader reader = payload_of(record);
    *keyframe = (ls_recording_keyframe){.tick = ls_read_number(&reader)};
    uint64_t back = ls_read_number(&reader);
    keyframe->base_tick = keyframe->tick - back;
    keyframe->players = ls_read_number(&reader);
    uint8_t is_paused = ls_read_u8(&reader);
    keyframe->is_paused = is_paused == 1;
    keyframe->bytes = ls_reader_left(&reader);
    keyframe->data = ls_read_view(&reader, keyframe->bytes);
    bool has_only_seats = player_count >= 64 || keyframe->players >> player_count == 0;
    return record->type == LS_RECORD_KEYFRAME && !reader.failed && back <= keyframe->tick &&
           is_paused <= 1 && has_only_seats && keyframe->bytes >= 1 &&
           keyframe->bytes <= LS_KEYFRAME_BYTES_MAX;
}

void ls_record_encode_columns(uint64_t tick, const uint64_t *hashes, uint32_t count, uint64_t salt,
                              ls_writer *writer)
{
    size_t offset = ls_record_begin(writer, LS_RECORD_COLUMNS);
    ls_write_number(writer, tick);
    for (uint32_t i = 0; i < count; i++)
        ls_write_u64(writer, hashes[i]);
    ls_record_end(writer, offset, salt);
}

bool ls_record_decode_columns(const ls_record *record, ls_recording_columns *columns)
{
    ls_reader reader = payload_of(record);
    columns->tick = ls_read_number(&reader);
    size_t bytes = ls_reader_left(&reader);
    columns->count = (uint32_t)(bytes / 8);
    columns->data = ls_read_view(&reader, bytes);
    return record->type == LS_RECORD_COLUMNS && !reader.failed && bytes % 8 == 0 &&
           columns->count >= 1 && columns->count <= LS_RECORD_COLUMNS_MAX;
}

void ls_record_encode_signature(const ls_recording_signature *signature, uint64_t salt,
                                ls_writer *writer)
{
    size_t offset = ls_record_begin(writer, LS_RECORD_SIGNATURE);
    ls_write_number(writer, signature->tick);
    ls_write_bytes(writer, signature->bytes, sizeof signature->bytes);
    ls_record_end(writer, offset, salt);
}

bool ls_record_decode_signature(const ls_record *record, ls_recording_signature *signature)
{
    ls_reader reader = payload_of(record);
    signature->tick = ls_read_number(&reader);
    ls_read_bytes(&reader, signature->bytes, sizeof signature->bytes);
    return record->type == LS_RECORD_SIGNATURE && ls_reader_done(&reader);
}

void ls_record_encode_link(const ls_recording_link *link, uint64_t salt, ls_writer *writer)
{
    size_t offset = ls_record_begin(writer, LS_RECORD_LINK);
    ls_write_u64(writer, link->salt);
    ls_write_u64(writer, link->tick);
    ls_write_u64(writer, link->bytes);
    ls_write_bytes(writer, link->hash, sizeof link->hash);
    ls_record_end(writer, offset, salt);
}

bool ls_record_decode_link(const ls_record *record, ls_recording_link *link)
{
    ls_reader reader = payload_of(record);
    link->salt = ls_read_u64(&reader);
    link->tick = ls_read_u64(&reader);
    link->bytes = ls_read_u64(&reader);
    ls_read_bytes(&reader, link->hash, sizeof link->hash);
    return record->type == LS_RECORD_LINK && ls_reader_done(&reader);
}

void ls_record_encode_evidence(const uint8_t *data, size_t bytes, uint64_t salt, ls_writer *writer)
{
    size_t offset = ls_record_begin(writer, LS_RECORD_EVIDENCE);
    ls_write_bytes(writer, data, bytes);
    ls_record_end(writer, offset, salt);
}
