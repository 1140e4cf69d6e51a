/* A room that keeps the seats of players who lost their session (ls_room_config.keep_seats_s). */
#include "puppet.h"
#include "tally_sim.h"

#include "tests/support/test.h"
#include <lockstep/limits.h>

enum { KEPT_S = 30 };

static void keep(void *context, ls_server_config *server, ls_room_config *room)
{
    const uint32_t *seconds = context;
    room->keep_seats_s = *seconds;
}

static arena *open_arena(const arena_config *given, uint32_t seconds)
{
    arena_config config = *given;
    config.seed = 1;
    config.conditions = arena_lan;
    config.prepare = keep;
    config.context = &seconds;
    arena *room = arena_create(&config);
    arena_join_bot(room, "steady");
    return room;
}

static arena *open_room(uint32_t seconds)
{
    arena *room = open_arena(&(arena_config){0}, seconds);
    arena_run_to_tick(room, 60, 5 * S);
    return room;
}

static uint32_t join_player(arena *room, const char *name, const uint8_t *secret)
{
    ls_client_config config = arena_client_config(room, name);
    config.resume_secret = secret;
    uint32_t index = arena_join(room, &config);
    arena_run(room, 1 * S);
    return index;
}

static void cut(arena *room, uint32_t index, bool is_cut)
{
    const ls_impairment_conditions dead = {.delay_ns = 5 * MS, .loss = LS_PROBABILITY_ONE};
    ls_network_set_conditions(room->clients[index].link, is_cut ? &dead : &arena_lan);
}

static void submit(arena *room, uint32_t index, uint8_t number)
{
    const uint8_t data[4] = {number};
    assert_ok(ls_client_submit(arena_client_at(room, index), data, sizeof data));
}

static void expect_inputs(arena *room, uint8_t seat, uint32_t inputs)
{
    const tally_book *book = tally_of(arena_world(room));
    assert_int_equal(book->inputs[seat], inputs);
    assert_int_equal(book->disorder[seat], 0);
    assert_int_equal(book->strangers, 0);
}

/* An outage that ends the session, and orders before, in and after it: each lands once. */
TEST(test_kept_seat_over_an_outage)
{
    arena *room = open_arena(&(arena_config){.tick_rate = 20}, KEPT_S);
    uint32_t index = join_player(room, "cut", NULL);
    uint8_t seat = arena_client_stats(room, index).player;
    submit(room, index, 1);
    arena_run(room, 100 * MS);
    submit(room, index, 2);
    cut(room, index, true);
    submit(room, index, 3);
    arena_run(room, 15 * S);
    assert_int_equal(arena_stats(room).timeouts, 1);
    assert_true(arena_client_stats(room, index).is_playing);
    submit(room, index, 4);
    cut(room, index, false);
    arena_run(room, 5 * S);
    submit(room, index, 5);
    arena_run(room, 1 * S);
    assert_int_equal(arena_client_stats(room, index).player, seat);
    assert_int_equal(arena_stats(room).leaves, 0);
    assert_int_equal(arena_stats(room).joins, 2);
    assert_int_equal(arena_stats(room).players, 2);
    assert_int_equal(arena_stats(room).seats_kept, 1);
    assert_int_equal(arena_log_count(room, "player_kept "), 1);
    assert_int_equal(tally_of(arena_world(room))->joins[seat], 1);
    expect_inputs(room, seat, 5);
    assert_int_equal(arena_client_stats(room, index).inputs_lost, 0);
    arena_assert_all_equal(room);
    arena_destroy(room);
}

/* The player's process is killed: the next one shows the secret at once, or after the session has
 * ended. */
TEST(test_kept_seat_over_a_crash)
{
    for (uint32_t is_late = 0; is_late < 2; is_late++) {
        arena *room = open_room(KEPT_S);
        uint32_t index = join_player(room, "crashed", NULL);
        uint8_t seat = arena_client_stats(room, index).player, secret[LS_RESUME_BYTES];
        submit(room, index, 1);
        arena_run(room, 1 * S);
        memcpy(secret, ls_client_resume_secret(arena_client_at(room, index)), sizeof secret);
        arena_kill(room, index);
        arena_run(room, is_late ? 12 * S : 0);
        index = join_player(room, "crashed", secret);
        arena_run(room, 1 * S);
        assert_int_equal(arena_client_stats(room, index).player, seat);
        assert_true(arena_client_stats(room, index).is_playing);
        submit(room, index, 2);
        arena_run(room, 1 * S);
        assert_int_equal(arena_stats(room).leaves, 0);
        assert_int_equal(arena_stats(room).seats_kept, 1);
        expect_inputs(room, seat, 2);
        arena_assert_all_equal(room);
        arena_destroy(room);
    }
}

/* A player returns too late: it has a LEAVE when the time is over, and a JOIN when it returns. */
TEST(test_kept_seat_is_left_in_time)
{
    arena *room = open_room(5);
    uint32_t index = join_player(room, "cut", NULL);
    cut(room, index, true);
    uint64_t begin_ns = room->now_ns;
    while (arena_stats(room).leaves == 0 && room->now_ns - begin_ns < 30 * S)
        arena_run(room, 10 * MS);
    assert_in_range(room->now_ns - begin_ns, 14900 * MS, 15400 * MS); /* 10 s of silence, then 5 */
    arena_run(room, 2 * S);
    cut(room, index, false);
    arena_run(room, 5 * S);
    assert_int_equal(arena_stats(room).joins, 3);
    assert_int_equal(arena_stats(room).seats_kept, 0);
    assert_true(arena_client_stats(room, index).is_playing);
    submit(room, index, 1);
    arena_run(room, 1 * S);
    expect_inputs(room, arena_client_stats(room, index).player, 1);
    arena_assert_all_equal(room);
    arena_destroy(room);
}

/* The machine is suspended while the seat is kept: the player could not return in that time. */
TEST(test_kept_seat_over_a_suspension)
{
    arena *room = open_room(5);
    uint32_t index = join_player(room, "cut", NULL);
    cut(room, index, true);
    arena_run(room, 12 * S); /* 10 s of silence; the seat is kept for 3 more */
    assert_int_equal(arena_stats(room).timeouts, 1);
    room->now_ns += 20 * S;
    arena_run(room, 1 * S);
    assert_int_equal(arena_stats(room).leaves, 0);
    cut(room, index, false);
    arena_run(room, 5 * S);
    assert_int_equal(arena_stats(room).leaves, 0);
    assert_int_equal(arena_stats(room).seats_kept, 1);
    arena_assert_all_equal(room);
    arena_destroy(room);
}

/* A player that says BYE, or is kicked, has left. */
TEST(test_kept_seat_is_not_for_players_who_leave)
{
    arena *room = open_arena(&(arena_config){.desync = LS_DESYNC_KICK}, KEPT_S);
    arena_run_to_tick(room, 60, 5 * S);
    uint32_t index = join_player(room, "leaves", NULL);
    ls_client_leave(arena_client_at(room, index), "enough", room->now_ns);
    arena_run(room, 500 * MS);
    assert_int_equal(arena_stats(room).leaves, 1);
    arena_join_corrupted(room, arena_stats(room).tick + 60, 77);
    arena_run(room, 5 * S);
    assert_int_equal(arena_stats(room).kicks, 1);
    assert_int_equal(arena_stats(room).leaves, 2);
    arena_destroy(room);
}

/* A kept seat is free for its player alone. An AUTH that never confirms, such as a recorded one,
 * does not shorten its time. */
TEST(test_attack_65_a_kept_seat_is_for_its_player)
{
    arena *room = open_arena(&(arena_config){.players = 2}, KEPT_S);
    arena_run_to_tick(room, 60, 5 * S);
    uint32_t index = join_player(room, "cut", NULL);
    uint8_t seat = arena_client_stats(room, index).player, secret[LS_RESUME_BYTES];
    memcpy(secret, ls_client_resume_secret(arena_client_at(room, index)), sizeof secret);
    cut(room, index, true);
    arena_run(room, 12 * S);
    uint32_t other = join_player(room, "other", NULL);
    arena_run(room, 2 * S);
    assert_int_equal(ls_client_get_state(arena_client_at(room, other)), LS_CLIENT_REFUSED);
    ls_handshake_client_config config = puppet_config(room, "half");
    config.resume_secret = secret;
    puppet *half = puppet_create(room, &config);
    assert_true(half->has_accept);
    assert_int_equal(half->accept.player, seat);
    puppet_destroy(half);
    arena_run(room, 11 * S);
    assert_int_equal(arena_stats(room).leaves, 0);
    cut(room, index, false);
    arena_run(room, 5 * S);
    assert_int_equal(arena_client_stats(room, index).player, seat);
    assert_int_equal(arena_stats(room).leaves, 0);
    assert_int_equal(arena_stats(room).seats_kept, 1);
    arena_destroy(room);
}

/* The return alone gives no inputs: a root has to be right first, and a wrong one is judged. */
TEST(test_attack_65_a_kept_seat_needs_a_right_world)
{
    arena *room = open_arena(&(arena_config){.desync = LS_DESYNC_KICK}, KEPT_S);
    arena_run_to_tick(room, 60, 5 * S);
    uint32_t index = join_player(room, "cut", NULL);
    uint8_t seat = arena_client_stats(room, index).player, secret[LS_RESUME_BYTES];
    memcpy(secret, ls_client_resume_secret(arena_client_at(room, index)), sizeof secret);
    arena_kill(room, index);
    ls_handshake_client_config config = puppet_config(room, "liar");
    config.resume_secret = secret;
    puppet *liar = puppet_create(room, &config);
    puppet_confirm(liar, room);
    puppet_run(liar, room, 50 * MS);
    const uint8_t data[4] = {9};
    ls_update update = {.input_count = 1, .inputs = {{.sequence = 1, .bytes = 4, .data = data}}};
    for (uint32_t i = 0; i < 20; i++) {
        update.ack = arena_stats(room).tick;
        puppet_update(liar, room, &update);
        puppet_run(liar, room, 50 * MS);
    }
    assert_int_equal(liar->ticks.input_ack, 0);
    expect_inputs(room, seat, 0);
    update = (ls_update){.ack = arena_stats(room).tick,
                         .roots_begin = true,
                         .root_first = arena_stats(room).tick - 1,
                         .root_count = 1,
                         .roots = {17}};
    puppet_update(liar, room, &update);
    puppet_run(liar, room, 4 * S); /* it is asked about its world first */
    assert_int_equal(arena_stats(room).desyncs, 1);
    assert_int_equal(arena_stats(room).kicks, 1);
    assert_int_equal(arena_stats(room).leaves, 1);
    assert_int_equal(arena_stats(room).seats_kept, 0);
    puppet_destroy(liar);
    arena_destroy(room);
}

/* A match that ends with its last player waits for one that may return. */
TEST(test_kept_seat_keeps_the_match)
{
    arena *room = open_arena(&(arena_config){.end_when_empty = true}, 8);
    arena_run_to_tick(room, 60, 5 * S);
    arena_kill(room, 0);
    arena_run(room, 15 * S);
    assert_non_null(room->room);
    assert_int_equal(arena_stats(room).players, 1);
    arena_run(room, 5 * S);
    assert_null(room->room);
    arena_destroy(room);
}

/* A player returns in time: the recording of the match, without a LEAVE, gives the same roots. */
TEST(test_kept_seat_is_recorded)
{
    arena *room = open_arena(&(arena_config){.ticks_max = 1500, .wait_players = 2}, KEPT_S);
    uint32_t index = arena_join_bot(room, "cut");
    arena_run_to_tick(room, 100, 5 * S);
    cut(room, index, true);
    arena_run(room, 12 * S);
    cut(room, index, false);
    arena_run_to_end(room, 30 * S);
    assert_int_equal(room->final_stats.leaves, 0);
    assert_int_equal(room->final_stats.seats_kept, 1);
    arena_assert_recording(room, 1500);
    arena_destroy(room);
}
