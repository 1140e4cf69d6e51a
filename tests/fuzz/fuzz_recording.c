/* Any bytes as a recording: opened, read to the end, described. Nothing may crash, hang or be read
 * outside, and the valid prefix, cut out, must read as the same ticks again. Then the same bytes as
 * payloads under right checksums, since no fuzzer finds those by itself. */
#include "core/hash.h"
#include "replays/recording.h"

enum { SEALED_BYTES_MAX = 1 << 16, HEADER_AT = LS_RECORDING_PREFIX_BYTES };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* Reads to the end; false when it does not open. */
static bool read_all(const uint8_t *data, size_t bytes, ls_recording_end *end)
{
    ls_recording *recording;
    const ls_recording_tick *tick;
    ls_error text;
    if (ls_recording_open_memory("fuzz", data, bytes, &recording, &text) != LS_OK)
        return false;
    uint32_t sum = 0;
    while (ls_recording_next(recording, &tick, &text) == LS_OK && tick) {
        for (uint32_t i = 0; i < tick->frame.count; i++) {
            const ls_input *input = &tick->frame.inputs[i];
            for (uint32_t k = 0; k < input->bytes; k++)
                sum += input->data[k];
        }
    }
    ls_recording_describe_end(recording, &text);
    *end = *ls_recording_get_end(recording);
    ls_recording_close(recording);
    return sum < UINT32_MAX;
}

static void check(const uint8_t *data, size_t bytes)
{
    ls_recording_end whole, prefix;
    if (!read_all(data, bytes, &whole))
        return;
    LS_ASSERT(whole.kind != LS_RECORDING_RUNNING);
    LS_ASSERT(whole.valid_bytes + whole.ignored_bytes == bytes);
    LS_ASSERT(read_all(data, whole.valid_bytes, &prefix));
    LS_ASSERT(prefix.tick_count == whole.tick_count && prefix.ignored_bytes == 0);
    LS_ASSERT(prefix.kind == (whole.is_closed ? LS_RECORDING_CLEAN : LS_RECORDING_OPEN));
}

/* Takes type, length and payload from the reader and appends them as a record of salt 0. */
static void seal_next(ls_reader *reader, ls_writer *file)
{
    uint8_t type = ls_read_u8(reader);
    size_t bytes = ls_read_u8(reader);
    const uint8_t *payload = ls_read_view(reader, bytes);
    size_t from = file->count == HEADER_AT ? 0 : file->count - LS_RECORD_CHECKSUM_BYTES;
    if (!payload)
        return;
    ls_write_u32(file, (uint32_t)bytes);
    ls_write_u8(file, type);
    ls_write_bytes(file, payload, bytes);
    ls_write_u64(file, ls_hash_bytes(file->data + from, file->count - from));
}

/* An odd first byte: our header; an even one: the first payload is the header's. */
static void check_sealed(const uint8_t *data, size_t bytes)
{
    static uint8_t storage[SEALED_BYTES_MAX];
    const ls_recording_header header = {.match = {.tick_rate = 60, .player_count = 4}};
    ls_reader reader;
    ls_writer file;
    ls_reader_init(&reader, data, bytes);
    ls_writer_init(&file, storage, sizeof storage);
    bool is_ours = ls_read_u8(&reader) & 1;
    LS_ASSERT(ls_record_encode_header(&header, &file, NULL) == LS_OK);
    if (!is_ours)
        file.count = HEADER_AT;
    while (!reader.failed && !file.failed)
        seal_next(&reader, &file);
    check(storage, file.count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    check(data, bytes);
    check_sealed(data, bytes);
    return 0;
}
