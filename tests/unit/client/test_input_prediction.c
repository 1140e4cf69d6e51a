#include "client/input_prediction.h"
#include "tests/support/test.h"

enum { PLAYERS = 3, OWN = 1 };

static ls_input_prediction prediction;

static int begin(void **state)
{
    ls_input_prediction_init(&prediction, 10, PLAYERS, OWN);
    return 0;
}

static ls_status give(uint64_t tick, ls_input_kind kind, const char *text, uint64_t *from)
{
    const ls_input input = {OWN, (uint8_t)kind, (uint16_t)strlen(text), (const uint8_t *)text};
    return ls_input_prediction_input(&prediction, tick, &input, from);
}

static void give_well(uint64_t tick, ls_input_kind kind, const char *text)
{
    uint64_t from;
    assert_ok(give(tick, kind, text, &from));
}

static ls_input make(uint32_t player, ls_input_kind kind, const char *text)
{
    return (ls_input){(uint8_t)player, (uint8_t)kind, (uint16_t)strlen(text),
                      (const uint8_t *)text};
}

static void confirm(const ls_input *inputs, uint32_t count)
{
    const ls_frame frame = {.tick = prediction.next, .count = count, .inputs = inputs};
    ls_input_prediction_confirm(&prediction, &frame);
}

/* The prediction as text: player, kind and bytes of each input. */
static const char *text_of(uint64_t tick)
{
    static char text[512];
    ls_frame frame = ls_input_prediction_frame(&prediction, tick);
    size_t count = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < frame.count; i++) {
        const ls_input *input = &frame.inputs[i];
        count += (size_t)snprintf(text + count, sizeof text - count, "%u%c%.*s ", input->player,
                                  "ijlsu"[input->kind], (int)input -> bytes,
                                  (const char *)input -> data);
    }
    return text;
}

TESTS_AROUND(begin, NULL);

TEST(test_input_prediction_repeats_held_states_only)
{
    assert_string_equal(text_of(10), "");
    const ls_input first[] = {make(0, LS_JOIN, ""), make(0, LS_STATE, "ab"),
                              make(0, LS_INPUT, "order"), make(2, LS_SUBSTITUTE, "cd")};
    confirm(first, 4);
    assert_string_equal(text_of(11), "0sab 2ucd ");
    assert_string_equal(text_of(12), "0sab 2ucd ");
    const ls_input second[] = {make(0, LS_LEAVE, "")};
    confirm(second, 1);
    assert_string_equal(text_of(12), "2ucd ");
}

TEST(test_input_prediction_takes_own_inputs_at_their_ticks)
{
    give_well(11, LS_STATE, "s1");
    give_well(13, LS_STATE, "s3");
    give_well(12, LS_INPUT, "A");
    give_well(11, LS_INPUT, "B"); /* cannot overtake the earlier order */
    assert_string_equal(text_of(10), "");
    assert_string_equal(text_of(11), "1ss1 ");
    assert_string_equal(text_of(12), "1ss1 1iA 1iB ");
    assert_string_equal(text_of(13), "1ss3 ");
    ls_input_prediction_rewind(&prediction);
    assert_string_equal(text_of(10), "");
    assert_string_equal(text_of(11), "1ss1 ");
    assert_string_equal(text_of(12), "1ss1 1iA 1iB ");
}

TEST(test_input_prediction_carries_an_order_until_it_lands)
{
    give_well(10, LS_INPUT, "A");
    give_well(10, LS_INPUT, "B");
    give_well(10, LS_INPUT, "C");
    confirm(NULL, 0);
    assert_string_equal(text_of(11), "1iA 1iB 1iC ");
    const ls_input landed[] = {make(0, LS_INPUT, "A"), make(OWN, LS_INPUT, "B")};
    confirm(landed, 2); /* A was refused, because B was submitted after it and has landed */
    ls_input_prediction_rewind(&prediction);
    assert_string_equal(text_of(12), "1iC ");
    for (uint32_t i = 0; i <= LS_CLIENT_PREDICT_INPUT_TICKS; i++)
        confirm(NULL, 0);
    ls_input_prediction_rewind(&prediction);
    assert_string_equal(text_of(prediction.next), "");
}

TEST(test_input_prediction_says_which_ticks_an_input_changes)
{
    uint64_t from = 0;
    assert_ok(give(3, LS_INPUT, "A", &from));
    assert_int_equal(from, 10);
    assert_ok(give(20, LS_INPUT, "B", &from));
    assert_int_equal(from, 20);
    assert_ok(give(15, LS_INPUT, "C", &from));
    assert_int_equal(from, 20);
    assert_ok(give(15, LS_STATE, "s", &from));
    assert_int_equal(from, 15);
    assert_int_equal(give(15, LS_STATE, "t", &from), LS_ERROR_REFUSED);
    assert_int_equal(give(9, LS_STATE, "s", &from), LS_ERROR_REFUSED);
    assert_int_equal(give(10 + LS_CLIENT_PREDICT_INPUT_TICKS, LS_STATE, "s", &from),
                     LS_ERROR_LIMIT);
    assert_int_equal(give(16, LS_JOIN, "x", &from), LS_ERROR_USAGE);
    assert_int_equal(give(16, LS_STATE, "", &from), LS_ERROR_USAGE);
    char longer[LS_STATE_BYTES_MAX + 2];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    assert_int_equal(give(16, LS_STATE, longer, &from), LS_ERROR_USAGE);
    for (uint32_t i = 3; i < LS_CLIENT_INPUT_QUEUE; i++)
        give_well(10, LS_INPUT, "D");
    assert_int_equal(give(10, LS_INPUT, "E", &from), LS_ERROR_LIMIT);
}

TEST(test_input_prediction_delays_orders_beyond_a_frame)
{
    char order[LS_INPUT_BYTES_MAX + 1];
    memset(order, 'x', sizeof order - 1);
    order[sizeof order - 1] = 0;
    for (uint32_t i = 0; i < 8; i++)
        give_well(10, LS_INPUT, order);
    ls_frame frame = ls_input_prediction_frame(&prediction, 10);
    assert_int_equal(frame.count, 3);
    assert_true(ls_frame_bytes(&frame) <= LS_FRAME_BYTES_MAX);
    assert_int_equal(ls_input_prediction_frame(&prediction, 11).count, 3);
    assert_int_equal(ls_input_prediction_frame(&prediction, 12).count, 2);
    assert_int_equal(ls_input_prediction_frame(&prediction, 13).count, 0);
}

TEST(test_input_prediction_of_a_spectator_has_no_own_inputs)
{
    uint64_t from;
    ls_input_prediction_init(&prediction, 0, PLAYERS, 255);
    assert_int_equal(give(1, LS_INPUT, "A", &from), LS_ERROR_USAGE);
    const ls_input held[] = {make(OWN, LS_STATE, "ab")};
    confirm(held, 1);
    assert_string_equal(text_of(1), "1sab ");
}
