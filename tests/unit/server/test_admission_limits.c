/* Limits on one address and on spectators, which protect other clients, and the reasons they
 * give. */
#include "raw_client.h"

#include "cargo_sim.h"
#include "server/room_state.h"
#include "server/server_state.h"
#include "tally_sim.h"
#include "tests/support/remotes.h"
#include "tests/support/test.h"

static const uint8_t router[4] = {192, 0, 2, 1};

static const arena_config quiet = {.seed = 1, .conditions = {.delay_ns = 5 * MS}};

static uint32_t join_spectator(arena *room, const char *name)
{
    ls_client_config config = arena_client_config(room, name);
    config.is_spectator = true;
    return arena_join(room, &config);
}

static ls_client_state state_of(arena *room, uint32_t index)
{
    return ls_client_get_state(arena_client_at(room, index));
}

static void allow_six(void *context, ls_server_config *server, ls_room_config *room)
{
    server->peers_max = 6;
    server->peers_remedy = "more chairs";
}

/* Four of six connections are reserved for seats. Two spectators get in, the third does not, and
 * all players do. */
TEST(test_admission_limits_spectators_leave_a_connection_for_each_seat)
{
    arena *room = arena_create(
        &(arena_config){.seed = 1, .conditions = quiet.conditions, .prepare = allow_six});
    for (uint32_t i = 0; i < 3; i++) {
        join_spectator(room, "eyes");
        arena_run(room, 200 * MS);
    }
    arena_run(room, 2 * S);
    assert_int_equal(state_of(room, 1), LS_CLIENT_PLAYING);
    assert_int_equal(state_of(room, 2), LS_CLIENT_REFUSED);
    const char *reason = ls_client_reason(arena_client_at(room, 2));
    assert_non_null(strstr(reason, "the server keeps 4 of its 6 connections for open seats"));
    assert_non_null(strstr(reason, "(more chairs)"));
    for (uint32_t i = 0; i < 4; i++)
        arena_join_bot(room, "player");
    arena_run(room, 2 * S);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(state_of(room, 3 + i), LS_CLIENT_PLAYING);
    arena_destroy(room);
}

/* Connections that are granted to other hosts and not yet in use are not counted, so more than two
 * spectators may be admitted. Those that connect last are refused then. */
TEST(test_admission_limits_spectators_race_for_the_last_connection)
{
    arena *room = arena_create(
        &(arena_config){.seed = 1, .conditions = quiet.conditions, .prepare = allow_six});
    for (uint32_t i = 0; i < 4; i++)
        join_spectator(room, "eyes");
    arena_run(room, 5 * S);
    uint32_t playing = 0, refused = 0;
    for (uint32_t i = 0; i < 4; i++) {
        playing += state_of(room, i) == LS_CLIENT_PLAYING;
        refused += state_of(room, i) == LS_CLIENT_REFUSED;
    }
    assert_int_equal(playing, 2);
    assert_int_equal(refused, 2);
    assert_int_equal(ls_link_connections(room->link, NULL), 2);
    arena_destroy(room);
}

static void allow_six_of_an_address(void *context, ls_server_config *server, ls_room_config *room)
{
    server->connections_per_host = 6;
}

TEST(test_admission_limits_spectators_of_an_address_leave_seats)
{
    arena *room = arena_create(&(arena_config){
        .seed = 1, .conditions = quiet.conditions, .prepare = allow_six_of_an_address});
    ls_client_config config = arena_client_config(room, "eyes");
    config.is_spectator = true;
    for (uint32_t i = 0; i < 7; i++) {
        ls_link *link = ls_network_open(room->network);
        ls_network_move(link, router);
        config.is_spectator = i < 3;
        arena_join_over(room, &config, link);
        arena_run(room, 200 * MS);
    }
    arena_run(room, 2 * S);
    for (uint32_t i = 0; i < 7; i++)
        assert_int_equal(state_of(room, i), i == 2 ? LS_CLIENT_REFUSED : LS_CLIENT_PLAYING);
    assert_non_null(strstr(ls_client_reason(arena_client_at(room, 2)),
                           "the server keeps 4 of the 6 connections of this address"));
    arena_destroy(room);
}

/* Sends an AUTH from the router's address and waits for the answer. */
static raw_client *send_auth(arena *room)
{
    ls_handshake_client_config config = puppet_config(room, "holder");
    raw_client *self = raw_create(room, &config);
    ls_network_move(self->link, router);
    self->address = ls_network_address(self->link);
    raw_get_cookie(self, room);
    ls_link_post(self->link, NULL, self->auth, LS_AUTH_BYTES);
    raw_run(self, room, 15 * MS);
    assert_int_equal(self->answers, 1);
    return self;
}

static bool is_put_off(const raw_client *client)
{
    return client->answer[0] == 0x45 && client->answer[1] == LS_REJECT_BUSY;
}

static uint32_t count_taken(const arena *room)
{
    uint32_t count = 0;
    const ls_seats *seats = &room->room->match.seats;
    for (uint32_t i = 0; i < room->room->match.config.player_count; i++)
        count += seats->items[i].is_taken;
    return count;
}

/* 72 clients of one address that never connect hold a quarter of the seats. Clients of other
 * addresses get the rest. */
TEST(test_admission_limits_one_address_holds_few_seats_without_a_session)
{
    enum { HOLDERS = 72, SEATS = 64 };
    arena *room =
        arena_create(&(arena_config){.seed = 1, .conditions = quiet.conditions, .players = SEATS});
    arena_run(room, 10 * MS);
    raw_client *holders[HOLDERS];
    for (uint32_t i = 0; i < HOLDERS; i++) {
        holders[i] = send_auth(room);
        assert_int_equal(is_put_off(holders[i]), i >= SEATS / LS_SERVER_UNCONFIRMED_PART);
        assert_true(holders[i]->answer_bytes < LS_AUTH_BYTES);
    }
    assert_int_equal(count_taken(room), SEATS / LS_SERVER_UNCONFIRMED_PART);
    puppet *other = puppet_enter(room, "other");
    assert_true(other->has_accept);
    /* The same AUTH, byte for byte, is put off again. It is accepted after the other seats are
     * free. */
    raw_client *last = holders[HOLDERS - 1];
    uint64_t refused = ls_server_get_stats(room->server).auths_repeated;
    ls_link_post(last->link, NULL, last->auth, LS_AUTH_BYTES);
    raw_run(last, room, 20 * MS);
    assert_true(is_put_off(last));
    assert_int_equal(ls_server_get_stats(room->server).auths_repeated, refused + 1);
    raw_run(last, room, LS_SERVER_HANDSHAKE_NS - 1500 * MS);
    ls_link_post(last->link, NULL, last->auth, LS_AUTH_BYTES);
    raw_run(last, room, 20 * MS);
    assert_false(is_put_off(last));
    puppet_destroy(other);
    for (uint32_t i = 0; i < HOLDERS; i++)
        raw_destroy(holders[i]);
    arena_destroy(room);
}

/* A connection alone is not enough: the seats count against the address until the CONFIRM. */
TEST(test_admission_limits_connections_without_a_confirm_count)
{
    arena *room = arena_create(&quiet);
    arena_run(room, 10 * MS);
    ls_handshake_client_config config = puppet_config(room, "first");
    puppet *connected = puppet_create(room, &config);
    ls_server_session *session = room->server->sessions;
    while (session->phase != LS_SERVER_SESSION_ACCEPTED)
        session++;
    memcpy(session->entrant.host.bytes + 12, router, sizeof router);
    raw_client *second = send_auth(room), *third = send_auth(room);
    assert_false(is_put_off(second));
    assert_true(is_put_off(third));
    puppet_confirm(connected, room);
    puppet_run(connected, room, 20 * MS);
    /* Asking more often changes nothing: the same answer comes for a while. */
    for (uint32_t i = 0; i < 2; i++) {
        ls_link_post(third->link, NULL, third->auth, LS_AUTH_BYTES);
        raw_run(third, room, LS_SERVER_JUDGE_AGAIN_NS);
        assert_int_equal(is_put_off(third), i == 0);
    }
    raw_destroy(second);
    raw_destroy(third);
    puppet_destroy(connected);
    arena_destroy(room);
}

static void empty(ls_token_bucket *bucket)
{
    *bucket = (ls_token_bucket){.per_s = 1, .burst = 1, .last_ns = UINT64_MAX};
}

/* The client keeps asking for ten seconds, and then reports the limit as the reason. */
TEST(test_admission_limits_a_client_over_a_budget_is_told)
{
    for (uint32_t of_all = 0; of_all < 2; of_all++) {
        arena *room = arena_create(&quiet);
        arena_run(room, 10 * MS);
        room->server->auths_per_host_remedy = "a larger door";
        for (uint32_t i = 0; i < LS_SERVER_BUCKETS && !of_all; i++)
            empty(&room->server->host_auths[i]);
        if (of_all)
            empty(&room->server->auths);
        arena_join_bot(room, "late");
        arena_run(room, LS_CLIENT_HANDSHAKE_NS - 100 * MS);
        assert_int_equal(state_of(room, 0), LS_CLIENT_HANDSHAKE);
        assert_in_range(ls_server_get_stats(room->server).rejects, 30, 60);
        arena_run(room, 300 * MS);
        assert_int_equal(state_of(room, 0), LS_CLIENT_REFUSED);
        assert_string_equal(
            ls_client_reason(arena_client_at(room, 0)),
            of_all ? "the server is busy: over 1000 clients a second ask the server"
                   : "the server is busy: over 20 clients a second ask from this address (a larger "
                     "door)");
        assert_true(arena_log_count(room, "auth_put_off") > 10);
        assert_int_equal(ls_server_get_stats(room->server).handshakes_expired, 0);
        arena_destroy(room);
    }
}

/* An AUTH from an address that the cookie does not prove gets no reason, only silence. */
TEST(test_admission_limits_a_budget_is_told_to_proven_addresses_only)
{
    arena *room = arena_create(&quiet);
    arena_run(room, 10 * MS);
    raw_client *client = send_auth(room);
    empty(&room->server->auths);
    const ls_address elsewhere = LS_ADDRESS_IPV4(192, 0, 2, 7, 257);
    ls_network_inject(room->network, &elsewhere, client->auth, LS_AUTH_BYTES);
    ls_server_step(room->server, room->now_ns);
    assert_int_equal(ls_network_get_stray(room->network).datagrams, 0);
    raw_destroy(client);
    arena_destroy(room);
}

/* -- a hall: all players behind one address */

enum { SEATS = TALLY_PLAYERS, ROOMS = 96, BOTS = ROOMS * SEATS, LATE = 300 };

typedef struct hall_config {
    const ls_sim *sim;
    uint32_t rooms, seats, bots, auths, snapshots;
    bool are_spectators; /* all but the first bot, which plays */
} hall_config;

typedef struct hall {
    uint32_t bot_count;
    uint64_t now_ns;
    ls_network *network;
    ls_program *program;
    ls_identity identity;
    ls_link *link;
    ls_server *server;
    ls_link *links[BOTS];
    ls_client *bots[BOTS];
} hall;

static void open_rooms(hall *self, const hall_config *wanted)
{
    for (uint32_t i = 0; i < wanted->rooms; i++) {
        char name[LS_ROOM_BYTES];
        snprintf(name, sizeof name, "%u", i);
        ls_room_config room = ls_room_config_default();
        room.name = name;
        room.match = ls_program_match(self->program, i);
        room.match.player_count = wanted->seats;
        room.match.tick_rate = 10;
        assert_ok(ls_server_open_room(self->server, &room, NULL, NULL));
    }
}

static hall *open_hall(const hall_config *wanted)
{
    hall *self = ls_alloc(sizeof *self);
    self->bot_count = wanted->bots;
    self->now_ns = S;
    self->network = ls_network_create(1, &quiet.conditions);
    assert_ok(ls_program_create(wanted->sim, &self->program, NULL));
    ls_identity_init(&self->identity, NULL);
    ls_server_config config = ls_server_config_default();
    config.peers_max = config.connections_per_host = BOTS + 8;
    config.link = self->link = ls_network_listen(self->network, config.peers_max);
    config.program = self->program;
    config.identity = &self->identity;
    config.unix_s = 1700000000;
    config.rooms_max = wanted->rooms;
    config.auths_per_host = wanted->auths;
    config.snapshots_per_host = wanted->snapshots;
    config.snapshots_per_host_remedy = "more snapshots";
    assert_ok(ls_server_create(&config, &self->server, NULL));
    open_rooms(self, wanted);
    for (uint32_t i = 0; i < wanted->bots; i++) {
        ls_client_config bot = ls_client_config_default();
        bot.program = self->program;
        bot.pin = &self->identity.public_key;
        bot.unix_s = config.unix_s;
        bot.is_bot = !wanted->are_spectators || i == 0;
        bot.is_spectator = !bot.is_bot;
        bot.link = self->links[i] = ls_network_open(self->network);
        ls_network_move(bot.link, router);
        assert_ok(ls_client_create(&bot, &self->bots[i], NULL));
    }
    return self;
}

static void close_hall(hall *self)
{
    for (uint32_t i = 0; i < self->bot_count; i++) {
        ls_client_destroy(self->bots[i]);
        ls_network_kill(self->links[i]);
    }
    ls_server_destroy(self->server);
    ls_link_destroy(self->link);
    ls_network_destroy(self->network);
    ls_identity_reset(&self->identity);
    ls_program_destroy(self->program);
    ls_free(self);
}

/* Runs until each of the first `bots` is in a match or has given up; returns how many are in one.
 */
static uint32_t run_hall(hall *self, uint32_t bots)
{
    uint32_t count = 0, waiting = bots;
    uint64_t until_ns = self->now_ns + 14 * S;
    while (waiting > 0 && self->now_ns < until_ns) {
        ls_server_step(self->server, self->now_ns);
        count = waiting = 0;
        for (uint32_t i = 0; i < bots; i++) {
            ls_client_step(self->bots[i], self->now_ns);
            count += ls_client_get_state(self->bots[i]) == LS_CLIENT_PLAYING;
            waiting += ls_client_get_state(self->bots[i]) < LS_CLIENT_PLAYING;
        }
        self->now_ns += 5 * MS;
    }
    return count;
}

/* 768 bots behind one address connect at once, to 96 rooms. */
TEST(test_admission_limits_a_hall_behind_one_address_gets_in)
{
    const hall_config wanted = {&tally_sim, ROOMS, SEATS, BOTS, .auths = 200, .snapshots = BOTS};
    hall *self = open_hall(&wanted);
    assert_int_equal(run_hall(self, BOTS), BOTS);
    assert_int_equal(ls_server_get_stats(self->server).sessions, BOTS);
    close_hall(self);
}

/* With the default budget of an address not all get in, and those outside know why. */
TEST(test_admission_limits_a_hall_needs_the_larger_budget)
{
    const hall_config wanted = {
        &tally_sim, ROOMS, SEATS, BOTS, .auths = LS_SERVER_AUTHS_PER_HOST_S, .snapshots = BOTS};
    hall *self = open_hall(&wanted);
    uint32_t in = run_hall(self, BOTS), told = 0;
    for (uint32_t i = 0; i < BOTS; i++) {
        const char *reason = ls_client_reason(self->bots[i]);
        told += strstr(reason, "over 20 clients a second ask from this address") != NULL;
        /* The network's budget of HELLOs was used up. */
        told += strcmp(reason, "the server does not answer") == 0;
    }
    assert_in_range(in, 256, 2 * 256);
    assert_int_equal(in + told, BOTS);
    close_hall(self);
}

/* Opens a hall whose first bot plays, and lets 300 others come to the match later; returns how many
 * of all are in it. */
static uint32_t run_late(hall **self, uint32_t snapshots_per_host)
{
    const hall_config wanted = {
        &cargo_whole_sim,      1, 4, 1 + LATE, .auths = LATE, .snapshots = snapshots_per_host,
        .are_spectators = true};
    *self = open_hall(&wanted);
    assert_int_equal(run_hall(*self, 1), 1);
    return run_hall(*self, 1 + LATE);
}

/* 300 clients of one address load a match that is under way: each is sent a whole snapshot. */
TEST(test_admission_limits_a_hall_loads_late)
{
    hall *self;
    assert_int_equal(run_late(&self, LATE + 8), 1 + LATE);
    close_hall(self);
}

/* With the default 256 snapshots are sent, ranges that are sent again included. A client that finds
 * none left is told, and one that was let in gets its own. */
TEST(test_admission_limits_a_hall_that_loads_late_needs_the_option)
{
    hall *self;
    uint32_t in = run_late(&self, LS_SERVER_LOADS_PER_HOST_MIN), told = 0;
    for (uint32_t i = 0; i < 1 + LATE; i++)
        told += strcmp(ls_client_reason(self->bots[i]),
                       "the server is busy: this address has loaded the match many times and can "
                       "load it 16 times a minute now (more snapshots)") == 0;
    printf("%u are in, %u were told\n", in, told);
    assert_in_range(in, LS_SERVER_LOADS_PER_HOST * 4 / 5, LS_SERVER_LOADS_PER_HOST);
    assert_int_equal(in + told, 1 + LATE);
    close_hall(self);
}
