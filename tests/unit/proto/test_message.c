#include "test.h"

#include "proto/message.h"
#include "proto/notice.h"
#include <lockstep/address.h>

#define PLAYERS 4

/* Frames with a few inputs each. The bodies point into `bytes`. */
typedef struct made_frames {
    ls_ticks ticks;
    uint8_t bytes[LS_MESSAGE_BYTES_MAX];
} made_frames;

static void make_frames(made_frames *made, uint32_t count, uint32_t inputs_each)
{
    static const uint8_t data[] = "0123456789";
    ls_writer writer;
    ls_writer_init(&writer, made->bytes, sizeof made->bytes);
    made->ticks = (ls_ticks){.first = 1000, .count = count, .input_ack = 77};
    for (uint32_t i = 0; i < count; i++) {
        ls_input inputs[PLAYERS];
        for (uint32_t k = 0; k < inputs_each; k++)
            inputs[k] = (ls_input){
                .player = (uint8_t)k, .kind = LS_INPUT, .bytes = (uint16_t)(1 + k), .data = data};
        ls_frame frame = {.tick = 1000 + count - 1 - i, .count = inputs_each, .inputs = inputs};
        size_t start = writer.count;
        ls_frame_encode(&frame, &writer);
        made->ticks.bodies[i] =
            (ls_ticks_body){.data = made->bytes + start, .bytes = (uint32_t)(writer.count - start)};
    }
    assert_false(writer.failed);
}

enum { STATE_BYTES = 3 };

/* Decodes a plain message of one type and discards the result. */
typedef bool decoder(const ls_plain *plain);

static bool decode_ticks(const ls_plain *plain)
{
    ls_ticks ticks;
    return ls_ticks_decode(plain, PLAYERS, &ticks);
}

static bool decode_update(const ls_plain *plain)
{
    ls_update update;
    return ls_update_decode(plain, STATE_BYTES, &update);
}

static bool decode_request(const ls_plain *plain)
{
    ls_snapshot_request request;
    return ls_snapshot_request_decode(plain, &request);
}

static bool decode_chunk(const ls_plain *plain)
{
    ls_snapshot_chunk chunk;
    return ls_snapshot_chunk_decode(plain, &chunk);
}

static bool decode_notice(const ls_plain *plain)
{
    ls_notice notice;
    return ls_notice_decode(plain, &notice);
}

static bool decode_pause(const ls_plain *plain)
{
    bool wants_pause;
    return ls_pause_decode(plain, &wants_pause);
}

static bool decode_bye(const ls_plain *plain)
{
    ls_bye bye;
    return ls_bye_decode(plain, &bye);
}

static decoder *const decoders[] = {
    [LS_MESSAGE_CONFIRM] = ls_confirm_decode, [LS_MESSAGE_BYE] = decode_bye,
    [LS_MESSAGE_UPDATE] = decode_update,      [LS_MESSAGE_SNAPSHOT_REQUEST] = decode_request,
    [LS_MESSAGE_TICKS] = decode_ticks,        [LS_MESSAGE_SNAPSHOT_CHUNK] = decode_chunk,
    [LS_MESSAGE_NOTICE] = decode_notice,      [LS_MESSAGE_PAUSE] = decode_pause,
};

/* The message decodes. It does not if it is cut or one byte longer, nor on the other channel or as
 * another type. */
static void check_total(const ls_plain *plain)
{
    decoder *decode = decoders[plain->type];
    ls_plain *copy = malloc(sizeof *copy);
    *copy = *plain;
    assert_true(decode(copy));
    if (plain->type != LS_MESSAGE_SNAPSHOT_CHUNK) /* the data may have any length */
        for (copy->bytes = 0; copy->bytes < plain->bytes; copy->bytes++)
            assert_false(decode(copy));
    copy->bytes = plain->bytes;
    if (plain->type != LS_MESSAGE_SNAPSHOT_CHUNK && plain->bytes < LS_MESSAGE_BYTES_MAX) {
        copy->data[copy->bytes++] = 0;
        assert_false(decode(copy));
        copy->bytes--;
    }
    copy->channel = (uint8_t)(1 - plain->channel);
    assert_false(decode(copy));
    copy->channel = plain->channel;
    for (uint8_t type = 0; type < 16; type++)
        if (type != plain->type) {
            copy->type = type;
            assert_false(decode(copy));
        }
    free(copy);
}

TEST(test_message_ticks_round_trip)
{
    made_frames made;
    make_frames(&made, LS_TICKS_WINDOW, 3);
    ls_plain plain;
    assert_true(ls_ticks_encode(&made.ticks, &plain));
    ls_ticks ticks;
    assert_true(ls_ticks_decode(&plain, PLAYERS, &ticks));
    assert_int_equal(ticks.first, 1000);
    assert_int_equal(ticks.count, LS_TICKS_WINDOW);
    assert_int_equal(ticks.input_ack, 77);
    for (uint32_t i = 0; i < ticks.count; i++) {
        assert_int_equal(ticks.bodies[i].bytes, made.ticks.bodies[i].bytes);
        assert_memory_equal(ticks.bodies[i].data, made.ticks.bodies[i].data, ticks.bodies[i].bytes);
        ls_reader reader;
        ls_reader_init(&reader, ticks.bodies[i].data, ticks.bodies[i].bytes);
        ls_input inputs[LS_FRAME_INPUTS_MAX];
        ls_frame frame;
        assert_true(ls_frame_decode(&reader, 0, PLAYERS, inputs, &frame));
        assert_true(ls_reader_done(&reader));
        assert_int_equal(frame.count, 3);
    }
    check_total(&plain);
}

TEST(test_message_ticks_limits)
{
    made_frames made;
    ls_plain plain, whole;
    ls_ticks ticks;
    make_frames(&made, LS_TICKS_MAX, 0);
    assert_true(ls_ticks_encode(&made.ticks, &plain));
    assert_true(decode_ticks(&plain));
    whole = plain;
    plain.data[8] = 0; /* the count */
    assert_false(decode_ticks(&plain));
    ls_plain none = plain;
    none.data[8] = 0;
    none.bytes = LS_MESSAGE_BYTES_MAX - LS_TICKS_BODIES_BYTES_MAX;
    assert_false(decode_ticks(&none));
    plain = whole;
    memcpy(plain.data + plain.bytes, made.ticks.bodies[0].data, made.ticks.bodies[0].bytes);
    plain.bytes += made.ticks.bodies[0].bytes;
    plain.data[8] = LS_TICKS_MAX + 1;
    assert_false(decode_ticks(&plain));
    make_frames(&made, 2, 3);
    assert_true(ls_ticks_encode(&made.ticks, &plain));
    assert_false(ls_ticks_decode(&plain, 2, &ticks)); /* the player is beyond the match's 2 */
    made.ticks.first = UINT64_MAX - 1;
    assert_true(ls_ticks_encode(&made.ticks, &plain));
    assert_false(decode_ticks(&plain));
    made.ticks.first = UINT64_MAX - 2;
    assert_true(ls_ticks_encode(&made.ticks, &plain));
    assert_true(decode_ticks(&plain));
}

TEST(test_message_ticks_largest_frame_fits_and_two_do_not)
{
    static const uint8_t data[LS_INPUT_BYTES_MAX];
    ls_input inputs[4];
    for (uint32_t i = 0; i < 4; i++)
        inputs[i] = (ls_input){.player = 0, .kind = LS_INPUT, .bytes = 251, .data = data};
    inputs[3].bytes = 254;
    uint8_t body[LS_FRAME_BYTES_MAX];
    ls_writer writer;
    ls_writer_init(&writer, body, sizeof body);
    ls_frame_encode(&(ls_frame){.count = 4, .inputs = inputs}, &writer);
    assert_int_equal(writer.count, LS_FRAME_BYTES_MAX);
    ls_ticks ticks = {.first = 1, .count = 1, .bodies = {{body, LS_FRAME_BYTES_MAX}}};
    ls_plain plain;
    assert_true(ls_ticks_encode(&ticks, &plain));
    check_total(&plain);
    ticks.count = 2;
    ticks.bodies[1] = ticks.bodies[0];
    assert_false(ls_ticks_encode(&ticks, &plain));
}

static ls_update make_update(uint32_t inputs, uint32_t roots)
{
    static const uint8_t data[LS_INPUT_BYTES_MAX] = "input";
    ls_update update = {.ack = 50,
                        .gap_first = 52,
                        .gap_count = 3,
                        .input_count = inputs,
                        .root_first = 40,
                        .root_count = roots};
    for (uint32_t i = 0; i < inputs; i++)
        update.inputs[i] = (ls_update_input){
            .sequence = 9 + i, .tick = 60 - i, .bytes = (uint16_t)(5 + i), .data = data};
    for (uint32_t i = 0; i < roots; i++)
        update.roots[i] = 0x1234567890abcdef + i;
    return update;
}

TEST(test_message_update_round_trip)
{
    for (uint32_t count = 0; count <= 8; count++) {
        ls_update update = make_update(count, 8 - count), got;
        ls_plain plain;
        assert_true(ls_update_encode(&update, &plain));
        assert_true(ls_update_decode(&plain, STATE_BYTES, &got));
        assert_int_equal(got.ack, 50);
        assert_int_equal(got.gap_first, 52);
        assert_int_equal(got.gap_count, 3);
        assert_int_equal(got.input_count, count);
        assert_int_equal(got.root_count, 8 - count);
        for (uint32_t i = 0; i < count; i++) {
            assert_int_equal(got.inputs[i].sequence, 9 + i);
            assert_int_equal(got.inputs[i].tick, 60 - i);
            assert_int_equal(got.inputs[i].bytes, 5 + i);
            assert_memory_equal(got.inputs[i].data, update.inputs[i].data, 5 + i);
        }
        assert_int_equal(got.root_first, count < 8 ? 40 : 0);
        for (uint32_t i = 0; i < 8 - count; i++)
            assert_int_equal(got.roots[i], update.roots[i]);
        check_total(&plain);
    }
}

static void expect_update(const ls_update *update, bool is_valid)
{
    ls_plain plain;
    assert_true(ls_update_encode(update, &plain));
    assert_int_equal(decode_update(&plain), is_valid);
}

TEST(test_message_update_is_canonical)
{
    ls_update update = make_update(1, 2);
    expect_update(&update, true);
    update.gap_first = 49; /* before the tick of the ack */
    expect_update(&update, false);
    update.gap_first = UINT64_MAX - 2;
    expect_update(&update, false);
    update.gap_first = 52;
    update.gap_count = LS_GAP_TICKS_MAX;
    expect_update(&update, true);
    update.gap_count = LS_GAP_TICKS_MAX + 1;
    expect_update(&update, false);
    update.gap_count = 0;
    expect_update(&update, true);
    update.root_first = 49; /* roots of 49 and 50, the tick of the ack */
    expect_update(&update, true);
    update.root_first = 50; /* roots of 50 and 51, which is after the ack */
    expect_update(&update, false);
    update.ack = UINT64_MAX - LS_GAP_TICKS_MAX;
    update.root_first = update.ack - LS_UPDATE_ROOT_AGE_MAX;
    expect_update(&update, true);
    update = make_update(1, 0);
    update.inputs[0].bytes = 0;
    expect_update(&update, false);
    update.inputs[0].bytes = LS_INPUT_BYTES_MAX;
    expect_update(&update, true);
    update.inputs[0].sequence = UINT32_MAX;
    expect_update(&update, false);
}

/* Each of the three lists is one element too long. The message is complete otherwise. */
TEST(test_message_update_counts_are_bounded)
{
    enum { INPUTS, ROOTS, STATES, LISTS, COUNT_AT = 8 + 4 + 1 + 10 /* ack, stamp, flags, gap */ };
    static const uint8_t zeros[LS_UPDATE_STATES_MAX * STATE_BYTES];
    for (uint32_t list = INPUTS; list < LISTS; list++) {
        ls_update update = make_update(list == INPUTS ? LS_UPDATE_INPUTS_MAX : 0,
                                       list == ROOTS ? LS_UPDATE_ROOTS_MAX : 0);
        ls_plain plain;
        ls_writer writer;
        update.state_count = list == STATES ? LS_UPDATE_STATES_MAX : 0;
        update.state_bytes = STATE_BYTES;
        update.states = zeros;
        assert_true(ls_update_encode(&update, &plain));
        assert_true(decode_update(&plain));
        ls_writer_init(&writer, plain.data + plain.bytes, LS_MESSAGE_BYTES_MAX - plain.bytes);
        if (list == STATES) {
            ls_write_bytes(&writer, zeros, STATE_BYTES);
        } else {
            ls_write_u64(&writer, 100);
            if (list == ROOTS)
                ls_write_u64(&writer, 0);
            else
                ls_write_bytes(&writer, (const uint8_t[]){1, 0, 7}, 3);
        }
        plain.bytes += (uint32_t)writer.count;
        assert_int_equal(plain.data[COUNT_AT], 8);
        plain.data[COUNT_AT]++;
        assert_false(decode_update(&plain));
        plain.data[COUNT_AT] = 255;
        assert_false(decode_update(&plain));
    }
}

TEST(test_message_update_inputs_fit)
{
    for (uint16_t bytes = 1; bytes <= LS_INPUT_BYTES_MAX; bytes++) {
        ls_update update = make_update(8, 8);
        for (uint32_t i = 0; i < 8; i++)
            update.inputs[i].bytes = bytes;
        uint32_t fit = ls_update_inputs_fit(&update);
        assert_in_range(fit, 1, 8);
        ls_plain plain;
        assert_int_equal(ls_update_encode(&update, &plain), fit == 8);
        update.input_count = fit;
        assert_true(ls_update_encode(&update, &plain));
        assert_true(decode_update(&plain));
        if (fit < 8) {
            update.input_count = fit + 1;
            assert_false(ls_update_encode(&update, &plain));
        }
    }
}

TEST(test_message_snapshot_request)
{
    ls_snapshot_request request = {.tick = 9, .offset = LS_SNAPSHOT_BYTES_MAX - 1, .bytes = 65536};
    ls_snapshot_request got;
    ls_plain plain;
    ls_snapshot_request_encode(&request, &plain);
    assert_true(ls_snapshot_request_decode(&plain, &got));
    assert_int_equal(got.tick, 9);
    assert_int_equal(got.offset, request.offset);
    assert_int_equal(got.bytes, 65536);
    check_total(&plain);
    ls_plain bad = plain;
    memset(bad.data + 12, 0, 4);
    assert_false(decode_request(&bad));
    memset(bad.data + 12, 0xff, 4);
    assert_false(decode_request(&bad));
    bad = plain;
    memset(bad.data + 8, 0xff, 4);
    assert_false(decode_request(&bad));
}

TEST(test_message_snapshot_chunk)
{
    uint8_t data[LS_CHUNK_BYTES_MAX] = "chunk";
    ls_snapshot_chunk chunk = {.tick = 9,
                               .total_bytes = 5000,
                               .raw_bytes = 9000,
                               .offset = 3976,
                               .bytes = sizeof data,
                               .data = data};
    ls_snapshot_chunk got;
    ls_plain plain;
    ls_snapshot_chunk_encode(&chunk, &plain);
    assert_true(ls_snapshot_chunk_decode(&plain, &got));
    assert_int_equal(got.offset, 3976);
    assert_int_equal(got.bytes, sizeof data);
    assert_memory_equal(got.data, data, sizeof data);
    check_total(&plain);
    ls_plain bad = plain;
    bad.bytes = 20; /* no data follows */
    assert_false(decode_chunk(&bad));
    bad.bytes = plain.bytes + 1; /* over the limit of a chunk */
    assert_false(decode_chunk(&bad));
    bad = plain;
    bad.data[16]++; /* the chunk ends after the snapshot */
    assert_false(decode_chunk(&bad));
    memset(bad.data + 16, 0xff, 4);
    assert_false(decode_chunk(&bad));
    memset(bad.data + 8, 0xff, 4);
    assert_false(decode_chunk(&bad));
    bad = plain;
    memset(bad.data + 8, 0, 4);
    assert_false(decode_chunk(&bad));
    bad = plain;
    memset(bad.data + 12, 0, 4); /* an unpacked size of zero, then one over the limit */
    assert_false(decode_chunk(&bad));
    memset(bad.data + 12, 0xff, 4);
    assert_false(decode_chunk(&bad));
}

TEST(test_message_notices)
{
    const ls_notice notices[] = {
        {.kind = LS_NOTICE_DESYNC, .tick = 5, .your_root = 6, .server_root = 7},
        {.kind = LS_NOTICE_KICK, .text = "input flood"},
        {.kind = LS_NOTICE_GOODBYE, .text = ""},
        {.kind = LS_NOTICE_END, .tick = 900, .server_root = 8},
        {.kind = LS_NOTICE_RELOAD, .tick = 901, .text = "the roots differ"},
        {.kind = LS_NOTICE_KEPT, .tick = 902},
        {.kind = LS_NOTICE_SAY, .text = "the server ends in five minutes"},
        {.kind = LS_NOTICE_FOLLOW, .to = {{[10] = 0xff, 0xff, 203, 0, 113, 9, 0x1e, 0x62}}},
    };
    for (size_t i = 0; i < LS_COUNT_OF(notices); i++) {
        ls_plain plain;
        ls_notice got;
        ls_notice_encode(&notices[i], &plain);
        assert_true(ls_notice_decode(&plain, &got));
        assert_int_equal(got.kind, notices[i].kind);
        assert_int_equal(got.tick, notices[i].tick);
        assert_int_equal(got.your_root, notices[i].your_root);
        assert_int_equal(got.server_root, notices[i].server_root);
        assert_string_equal(got.text, notices[i].text);
        check_total(&plain);
        plain.data[0] = 0;
        assert_false(decode_notice(&plain));
        plain.data[0] = LS_NOTICE_FOLLOW + 1;
        assert_false(decode_notice(&plain));
    }
}

/* A FOLLOW names one host and a port. */
TEST(test_message_follow_is_for_one_host)
{
    static const ls_address bad[] = {
        LS_ADDRESS_IPV4(203, 0, 113, 9, 0),  LS_ADDRESS_IPV4(0, 0, 0, 0, 7778),
        LS_ADDRESS_IPV4(224, 0, 0, 1, 7778), LS_ADDRESS_IPV4(255, 255, 255, 255, 7778),
        {.host = {0}, .port = {1, 1}},       {.host = {0xff, 0x02}, .port = {1, 1}},
    };
    const ls_notice good = {.kind = LS_NOTICE_FOLLOW,
                            .to = {{0x20, 0x01, 0x0d, 0xb8, [16] = 1, 1}}};
    ls_plain plain;
    ls_notice got;
    ls_notice_encode(&good, &plain);
    assert_true(ls_notice_decode(&plain, &got));
    assert_memory_equal(&got.to, &good.to, sizeof got.to);
    for (size_t i = 0; i < LS_COUNT_OF(bad); i++) {
        memcpy(plain.data + 1, &bad[i], sizeof bad[i]);
        assert_false(decode_notice(&plain));
    }
}

TEST(test_message_texts_are_clean)
{
    ls_bye bye = {.text = "over\x1b[2J"}, got;
    ls_plain plain;
    ls_bye_encode(&bye, &plain);
    assert_true(ls_bye_decode(&plain, &got));
    assert_string_equal(got.text, "over?[2J");
    check_total(&plain);
    plain.data[3] = 0x1b;
    assert_false(decode_bye(&plain));
    plain.data[3] = 0xff;
    assert_false(decode_bye(&plain));
}

TEST(test_message_bye_tells_a_failure)
{
    ls_bye bye = {.text = LS_BYE_FAILED "because"};
    assert_string_equal(ls_bye_failure(&bye), "because");
    strcpy(bye.text, LS_BYE_FAILED);
    assert_string_equal(ls_bye_failure(&bye), "");
    bye.text[strlen(bye.text) - 1] = 0;
    assert_null(ls_bye_failure(&bye));
    strcpy(bye.text, "it " LS_BYE_FAILED "because");
    assert_null(ls_bye_failure(&bye));
}

TEST(test_message_confirm)
{
    ls_plain plain;
    ls_confirm_encode(&plain);
    assert_int_equal(plain.bytes, 0);
    check_total(&plain);
}

TEST(test_message_pause)
{
    for (int wanted = 0; wanted <= 1; wanted++) {
        ls_plain plain;
        bool wants_pause;
        ls_pause_encode(wanted, &plain);
        assert_true(ls_pause_decode(&plain, &wants_pause));
        assert_int_equal(wants_pause, wanted);
        check_total(&plain);
        plain.data[0] = 2;
        assert_false(ls_pause_decode(&plain, &wants_pause));
    }
}
