#include "sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fill(void *context, void *bytes, size_t count)
{
    memset(bytes, 0x5a, count);
}

ls_identity sample_identity(void)
{
    ls_identity identity;
    ls_identity_init(&identity, &(ls_entropy){.fill = fill});
    return identity;
}

ls_recording_header sample_header(void)
{
    ls_recording_header header = {
        .salt = 0x0123456789abcdef,
        .simulation = {.rules_version = 7, .name = "skirmish", .version = "1.2"},
        .match = {.seed = 42, .tick_rate = 60, .player_count = 4, .option_count = 2},
        .created_unix_s = 1700000000,
        .build = "test build",
    };
    header.match.options[0] = 100;
    header.match.options[1] = -1;
    for (size_t i = 0; i < sizeof header.simulation.fingerprint; i++)
        header.simulation.fingerprint[i] = (uint8_t)(0xf0 + i);
    ls_identity identity = sample_identity();
    memcpy(header.server_key, identity.public_key.bytes, sizeof header.server_key);
    return header;
}

uint64_t sample_root(uint64_t tick)
{
    return (tick + 1) * 0x9e3779b97f4a7c15;
}

/* In tick 0 four players join. Later every player gives an order in three of four ticks, with 1 to
 * 16 bytes. */
void sample_frame_init(sample_frame *sample, uint64_t tick)
{
    *sample = (sample_frame){.frame = {.tick = tick, .inputs = sample->inputs}};
    for (uint8_t player = 0; player < 4; player++) {
        ls_input *input = &sample->inputs[sample->frame.count];
        uint64_t noise = sample_root(tick * 4 + player);
        *input = (ls_input){.player = player, .kind = LS_JOIN};
        if (tick > 0 && noise % 4 == 0)
            continue;
        if (tick > 0) {
            input->kind = LS_INPUT;
            input->bytes = (uint16_t)(1 + (noise >> 8) % 16);
            input->data = sample->bytes[player];
            for (uint16_t i = 0; i < input->bytes; i++)
                sample->bytes[player][i] = (uint8_t)(noise >> (i % 8 * 8));
        }
        sample->frame.count++;
    }
}

ls_status sample_add_root(ls_recorder *recorder, ls_error *error)
{
    return ls_recorder_add_root(recorder, sample_root(ls_recorder_root_tick(recorder)), error);
}

ls_status sample_append_frame(ls_recorder *recorder, ls_error *error)
{
    sample_frame sample;
    sample_frame_init(&sample, ls_recorder_tick(recorder));
    return ls_recorder_append(recorder, &sample.frame, error);
}

void sample_append(ls_recorder *recorder, uint64_t end_tick)
{
    ls_error error;
    while (ls_recorder_tick(recorder) < end_tick) {
        while (ls_recorder_root_tick(recorder) <= ls_recorder_tick(recorder))
            assert_ok(sample_add_root(recorder, &error));
        assert_ok(sample_append_frame(recorder, &error));
    }
}

ls_status sample_finish(ls_recorder *recorder, ls_closing_reason reason, ls_error *error)
{
    ls_status status = LS_OK;
    while (status == LS_OK && ls_recorder_root_tick(recorder) <= ls_recorder_tick(recorder))
        status = sample_add_root(recorder, error);
    return status == LS_OK ? ls_recorder_finish(recorder, reason, error) : status;
}

ls_recorder *sample_begin(ls_memory_sink *memory)
{
    ls_recording_header header = sample_header();
    ls_recorder *recorder;
    ls_memory_sink_init(memory);
    assert_ok(
        ls_recorder_create_on(ls_memory_sink_open(memory), "memory", &header, &recorder, NULL));
    return recorder;
}

void sample_record(ls_memory_sink *memory, uint64_t tick_count, bool is_closed)
{
    ls_recorder *recorder = sample_begin(memory);
    sample_append(recorder, tick_count);
    if (is_closed)
        assert_ok(sample_finish(recorder, LS_CLOSING_FINISHED, NULL));
    ls_recorder_destroy(recorder);
}

uint64_t sample_column(uint64_t tick, uint32_t column)
{
    return sample_root(tick) ^ column;
}

ls_recording_keyframe sample_keyframe(uint64_t tick, uint8_t bytes[32])
{
    uint64_t noise = sample_root(tick);
    for (size_t i = 0; i < 32; i++)
        bytes[i] = (uint8_t)(noise >> (i % 8 * 8));
    return (ls_recording_keyframe){.tick = tick,
                                   .base_tick = tick / 16 * 16,
                                   .players = tick % 16,
                                   .is_paused = tick / 4 & 1,
                                   .data = bytes,
                                   .bytes = 1 + noise % 32};
}

/* Appends the records that precede a tick's frame. */
static void append_extras(ls_recorder *recorder, uint64_t tick)
{
    uint8_t bytes[32];
    uint64_t columns[SAMPLE_COLUMNS];
    const ls_recording_keyframe keyframe = sample_keyframe(tick, bytes);
    for (uint32_t i = 0; i < SAMPLE_COLUMNS; i++)
        columns[i] = sample_column(tick, i);
    if (tick % 4 == 0 && tick >= ls_recorder_next_keyframe(recorder))
        assert_ok(ls_recorder_append_keyframe(recorder, &keyframe, NULL));
    if (tick % 3 == 0)
        assert_ok(ls_recorder_append_columns(recorder, tick, columns, SAMPLE_COLUMNS, NULL));
    if (tick % 5 == 0)
        assert_ok(ls_recorder_sign(recorder, NULL));
    if (tick % 32 == 7)
        assert_ok(ls_recorder_begin_epoch(recorder, ls_recorder_epoch(recorder) + 1, 5, NULL));
}

void sample_record_all(ls_memory_sink *memory, uint64_t first_tick, uint64_t tick_count,
                       bool is_closed)
{
    uint8_t bytes[32];
    ls_recorder *recorder;
    ls_recording_header header = sample_header();
    const ls_identity identity = sample_identity();
    const ls_recording_keyframe keyframe = sample_keyframe(first_tick, bytes);
    header.first_tick = first_tick;
    ls_memory_sink_init(memory);
    const ls_recorder_config config = {.sink = ls_memory_sink_open(memory),
                                       .name = "memory",
                                       .header = &header,
                                       .keyframe = first_tick ? &keyframe : NULL,
                                       .identity = &identity};
    assert_ok(ls_recorder_begin(&config, &recorder, NULL));
    for (uint64_t tick = first_tick; tick < first_tick + tick_count; tick++) {
        append_extras(recorder, tick);
        sample_append(recorder, tick + 1);
    }
    assert_ok(ls_recorder_append_evidence(recorder, (const uint8_t *)"proof", 5, NULL));
    if (is_closed)
        assert_ok(sample_finish(recorder, LS_CLOSING_FINISHED, NULL));
    ls_recorder_destroy(recorder);
}

static void assert_frame(const ls_recording_tick *read, uint64_t tick)
{
    sample_frame sample;
    sample_frame_init(&sample, tick);
    assert_int_equal(read->frame.tick, tick);
    assert_int_equal(read->frame.count, sample.frame.count);
    for (uint32_t i = 0; i < sample.frame.count; i++) {
        assert_int_equal(read->frame.inputs[i].player, sample.inputs[i].player);
        assert_int_equal(read->frame.inputs[i].kind, sample.inputs[i].kind);
        assert_int_equal(read->frame.inputs[i].bytes, sample.inputs[i].bytes);
        if (sample.inputs[i].bytes)
            assert_memory_equal(read->frame.inputs[i].data, sample.inputs[i].data,
                                sample.inputs[i].bytes);
    }
}

/* Asserts that the roots continue the earlier ones without a gap, and have the written values. */
static void assert_roots(const ls_recording_roots *roots, uint64_t *root_tick)
{
    assert_true(roots->count == 0 || roots->first_tick == *root_tick);
    for (uint32_t i = 0; i < roots->count; i++, ++*root_tick)
        assert_int_equal(roots->values[i], sample_root(*root_tick));
}

ls_status sample_read(ls_recording *recording, ls_error *error)
{
    const ls_recording_tick *tick;
    const uint64_t first_tick = ls_recording_get_header(recording)->first_tick;
    uint64_t expected = first_tick, root_tick = first_tick;
    uint32_t epoch = 0;
    ls_status status;
    while ((status = ls_recording_next(recording, &tick, error)) == LS_OK && tick) {
        assert_frame(tick, expected);
        assert_roots(&tick->roots, &root_tick);
        assert_true(root_tick <= ++expected);
        assert_true(tick->epoch >= epoch);
        epoch = tick->epoch;
    }
    const ls_recording_end *end = ls_recording_get_end(recording);
    assert_null(tick);
    assert_roots(&end->roots, &root_tick);
    assert_int_equal(end->root_tick, root_tick);
    assert_true(root_tick <= expected + 1);
    assert_true(end->epoch.epoch >= epoch);
    assert_int_not_equal(end->kind, LS_RECORDING_RUNNING);
    assert_int_equal(end->tick_count, expected - first_tick);
    /* Reading at the end again gives the same result. */
    assert_int_equal(ls_recording_next(recording, &tick, NULL), status);
    assert_null(tick);
    return status;
}

ls_status sample_read_bytes(const void *data, size_t bytes, ls_recording_end *end, ls_error *error)
{
    ls_recording *recording;
    *end = (ls_recording_end){0};
    ls_status status = ls_recording_open_memory("memory", data, bytes, &recording, error);
    if (status != LS_OK) {
        assert_null(recording);
        return status;
    }
    status = sample_read(recording, error);
    *end = *ls_recording_get_end(recording);
    assert_int_equal(end->valid_bytes + end->ignored_bytes, bytes);
    ls_recording_close(recording);
    return status;
}
