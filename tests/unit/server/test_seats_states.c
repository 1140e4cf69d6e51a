/* State inputs: each frame has one per player, or a substitute. */
#include "seats_fixture.h"

enum { BYTES = 3 };

static bool below_200(const ls_match *match, uint32_t player, const uint8_t *bytes)
{
    return player < match->player_count && bytes[0] < 200;
}
static bool any(const ls_match *match, uint32_t player, const uint8_t *bytes, uint32_t count)
{
    return player < match->player_count && count;
}

static const ls_sim repeats = {
    .input_is_valid = any, .state_bytes = BYTES, .state_is_valid = below_200};
static const ls_sim neutral = {
    .state_bytes = BYTES, .state_is_valid = below_200, .state_missing = LS_MISSING_NEUTRAL};
static const ls_match match = {.tick_rate = 60, .player_count = 3};

static int begin(void **state)
{
    return fixture_begin(state, &repeats, &match);
}

static void build(fixture *f)
{
    ls_seats_build(&f->seats, f->tick++, (ls_seats_event){.kind = LS_INPUT}, &f->frame, &f->taken);
}

static void join(fixture *f, uint32_t seat)
{
    ls_seats_take(&f->seats, seat);
    ls_seats_join(&f->seats, seat);
    build(f);
    assert_int_equal(f->taken.joins, 1);
}

static ls_submit_result submit(fixture *f, uint32_t seat, uint64_t tick, uint8_t value)
{
    const uint8_t data[BYTES] = {value, 1, 2};
    return ls_seats_submit_state(&f->seats, seat, f->tick, tick, data);
}

static void assert_only(const fixture *f, ls_input_kind kind, uint8_t value)
{
    assert_int_equal(f->frame.count, 1);
    assert_int_equal(f->frame.inputs[0].kind, kind);
    assert_int_equal(f->frame.inputs[0].bytes, BYTES);
    assert_int_equal(f->frame.inputs[0].data[0], value);
}

TESTS_AROUND(begin, end);

TEST(test_seats_states_join_tick_has_none)
{
    fixture *f = *state;
    ls_seats_take(&f->seats, 0);
    assert_int_equal(submit(f, 0, 0, 5), LS_SUBMIT_LATER);
    assert_true(ls_seats_is_ready(&f->seats, 0, 0));
    ls_seats_join(&f->seats, 0);
    assert_int_equal(submit(f, 0, 0, 5), LS_SUBMIT_LATER);
    build(f);
    assert_int_equal(f->frame.count, 1);
    assert_int_equal(f->frame.inputs[0].kind, LS_JOIN);
    assert_false(ls_seats_is_ready(&f->seats, 0, f->tick));
    build(f);
    assert_only(f, LS_SUBSTITUTE, 0);
    assert_int_equal(f->taken.substitutes, 1);
}

TEST(test_seats_states_late_and_far_ones_land_nowhere)
{
    fixture *f = *state;
    join(f, 0);
    build(f);
    assert_int_equal(submit(f, 0, f->tick - 1, 5), LS_SUBMIT_LATE);
    assert_int_equal(submit(f, 0, 0, 5), LS_SUBMIT_LATE);
    assert_int_equal(submit(f, 0, f->tick + LS_SERVER_INPUT_AHEAD, 7), LS_SUBMIT_TAKEN);
    assert_int_equal(submit(f, 0, f->tick + LS_SERVER_INPUT_AHEAD + 1, 8), LS_SUBMIT_REFUSED);
    assert_int_equal(submit(f, 0, UINT64_MAX, 8), LS_SUBMIT_REFUSED);
    for (uint32_t i = 0; i < LS_SERVER_INPUT_AHEAD; i++) {
        build(f);
        assert_only(f, LS_SUBSTITUTE, 0);
    }
    build(f);
    assert_only(f, LS_STATE, 7);
    /* The slot of the used state is free for a later tick. */
    assert_int_equal(submit(f, 0, f->tick + LS_SERVER_INPUT_AHEAD, 9), LS_SUBMIT_TAKEN);
}

TEST(test_seats_states_are_validated)
{
    fixture *f = *state;
    join(f, 0);
    assert_int_equal(submit(f, 0, f->tick, 200), LS_SUBMIT_REFUSED);
    assert_int_equal(submit(f, 0, f->tick, 199), LS_SUBMIT_TAKEN);
}

TESTS_AROUND(NULL, NULL);

TEST(test_seats_states_substitute_is_neutral)
{
    fixture f = {0};
    ls_seats_init(&f.seats, &neutral, &match);
    join(&f, 1);
    assert_int_equal(submit(&f, 1, f.tick, 5), LS_SUBMIT_TAKEN);
    build(&f);
    assert_only(&f, LS_STATE, 5);
    build(&f);
    assert_only(&f, LS_SUBSTITUTE, 0);
    ls_seats_reset(&f.seats);
}

TESTS_AROUND(begin, end);

TEST(test_seats_states_leave_clears)
{
    fixture *f = *state;
    join(f, 1);
    assert_int_equal(submit(f, 1, f->tick, 5), LS_SUBMIT_TAKEN);
    build(f);
    assert_int_equal(submit(f, 1, f->tick + 2, 6), LS_SUBMIT_TAKEN);
    ls_seats_release(&f->seats, 1);
    ls_seats_take(&f->seats, 1);
    ls_seats_join(&f->seats, 1);
    assert_int_equal(submit(f, 1, f->tick, 7), LS_SUBMIT_LATER);
    build(f);
    assert_int_equal(f->frame.inputs[0].kind, LS_LEAVE);
    build(f);
    assert_int_equal(f->frame.inputs[0].kind, LS_JOIN);
    assert_int_equal(f->frame.count, 1);
    /* The new player gets neither the queued states nor the last state of the previous player. */
    build(f);
    assert_only(f, LS_SUBSTITUTE, 0);
}

/* The last state of an absent player goes on as a substitute; those that it had proposed do not
 * count. */
TEST(test_seats_states_of_an_absent_player)
{
    fixture *f = *state;
    join(f, 1);
    assert_int_equal(submit(f, 1, f->tick, 5), LS_SUBMIT_TAKEN);
    build(f);
    assert_only(f, LS_STATE, 5);
    assert_int_equal(submit(f, 1, f->tick + 1, 6), LS_SUBMIT_TAKEN);
    ls_seats_lose(&f->seats, 1, 100);
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(ls_seats_is_ready(&f->seats, 1, f->tick)); /* no tick waits for it */
        build(f);
        assert_only(f, LS_SUBSTITUTE, 5);
    }
    ls_seats_take(&f->seats, 1);
    assert_int_equal(submit(f, 1, f->tick, 7), LS_SUBMIT_LATER);
    assert_true(ls_seats_join(&f->seats, 1));
    build(f);
    assert_only(f, LS_SUBSTITUTE, 5);
    assert_int_equal(submit(f, 1, f->tick, 7), LS_SUBMIT_TAKEN);
    build(f);
    assert_only(f, LS_STATE, 7);
}

TEST(test_seats_states_come_before_orders)
{
    fixture *f = *state;
    join(f, 2);
    const uint8_t order[4] = {9};
    ls_seat_input input = {.tick = f->tick, .sequence = 1, .bytes = 4, .data = order};
    assert_int_equal(ls_seats_submit(&f->seats, 2, &input), LS_SUBMIT_TAKEN);
    assert_int_equal(submit(f, 2, f->tick, 5), LS_SUBMIT_TAKEN);
    build(f);
    assert_int_equal(f->frame.count, 2);
    assert_int_equal(f->frame.inputs[0].kind, LS_STATE);
    assert_int_equal(f->frame.inputs[1].kind, LS_INPUT);
    assert_int_equal(f->frame.inputs[1].data[0], 9);
}

TEST(test_seats_states_replay_keeps_the_last)
{
    fixture *f = *state;
    const uint8_t data[BYTES] = {42, 0, 0};
    const ls_input inputs[] = {{0, LS_STATE, BYTES, data}};
    const ls_input joined = {0, LS_JOIN, 0, NULL};
    ls_seats_replay(&f->seats, &(ls_frame){.count = 1, .inputs = &joined});
    ls_seats_replay(&f->seats, &(ls_frame){.tick = 1, .count = 1, .inputs = inputs});
    f->tick = 2;
    build(f);
    assert_only(f, LS_SUBSTITUTE, 42);
    const ls_input left = {0, LS_LEAVE, 0, NULL};
    ls_seats_replay(&f->seats, &(ls_frame){.tick = 3, .count = 1, .inputs = &left});
    ls_seats_replay(&f->seats, &(ls_frame){.tick = 4, .count = 1, .inputs = &joined});
    f->tick = 5;
    build(f);
    assert_only(f, LS_SUBSTITUTE, 0);
}
