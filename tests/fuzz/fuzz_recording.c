/* Arbitrary bytes as a recording: opened, read to the end, described. No crash, no hang, no read
 * out of bounds. Roots come in order and never early. The valid prefix alone reads as the same
 * ticks. Seeking gives the same frames as reading on.
 * A resumable recording is resumed and then reads whole with one more tick; a salvaged one also
 * reads whole. Then the same bytes are payloads under valid checksums, which a fuzzer cannot
 * find. */
#include "replays/record.h"
#include "replays/salvage.h"
#include "tests/support/memory_sink.h"
#include <lockstep/hash.h>
#include <lockstep/recorder.h>
#include <lockstep/root_ring.h>

enum { SEALED_BYTES_MAX = 1 << 16, HEADER_AT = LS_RECORDING_PREFIX_BYTES };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* Checks the roots' order; assertions in the ring find early roots and skipped ticks. */
static void compare(ls_root_ring *ring, const ls_recording_roots *roots)
{
    ls_root_difference difference;
    ls_root_ring_push(ring, 0);
    if (!ls_root_ring_compare(ring, roots, &difference))
        ring->compared_tick = roots->first_tick + roots->count;
}

/* Checks the lists that the reader gathers from the whole prefix. */
static void check_lists(const ls_recording *recording)
{
    const ls_recording_keyframe *keyframes;
    const ls_recording_columns *columns;
    const ls_recording_end *end = ls_recording_find_end(recording);
    uint64_t first = ls_recording_get_header(recording)->first_tick, last = first + end->tick_count;
    uint64_t root;
    uint32_t count = ls_recording_keyframes(recording, &keyframes);
    for (uint32_t i = 0; i < count; i++) {
        LS_ASSERT(keyframes[i].tick >= first && keyframes[i].tick <= last && keyframes[i].bytes);
        LS_ASSERT(keyframes[i].base_tick <= keyframes[i].tick);
        LS_ASSERT(i == 0 || keyframes[i].tick > keyframes[i - 1].tick);
    }
    count = ls_recording_columns_list(recording, &columns);
    for (uint32_t i = 0; i < count; i++) {
        LS_ASSERT(columns[i].tick >= first && columns[i].tick <= last);
        (void)ls_recording_column(&columns[i], columns[i].count - 1);
    }
    LS_ASSERT(!ls_recording_find_root(recording, end->root_tick, &root));
    LS_ASSERT(end->root_tick == first ||
              ls_recording_find_root(recording, end->root_tick - 1, &root));
}

/* Seeks to several ticks, including the last one. */
static void check_seek(ls_recording *recording)
{
    ls_error text;
    const ls_recording_tick *tick;
    uint64_t first = ls_recording_get_header(recording)->first_tick;
    uint64_t count = ls_recording_find_end(recording)->tick_count;
    for (uint64_t at = 0; at <= count; at += count / 7 + 1) {
        LS_ASSERT(ls_recording_seek(recording, first + count - at, &text) == LS_OK);
        ls_status status = ls_recording_next(recording, &tick, &text);
        LS_ASSERT(at == 0 ? !tick : status == LS_OK && tick->frame.tick == first + count - at);
    }
    LS_ASSERT(ls_recording_seek(recording, first + count + 1, &text) == LS_ERROR_USAGE);
}

/* True if the recording can be resumed: it ends as a killed writer leaves it. */
static bool can_go_on(const ls_recording *recording)
{
    ls_recording_signed vouched;
    const ls_recording_keyframe *keyframes;
    ls_error text;
    return ls_recording_check_signatures(recording, &vouched, &text) == LS_OK &&
           (ls_recording_get_header(recording)->first_tick == 0 ||
            ls_recording_keyframes(recording, &keyframes));
}

/* Reads to the end; false if the recording does not open. */
static bool read_all(const uint8_t *data, size_t bytes, ls_recording_end *end, bool *goes_on)
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
    *goes_on = !end->is_closed && end->kind < LS_RECORDING_DAMAGED && can_go_on(recording);
    check_lists(recording);
    check_seek(recording);
    ls_recording_close(recording);
    return sum < UINT32_MAX;
}

/* Resumes a copy, adds a tick and closes it. All earlier content must still be there. */
static void check_resume(const uint8_t *data, size_t bytes, const ls_recording_end *whole,
                         bool goes_on)
{
    ls_memory_sink memory;
    ls_recorder *recorder;
    ls_recording_end found, again;
    ls_memory_sink_init(&memory);
    const ls_sink sink = ls_memory_sink_open(&memory);
    LS_ASSERT(sink.append(sink.context, data, bytes) == (int64_t)bytes);
    const ls_recorder_existing config = {ls_memory_sink_reopen(&memory), "fuzz"};
    bool is_taken = ls_recorder_resume_on(&config, &recorder, &found, NULL) == LS_OK;
    LS_ASSERT(is_taken == goes_on);
    if (is_taken) {
        const ls_frame frame = {.tick = ls_recorder_tick(recorder)};
        ls_status status = LS_OK;
        while (status == LS_OK && ls_recorder_root_tick(recorder) <= frame.tick)
            status = ls_recorder_add_root(recorder, 0, NULL);
        LS_ASSERT(status == LS_OK && ls_recorder_append(recorder, &frame, NULL) == LS_OK);
        LS_ASSERT(ls_recorder_finish(recorder, LS_CLOSING_FAILED, NULL) == LS_OK);
        LS_ASSERT(read_all(memory.data, memory.bytes, &again, &goes_on));
        LS_ASSERT(again.kind == LS_RECORDING_CLEAN && again.tick_count == whole->tick_count + 1);
    }
    ls_recorder_destroy(recorder);
    ls_memory_sink_reset(&memory);
}

static void check_salvage(const uint8_t *data, size_t bytes)
{
    ls_recording *recording;
    ls_salvage_part part;
    LS_ASSERT(ls_recording_open_memory("fuzz", data, bytes, &recording, NULL) == LS_OK);
    ls_salvage *salvage = ls_salvage_create(recording, NULL);
    uint64_t before = 0;
    while (ls_salvage_next(salvage, &part)) {
        ls_memory_sink memory;
        ls_recording_end end;
        bool goes_on;
        ls_memory_sink_init(&memory);
        LS_ASSERT(part.first_tick >= before && part.end_tick > part.first_tick);
        before = part.end_tick;
        if (ls_salvage_write(salvage, ls_memory_sink_open(&memory), "part", 1, NULL) == LS_OK) {
            LS_ASSERT(read_all(memory.data, memory.bytes, &end, &goes_on));
            LS_ASSERT(end.kind == LS_RECORDING_CLEAN);
            LS_ASSERT(end.tick_count == part.end_tick - part.first_tick);
            LS_ASSERT(end.root_tick == part.first_tick + part.roots);
        }
        ls_memory_sink_reset(&memory);
    }
    ls_salvage_destroy(salvage);
    ls_recording_close(recording);
}

static void check(const uint8_t *data, size_t bytes)
{
    ls_recording_end whole, prefix;
    bool goes_on, prefix_goes_on;
    if (!read_all(data, bytes, &whole, &goes_on))
        return;
    LS_ASSERT(whole.kind != LS_RECORDING_RUNNING);
    LS_ASSERT(whole.valid_bytes + whole.ignored_bytes == bytes);
    LS_ASSERT(read_all(data, whole.valid_bytes, &prefix, &prefix_goes_on));
    LS_ASSERT(prefix.tick_count == whole.tick_count && prefix.ignored_bytes == 0);
    LS_ASSERT(prefix.root_tick == whole.root_tick && prefix.epoch_count == whole.epoch_count);
    LS_ASSERT(prefix.kind == (whole.is_closed ? LS_RECORDING_CLEAN : LS_RECORDING_OPEN));
    check_resume(data, bytes, &whole, goes_on);
    if (whole.kind == LS_RECORDING_DAMAGED)
        check_salvage(data, bytes);
}

/* Takes type, length and payload from the reader and appends them as a record with salt 0. */
static void seal_next(ls_reader *reader, ls_writer *file)
{
    uint8_t type = ls_read_u8(reader);
    size_t bytes = ls_read_u8(reader);
    const uint8_t *payload = ls_read_view(reader, bytes);
    size_t from = file->count == HEADER_AT     ? 0
                  : type == LS_RECORD_KEYFRAME ? file->count
                                               : file->count - LS_RECORD_CHECKSUM_BYTES;
    if (!payload)
        return;
    ls_write_u8(file, type);
    ls_write_number(file, bytes);
    ls_write_bytes(file, payload, bytes);
    ls_write_u64(file, ls_hash_bytes(file->data + from, file->count - from));
}

/* An odd first byte selects our header; an even one uses the first payload as the header's. */
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
