#include "seats_fixture.h"

static bool not_zero(const ls_match *match, uint32_t player, const uint8_t *bytes, uint32_t count)
{
    return player < match->player_count && count && bytes[0] != 0;
}

static const ls_sim sim = {.input_is_valid = not_zero};
static const ls_match match = {.tick_rate = 60, .player_count = 4};

static int begin(void **state)
{
    return fixture_begin(state, &sim, &match);
}

/* Builds a frame and checks that the decoder accepts it. */
static void build_with(fixture *f, ls_seats_event event)
{
    uint8_t bytes[LS_FRAME_BYTES_MAX];
    ls_writer writer;
    ls_reader reader;
    ls_input inputs[LS_FRAME_INPUTS_MAX];
    ls_frame decoded;
    ls_seats_build(&f->seats, f->tick++, event, &f->frame, &f->taken);
    assert_int_equal(f->frame.count, f->taken.joins + f->taken.leaves + f->taken.inputs +
                                         f->taken.states + f->taken.substitutes +
                                         (event.kind != LS_INPUT));
    ls_writer_init(&writer, bytes, sizeof bytes);
    ls_frame_encode(&f->frame, &writer);
    assert_false(writer.failed);
    ls_reader_init(&reader, bytes, writer.count);
    assert_true(ls_frame_decode(&reader, f->frame.tick, match.player_count, inputs, &decoded));
}

static void build(fixture *f)
{
    build_with(f, (ls_seats_event){.kind = LS_INPUT});
}

static ls_submit_result submit_sized(fixture *f, uint32_t seat, uint32_t sequence, uint64_t wish,
                                     uint32_t bytes)
{
    uint8_t data[LS_INPUT_BYTES_MAX] = {(uint8_t)(sequence < 256 ? sequence : 255)};
    return ls_seats_submit(&f->seats, seat,
                           &(ls_seat_input){.tick = f->tick,
                                            .wanted_tick = wish,
                                            .sequence = sequence,
                                            .bytes = bytes,
                                            .data = data});
}

static ls_submit_result submit(fixture *f, uint32_t seat, uint32_t sequence, uint64_t wish)
{
    return submit_sized(f, seat, sequence, wish, 1);
}

static void join(fixture *f, uint32_t seat)
{
    ls_seats_take(&f->seats, seat);
    ls_seats_join(&f->seats, seat);
    build(f);
    assert_int_equal(f->taken.joins, 1);
}

TESTS_AROUND(begin, end);

TEST(test_seats_take_no_input_before_join)
{
    fixture *f = *state;
    ls_seats_take(&f->seats, 0);
    assert_int_equal(submit(f, 0, 1, 0), LS_SUBMIT_LATER);
    ls_seats_join(&f->seats, 0);
    assert_int_equal(submit(f, 0, 1, 0), LS_SUBMIT_LATER);
    build(f);
    assert_int_equal(f->frame.inputs[0].kind, LS_JOIN);
    assert_int_equal(submit(f, 0, 1, 0), LS_SUBMIT_TAKEN);
    build(f);
    assert_int_equal(f->frame.count, 1);
    assert_int_equal(f->frame.inputs[0].data[0], 1);
}

TEST(test_seats_take_each_input_once_in_order)
{
    fixture *f = *state;
    join(f, 1);
    assert_int_equal(submit(f, 1, 2, 0), LS_SUBMIT_LATER);
    assert_int_equal(submit(f, 1, 1, 0), LS_SUBMIT_TAKEN);
    assert_int_equal(submit(f, 1, 1, 0), LS_SUBMIT_KNOWN);
    assert_int_equal(submit(f, 1, 2, 0), LS_SUBMIT_TAKEN);
    assert_int_equal(submit(f, 1, 0, 0), LS_SUBMIT_KNOWN);
    build(f);
    assert_int_equal(f->frame.count, 2);
    assert_int_equal(f->frame.inputs[0].data[0], 1);
    assert_int_equal(f->frame.inputs[1].data[0], 2);
    build(f);
    assert_int_equal(f->frame.count, 0);
}

TEST(test_seats_refuse_invalid_and_far_inputs)
{
    fixture *f = *state;
    join(f, 0);
    uint8_t zero = 0;
    ls_seat_input bad = {.tick = f->tick, .sequence = 1, .bytes = 1, .data = &zero};
    assert_int_equal(ls_seats_submit(&f->seats, 0, &bad), LS_SUBMIT_REFUSED);
    /* The sequence number counts as used, so the client can continue. */
    assert_int_equal(submit(f, 0, 2, f->tick + LS_SERVER_INPUT_AHEAD + 1), LS_SUBMIT_REFUSED);
    assert_int_equal(submit(f, 0, 3, UINT64_MAX), LS_SUBMIT_REFUSED);
    assert_int_equal(submit(f, 0, 4, f->tick + LS_SERVER_INPUT_AHEAD), LS_SUBMIT_TAKEN);
    build(f);
    assert_int_equal(f->frame.count, 0);
}

TEST(test_seats_hold_inputs_until_their_tick)
{
    fixture *f = *state;
    join(f, 0);
    build(f);
    assert_int_equal(submit(f, 0, 1, f->tick + 2), LS_SUBMIT_TAKEN);
    assert_int_equal(submit(f, 0, 2, f->tick - 1), LS_SUBMIT_TAKEN);
    build(f);
    build(f);
    assert_int_equal(f->frame.count, 0); /* the second input must not overtake the first */
    build(f);
    assert_int_equal(f->frame.count, 2);
    assert_int_equal(f->taken.late, 1);
}

TEST(test_seats_bound_the_queue)
{
    fixture *f = *state;
    join(f, 0);
    uint64_t wish = f->tick + 10;
    for (uint32_t i = 1; i <= LS_SERVER_INPUT_QUEUE; i++)
        assert_int_equal(submit(f, 0, i, wish), LS_SUBMIT_TAKEN);
    assert_int_equal(submit(f, 0, LS_SERVER_INPUT_QUEUE + 1, wish), LS_SUBMIT_LATER);
    assert_false(ls_seats_is_open(&f->seats, 0, LS_SERVER_INPUT_QUEUE + 1));
}

TEST(test_seats_share_a_full_frame)
{
    fixture *f = *state;
    join(f, 0);
    join(f, 3);
    const uint32_t fit = LS_SERVER_INPUT_BYTES / LS_INPUT_BYTES_MAX;
    for (uint32_t i = 1; i <= fit; i++)
        assert_int_equal(submit_sized(f, 0, i, 0, LS_INPUT_BYTES_MAX), LS_SUBMIT_TAKEN);
    assert_int_equal(submit_sized(f, 0, fit + 1, 0, LS_INPUT_BYTES_MAX), LS_SUBMIT_LATER);
    assert_int_equal(submit(f, 3, 1, 0), LS_SUBMIT_TAKEN);
    assert_int_equal(submit(f, 3, 2, 0), LS_SUBMIT_TAKEN);
    build(f);
    uint32_t others = 0;
    for (uint32_t i = 0; i < f->frame.count; i++)
        others += f->frame.inputs[i].player == 3;
    assert_int_equal(others, 2);
    uint32_t landed = f->taken.inputs;
    while (f->taken.inputs) {
        build(f);
        landed += f->taken.inputs;
    }
    assert_int_equal(landed, fit + 2);
}

/* Two seats that could each fill every frame get equal shares over time. */
TEST(test_seats_take_turns)
{
    fixture *f = *state;
    uint32_t sequence[2] = {1, 1}, landed[2] = {0, 0};
    join(f, 0);
    join(f, 1);
    for (uint32_t tick = 0; tick < 40; tick++) {
        for (uint32_t seat = 0; seat < 2; seat++)
            while (submit_sized(f, seat, sequence[seat], 0, LS_INPUT_BYTES_MAX) == LS_SUBMIT_TAKEN)
                sequence[seat]++;
        build(f);
        assert_int_equal(f->frame.count, 3);
        for (uint32_t i = 0; i < f->frame.count; i++)
            landed[f->frame.inputs[i].player]++;
    }
    assert_in_range(landed[0], landed[1] - 5, landed[1] + 5);
}

TEST(test_seats_leave_drops_queued_inputs)
{
    fixture *f = *state;
    join(f, 2);
    assert_int_equal(submit(f, 2, 1, 0), LS_SUBMIT_TAKEN);
    ls_seats_release(&f->seats, 2);
    build(f);
    assert_int_equal(f->frame.count, 1);
    assert_int_equal(f->frame.inputs[0].kind, LS_LEAVE);
    build(f);
    assert_int_equal(f->frame.count, 0);
}

TEST(test_seats_leave_before_join_shows_nothing)
{
    fixture *f = *state;
    ls_seats_take(&f->seats, 2);
    ls_seats_join(&f->seats, 2);
    ls_seats_release(&f->seats, 2);
    build(f);
    assert_int_equal(f->frame.count, 0);
}

TEST(test_seats_next_holder_joins_a_tick_later)
{
    fixture *f = *state;
    join(f, 0);
    assert_int_equal(submit(f, 0, 1, 0), LS_SUBMIT_TAKEN);
    ls_seats_release(&f->seats, 0);
    ls_seats_take(&f->seats, 0);
    ls_seats_join(&f->seats, 0);
    assert_int_equal(submit(f, 0, 1, 0), LS_SUBMIT_LATER);
    build(f);
    assert_int_equal(f->taken.leaves, 1);
    assert_int_equal(f->taken.joins, 0);
    build(f);
    assert_int_equal(f->taken.joins, 1);
    assert_int_equal(submit(f, 0, 1, 0), LS_SUBMIT_TAKEN);
}

TEST(test_seats_prefer_unused_then_longest_left)
{
    fixture *f = *state;
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(ls_seats_find_free(&f->seats), i);
        ls_seats_take(&f->seats, i);
    }
    assert_int_equal(ls_seats_find_free(&f->seats), LS_SEAT_NONE);
    ls_seats_release(&f->seats, 2);
    ls_seats_release(&f->seats, 0);
    assert_int_equal(ls_seats_find_free(&f->seats), 2);
}

TEST(test_seats_know_their_secrets)
{
    fixture *f = *state;
    uint8_t zeros[LS_RESUME_BYTES] = {0}, ours[LS_RESUME_BYTES] = {1, 2, 3};
    ls_seats_take(&f->seats, 1);
    assert_int_equal(ls_seats_find_secret(&f->seats, zeros), LS_SEAT_NONE);
    ls_seats_set_secret(&f->seats, 1, ours);
    assert_int_equal(ls_seats_find_secret(&f->seats, ours), 1);
    assert_int_equal(ls_seats_find_secret(&f->seats, zeros), LS_SEAT_NONE);
    ls_seats_release(&f->seats, 1);
    assert_int_equal(ls_seats_find_secret(&f->seats, ours), 1);
}

TEST(test_seats_pause_and_resume_are_in_the_stream)
{
    fixture *f = *state;
    join(f, 1);
    join(f, 3);
    assert_int_equal(submit(f, 3, 1, 0), LS_SUBMIT_TAKEN);
    build_with(f, (ls_seats_event){.kind = LS_PAUSE, .player = 1});
    assert_int_equal(f->frame.count, 2);
    assert_int_equal(f->frame.inputs[0].kind, LS_PAUSE);
    assert_int_equal(f->frame.inputs[0].player, 1);
    /* The server's own input comes after those of all seats. */
    assert_int_equal(submit(f, 3, 2, 0), LS_SUBMIT_TAKEN);
    build_with(f, (ls_seats_event){.kind = LS_RESUME, .player = match.player_count});
    assert_int_equal(f->frame.count, 2);
    assert_int_equal(f->frame.inputs[1].kind, LS_RESUME);
    assert_int_equal(f->frame.inputs[1].player, match.player_count);
}

TEST(test_seats_remember_their_clients)
{
    fixture *f = *state;
    assert_int_equal(ls_seats_find_client(&f->seats, ""), LS_SEAT_NONE);
    assert_int_equal(ls_seats_find_client(&f->seats, "anna"), LS_SEAT_NONE);
    strcpy(f->seats.items[2].client, "anna");
    assert_int_equal(ls_seats_find_client(&f->seats, "anna"), 2);
    assert_int_equal(ls_seats_find_client(&f->seats, "ann"), LS_SEAT_NONE);
}

/* Time in which no player could return does not count. */
TEST(test_seats_keep_an_absent_player_over_a_suspension)
{
    fixture *f = *state;
    join(f, 1);
    ls_seats_lose(&f->seats, 1, 100);
    ls_seats_extend(&f->seats, 50);
    ls_seats_expire(&f->seats, 149);
    assert_true(ls_seats_has_absent(&f->seats));
    ls_seats_expire(&f->seats, 150);
    assert_false(ls_seats_has_absent(&f->seats));
    ls_seats_extend(&f->seats, 50); /* no absence begins */
    assert_false(ls_seats_has_absent(&f->seats));
}

/* A player that lost its session stays in the stream until the time that was set first. */
TEST(test_seats_keep_an_absent_player)
{
    fixture *f = *state;
    join(f, 1);
    assert_int_equal(submit(f, 1, 1, f->tick + 5), LS_SUBMIT_TAKEN);
    ls_seats_lose(&f->seats, 1, 100);
    assert_true(ls_seats_has_absent(&f->seats));
    /* Nothing queued lands any more. */
    for (uint32_t i = 0; i < 8; i++) {
        ls_seats_expire(&f->seats, 99);
        build(f);
        assert_int_equal(f->frame.count, 0);
    }
    /* It is no seat for a newcomer, and a claim that comes to nothing changes no time. */
    for (uint32_t i = 0; i < 3; i++)
        ls_seats_take(&f->seats, ls_seats_find_free(&f->seats));
    assert_int_equal(ls_seats_find_free(&f->seats), LS_SEAT_NONE);
    ls_seats_take(&f->seats, 1);
    ls_seats_lose(&f->seats, 1, 0);
    ls_seats_take(&f->seats, 1);
    ls_seats_lose(&f->seats, 1, 500);
    ls_seats_expire(&f->seats, 99);
    build(f);
    assert_int_equal(f->frame.count, 0);
    ls_seats_expire(&f->seats, 100);
    build(f);
    assert_int_equal(f->taken.leaves, 1);
    assert_false(ls_seats_has_absent(&f->seats));
    assert_int_equal(ls_seats_find_free(&f->seats), 1);
}

TEST(test_seats_go_on_after_a_return)
{
    fixture *f = *state;
    join(f, 1);
    assert_int_equal(submit(f, 1, 1, 0), LS_SUBMIT_TAKEN);
    ls_seats_lose(&f->seats, 1, 100);
    ls_seats_take(&f->seats, 1);
    /* Not before it has shown its world. */
    assert_int_equal(submit(f, 1, 1, 0), LS_SUBMIT_LATER);
    build(f);
    assert_int_equal(f->frame.count, 0);
    assert_true(ls_seats_join(&f->seats, 1));
    assert_int_equal(submit(f, 1, 1, 0), LS_SUBMIT_TAKEN);
    ls_seats_expire(&f->seats, 1000);
    build(f);
    assert_int_equal(f->frame.count, 1);
    assert_int_equal(f->taken.inputs, 1);
    /* A later loss has a time of its own; without one the player leaves. */
    ls_seats_lose(&f->seats, 1, 2000);
    ls_seats_expire(&f->seats, 1999);
    assert_true(ls_seats_has_absent(&f->seats));
    ls_seats_take(&f->seats, 1);
    ls_seats_release(&f->seats, 1);
    assert_false(ls_seats_has_absent(&f->seats));
    build(f);
    assert_int_equal(f->taken.leaves, 1);
}

/* An absent player that is still loading when the time is over joins anew. */
TEST(test_seats_join_again_when_the_time_is_over)
{
    fixture *f = *state;
    join(f, 1);
    ls_seats_lose(&f->seats, 1, 100);
    ls_seats_take(&f->seats, 1);
    ls_seats_expire(&f->seats, 100);
    assert_false(ls_seats_join(&f->seats, 1));
    build(f);
    assert_int_equal(f->taken.leaves, 1);
    build(f);
    assert_int_equal(f->taken.joins, 1);
    /* There is nothing to keep of a player before its JOIN, or after its LEAVE. */
    ls_seats_take(&f->seats, 2);
    ls_seats_join(&f->seats, 2);
    ls_seats_lose(&f->seats, 2, 100);
    assert_false(ls_seats_has_absent(&f->seats));
    build(f);
    assert_int_equal(f->frame.count, 0);
}

TEST(test_seats_replay_restores_the_players)
{
    fixture *f = *state;
    const ls_input inputs[] = {
        {0, LS_JOIN, 0, NULL}, {2, LS_JOIN, 0, NULL}, {4, LS_PAUSE, 0, NULL}};
    const ls_input left = {0, LS_LEAVE, 0, NULL};
    ls_seats_replay(&f->seats, &(ls_frame){.count = 3, .inputs = inputs});
    ls_seats_replay(&f->seats, &(ls_frame){.tick = 1, .count = 1, .inputs = &left});
    assert_false(f->seats.items[0].is_in_stream);
    assert_false(f->seats.items[1].is_in_stream);
    assert_true(f->seats.items[2].is_in_stream);
}
