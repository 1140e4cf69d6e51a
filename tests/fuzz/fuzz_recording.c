/* Any bytes as a recording: opened, read to the end, described. Nothing may crash, hang or be read
 * outside, roots come in order and none early, and the valid prefix, cut out, must read as the same
 * ticks again. A recording that can be taken up is, and reads whole with a tick more. Then the same
 * bytes as payloads under right checksums, since no fuzzer finds those by itself. */
#include "core/hash.h"
#include "replays/memory_sink.h"
#include "replays/recorder.h"
#include "replays/root_ring.h"

enum { SEALED_BYTES_MAX = 1 << 16, HEADER_AT = LS_RECORDING_PREFIX_BYTES };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* The values differ; that none comes early and no tick is left out is asserted inside. */
static void compare(ls_root_ring *ring, const ls_recording_roots *roots)
{
    ls_root_difference difference;
    ls_root_ring_push(ring, 0);
    if (!ls_root_ring_compare(ring, roots, &difference))
        ring->compared_tick = roots->first_tick + roots->count;
}

/* Reads to the end; false when it does not open. */
static bool read_all(const uint8_t *data, size_t bytes, ls_recording_end *end)
{
    ls_recording *recording;
    const ls_recording_tick *tick;
    ls_error text;
    static ls_root_ring ring;
    if (ls_recording_open_memory("fuzz", data, bytes, &recording, &text) != LS_OK)
        return false;
    uint32_t sum = 0;
    ls_root_ring_init(&ring, ls_recording_get_header(recording)->first_tick);
    while (ls_recording_next(recording, &tick, &text) == LS_OK && tick) {
        compare(&ring, &tick->roots);
        for (uint32_t i = 0; i < tick->frame.count; i++) {
            const ls_input *input = &tick->frame.inputs[i];
            for (uint32_t k = 0; k < input->bytes; k++)
                sum += input->data[k];
        }
    }
    ls_recording_describe_end(recording, &text);
    *end = *ls_recording_get_end(recording);
    LS_ASSERT(end->root_tick == end->roots.first_tick + end->roots.count);
    compare(&ring, &end->roots);
    end->roots.values = NULL;
    ls_recording_close(recording);
    return sum < UINT32_MAX;
}

/* Takes a copy up, adds a tick and closes it: everything before is still there. */
static void check_resume(const uint8_t *data, size_t bytes, const ls_recording_end *whole)
{
    ls_memory_sink memory;
    ls_recorder *recorder;
    ls_recording_end found, again;
    ls_memory_sink_init(&memory);
    const ls_sink sink = ls_memory_sink_open(&memory);
    LS_ASSERT(sink.append(sink.context, data, bytes) == (int64_t)bytes);
    const ls_recorder_existing config = {ls_memory_sink_reopen(&memory), "fuzz"};
    bool is_taken = ls_recorder_resume_on(&config, &recorder, &found, NULL) == LS_OK;
    LS_ASSERT(is_taken == (!whole->is_closed && whole->kind < LS_RECORDING_DAMAGED));
    if (is_taken) {
        const ls_frame frame = {.tick = ls_recorder_tick(recorder)};
        ls_status status = LS_OK;
        while (status == LS_OK && ls_recorder_root_tick(recorder) <= frame.tick)
            status = ls_recorder_add_root(recorder, 0, NULL);
        LS_ASSERT(status == LS_OK && ls_recorder_append(recorder, &frame, NULL) == LS_OK);
        LS_ASSERT(ls_recorder_finish(recorder, LS_CLOSING_FAILED, NULL) == LS_OK);
        LS_ASSERT(read_all(memory.data, memory.bytes, &again));
        LS_ASSERT(again.kind == LS_RECORDING_CLEAN && again.tick_count == whole->tick_count + 1);
    }
    ls_recorder_destroy(recorder);
    ls_memory_sink_reset(&memory);
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
    LS_ASSERT(prefix.root_tick == whole.root_tick && prefix.epoch_count == whole.epoch_count);
    LS_ASSERT(prefix.kind == (whole.is_closed ? LS_RECORDING_CLEAN : LS_RECORDING_OPEN));
    check_resume(data, bytes, &whole);
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
