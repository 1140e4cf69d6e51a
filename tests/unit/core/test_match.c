#include "tests/support/test.h"

#include <lockstep/match.h>
#include <lockstep/random.h>

#include <string.h>

enum { SEED = 6, TICK = 77 };

static const ls_input sample_inputs[] = {
    {.player = 0, .kind = LS_JOIN},
    {.player = 0, .kind = LS_INPUT, .bytes = 3, .data = (const uint8_t *)"abc"},
    {.player = 1, .kind = LS_STATE, .bytes = 2, .data = (const uint8_t *)"up"},
    {.player = 2, .kind = LS_SUBSTITUTE, .bytes = 2, .data = (const uint8_t *)"no"},
    {.player = 2, .kind = LS_INPUT, .bytes = 1, .data = (const uint8_t *)"z"},
    {.player = 2, .kind = LS_LEAVE},
    {.player = 3, .kind = LS_JOIN},
    {.player = 3, .kind = LS_PAUSE},
    {.player = 4, .kind = LS_RESUME}, /* an input of the server itself */
};
static const ls_frame sample_frame = {
    .tick = TICK, .count = LS_COUNT_OF(sample_inputs), .inputs = sample_inputs};
static const ls_match sample_match = {.seed = 0x0123456789abcdef,
                                      .tick_rate = 60,
                                      .player_count = 4,
                                      .option_count = 3,
                                      .options = {-1, INT64_MIN, INT64_MAX}};

static bool has_bytes(uint8_t kind)
{
    return kind == LS_INPUT || kind == LS_STATE || kind == LS_SUBSTITUTE;
}

/* Decodes from an allocation of the exact size; all bytes must be consumed. */
static bool decode_frame(const uint8_t *bytes, size_t count, uint32_t player_count, ls_frame *frame,
                         ls_input *inputs)
{
    static uint8_t kept[4096];
    uint8_t *data = test_malloc(count ? count : 1);
    memcpy(data, bytes, count);
    ls_reader reader;
    ls_reader_init(&reader, data, count);
    bool ok = ls_frame_decode(&reader, TICK, player_count, inputs, frame);
    assert_int_equal(ok, !reader.failed);
    assert_true(frame->tick == TICK);
    if (!ok)
        assert_int_equal(frame->count, 0);
    size_t used = 0;
    for (uint32_t i = 0; i < frame->count; i++) {
        ls_input *input = &inputs[i];
        assert_true(input->player < player_count + (input->kind >= LS_PAUSE));
        assert_true(i == 0 || inputs[i - 1].player <= input->player);
        assert_true(input->kind <= LS_RESUME);
        assert_int_equal(input->bytes != 0, has_bytes(input->kind));
        assert_true(input->kind == LS_INPUT || input->bytes <= LS_STATE_BYTES_MAX);
        assert_true(used + input->bytes <= sizeof kept);
        memcpy(kept + used, input->data, input->bytes);
        input->data = kept + used;
        used += input->bytes;
    }
    test_free(data);
    return ok && ls_reader_done(&reader);
}

static void assert_frames_equal(const ls_frame *a, const ls_frame *b)
{
    assert_int_equal(a->count, b->count);
    for (uint32_t i = 0; i < a->count; i++) {
        assert_int_equal(a->inputs[i].player, b->inputs[i].player);
        assert_int_equal(a->inputs[i].kind, b->inputs[i].kind);
        assert_int_equal(a->inputs[i].bytes, b->inputs[i].bytes);
        if (a->inputs[i].bytes)
            assert_memory_equal(a->inputs[i].data, b->inputs[i].data, a->inputs[i].bytes);
    }
}

static size_t encode_frame(const ls_frame *frame, uint8_t *data, size_t capacity)
{
    ls_writer writer;
    ls_writer_init(&writer, data, capacity);
    ls_frame_encode(frame, &writer);
    assert_false(writer.failed);
    assert_int_equal(writer.count, ls_frame_bytes(frame));
    return writer.count;
}

TEST(test_match_frame_bytes_are_fixed)
{
    static const uint8_t expected[] = {9,                         /* inputs: */
                                       0, 1, 0, 0,                /* JOIN */
                                       0, 0, 3, 0, 'a', 'b', 'c', /* an order */
                                       1, 3, 2, 0, 'u', 'p',      /* a state */
                                       2, 4, 2, 0, 'n', 'o',      /* a substitute */
                                       2, 0, 1, 0, 'z',           /* an order */
                                       2, 2, 0, 0,                /* LEAVE */
                                       3, 1, 0, 0,                /* JOIN */
                                       3, 5, 0, 0,                /* PAUSE */
                                       4, 6, 0, 0};               /* RESUME */
    uint8_t data[64];
    size_t count = encode_frame(&sample_frame, data, sizeof data);
    assert_int_equal(count, sizeof expected);
    assert_memory_equal(data, expected, count);
}

TEST(test_match_frame_round_trip)
{
    uint8_t data[64];
    ls_input inputs[LS_FRAME_INPUTS_MAX];
    ls_frame frame;
    size_t count = encode_frame(&sample_frame, data, sizeof data);
    assert_true(decode_frame(data, count, 4, &frame, inputs));
    assert_frames_equal(&frame, &sample_frame);
    assert_false(decode_frame(data, count, 3, &frame, inputs));
    ls_frame empty = {.tick = TICK};
    count = encode_frame(&empty, data, sizeof data);
    assert_int_equal(count, 1);
    assert_true(decode_frame(data, count, 1, &frame, inputs));
}

TEST(test_match_frame_truncated_at_every_length)
{
    uint8_t data[64];
    ls_input inputs[LS_FRAME_INPUTS_MAX];
    ls_frame frame;
    size_t count = encode_frame(&sample_frame, data, sizeof data);
    for (size_t length = 0; length < count; length++)
        assert_false(decode_frame(data, length, 4, &frame, inputs));
}

TEST(test_match_frame_short_buffer)
{
    uint8_t data[64];
    for (size_t capacity = 0; capacity < ls_frame_bytes(&sample_frame); capacity++) {
        ls_writer writer;
        ls_writer_init(&writer, data, capacity);
        ls_frame_encode(&sample_frame, &writer);
        assert_true(writer.failed);
    }
}

/* A mutated frame that still decodes must encode to the same bytes: each frame has one byte
 * form. */
TEST(test_match_frame_every_flipped_bit)
{
    uint8_t data[64], again[64];
    ls_input inputs[LS_FRAME_INPUTS_MAX];
    ls_frame frame;
    size_t count = encode_frame(&sample_frame, data, sizeof data);
    for (size_t bit = 0; bit < 8 * count; bit++) {
        data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        if (decode_frame(data, count, 4, &frame, inputs)) {
            assert_int_equal(encode_frame(&frame, again, sizeof again), count);
            assert_memory_equal(again, data, count);
        }
        data[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
}

TEST(test_match_frame_violations)
{
    static const struct {
        uint8_t bytes[12];
        size_t count;
    } wrong[] = {
        {{1, 0, 0, 0, 0}, 5},             /* an input without bytes */
        {{1, 0, 1, 1, 0, 9}, 6},          /* a join with bytes */
        {{1, 0, 2, 1, 0, 9}, 6},          /* a leave with bytes */
        {{1, 0, 3, 0, 0}, 5},             /* a state without bytes */
        {{1, 0, 4, 0, 0}, 5},             /* a substitute without bytes */
        {{1, 0, 5, 1, 0, 9}, 6},          /* a pause with bytes */
        {{1, 0, 6, 1, 0, 9}, 6},          /* a resume with bytes */
        {{1, 0, 7, 0, 0}, 5},             /* no such kind */
        {{1, 4, 3, 1, 0, 9}, 6},          /* a state of the server */
        {{1, 5, 5, 0, 0}, 5},             /* a pause of the server */
        {{1, 4, 1, 0, 0}, 5},             /* no such player */
        {{2, 1, 1, 0, 0, 0, 1, 0, 0}, 9}, /* players out of order */
        {{0, 0}, 2},                      /* a trailing byte */
        {{255}, 1},                       /* no inputs follow */
        {{1, 0, 0, 255, 255, 1}, 6},      /* more bytes than there are */
    };
    ls_input inputs[LS_FRAME_INPUTS_MAX];
    ls_frame frame;
    for (size_t i = 0; i < LS_COUNT_OF(wrong); i++)
        assert_false(decode_frame(wrong[i].bytes, wrong[i].count, 4, &frame, inputs));
}

static bool input_of_bytes_decodes(uint16_t bytes, uint32_t inputs_count)
{
    static uint8_t payload[LS_INPUT_BYTES_MAX + 1], data[4096];
    ls_input inputs[LS_FRAME_INPUTS_MAX], decoded[LS_FRAME_INPUTS_MAX];
    for (uint32_t i = 0; i < inputs_count; i++)
        inputs[i] = (ls_input){.kind = LS_INPUT, .bytes = bytes, .data = payload};
    ls_frame frame = {.tick = TICK, .count = inputs_count, .inputs = inputs};
    size_t count = encode_frame(&frame, data, sizeof data);
    return decode_frame(data, count, 1, &frame, decoded);
}

TEST(test_match_frame_limits)
{
    assert_true(input_of_bytes_decodes(LS_INPUT_BYTES_MAX, 1));
    assert_false(input_of_bytes_decodes(LS_INPUT_BYTES_MAX + 1, 1));
    assert_true(input_of_bytes_decodes(256 - 4 - 1, 4));
    assert_true(input_of_bytes_decodes(89, 11));      /* 1 + 11 * 93 = 1024 */
    assert_false(input_of_bytes_decodes(256 - 4, 4)); /* 1025 */
    assert_false(input_of_bytes_decodes(1, LS_FRAME_INPUTS_MAX));
}

/* The limit counts only the frame's bytes, wherever the frame begins in a message. */
TEST(test_match_frame_inside_a_message)
{
    uint8_t data[2048] = {0};
    ls_input inputs[LS_FRAME_INPUTS_MAX];
    ls_frame frame;
    size_t count = encode_frame(&sample_frame, data + 1500, 64);
    ls_reader reader;
    ls_reader_init(&reader, data, sizeof data);
    assert_non_null(ls_read_view(&reader, 1500));
    assert_true(ls_frame_decode(&reader, TICK, 4, inputs, &frame));
    assert_int_equal(reader.offset, 1500 + count);
    assert_frames_equal(&frame, &sample_frame);
}

static void check_random_frame(ls_random_stream stream)
{
    uint8_t payload[64], data[LS_FRAME_BYTES_MAX];
    ls_input inputs[12], decoded[LS_FRAME_INPUTS_MAX];
    uint32_t count = ls_random_below(ls_random_draw(stream, 0), 13);
    uint8_t player = 0;
    for (uint32_t i = 0; i < 64; i++)
        payload[i] = (uint8_t)ls_random_draw(stream, 1000 + i);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t bits = ls_random_draw(stream, i + 1);
        player = (uint8_t)(player + (bits & 3));
        uint8_t kind = (uint8_t)ls_random_below(bits, LS_RESUME + 1);
        uint16_t bytes = has_bytes(kind) ? (uint16_t)(1 + (bits >> 8 & 63)) : 0;
        inputs[i] = (ls_input){.player = player, .kind = kind, .bytes = bytes, .data = payload};
    }
    ls_frame frame = {.tick = TICK, .count = count, .inputs = inputs}, back;
    size_t bytes = encode_frame(&frame, data, sizeof data);
    assert_true(decode_frame(data, bytes, LS_PLAYERS_MAX, &back, decoded));
    assert_frames_equal(&back, &frame);
}

TEST(test_match_frame_random_round_trips)
{
    print_message("seed %d\n", SEED);
    for (uint64_t i = 0; i < 3000; i++)
        check_random_frame(ls_random_child(ls_random_root(SEED), i));
}

TEST(test_match_frame_random_bytes)
{
    print_message("seed %d\n", SEED);
    ls_input inputs[LS_FRAME_INPUTS_MAX];
    ls_frame frame;
    for (uint64_t i = 0; i < 20000; i++) {
        ls_random_stream stream = ls_random_child(ls_random_root(SEED), i);
        uint8_t data[64];
        size_t count = ls_random_below(ls_random_draw(stream, 0), sizeof data);
        for (size_t byte = 0; byte < count; byte++)
            data[byte] = (uint8_t)(ls_random_draw(stream, byte + 1) & (i % 2 ? 255 : 3));
        (void)!decode_frame(data, count, 4, &frame, inputs);
    }
}

static bool decode_match(const uint8_t *bytes, size_t count, ls_match *match)
{
    uint8_t *data = test_malloc(count ? count : 1);
    memcpy(data, bytes, count);
    ls_reader reader;
    ls_reader_init(&reader, data, count);
    bool ok = ls_match_decode(&reader, match);
    assert_int_equal(ok, !reader.failed);
    test_free(data);
    return ok && ls_reader_done(&reader);
}

static size_t encode_match(const ls_match *match, uint8_t *data, size_t capacity)
{
    ls_writer writer;
    ls_writer_init(&writer, data, capacity);
    ls_match_encode(match, &writer);
    assert_false(writer.failed);
    return writer.count;
}

static bool survives(const ls_match *match)
{
    uint8_t data[256];
    ls_match back;
    size_t count = encode_match(match, data, sizeof data);
    if (!decode_match(data, count, &back))
        return false;
    assert_memory_equal(&back, match, sizeof back);
    return true;
}

TEST(test_match_bytes_are_fixed)
{
    static const uint8_t expected[] = "\xef\xcd\xab\x89\x67\x45\x23\x01\x3c\x00\x04\x03"
                                      "\xff\xff\xff\xff\xff\xff\xff\xff"
                                      "\x00\x00\x00\x00\x00\x00\x00\x80"
                                      "\xff\xff\xff\xff\xff\xff\xff\x7f";
    uint8_t data[256];
    size_t count = encode_match(&sample_match, data, sizeof data);
    assert_int_equal(count, sizeof expected - 1);
    assert_memory_equal(data, expected, count);
}

TEST(test_match_limits)
{
    assert_true(survives(&sample_match));
    ls_match match = {.tick_rate = LS_TICK_RATE_MAX,
                      .player_count = LS_PLAYERS_MAX,
                      .option_count = LS_OPTIONS_MAX};
    assert_true(survives(&match));
    match = (ls_match){.tick_rate = 1, .player_count = 1};
    assert_true(survives(&match));
    match = (ls_match){.tick_rate = 0, .player_count = 1};
    assert_false(survives(&match));
    match = (ls_match){.tick_rate = LS_TICK_RATE_MAX + 1, .player_count = 1};
    assert_false(survives(&match));
    match = (ls_match){.tick_rate = 1, .player_count = 0};
    assert_false(survives(&match));
    match = (ls_match){.tick_rate = 1, .player_count = LS_PLAYERS_MAX + 1};
    assert_false(survives(&match));
}

TEST(test_match_too_many_options)
{
    uint8_t data[256] = {0};
    ls_match match = {.tick_rate = 1, .player_count = 1};
    encode_match(&match, data, sizeof data);
    data[11] = LS_OPTIONS_MAX + 1;
    assert_false(decode_match(data, 12 + 8 * (LS_OPTIONS_MAX + 1), &match));
}

TEST(test_match_truncated_at_every_length)
{
    uint8_t data[256];
    ls_match match;
    size_t count = encode_match(&sample_match, data, sizeof data);
    for (size_t length = 0; length < count; length++)
        assert_false(decode_match(data, length, &match));
}

TEST(test_match_every_flipped_bit)
{
    uint8_t data[256], again[256];
    ls_match match;
    size_t count = encode_match(&sample_match, data, sizeof data);
    for (size_t bit = 0; bit < 8 * count; bit++) {
        data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        if (decode_match(data, count, &match)) {
            assert_int_equal(encode_match(&match, again, sizeof again), count);
            assert_memory_equal(again, data, count);
        }
        data[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
}

TEST(test_match_random_round_trips)
{
    print_message("seed %d\n", SEED);
    for (uint64_t i = 0; i < 10000; i++) {
        ls_random_stream stream = ls_random_child(ls_random_root(SEED), i);
        ls_match match;
        memset(&match, 0, sizeof match);
        match.seed = ls_random_draw(stream, 0);
        match.tick_rate = 1 + ls_random_below(ls_random_draw(stream, 1), LS_TICK_RATE_MAX);
        match.player_count = 1 + ls_random_below(ls_random_draw(stream, 2), LS_PLAYERS_MAX);
        match.option_count = ls_random_below(ls_random_draw(stream, 3), LS_OPTIONS_MAX + 1);
        for (uint32_t option = 0; option < match.option_count; option++)
            match.options[option] = (int64_t)ls_random_draw(stream, 4 + option);
        assert_true(survives(&match));
    }
}
