#include "proto/limits.h"
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

static void post(puppet *client, arena *room, const uint8_t *data, uint32_t bytes)
{
    ls_link_post(client->link, NULL, data, bytes);
    ls_link_flush(client->link, room->now_ns);
}

static ls_server_stats stats_of(const arena *room)
{
    return ls_server_get_stats(room->server);
}

/* An attempt whose ACCEPT is lost asks again, and costs the server no second handshake. */
static void test_gate_repeated_auth_is_idempotent(void **state)
{
    (void)state;
    arena *room = arena_create(&quiet);
    ls_handshake_client_config config = puppet_config(room, "again");
    ls_handshake_client handshake;
    ls_handshake_client_init(&handshake, &config);
    ls_link *link = ls_network_open(room->network);
    uint8_t bytes[LS_MTU_BYTES], answer[LS_MTU_BYTES];
    ls_writer writer;
    ls_writer_init(&writer, bytes, sizeof bytes);
    ls_handshake_client_hello(&handshake, &writer);
    ls_link_post(link, NULL, bytes, (uint32_t)writer.count);
    ls_link_event event;
    uint32_t answers = 0, answer_bytes = 0;
    for (uint32_t i = 0; i < 200; i++) {
        arena_run(room, 1 * MS);
        while (ls_link_poll(link, room->now_ns, &event)) {
            ls_handshake_message message = {.data = event.packet.data, .bytes = event.packet.bytes};
            if (ls_handshake_client_cookie(&handshake, &message, 1700000000, NULL) == LS_OK) {
                ls_writer_init(&writer, bytes, sizeof bytes);
                ls_handshake_client_auth(&handshake, &writer);
                for (uint32_t k = 0; k < 50; k++)
                    ls_link_post(link, NULL, bytes, (uint32_t)writer.count);
                continue;
            }
            if (answers++ == 0) {
                answer_bytes = event.packet.bytes;
                memcpy(answer, event.packet.data, answer_bytes);
            }
            assert_int_equal(event.packet.bytes, answer_bytes);
            assert_memory_equal(event.packet.data, answer, answer_bytes);
        }
    }
    assert_int_equal(answers, 50);
    assert_int_equal(stats_of(room).auths, 50);
    assert_int_equal(stats_of(room).auths_repeated, 49);
    assert_int_equal(stats_of(room).sessions, 0);
    arena_run(room, LS_SERVER_HANDSHAKE_NS + 200 * MS);
    assert_int_equal(stats_of(room).handshakes_expired, 1);
    ls_handshake_client_reset(&handshake);
    ls_link_destroy(link);
    arena_destroy(room);
}

static void test_gate_refuses_after_the_end(void **state)
{
    (void)state;
    arena *room = arena_create(&quiet);
    arena_join_bot(room, "bot");
    arena_run(room, 1 * S);
    ls_room_drain(room->room, room->now_ns);
    ls_handshake_client_config config = puppet_config(room, "late");
    puppet *client = puppet_create(room, &config);
    assert_false(client->has_accept);
    assert_non_null(strstr(client->refusal, "the match is over"));
    assert_int_equal(stats_of(room).rejects, 1);
    puppet_destroy(client);
    arena_destroy(room);
}

static void test_gate_refuses_while_it_drains(void **state)
{
    (void)state;
    arena *room = arena_create(&quiet);
    arena_join_bot(room, "bot");
    arena_run(room, 1 * S);
    ls_server_drain(room->server, room->now_ns);
    ls_handshake_client_config config = puppet_config(room, "late");
    puppet *client = puppet_create(room, &config);
    assert_false(client->has_accept);
    assert_non_null(strstr(client->refusal, "the server stops"));
    puppet_destroy(client);
    arena_destroy(room);
}

static void test_gate_gives_spectators_no_seat(void **state)
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

static void test_gate_holds_a_seat_for_a_while_only(void **state)
{
    (void)state;
    arena *room =
        arena_create(&(arena_config){.seed = 1, .conditions = quiet.conditions, .players = 1});
    ls_handshake_client_config config = puppet_config(room, "hesitant");
    puppet *first = puppet_create(room, &config), *second = puppet_create(room, &config);
    assert_true(first->has_accept);
    assert_non_null(strstr(second->refusal, "all seats are taken"));
    puppet_run(first, room, LS_SERVER_HANDSHAKE_NS + 200 * MS);
    assert_true(first->is_gone);
    assert_int_equal(stats_of(room).handshakes_expired, 1);
    puppet *third = puppet_create(room, &config);
    assert_true(third->has_accept);
    puppet_destroy(first);
    puppet_destroy(second);
    puppet_destroy(third);
    arena_destroy(room);
}

/* Shakes hands anew over a link that did before; whether it is let in. */
static bool ask_anew(arena *room, ls_link *link, const ls_handshake_client_config *config)
{
    ls_handshake_client handshake;
    ls_handshake_accept accept;
    uint8_t bytes[LS_MTU_BYTES];
    ls_writer writer;
    ls_link_event event;
    bool is_in = false;
    ls_handshake_client_init(&handshake, config);
    ls_writer_init(&writer, bytes, sizeof bytes);
    ls_handshake_client_hello(&handshake, &writer);
    ls_link_post(link, NULL, bytes, (uint32_t)writer.count);
    for (uint32_t i = 0; i < 100; i++) {
        arena_run(room, 1 * MS);
        while (ls_link_poll(link, room->now_ns, &event)) {
            ls_handshake_message message = {.data = event.packet.data, .bytes = event.packet.bytes};
            if (event.kind != LS_LINK_DATAGRAM)
                continue;
            if (ls_handshake_client_cookie(&handshake, &message, 1700000000, NULL) == LS_OK) {
                ls_writer_init(&writer, bytes, sizeof bytes);
                ls_handshake_client_auth(&handshake, &writer);
                ls_link_post(link, NULL, bytes, (uint32_t)writer.count);
            } else {
                is_in |= ls_handshake_client_accept(&handshake, &message, &accept, NULL) == LS_OK;
            }
        }
    }
    ls_handshake_client_reset(&handshake);
    return is_in;
}

/* The seat that an attempt holds is no obstacle to the next one of the same client. */
static void test_gate_forgets_an_attempt_for_the_next(void **state)
{
    (void)state;
    arena *room =
        arena_create(&(arena_config){.seed = 1, .conditions = quiet.conditions, .players = 1});
    ls_handshake_client_config config = puppet_config(room, "again");
    puppet *first = puppet_create(room, &config);
    assert_true(first->has_accept);
    assert_false(ask_anew(room, first->link, &config)); /* the CONFIRM may just be late */
    puppet_run(first, room, LS_SECOND_NS);
    puppet *other = puppet_create(room, &config);
    assert_non_null(strstr(other->refusal, "all seats are taken"));
    assert_true(ask_anew(room, first->link, &config));
    puppet_destroy(first);
    puppet_destroy(other);
    arena_destroy(room);
}

static void test_gate_drops_what_is_no_handshake(void **state)
{
    (void)state;
    arena *room = arena_create(&quiet);
    puppet *client = puppet_enter(room, "a");
    uint64_t dropped = stats_of(room).packets_dropped;
    uint8_t bytes[LS_MTU_BYTES] = {0x40};
    for (uint32_t count = 1; count <= 64; count++)
        post(client, room, bytes, count);
    post(client, room, bytes, LS_AUTH_BYTES);
    post(client, room, bytes, LS_HELLO_BYTES);
    puppet_run(client, room, 100 * MS);
    assert_int_equal(stats_of(room).packets_dropped, dropped + 64);
    assert_int_equal(stats_of(room).auths_refused, 1);
    assert_int_equal(arena_stats(room).sessions, 1);
    assert_false(client->is_gone);
    puppet_destroy(client);
    arena_destroy(room);
}

/* One network's HELLOs above its budget are not answered; another's are. */
static void test_gate_limits_hellos_of_a_network(void **state)
{
    (void)state;
    arena *room = arena_create(&quiet);
    arena_run(room, 10 * MS);
    ls_handshake_client_config config = puppet_config(room, "x");
    ls_handshake_client handshake;
    ls_handshake_client_init(&handshake, &config);
    uint8_t bytes[LS_MTU_BYTES];
    ls_writer writer;
    ls_writer_init(&writer, bytes, sizeof bytes);
    ls_handshake_client_hello(&handshake, &writer);
    for (uint32_t i = 0; i < 2 * LS_SERVER_HELLOS_PER_NETWORK_S; i++) {
        ls_address from = {.host = {198, 51, 100, (uint8_t)i}, .port = {1, 1}};
        ls_network_inject(room->network, &from, bytes, LS_HELLO_BYTES);
    }
    ls_server_step(room->server, room->now_ns);
    assert_int_equal(stats_of(room).hellos_limited, LS_SERVER_HELLOS_PER_NETWORK_S);
    assert_int_equal(ls_network_get_stray(room->network).datagrams, LS_SERVER_HELLOS_PER_NETWORK_S);
    ls_address other = {.host = {198, 51, 101, 1}, .port = {1, 1}};
    ls_network_inject(room->network, &other, bytes, LS_HELLO_BYTES);
    ls_server_step(room->server, room->now_ns);
    assert_int_equal(ls_network_get_stray(room->network).datagrams,
                     LS_SERVER_HELLOS_PER_NETWORK_S + 1);
    ls_handshake_client_reset(&handshake);
    arena_destroy(room);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gate_repeated_auth_is_idempotent),
        cmocka_unit_test(test_gate_refuses_after_the_end),
        cmocka_unit_test(test_gate_refuses_while_it_drains),
        cmocka_unit_test(test_gate_gives_spectators_no_seat),
        cmocka_unit_test(test_gate_holds_a_seat_for_a_while_only),
        cmocka_unit_test(test_gate_forgets_an_attempt_for_the_next),
        cmocka_unit_test(test_gate_drops_what_is_no_handshake),
        cmocka_unit_test(test_gate_limits_hellos_of_a_network),
    };
    return cmocka_run_group_tests_name("gate", tests, NULL, NULL);
}
