#include "puppet.h"
#include "raw_client.h"
#include "server/capacity.h"
#include "server/room_state.h"
#include "server/server_state.h"
#include "tally_sim.h"
#include "tests/support/test.h"
#include <lockstep/session_limits.h>

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

/* A client that lost its ACCEPT sends its AUTH again. It gets the same bytes, without a second
 * handshake. */
TEST(test_admission_repeated_auth_is_idempotent)
{
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
                ls_handshake_client_auth(&handshake, 0, &writer);
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

TEST(test_admission_refuses_after_the_end)
{
    for (uint32_t drains = 0; drains < 2; drains++) {
        arena *room = arena_create(&quiet);
        arena_join_bot(room, "bot");
        arena_run(room, 1 * S);
        if (drains)
            ls_server_drain(room->server, room->now_ns);
        else
            ls_room_drain(room->room, room->now_ns);
        ls_handshake_client_config config = puppet_config(room, "late");
        puppet *client = puppet_create(room, &config);
        assert_false(client->has_accept);
        assert_non_null(strstr(client->refusal, drains ? "the server stops" : "the match is over"));
        assert_int_equal(stats_of(room).rejects, 1);
        puppet_destroy(client);
        arena_destroy(room);
    }
}

TEST(test_admission_gives_spectators_no_seat)
{
    arena *room = arena_create(&quiet);
    ls_handshake_client_config config = puppet_config(room, "eyes");
    config.flags = LS_HANDSHAKE_SPECTATE;
    puppet *client = puppet_create(room, &config);
    assert_int_equal(client->accept.player, LS_HANDSHAKE_PLAYER_NONE);
    puppet_destroy(client);
    arena_destroy(room);
}

TEST(test_admission_holds_a_seat_for_a_while_only)
{
    arena *room =
        arena_create(&(arena_config){.seed = 1, .conditions = quiet.conditions, .players = 1});
    ls_handshake_client_config config = puppet_config(room, "hesitant");
    puppet *first = puppet_create(room, &config), *second = puppet_create(room, &config);
    assert_true(first->has_accept);
    assert_non_null(
        strstr(second->refusal, "busy: all seats are taken")); /* one may be free soon */
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

/* Shakes hands again over a used link; returns whether the client got an ACCEPT. */
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
                ls_handshake_client_auth(&handshake, 0, &writer);
                ls_link_post(link, NULL, bytes, (uint32_t)writer.count);
            } else {
                is_in |= ls_handshake_client_accept(&handshake, &message, &accept, NULL) == LS_OK;
            }
        }
    }
    ls_handshake_client_reset(&handshake);
    return is_in;
}

/* The seat that a failed attempt holds does not block the same client's next attempt. */
TEST(test_admission_forgets_an_attempt_for_the_next)
{
    arena *room =
        arena_create(&(arena_config){.seed = 1, .conditions = quiet.conditions, .players = 1});
    ls_handshake_client_config config = puppet_config(room, "again");
    puppet *first = puppet_create(room, &config);
    assert_true(first->has_accept);
    assert_false(ask_anew(room, first->link, &config)); /* the CONFIRM may still arrive */
    puppet_run(first, room, LS_SECOND_NS);
    puppet *other = puppet_create(room, &config);
    assert_non_null(strstr(other->refusal, "all seats are taken"));
    assert_true(ask_anew(room, first->link, &config));
    puppet_destroy(first);
    puppet_destroy(other);
    arena_destroy(room);
}

TEST(test_admission_drops_other_datagrams)
{
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

static void make_hello(const arena *room, uint8_t bytes[LS_MTU_BYTES])
{
    ls_handshake_client_config config = puppet_config(room, "x");
    ls_handshake_client handshake;
    ls_writer writer;
    ls_handshake_client_init(&handshake, &config);
    ls_writer_init(&writer, bytes, LS_MTU_BYTES);
    ls_handshake_client_hello(&handshake, &writer);
    ls_handshake_client_reset(&handshake);
}

/* HELLOs of a network above its budget are not answered; those of another network are. */
TEST(test_admission_limits_hellos_of_a_network)
{
    arena *room = arena_create(&quiet);
    arena_run(room, 10 * MS);
    uint8_t bytes[LS_MTU_BYTES];
    make_hello(room, bytes);
    for (uint32_t i = 0; i < 2 * LS_SERVER_HELLOS_PER_NETWORK_S; i++) {
        ls_address from = LS_ADDRESS_IPV4(198, 51, 100, (uint8_t)i, 257);
        ls_network_inject(room->network, &from, bytes, LS_HELLO_BYTES);
    }
    ls_server_step(room->server, room->now_ns);
    assert_int_equal(stats_of(room).hellos_limited, LS_SERVER_HELLOS_PER_NETWORK_S);
    assert_int_equal(ls_network_get_stray(room->network).datagrams, LS_SERVER_HELLOS_PER_NETWORK_S);
    ls_address other = LS_ADDRESS_IPV4(198, 51, 101, 1, 257);
    ls_network_inject(room->network, &other, bytes, LS_HELLO_BYTES);
    ls_server_step(room->server, room->now_ns);
    assert_int_equal(ls_network_get_stray(room->network).datagrams,
                     LS_SERVER_HELLOS_PER_NETWORK_S + 1);
    arena_destroy(room);
}

/* An attacker with an IPv6 /56 has 2^72 addresses and one budget. */
TEST(test_admission_limits_hellos_of_an_ipv6_network)
{
    arena *room = arena_create(&quiet);
    arena_run(room, 10 * MS);
    uint8_t bytes[LS_MTU_BYTES];
    make_hello(room, bytes);
    ls_address from = {.host = {0x20, 1, 0xd, 0xb8, 1, 2, 3}, .port = {1, 1}};
    for (uint32_t i = 0; i < 2 * LS_SERVER_HELLOS_PER_NETWORK_S; i++) {
        from.host[7] = (uint8_t)i;
        from.host[15] = (uint8_t)(i * 7);
        ls_network_inject(room->network, &from, bytes, LS_HELLO_BYTES);
    }
    ls_server_step(room->server, room->now_ns);
    assert_int_equal(stats_of(room).hellos_limited, LS_SERVER_HELLOS_PER_NETWORK_S);
    from.host[6]++;
    ls_network_inject(room->network, &from, bytes, LS_HELLO_BYTES);
    ls_server_step(room->server, room->now_ns);
    assert_int_equal(stats_of(room).hellos_limited, LS_SERVER_HELLOS_PER_NETWORK_S);
    arena_destroy(room);
}

/* HELLOs from this machine have their own budget. A health check is answered during any flood, but
 * cannot flood the server itself. */
TEST(test_admission_hellos_of_this_machine_have_their_own_budget)
{
    arena *room = arena_create(&quiet);
    arena_run(room, 10 * MS);
    uint8_t bytes[LS_MTU_BYTES];
    make_hello(room, bytes);
    /* A flood from many networks uses up the whole budget. */
    uint64_t flood = 2 * LS_SERVER_HELLOS_PER_S;
    for (uint64_t i = 0; i < flood; i++) {
        ls_address from = LS_ADDRESS_IPV4(20, (uint8_t)(i >> 8), (uint8_t)i, 1, 257);
        ls_network_inject(room->network, &from, bytes, LS_HELLO_BYTES);
        if (i % 1024 == 0)
            ls_server_step(room->server, room->now_ns);
    }
    ls_server_step(room->server, room->now_ns);
    uint64_t before = ls_network_get_stray(room->network).datagrams;
    assert_true(stats_of(room).hellos_limited > flood / 2);
    for (uint32_t i = 0; i < 2 * LS_SERVER_HELLOS_PER_NETWORK_S; i++) {
        ls_address local = LS_ADDRESS_IPV4(127, 0, 0, 1, 1 << 8 | (uint8_t)i);
        ls_network_inject(room->network, &local, bytes, LS_HELLO_BYTES);
    }
    ls_server_step(room->server, room->now_ns);
    assert_int_equal(ls_network_get_stray(room->network).datagrams - before,
                     LS_SERVER_HELLOS_PER_NETWORK_S);
    arena_destroy(room);
}

/* Many AUTHs at once: a step takes a few, and the next step follows without a pause. */
TEST(test_admission_a_step_takes_few_auths)
{
    enum { CLIENTS = 2 * LS_SERVER_AUTHS_PER_STEP + 1 };
    arena *room = arena_create(&quiet);
    arena_run(room, 10 * MS);
    const ls_handshake_client_config config = puppet_config(room, "many");
    raw_client *clients[CLIENTS];
    for (uint32_t i = 0; i < CLIENTS; i++) {
        clients[i] = raw_create(room, &config);
        raw_get_cookie(clients[i], room);
        assert_true(clients[i]->has_auth);
    }
    uint64_t before = stats_of(room).auths, taken = 0;
    for (uint32_t i = 0; i < CLIENTS; i++)
        ls_network_inject(room->network, &clients[i]->address, clients[i]->auth, LS_AUTH_BYTES);
    while (taken < CLIENTS) {
        ls_server_step(room->server, room->now_ns);
        taken += LS_SERVER_AUTHS_PER_STEP;
        taken = taken < CLIENTS ? taken : CLIENTS;
        assert_int_equal(stats_of(room).auths - before, taken);
        assert_int_equal(ls_server_step_interval_ns(room->server) == 0, taken < CLIENTS);
    }
    for (uint32_t i = 0; i < CLIENTS; i++)
        raw_destroy(clients[i]);
    arena_destroy(room);
}

static uint32_t count_taken(const arena *room)
{
    uint32_t taken = 0;
    for (uint32_t i = 0; i < room->room->match.config.player_count; i++)
        taken += room->room->match.seats.items[i].is_taken;
    return taken;
}

/* An AUTH that was lost, and comes again and again when its sender has long entered by another one,
 * holds a seat for one handshake only. */
TEST(test_admission_late_copies_hold_no_seat_for_long)
{
    arena *room = arena_create(&quiet);
    arena_run(room, 10 * MS);
    puppet *player = puppet_enter(room, "player");
    const ls_handshake_client_config config = puppet_config(room, "player");
    raw_client *copy = raw_create(room, &config);
    raw_get_cookie(copy, room);
    ls_server_session *session = room->server->sessions;
    while (session->phase != LS_SERVER_SESSION_ACTIVE)
        session++;
    session->entrant.remote = ls_network_remote(copy->link);
    uint64_t begin_ns = room->now_ns, held_ns = 0;
    while (room->now_ns < begin_ns + LS_SERVER_HANDSHAKE_MAX_NS) {
        ls_network_inject(room->network, &copy->address, copy->auth, LS_AUTH_BYTES);
        puppet_run(player, room, 100 * MS);
        if (count_taken(room) == 2)
            held_ns = room->now_ns - begin_ns;
    }
    assert_in_range(held_ns, LS_SERVER_HANDSHAKE_NS - 200 * MS, LS_SERVER_HANDSHAKE_NS + 200 * MS);
    raw_destroy(copy);
    puppet_destroy(player);
    arena_destroy(room);
}

/* A client that began anew within a second, because the answer to its first AUTH was lost, leaves
 * that grant's seat when it connects by the second one. Copies of the first AUTH do not keep it. */
TEST(test_admission_connecting_frees_the_seat_of_an_earlier_attempt)
{
    arena *room = arena_create(&quiet);
    arena_run(room, 10 * MS);
    const ls_handshake_client_config config = puppet_config(room, "player");
    raw_client *first = raw_create(room, &config);
    raw_get_cookie(first, room);
    ls_network_inject(room->network, &first->address, first->auth, LS_AUTH_BYTES);
    arena_run(room, 20 * MS);
    assert_int_equal(count_taken(room), 1);
    /* The attempts come from one socket; here the network gives the second one the next address. */
    ls_pending_table *pending = &room->server->pending;
    const ls_remote former = ls_network_remote(first->link);
    uint32_t index = 0;
    while (!pending->keys[index] ||
           !ls_remote_is_same(&pending->items[index].entrant.remote, &former))
        index++;
    ls_remote *own = &pending->items[index].entrant.remote;
    own->bytes[15]++;
    ls_remote common = *own;
    puppet *second = puppet_create(room, &config);
    ls_remote there = ls_network_remote(second->link);
    assert_true(ls_remote_is_same(&there, &common));
    puppet_confirm(second, room);
    for (uint32_t i = 0; i < 10; i++) {
        puppet_run(second, room, 100 * MS);
        assert_int_equal(count_taken(room), 1);
        ls_network_inject(room->network, &first->address, first->auth, LS_AUTH_BYTES);
    }
    raw_destroy(first);
    puppet_destroy(second);
    arena_destroy(room);
}

static void allow_two(void *context, ls_server_config *server, ls_room_config *room)
{
    server->peers_max = 2;
}

/* With more seats than connections, a client that gets no connection learns why and holds no seat.
 * A client that resumes a seat is put off, because the connection in use may be its own. */
TEST(test_admission_tells_that_all_connections_are_in_use)
{
    arena *room = arena_create(
        &(arena_config){.seed = 1, .conditions = {.delay_ns = 5 * MS}, .prepare = allow_two});
    puppet *first = puppet_enter(room, "first"), *second = puppet_enter(room, "second");
    ls_handshake_client_config config = puppet_config(room, "third");
    puppet *third = puppet_create(room, &config);
    assert_false(third->has_accept);
    assert_non_null(strstr(third->refusal, "all 2 connections of the server are in use"));
    assert_int_equal(stats_of(room).handshakes_expired, 0);
    config.resume_secret = second->accept.resume_secret;
    puppet *back = puppet_create(room, &config);
    assert_false(back->has_accept);
    assert_non_null(strstr(back->refusal, "busy: all 2 connections of the server are in use"));
    puppet_destroy(back);
    arena_run(room, LS_SERVER_SILENCE_NS + S); /* longer than both may be silent */
    back = puppet_create(room, &config);
    assert_true(back->has_accept);
    assert_int_equal(back->accept.player, second->accept.player);
    puppet_destroy(back);
    puppet_destroy(third);
    puppet_destroy(second);
    puppet_destroy(first);
    arena_destroy(room);
}

/* A granted connection counts before the client connects: of two clients of one address at the same
 * time, only one gets the last connection. */
TEST(test_admission_grants_no_connection_twice)
{
    arena *room = arena_create(&quiet);
    const ls_remote remote = {{1}};
    const ls_remote_key host = {{1}}, other = {{2}};
    ls_error error = {""};
    const uint8_t ephemeral[32] = {1};
    puppet *first = puppet_enter(room, "first");
    uint32_t peers_max = room->server->peers_max;
    room->server->peers_max = 2;
    assert_ok(ls_capacity_connection(room->server, &host, &error));
    ls_pending *granted = ls_pending_add(&room->server->pending, &remote, ephemeral, room->now_ns);
    granted->entrant.host = host;
    assert_ok(ls_capacity_connection(room->server, &host, &error));
    granted->connect_id = 77;
    assert_int_equal(ls_capacity_connection(room->server, &host, &error), LS_ERROR_LIMIT);
    /* A client that never connects uses up only its own host's share. */
    assert_ok(ls_capacity_connection(room->server, &other, &error));
    room->server->peers_max = peers_max;
    room->server->connections_per_host = 1;
    assert_int_equal(ls_capacity_connection(room->server, &host, &error), LS_ERROR_LIMIT);
    assert_non_null(strstr(error.text, "all 1 connections of this address are in use"));
    assert_ok(ls_capacity_connection(room->server, &other, &error));
    ls_pending_release(&room->server->pending, granted);
    puppet_destroy(first);
    arena_destroy(room);
}

TEST(test_admission_limits_the_rooms_of_a_host)
{
    arena *room = arena_create(&quiet);
    ls_error error = {""};
    room->server->rooms_per_host_remedy = "more rooms";
    for (uint32_t i = 0; i < LS_SERVER_ROOMS_PER_HOST; i++)
        assert_ok(ls_capacity_room(room->server, 7, room->now_ns, &error));
    assert_int_equal(ls_capacity_room(room->server, 7, room->now_ns, &error), LS_ERROR_LIMIT);
    assert_string_equal(error.text, "too many rooms were opened from this address, try again in a "
                                    "minute (more rooms)");
    assert_ok(ls_capacity_room(room->server, 8, room->now_ns, &error));
    uint32_t more = 0;
    while (ls_capacity_room(room->server, 7, room->now_ns + 60 * S, &error) == LS_OK)
        more++;
    assert_int_equal(more, LS_SERVER_ROOMS_PER_HOST_MIN);
    assert_int_equal(stats_of(room).rooms_put_off, 2);
    arena_destroy(room);
}
