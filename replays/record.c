#include "replays/record.h"

#include "core/hash.h"
#include "core/plant.h"

#include <inttypes.h>
#include <string.h>

/* As PNG's: not text, and a transfer that rewrites line ends breaks it. */
static const uint8_t magic[LS_RECORDING_MAGIC_BYTES] = {0x89, 'L',  'S',  'R',
                                                        '\r', '\n', 0x1a, '\n'};

/* Tick numbers are added to; half of the range is out of anybody's reach. */
static const uint64_t first_tick_max = UINT64_MAX / 2;

/* `record` points to a record in its file, `before` says how many bytes in front of it are covered:
 * the checksum of the record before, or for the header record the whole prefix. */
static uint64_t checksum_of(const uint8_t *record, size_t payload_bytes, size_t before,
                            uint64_t salt)
{
    return ls_hash_bytes(record - before, before + LS_RECORD_HEAD_BYTES + payload_bytes) ^ salt;
}

const char *ls_closing_reason_name(uint8_t reason)
{
    switch (reason) {
    case LS_CLOSING_FINISHED:
        return "finished";
    case LS_CLOSING_DRAINED:
        return "drained";
    case LS_CLOSING_ABANDONED:
        return "abandoned";
    case LS_CLOSING_FAILED:
        return "failed";
    default:
        return "unknown";
    }
}

/* Begins a record and gives its offset; its length is known only when it ends. */
static size_t begin(ls_writer *writer, ls_record_type type)
{
    LS_ASSERT(writer->count >= LS_RECORD_CHECKSUM_BYTES);
    size_t offset = writer->count;
    ls_write_u32(writer, 0);
    ls_write_u8(writer, (uint8_t)type);
    return offset;
}

static void end(ls_writer *writer, size_t offset, size_t before, uint64_t salt)
{
    if (writer->failed)
        return;
    uint8_t *record = writer->data + offset;
    size_t payload_bytes = writer->count - offset - LS_RECORD_HEAD_BYTES;
    ls_writer length;
    ls_writer_init(&length, record, sizeof(uint32_t));
    ls_write_u32(&length, (uint32_t)payload_bytes);
    ls_write_u64(writer, checksum_of(record, payload_bytes, before, salt));
}

/* True when the text ends within its storage and a reader will take it. */
static bool text_is_valid(const char *text)
{
    size_t count = strnlen(text, LS_RECORDING_TEXT_BYTES);
    for (size_t i = 0; i < count; i++) {
        if ((uint8_t)text[i] < 0x20 || text[i] == 0x7f)
            return false;
    }
    return count < LS_RECORDING_TEXT_BYTES;
}

static const char *header_fault(const ls_recording_header *header)
{
    const ls_match *match = &header->match;
    if (!text_is_valid(header->simulation.name))
        return "the simulation's name is too long or holds control characters";
    if (!text_is_valid(header->simulation.version))
        return "the simulation's version is too long or holds control characters";
    if (!text_is_valid(header->build))
        return "the build text is too long or holds control characters";
    if (match->tick_rate < 1 || match->tick_rate > LS_TICK_RATE_MAX)
        return "the match's tick rate is outside its limits";
    if (match->player_count < 1 || match->player_count > LS_PLAYERS_MAX)
        return "the match's player count is outside its limits";
    if (match->option_count > LS_OPTIONS_MAX)
        return "the match has too many options";
    if (header->first_tick > first_tick_max)
        return "the first tick is too high";
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
    size_t offset = begin(writer, LS_RECORD_HEADER);
    ls_write_u32(writer, header->simulation.rules_version);
    ls_write_bytes(writer, header->simulation.fingerprint, sizeof header->simulation.fingerprint);
    ls_write_bytes(writer, header->server_key, sizeof header->server_key);
    ls_write_u64(writer, (uint64_t)header->created_unix_s);
    ls_write_u64(writer, header->first_tick);
    ls_match_encode(&header->match, writer);
    ls_write_text(writer, header->simulation.name);
    ls_write_text(writer, header->simulation.version);
    ls_write_text(writer, header->build);
    end(writer, offset, LS_RECORDING_PREFIX_BYTES, header->salt);
    return LS_OK;
}

static void write_roots(ls_writer *writer, const ls_record_roots *roots)
{
    LS_ASSERT(roots->count <= LS_RECORD_ROOTS_MAX);
    ls_write_u8(writer, (uint8_t)roots->count);
    for (uint32_t i = 0; i < roots->count; i++)
        ls_write_u64(writer, roots->values[i]);
}

void ls_record_encode_frame(const ls_frame *frame, const ls_record_roots *roots, uint64_t salt,
                            ls_writer *writer)
{
    size_t offset = begin(writer, LS_RECORD_FRAME);
    ls_write_u64(writer, frame->tick);
    write_roots(writer, roots);
    ls_frame_encode(frame, writer);
    end(writer, offset, LS_RECORD_CHECKSUM_BYTES, salt);
}

void ls_record_encode_roots(const ls_record_roots *roots, uint64_t salt, ls_writer *writer)
{
    size_t offset = begin(writer, LS_RECORD_ROOTS);
    write_roots(writer, roots);
    end(writer, offset, LS_RECORD_CHECKSUM_BYTES, salt);
}

void ls_record_encode_epoch(const ls_recording_epoch *epoch, uint64_t salt, ls_writer *writer)
{
    size_t offset = begin(writer, LS_RECORD_EPOCH);
    ls_write_u64(writer, epoch->tick);
    ls_write_u32(writer, epoch->epoch);
    ls_write_u64(writer, (uint64_t)epoch->unix_s);
    end(writer, offset, LS_RECORD_CHECKSUM_BYTES, salt);
}

void ls_record_encode_closing(const ls_recording_closing *closing, const ls_record_roots *roots,
                              uint64_t salt, ls_writer *writer)
{
    size_t offset = begin(writer, LS_RECORD_CLOSING);
    ls_write_u64(writer, closing->tick_count);
    ls_write_u8(writer, closing->reason);
    write_roots(writer, roots);
    end(writer, offset, LS_RECORD_CHECKSUM_BYTES, salt);
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
    default:
        return LS_RECORD_PAYLOAD_MAX;
    }
}

bool ls_record_peek(const ls_reader *file, size_t offset, ls_record *record)
{
    ls_reader reader = {.data = file->data, .count = file->count, .offset = offset};
    if (offset > file->count)
        return false;
    *record = (ls_record){0};
    record->payload_bytes = ls_read_u32(&reader);
    record->type = ls_read_u8(&reader);
    record->bytes = LS_RECORD_HEAD_BYTES + (size_t)record->payload_bytes + LS_RECORD_CHECKSUM_BYTES;
    return !reader.failed && record->type != 0 &&
           record->payload_bytes <= payload_max(record->type);
}

/* As ls_record_verify, for a record with `before` covered bytes in front. */
static bool verify(const ls_reader *file, size_t offset, size_t before, uint64_t salt,
                   ls_record *record)
{
    if (!ls_record_peek(file, offset, record) || record->bytes > file->count - offset)
        return false;
    const uint8_t *start = file->data + offset;
    ls_reader stored;
    ls_reader_init(&stored, start + record->bytes - LS_RECORD_CHECKSUM_BYTES,
                   LS_RECORD_CHECKSUM_BYTES);
    record->payload = start + LS_RECORD_HEAD_BYTES;
    return ls_read_u64(&stored) == checksum_of(start, record->payload_bytes, before, salt) ||
           LS_PLANT(CHECKSUM_UNREAD);
}

bool ls_record_verify(const ls_reader *file, size_t offset, uint64_t salt, ls_record *record)
{
    LS_ASSERT(offset >= LS_RECORD_CHECKSUM_BYTES);
    return verify(file, offset, LS_RECORD_CHECKSUM_BYTES, salt, record);
}

static bool header_values(const ls_record *record, ls_recording_header *header)
{
    ls_reader reader;
    ls_reader_init(&reader, record->payload, record->payload_bytes);
    ls_recording_simulation *simulation = &header->simulation;
    simulation->rules_version = ls_read_u32(&reader);
    ls_read_bytes(&reader, simulation->fingerprint, sizeof simulation->fingerprint);
    ls_read_bytes(&reader, header->server_key, sizeof header->server_key);
    header->created_unix_s = (int64_t)ls_read_u64(&reader);
    header->first_tick = ls_read_u64(&reader);
    if (!ls_match_decode(&reader, &header->match))
        return false;
    ls_read_text(&reader, simulation->name, sizeof simulation->name);
    ls_read_text(&reader, simulation->version, sizeof simulation->version);
    ls_read_text(&reader, header->build, sizeof header->build);
    return ls_reader_done(&reader) && header->first_tick <= first_tick_max;
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
                            " (byte 8), this program reads version %d alone: use %s",
                            name, version, LS_RECORDING_FORMAT_VERSION,
                            version < LS_RECORDING_FORMAT_VERSION
                                ? "the older program that recorded it"
                                : "the newer program that recorded it");
    ls_record record = {0};
    if (file->failed ||
        !verify(file, LS_RECORDING_PREFIX_BYTES, LS_RECORDING_PREFIX_BYTES, header->salt, &record))
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
    return LS_OK;
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

bool ls_record_decode_frame(const ls_record *record, uint32_t player_count, ls_input *inputs,
                            ls_frame *frame, ls_record_roots *roots)
{
    ls_reader reader;
    ls_reader_init(&reader, record->payload, record->payload_bytes);
    uint64_t tick = ls_read_u64(&reader);
    return record->type == LS_RECORD_FRAME && read_roots(&reader, roots) &&
           ls_frame_decode(&reader, tick, player_count, inputs, frame) && ls_reader_done(&reader);
}

bool ls_record_decode_roots(const ls_record *record, ls_record_roots *roots)
{
    ls_reader reader;
    ls_reader_init(&reader, record->payload, record->payload_bytes);
    return record->type == LS_RECORD_ROOTS && read_roots(&reader, roots) && roots->count > 0 &&
           ls_reader_done(&reader);
}

bool ls_record_decode_epoch(const ls_record *record, ls_recording_epoch *epoch)
{
    ls_reader reader;
    ls_reader_init(&reader, record->payload, record->payload_bytes);
    epoch->tick = ls_read_u64(&reader);
    epoch->epoch = ls_read_u32(&reader);
    epoch->unix_s = (int64_t)ls_read_u64(&reader);
    return record->type == LS_RECORD_EPOCH && ls_reader_done(&reader);
}

bool ls_record_decode_closing(const ls_record *record, ls_recording_closing *closing,
                              ls_record_roots *roots)
{
    ls_reader reader;
    ls_reader_init(&reader, record->payload, record->payload_bytes);
    closing->tick_count = ls_read_u64(&reader);
    closing->reason = ls_read_u8(&reader);
    return record->type == LS_RECORD_CLOSING && read_roots(&reader, roots) &&
           ls_reader_done(&reader);
}
