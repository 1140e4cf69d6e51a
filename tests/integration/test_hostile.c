/* Clients that must be refused, that vanish, and that send messages that a real client would never
 * send. */
#include "arena.h"
#include "proto/handshake_client.h"
#include "proto/message.h"
#include "tally_sim.h"
#include "tap.h"

#include "tests/support/test.h"

static void assert_refused(arena *room, uint32_t index, const char *text)
{
    ls_client *client = arena_client_at(room, index);
    assert_int_equal(ls_client_get_state(client), LS_CLIENT_REFUSED);
    if (!strstr(ls_client_reason(client), text))
        fail_msg("\"%s\" does not say \"%s\"", ls_client_reason(client), text);
}

TEST(test_hostile_wrong_key_is_refused)
{
    arena *room = arena_create(&(arena_config){.seed = 1, .conditions = arena_lan});
    ls_identity other;
    ls_identity_init(&other, NULL);
    ls_client_config config = arena_client_config(room, "careful");
    config.pin = &other.public_key;
    uint32_t index = arena_join(room, &config);
    arena_run(room, 3 * S);
    char text[LS_PUBLIC_KEY_TEXT_BYTES];
    ls_public_key_format(&room->identity.public_key, text);
    assert_refused(room, index, text);
    assert_int_equal(arena_stats(room).sessions, 0);
    assert_int_equal(ls_server_get_stats(room->server).auths,
                     0); /* the client sent nothing that depends on its secrets */
    arena_destroy(room);
}

static ls_status distrust(void *context, const ls_public_key *shown, ls_error *error)
{
    *(ls_public_key *)context = *shown;
    return ls_error_set(error, LS_ERROR_REFUSED, "never seen that one");
}

TEST(test_hostile_trust_callback_decides)
{
    arena *room = arena_create(&(arena_config){.seed = 2, .conditions = arena_lan});
    ls_public_key shown = {{0}};
    ls_client_config config = arena_client_config(room, "careful");
    config.pin = NULL;
    config.trust = distrust;
    config.trust_context = &shown;
    uint32_t index = arena_join(room, &config);
    arena_run(room, 3 * S);
    assert_refused(room, index, "never seen that one");
    assert_true(ls_public_key_equal(&shown, &room->identity.public_key));
    config.trust = NULL;
    index = arena_join(room, &config);
    arena_run(room, 3 * S);
    assert_int_equal(ls_client_get_state(arena_client_at(room, index)), LS_CLIENT_PLAYING);
    arena_destroy(room);
}

TEST(test_hostile_other_simulation_is_told)
{
    arena *room = arena_create(&(arena_config){.seed = 3, .conditions = arena_lan});
    ls_client_config config = arena_client_config(room, "foreign");
    config.program = room->other_program;
    uint32_t index = arena_join(room, &config);
    arena_run(room, 3 * S);
    assert_refused(room, index, "simulation");
    assert_true(ls_server_get_stats(room->server).rejects >= 1);
    assert_int_equal(ls_server_get_stats(room->server).auths, 0);
    arena_destroy(room);
}

TEST(test_hostile_full_room_refuses)
{
    arena *room = arena_create(&(arena_config){.seed = 4, .conditions = arena_lan, .players = 2});
    for (uint32_t i = 0; i < 3; i++)
        arena_join_bot(room, "bot");
    ls_client_config config = arena_client_config(room, "watcher");
    config.is_spectator = true;
    arena_join(room, &config);
    arena_run(room, 4 * S);
    uint32_t refused = 0;
    for (uint32_t i = 0; i < 3; i++)
        refused += ls_client_get_state(arena_client_at(room, i)) == LS_CLIENT_REFUSED;
    assert_int_equal(refused, 1);
    assert_int_equal(ls_client_get_state(arena_client_at(room, 3)), LS_CLIENT_PLAYING);
    assert_int_equal(arena_stats(room).joins, 2);
    arena_destroy(room);
}

TEST(test_hostile_vanished_client_leaves)
{
    arena *room = arena_create(&(arena_config){.seed = 5, .conditions = arena_lan});
    arena_join_bot(room, "stays");
    uint32_t victim = arena_join_bot(room, "vanishes");
    arena_run_to_tick(room, 100, 5 * S);
    assert_int_equal(arena_stats(room).players, 2);
    uint8_t seat = arena_client_stats(room, victim).player;
    arena_kill(room, victim);
    arena_run(room, 9 * S);
    assert_int_equal(arena_stats(room).leaves, 0);
    arena_run(room, 2 * S);
    assert_int_equal(arena_stats(room).leaves, 1);
    assert_int_equal(arena_stats(room).timeouts, 1);
    assert_int_equal(tally_of(arena_world(room))->leaves[seat], 1);
    assert_int_equal(arena_log_count(room, "reason=\"silent for too long\""), 1);
    arena_assert_all_equal(room);
    arena_destroy(room);
}

TEST(test_hostile_dead_server_is_noticed)
{
    arena *room = arena_create(&(arena_config){.seed = 6, .conditions = arena_lan});
    uint32_t index = arena_join_bot(room, "bot");
    arena_run_to_tick(room, 30, 5 * S);
    uint64_t gone_ns = room->now_ns;
    while (!ls_client_is_final(arena_client_at(room, index))) {
        assert_true(room->now_ns - gone_ns < 80 * S);
        ls_client_step(arena_client_at(room, index), room->now_ns += 10 * MS);
    }
    assert_int_equal(ls_client_get_state(arena_client_at(room, index)), LS_CLIENT_LOST);
    assert_non_null(strstr(ls_client_reason(arena_client_at(room, index)), "no packet"));
    arena_destroy(room);
}

/* Before tick 0 no ticks arrive; the client must not take the wait for a lost connection. */
TEST(test_hostile_long_wait_is_no_loss)
{
    arena *room =
        arena_create(&(arena_config){.seed = 7, .conditions = arena_lan, .wait_players = 2});
    arena_join_bot(room, "early");
    arena_run(room, 60 * S);
    assert_int_equal(arena_stats(room).state, LS_ROOM_WAITING);
    arena_join_bot(room, "late");
    arena_run(room, 2 * S);
    arena_assert_all_equal(room);
    assert_int_equal(arena_stats(room).joins, 2);
    arena_destroy(room);
}

TEST(test_hostile_resume_takes_the_seat_over)
{
    arena *room = arena_create(&(arena_config){.seed = 8, .conditions = arena_lan});
    arena_join_bot(room, "other");
    uint32_t index = arena_join_bot(room, "mover");
    arena_run_to_tick(room, 60, 5 * S);
    uint8_t seat = arena_client_stats(room, index).player;
    uint8_t secret[LS_RESUME_BYTES];
    memcpy(secret, ls_client_resume_secret(arena_client_at(room, index)), sizeof secret);
    arena_kill(room, index);
    ls_client_config config = arena_client_config(room, "mover");
    config.is_bot = true;
    config.resume_secret = secret;
    index = arena_join(room, &config);
    arena_run(room, 1 * S);
    assert_int_equal(arena_client_stats(room, index).player, seat);
    assert_true(arena_client_stats(room, index).is_playing);
    assert_int_equal(arena_stats(room).leaves, 1);
    assert_int_equal(arena_stats(room).joins, 3);
    assert_int_equal(arena_stats(room).sessions, 2);
    /* The old secret is used up: a third session gets another seat. */
    uint32_t third = arena_join(room, &config);
    arena_run(room, 1 * S);
    assert_int_not_equal(arena_client_stats(room, third).player, seat);
    assert_int_equal(arena_stats(room).sessions, 3);
    arena_assert_all_equal(room);
    arena_destroy(room);
}

TEST(test_hostile_session_that_is_replaced_stays_away)
{
    arena *room = arena_create(&(arena_config){.seed = 18, .conditions = arena_lan});
    uint32_t first = arena_join_bot(room, "first");
    arena_run_to_tick(room, 60, 5 * S);
    uint8_t secret[LS_RESUME_BYTES];
    memcpy(secret, ls_client_resume_secret(arena_client_at(room, first)), sizeof secret);
    ls_client_config config = arena_client_config(room, "second");
    config.is_bot = true;
    config.resume_secret = secret;
    uint32_t second = arena_join(room, &config);
    arena_run(room, 5 * S);
    assert_int_equal(ls_client_get_state(arena_client_at(room, first)), LS_CLIENT_REFUSED);
    assert_non_null(strstr(ls_client_reason(arena_client_at(room, first)), "taken its seat"));
    assert_true(arena_client_stats(room, second).is_playing);
    assert_int_equal(arena_stats(room).sessions, 1);
    assert_int_equal(arena_stats(room).joins, 2);
    assert_int_equal(arena_stats(room).leaves, 1);
    assert_int_equal(arena_stats(room).kicks, 0);
    arena_destroy(room);
}

TEST(test_hostile_replays_and_forgeries_do_nothing)
{
    arena *room = arena_create(
        &(arena_config){.seed = 9, .conditions = arena_lan, .wait_players = 2, .ticks_max = 400});
    arena_join_bot(room, "honest");
    ls_client_config config = arena_client_config(room, "tapped");
    config.is_bot = true;
    tap_config tap = {.seed = 9, .replays = 5, .forgeries = 2};
    arena_join_over(room, &config, tap_create(ls_network_open(room->network), &tap));
    arena_run_to_end(room, 20 * S);
    arena_assert_all_equal(room);
    ls_room_stats stats = arena_stats(room);
    assert_true(ls_server_get_stats(room->server).packets_dropped > 1500);
    assert_int_equal(stats.desyncs + stats.kicks + stats.leaves, 0);
    const tally_book *book = tally_of(arena_world(room));
    assert_int_equal(book->disorder[0] + book->disorder[1], 0);
    arena_destroy(room);
}

TEST(test_hostile_forger_is_dropped)
{
    arena *room = arena_create(&(arena_config){.seed = 10, .conditions = arena_lan});
    arena_join_bot(room, "honest");
    ls_client_config config = arena_client_config(room, "forger");
    config.is_bot = true;
    tap_config tap = {.seed = 10, .forgeries = 20};
    uint32_t index =
        arena_join_over(room, &config, tap_create(ls_network_open(room->network), &tap));
    arena_run(room, 5 * S);
    /* One log line per attempt. */
    assert_in_range(arena_log_count(room, "fail authentication"), 1, 5);
    assert_true(ls_server_get_stats(room->server).auths >= 2);
    assert_int_equal(ls_client_get_state(arena_client_at(room, 0)), LS_CLIENT_PLAYING);
    assert_true(arena_client_stats(room, 0).tick + 5 > arena_stats(room).tick);
    assert_false(arena_client_stats(room, index).has_diverged);
    arena_destroy(room);
}

/* Strangers send noise of every size before and during a handshake. */
TEST(test_hostile_noise_before_handshake)
{
    arena *room = arena_create(&(arena_config){.seed = 11, .conditions = arena_lan});
    arena_join_bot(room, "honest");
    uint64_t random = 1;
    for (uint32_t round = 0; round < 700; round++) {
        arena_run(room, 10 * MS);
        for (uint8_t i = 0; i < 8; i++) {
            static const uint32_t sizes[] = {
                1, LS_SEAL_BYTES, 100, LS_AUTH_BYTES, LS_PACKET_BYTES_MAX, LS_HELLO_BYTES};
            const ls_address from = LS_ADDRESS_IPV4(203, 0, 113, i, 1 << 8 | i);
            uint8_t bytes[LS_MTU_BYTES];
            for (uint32_t k = 0; k < sizeof bytes; k++)
                bytes[k] = (uint8_t)((random = random * 6364136223846793005u + 99) >> 40);
            bytes[0] = (uint8_t)(0x40 | round % 0x40);
            ls_network_inject(room->network, &from, bytes, sizes[round % LS_COUNT_OF(sizes)]);
        }
    }
    arena_assert_all_equal(room);
    assert_int_equal(arena_stats(room).sessions, 1);
    assert_int_equal(arena_stats(room).joins, 1);
    assert_int_equal(ls_network_get_stray(room->network).datagrams, 0);
    assert_int_equal(ls_server_get_stats(room->server).handshakes_expired, 0);
    arena_destroy(room);
}

TEST(test_hostile_input_flood_is_kicked)
{
    arena *room = arena_create(&(arena_config){.seed = 12, .conditions = {.delay_ns = 1 * MS}});
    arena_join_bot(room, "honest");
    ls_client_config config = arena_client_config(room, "flooder");
    uint32_t index = arena_join(room, &config);
    uint32_t number = 0;
    uint64_t begin_ns = room->now_ns;
    while (!ls_client_is_final(arena_client_at(room, index)) && room->now_ns - begin_ns < 30 * S) {
        arena_run(room, 1 * MS);
        for (uint32_t i = 0; i < 8; i++) {
            uint8_t bytes[4] = {(uint8_t)(number + 1), (uint8_t)((number + 1) >> 8),
                                (uint8_t)((number + 1) >> 16)};
            number += ls_client_submit(arena_client_at(room, index), bytes, sizeof bytes) == LS_OK;
        }
    }
    assert_refused(room, index, "input flood");
    ls_room_stats stats = arena_stats(room);
    assert_int_equal(stats.kicks, 1);
    assert_true(stats.inputs_limited > 0);
    /* The server limits the flooder's inputs, and the other player's inputs all arrive. */
    const tally_book *book = tally_of(arena_world(room));
    uint8_t honest = arena_client_stats(room, 0).player;
    uint64_t seconds = (room->now_ns - begin_ns) / S + 1;
    assert_true(book->inputs[1 - honest] <= 480 + seconds * 240);
    assert_true(book->inputs[honest] + 60 > stats.tick);
    assert_int_equal(book->disorder[1 - honest], 0);
    arena_run(room, 100 * MS);
    assert_int_equal(arena_stats(room).leaves, 1);
    arena_destroy(room);
}

/* Long inputs fill the frames: only their sender's inputs wait. */
TEST(test_hostile_long_inputs_starve_no_client)
{
    arena *room = arena_create(&(arena_config){.seed = 13, .conditions = {.delay_ns = 1 * MS}});
    uint32_t honest = arena_join_bot(room, "honest");
    ls_client_config config = arena_client_config(room, "long");
    uint32_t index = arena_join(room, &config);
    arena_run(room, 500 * MS);
    uint32_t number = 0;
    for (uint32_t round = 0; round < 5000; round++) {
        arena_run(room, 1 * MS);
        uint8_t bytes[LS_INPUT_BYTES_MAX] = {(uint8_t)(number + 1), (uint8_t)((number + 1) >> 8)};
        number += ls_client_submit(arena_client_at(room, index), bytes, sizeof bytes) == LS_OK;
    }
    arena_run(room, 1 * S);
    arena_assert_all_equal(room);
    ls_room_stats stats = arena_stats(room);
    const tally_book *book = tally_of(arena_world(room));
    assert_true(book->inputs[arena_client_stats(room, honest).player] + 60 > stats.tick);
    assert_true(book->inputs[arena_client_stats(room, index).player] > 5 * 60 * 2);
    assert_true(stats.frame_bytes <= stats.tick * LS_FRAME_BYTES_MAX);
    assert_int_equal(stats.kicks, 0);
    arena_destroy(room);
}
