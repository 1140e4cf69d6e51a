#include "replays/record.h"

#include "core/base/fault_injection.h"
#include "replays/record_internal.h"
#include <lockstep/hash.h>

#include <inttypes.h>
#include <string.h>

/* Like PNG's magic: it is not text, and a transfer that converts line ends damages it. */
static const uint8_t magic[LS_RECORDING_MAGIC_BYTES] = {0x89, 'L',  'S',  'R',
                                                        '\r', '\n', 0x1a, '\n'};

/* Prevents overflow when ticks are added; no match comes near it. */
static const uint64_t first_tick_max = UINT64_MAX / 2;

void ls_write_number(ls_writer *writer, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        ls_write_u8(writer, (uint8_t)(value | 0x80));
    ls_write_u8(writer, (uint8_t)value);
}

uint64_t ls_read_number(ls_reader *reader)
{
    uint64_t value = 0;
    for (uint32_t shift = 0; shift < 70; shift += 7) {
        uint8_t byte = ls_read_u8(reader);
        bool is_last = !(byte & 0x80);
        if (reader->failed || (shift && byte == 0) || (shift == 63 && byte > 1))
            break;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (is_last)
            return value;
    }
    reader->failed = true;
    return 0;
}

/* `record` points to a record within its file, `bytes` counts its head and payload, `before` the
 * bytes before it that the checksum covers. */
static uint64_t checksum_of(const uint8_t *record, size_t bytes, size_t before, uint64_t salt)
{
    return ls_hash_bytes(record - before, before + bytes) ^ salt;
}

/* The number of bytes before the record that its checksum covers. A keyframe begins a new chain:
 * 0. */
static size_t bytes_before(uint8_t type)
{
    switch (type) {
    case LS_RECORD_HEADER:
        return LS_RECORDING_PREFIX_BYTES;
    case LS_RECORD_KEYFRAME:
        return 0;
    default:
        return LS_RECORD_CHECKSUM_BYTES;
    }
}

size_t ls_record_begin(ls_writer *writer, ls_record_type type)
{
    LS_ASSERT(writer->count >= LS_RECORD_CHECKSUM_BYTES);
    size_t offset = writer->count;
    const uint8_t head[LS_RECORD_HEAD_BYTES] = {(uint8_t)type};
    ls_write_bytes(writer, head, sizeof head);
    return offset;
}

void ls_record_end(ls_writer *writer, size_t offset, uint64_t salt)
{
    if (writer->failed)
        return;
    uint8_t *record = writer->data + offset;
    size_t payload_bytes = writer->count - offset - LS_RECORD_HEAD_BYTES;
    ls_writer length;
    ls_writer_init(&length, record + 1, LS_RECORD_HEAD_BYTES - 1);
    ls_write_number(&length, payload_bytes);
    size_t head_bytes = 1 + length.count;
    LS_ASSERT(!length.failed && payload_bytes <= LS_RECORD_PAYLOAD_MAX);
    memmove(record + head_bytes, record + LS_RECORD_HEAD_BYTES, payload_bytes);
    writer->count -= LS_RECORD_HEAD_BYTES - head_bytes;
    ls_write_u64(writer,
                 checksum_of(record, head_bytes + payload_bytes, bytes_before(record[0]), salt));
}

/* True when the text is terminated within its storage and has no control characters, which a reader
 * refuses. */
static bool text_is_valid(const char *text, size_t bytes)
{
    size_t count = strnlen(text, bytes);
    for (size_t i = 0; i < count; i++) {
        if ((uint8_t)text[i] < 0x20 || text[i] == 0x7f)
            return false;
    }
    return count < bytes;
}

static const char *header_fault(const ls_recording_header *header)
{
    const ls_match *match = &header->match;
    if (!text_is_valid(header->simulation.name, sizeof header->simulation.name))
        return "the simulation's name is too long or holds control characters";
    if (!text_is_valid(header->simulation.version, sizeof header->simulation.version))
        return "the simulation's version is too long or holds control characters";
    if (!text_is_valid(header->build, sizeof header->build))
        return "the build text is too long or holds control characters";
    if (match->tick_rate < 1 || match->tick_rate > LS_TICK_RATE_MAX)
        return "the match's tick rate is outside its limits";
    if (match->player_count < 1 || match->player_count > LS_PLAYERS_MAX)
        return "the match's player count is outside its limits";
    if (match->option_count > LS_OPTIONS_MAX)
        return "the match has too many options";
    if (header->first_tick > first_tick_max)
        return "the first tick is too high";
    if (header->has_room && !text_is_valid(header->room, sizeof header->room))
        return "the room's name is too long or holds control characters";
    return NULL;
}

ls_status ls_record_encode_header(const ls_recording_header *header, ls_writer *writer,
                                  ls_error *error)
{
    LS_ASSERT(writer->count == 0);
    const char *fault = header_fault(header);
    if (fault)
        return ls_error_set(error, LS_ERROR_USAGE, "cannot record: %s", fault);
    ls_write_bytes(writer, magic, sizeof magic);
    ls_write_u32(writer, LS_RECORDING_FORMAT_VERSION);
    ls_write_u64(writer, header->salt);
    size_t offset = ls_record_begin(writer, LS_RECORD_HEADER);
    ls_write_u32(writer, header->simulation.rules_version);
    ls_write_bytes(writer, header->simulation.fingerprint, sizeof header->simulation.fingerprint);
    ls_write_u64(writer, header->simulation.schema);
    ls_write_bytes(writer, header->server_key, sizeof header->server_key);
    ls_write_u64(writer, (uint64_t)header->created_unix_s);
    ls_write_u64(writer, header->first_tick);
    ls_write_u32(writer, header->first_epoch);
    ls_write_u32(writer, header->segment);
    ls_write_u64(writer, header->origin);
    ls_match_encode(&header->match, writer);
    ls_write_text(writer, header->simulation.name);
    ls_write_text(writer, header->simulation.version);
    ls_write_text(writer, header->build);
    ls_record_end(writer, offset, header->salt);
    if (header->has_room && header->first_tick == 0) {
        offset = ls_record_begin(writer, LS_RECORD_ROOM);
        ls_write_text(writer, header->room);
        ls_record_end(writer, offset, header->salt);
    }
    return LS_OK;
}

static uint32_t payload_max(uint8_t type)
{
    switch (type) {
    case LS_RECORD_HEADER:
        return LS_RECORD_HEADER_PAYLOAD_MAX;
    case LS_RECORD_FRAME:
        return LS_RECORD_FRAME_PAYLOAD_MAX;
    case LS_RECORD_CLOSING:
        return LS_RECORD_CLOSING_PAYLOAD_MAX;
    case LS_RECORD_ROOTS:
        return LS_RECORD_ROOTS_PAYLOAD_MAX;
    case LS_RECORD_EPOCH:
        return LS_RECORD_EPOCH_PAYLOAD;
    case LS_RECORD_KEYFRAME:
        return LS_RECORD_KEYFRAME_HEAD_MAX + LS_KEYFRAME_BYTES_MAX;
    case LS_RECORD_COLUMNS:
        return LS_RECORD_COLUMNS_PAYLOAD_MAX;
    case LS_RECORD_SIGNATURE:
        return LS_RECORD_SIGNATURE_PAYLOAD_MAX;
    case LS_RECORD_LINK:
        return LS_RECORD_LINK_PAYLOAD;
    case LS_RECORD_ROOM:
        return LS_RECORD_ROOM_PAYLOAD_MAX;
    case LS_RECORD_EVIDENCE:
        return LS_EVIDENCE_BYTES_MAX;
    default:
        return LS_RECORD_PAYLOAD_MAX;
    }
}

bool ls_record_peek(const ls_reader *file, size_t offset, ls_record *record)
{
    if (offset > file->count)
        return false;
    size_t head_bytes_max = file->count - offset;
    if (head_bytes_max > LS_RECORD_HEAD_BYTES)
        head_bytes_max = LS_RECORD_HEAD_BYTES;
    ls_reader reader = {.data = file->data, .count = offset + head_bytes_max, .offset = offset};
    *record = (ls_record){.type = ls_read_u8(&reader)};
    uint64_t payload_bytes = ls_read_number(&reader);
    if (reader.failed || record->type == 0 || payload_bytes > payload_max(record->type))
        return false;
    record->head_bytes = (uint8_t)(reader.offset - offset);
    record->payload_bytes = (uint32_t)payload_bytes;
    record->bytes = record->head_bytes + (size_t)payload_bytes + LS_RECORD_CHECKSUM_BYTES;
    return true;
}

/* Like ls_record_verify(), also for the header record. */
static bool verify(const ls_reader *file, size_t offset, uint64_t salt, ls_record *record)
{
    if (!ls_record_peek(file, offset, record) || record->bytes > file->count - offset ||
        bytes_before(record->type) > offset)
        return false;
    const uint8_t *start = file->data + offset;
    ls_reader stored;
    ls_reader_init(&stored, start + record->bytes - LS_RECORD_CHECKSUM_BYTES,
                   LS_RECORD_CHECKSUM_BYTES);
    record->payload = start + record->head_bytes;
    return ls_read_u64(&stored) == checksum_of(start, record->head_bytes + record->payload_bytes,
                                               bytes_before(record->type), salt) ||
           LS_FAULT(CHECKSUM_UNREAD);
}

bool ls_record_verify(const ls_reader *file, size_t offset, uint64_t salt, ls_record *record)
{
    LS_ASSERT(offset >= LS_RECORD_CHECKSUM_BYTES);
    return verify(file, offset, salt, record) && record->type != LS_RECORD_HEADER;
}

static bool header_values(const ls_record *record, ls_recording_header *header)
{
    ls_reader reader;
    ls_reader_init(&reader, record->payload, record->payload_bytes);
    ls_recording_simulation *simulation = &header->simulation;
    simulation->rules_version = ls_read_u32(&reader);
    ls_read_bytes(&reader, simulation->fingerprint, sizeof simulation->fingerprint);
    simulation->schema = ls_read_u64(&reader);
    ls_read_bytes(&reader, header->server_key, sizeof header->server_key);
    header->created_unix_s = (int64_t)ls_read_u64(&reader);
    header->first_tick = ls_read_u64(&reader);
    header->first_epoch = ls_read_u32(&reader);
    header->segment = ls_read_u32(&reader);
    header->origin = ls_read_u64(&reader);
    if (!ls_match_decode(&reader, &header->match))
        return false;
    ls_read_text(&reader, simulation->name, sizeof simulation->name);
    ls_read_text(&reader, simulation->version, sizeof simulation->version);
    ls_read_text(&reader, header->build, sizeof header->build);
    return ls_reader_done(&reader) && header->first_tick <= first_tick_max;
}

/* Reads the room's record after the header, if there is a valid one. */
static void read_room(const ls_reader *file, ls_recording_header *header)
{
    ls_record record;
    ls_reader reader;
    if (!verify(file, file->offset, header->salt, &record) || record.type != LS_RECORD_ROOM)
        return;
    ls_reader_init(&reader, record.payload, record.payload_bytes);
    ls_read_text(&reader, header->room, sizeof header->room);
    header->has_room = ls_reader_done(&reader);
    if (!header->has_room)
        memset(header->room, 0, sizeof header->room);
}

ls_status ls_record_decode_header(const char *name, ls_reader *file, ls_recording_header *header,
                                  ls_error *error)
{
    *header = (ls_recording_header){0};
    if (file->count == 0)
        return ls_error_set(error, LS_ERROR_CORRUPT,
                            "%s: is empty, not a Lockstep recording: give a .lsr file", name);
    const uint8_t *start = ls_read_view(file, sizeof magic);
    if (!start || memcmp(start, magic, sizeof magic) != 0)
        return ls_error_set(error, LS_ERROR_CORRUPT,
                            "%s: is not a Lockstep recording (byte 0): give a .lsr file", name);
    uint32_t version = ls_read_u32(file);
    header->salt = ls_read_u64(file);
    if (!file->failed && version != LS_RECORDING_FORMAT_VERSION)
        return ls_error_set(error, LS_ERROR_INCOMPATIBLE,
                            "%s: has format version %" PRIu32
                            " (byte 8), this program reads only version %d: use %s",
                            name, version, LS_RECORDING_FORMAT_VERSION,
                            version < LS_RECORDING_FORMAT_VERSION
                                ? "the older program that recorded it"
                                : "the newer program that recorded it");
    ls_record record = {0};
    if (file->failed || !verify(file, LS_RECORDING_PREFIX_BYTES, header->salt, &record))
        return ls_error_set(error, LS_ERROR_CORRUPT,
                            "%s: its header (bytes 0 to %d) is damaged or cut off: restore the "
                            "file from a copy",
                            name, LS_RECORDING_PREFIX_BYTES + LS_RECORD_HEADER_PAYLOAD_MAX);
    if (record.type != LS_RECORD_HEADER || !header_values(&record, header))
        return ls_error_set(error, LS_ERROR_CORRUPT,
                            "%s: its header (byte %d) holds values outside their limits: it was "
                            "not written by a Lockstep server",
                            name, LS_RECORDING_PREFIX_BYTES);
    file->offset = LS_RECORDING_PREFIX_BYTES + record.bytes;
    if (header->first_tick == 0)
        read_room(file, header);
    return LS_OK;
}
