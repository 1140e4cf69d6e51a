#include "puppet.h"
#include "tally_sim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define MS UINT64_C(1000000)
#define S  (1000 * MS)

static const arena_config quiet = {.seed = 1, .conditions = {.delay_ns = 5 * MS}};

static void test_admission_repeats_the_same_accept(void **state)
{
    (void)state;
    arena *room = arena_create(&quiet);
    ls_handshake_client_config config = puppet_config(room, "again");
    puppet *client = puppet_create(room, &config);
    assert_true(client->has_accept);
    for (uint32_t i = 0; i < 3; i++)
        puppet_say_bytes(client, room, LS_CHANNEL_CONTROL, client->auth, client->auth_bytes);
    puppet_run(client, room, 100 * MS);
    assert_int_equal(client->accepts, 4);
    assert_int_equal(arena_stats(room).sessions, 0);
    puppet_confirm(client, room);
    puppet_run(client, room, 100 * MS);
    assert_int_equal(arena_stats(room).sessions, 1);
    /* Now it is a client of the match: a handshake message is noise. */
    puppet_say_bytes(client, room, LS_CHANNEL_CONTROL, client->auth, client->auth_bytes);
    puppet_run(client, room, 100 * MS);
    assert_int_equal(client->accepts, 4);
    assert_int_equal(arena_stats(room).sessions, 1);
    puppet_destroy(client);
    arena_destroy(room);
}

static void test_admission_ends_endless_attempts(void **state)
{
    (void)state;
    arena *room = arena_create(&quiet);
    ls_handshake_client_config config = puppet_config(room, "again");
    puppet *client = puppet_create(room, &config);
    for (uint32_t i = 0; i < LS_SERVER_HELLOS_MAX; i++)
        puppet_say_bytes(client, room, LS_CHANNEL_CONTROL, client->auth, client->auth_bytes);
    puppet_run(client, room, 100 * MS);
    assert_true(client->is_gone);
    assert_int_equal(arena_log_count(room, "too many handshake messages"), 1);
    puppet_destroy(client);
    arena_destroy(room);
}

static void test_admission_refuses_after_the_end(void **state)
{
    (void)state;
    arena *room = arena_create(&quiet);
    arena_join_bot(room, "bot");
    arena_run(room, 1 * S);
    ls_server_drain(room->server, room->now_ns);
    ls_handshake_client_config config = puppet_config(room, "late");
    puppet *client = puppet_create(room, &config);
    assert_false(client->has_accept);
    assert_non_null(strstr(client->refusal, "the match is over"));
    assert_int_equal(arena_stats(room).rejects, 1);
    puppet_destroy(client);
    arena_destroy(room);
}

static void test_admission_gives_spectators_no_seat(void **state)
{
    (void)state;
    arena *room = arena_create(&quiet);
    ls_handshake_client_config config = puppet_config(room, "eyes");
    config.flags = LS_HANDSHAKE_SPECTATE;
    puppet *client = puppet_create(room, &config);
    assert_int_equal(client->accept.player, LS_HANDSHAKE_PLAYER_NONE);
    puppet_destroy(client);
    arena_destroy(room);
}

static void test_admission_holds_a_seat_for_a_while_only(void **state)
{
    (void)state;
    arena *room =
        arena_create(&(arena_config){.seed = 1, .conditions = quiet.conditions, .players = 1});
    ls_handshake_client_config config = puppet_config(room, "hesitant");
    puppet *first = puppet_create(room, &config), *second = puppet_create(room, &config);
    assert_true(first->has_accept);
    assert_non_null(strstr(second->refusal, "all seats are taken"));
    puppet_run(first, room, LS_SERVER_HANDSHAKE_NS);
    assert_true(first->is_gone);
    puppet *third = puppet_create(room, &config);
    assert_true(third->has_accept);
    puppet_destroy(first);
    puppet_destroy(second);
    puppet_destroy(third);
    arena_destroy(room);
}

static void test_admission_tells_sealed_packets_apart(void **state)
{
    (void)state;
    arena *room = arena_create(&quiet);
    puppet *client = puppet_enter(room, "a");
    /* Sealed packets never look like one. */
    ls_plain plain;
    uint8_t storage[LS_PACKET_BYTES_MAX];
    ls_packet packet;
    ls_bye_encode(&(ls_bye){.text = ""}, &plain);
    assert_int_equal(ls_seal_close(&client->seal, &plain, storage, &packet), LS_OK);
    assert_int_equal(packet.data[0] & 0x40, 0);
    puppet_destroy(client);
    arena_destroy(room);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_admission_repeats_the_same_accept),
        cmocka_unit_test(test_admission_ends_endless_attempts),
        cmocka_unit_test(test_admission_refuses_after_the_end),
        cmocka_unit_test(test_admission_gives_spectators_no_seat),
        cmocka_unit_test(test_admission_holds_a_seat_for_a_while_only),
        cmocka_unit_test(test_admission_tells_sealed_packets_apart),
    };
    return cmocka_run_group_tests_name("admission", tests, NULL, NULL);
}
