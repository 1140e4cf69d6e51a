#include <lockstep/server.h>

#include "puppet.h"
#include "slow_jobs.h"
#include "tally_sim.h"
#include "tests/support/test.h"
#include <lockstep/limits.h>

typedef struct fixture {
    ls_program *program;
    ls_network *network;
    ls_identity identity;
    ls_server_config config;
    ls_server *server;
    slow_jobs slow; /* for tests that set config.jobs */
    uint64_t now_ns;
    uint32_t ended;
    char made[256];
} fixture;

static ls_status make_room(void *context, const char *name, ls_room_config *config, ls_error *error)
{
    fixture *f = context;
    if (strcmp(name, "private") == 0)
        return ls_error_set(error, LS_ERROR_REFUSED, "'private' is not for you");
    snprintf(f->made + strlen(f->made), sizeof f->made - strlen(f->made), "<%s>", name);
    config->match = ls_program_match(f->program, 5);
    config->match.player_count = 1;
    return LS_OK;
}

static void room_ended(void *context, ls_room *room)
{
    fixture *f = context;
    assert_true(ls_room_end_reason(room)[0] != 0);
    f->ended++;
}

static int begin(void **state)
{
    fixture *f = ls_alloc(sizeof *f);
    assert_ok(ls_program_create(&tally_sim, &f->program, NULL));
    f->network = ls_network_create(1, &(ls_impairment_conditions){0});
    ls_identity_init(&f->identity, NULL);
    f->config = ls_server_config_default();
    f->config.program = f->program;
    f->config.link = ls_network_listen(f->network, 64);
    f->config.identity = &f->identity;
    f->config.rooms_max = 4;
    f->config.room_ended = room_ended;
    f->config.room_context = f;
    f->now_ns = 1 * S;
    *state = f;
    return 0;
}

static int end(void **state)
{
    fixture *f = *state;
    ls_server_destroy(f->server);
    ls_link_destroy(f->config.link);
    ls_network_destroy(f->network);
    ls_identity_reset(&f->identity);
    ls_program_destroy(f->program);
    ls_free(f);
    return 0;
}

static void create(fixture *f)
{
    assert_ok(ls_server_create(&f->config, &f->server, NULL));
}

static ls_status open(fixture *f, const char *name, ls_room **room, ls_error *error)
{
    ls_room_config config = ls_room_config_default();
    config.name = name;
    config.match = ls_program_match(f->program, 5);
    config.wait_players = 0;
    return ls_server_open_room(f->server, &config, room, error);
}

static void assert_refused(fixture *f, const char *text)
{
    ls_error error = {""};
    assert_int_equal(ls_server_create(&f->config, &f->server, &error), LS_ERROR_USAGE);
    assert_null(f->server);
    assert_non_null(strstr(error.text, text));
}

TESTS_AROUND(begin, end);

TEST(test_server_refuses_wrong_numbers)
{
    fixture *f = *state;
    f->config.peers_max = 0;
    assert_refused(f, "connections");
    f->config.peers_max = LS_LINK_PEERS_MAX + 1;
    assert_refused(f, "connections");
    f->config.peers_max = 64;
    f->config.auths_per_host = 0;
    assert_refused(f, "AUTHs");
    f->config.auths_per_host = LS_SERVER_AUTHS_PER_S + 1;
    assert_refused(f, "AUTHs");
    f->config.auths_per_host = LS_SERVER_AUTHS_PER_S;
    f->config.snapshots_per_host = 0;
    assert_refused(f, "snapshots a minute of a host");
    f->config.snapshots_per_host = LS_LINK_PEERS_MAX + 1;
    assert_refused(f, "snapshots a minute of a host");
    f->config.snapshots_per_host = LS_LINK_PEERS_MAX;
    f->config.snapshot_bytes_per_host = LS_SERVER_EGRESS_MIN - 1;
    assert_refused(f, "bytes of snapshots a second of a host");
    f->config.snapshot_bytes_per_host = LS_SERVER_SNAPSHOT_BYTES_ALL + 1;
    assert_refused(f, "bytes of snapshots a second of a host");
    f->config.snapshot_bytes_per_host = LS_SERVER_SNAPSHOT_BYTES_ALL;
    f->config.rooms_per_host = 0;
    assert_refused(f, "rooms a minute of a host");
    f->config.rooms_per_host = LS_SERVER_ROOMS_MAX + 1;
    assert_refused(f, "rooms a minute of a host");
    f->config.rooms_per_host = LS_SERVER_ROOMS_MAX;
    f->config.rooms_max = 0;
    assert_refused(f, "rooms");
    f->config.rooms_max = LS_SERVER_ROOMS_MAX + 1;
    assert_refused(f, "rooms");
    f->config.rooms_max = 1;
    f->config.egress_bytes_per_s = LS_SERVER_EGRESS_MIN - 1;
    assert_refused(f, "bytes a second");
    f->config.egress_bytes_per_s = UINT64_C(1) << 32;
    assert_refused(f, "bytes a second");
    f->config.egress_bytes_per_s = LS_SERVER_EGRESS_MIN;
    f->config.token_key_count = LS_TOKEN_KEYS_MAX + 1;
    assert_refused(f, "token keys");
}

TEST(test_server_has_as_many_rooms_as_it_may)
{
    fixture *f = *state;
    create(f);
    assert_false(ls_server_is_done(f->server));
    ls_room *rooms[4], *more;
    ls_error error = {""};
    static const char *const names[] = {"a", "b", "", ""};
    for (uint32_t i = 0; i < 4; i++)
        assert_ok(open(f, names[i], &rooms[i], &error));
    assert_int_equal(open(f, "c", &more, &error), LS_ERROR_LIMIT);
    assert_null(more);
    assert_non_null(strstr(error.text, "all 4 rooms"));
    assert_ptr_equal(ls_server_find_room(f->server, "b"), rooms[1]);
    assert_null(ls_server_find_room(f->server, "c"));
    assert_ptr_equal(ls_server_room(f->server, 3), rooms[3]);
    assert_null(ls_server_room(f->server, 4));
    ls_room_drain(rooms[1], f->now_ns);
    ls_server_step(f->server, f->now_ns);
    assert_int_equal(f->ended, 1);
    assert_null(ls_server_find_room(f->server, "b"));
    assert_int_equal(ls_server_get_stats(f->server).rooms, 3);
    assert_int_equal(open(f, "a", NULL, &error), LS_ERROR_REFUSED);
    assert_ok(open(f, "c", NULL, &error));
}

TEST(test_server_is_done_with_its_last_room)
{
    fixture *f = *state;
    create(f);
    for (uint32_t i = 0; i < 3; i++)
        assert_ok(open(f, "", NULL, NULL));
    ls_server_step(f->server, f->now_ns);
    ls_server_drain(f->server, f->now_ns);
    assert_int_equal(ls_server_step(f->server, f->now_ns), UINT64_MAX);
    assert_true(ls_server_is_done(f->server));
    assert_int_equal(f->ended, 3);
}

TEST(test_server_step_tells_when_it_is_due)
{
    fixture *f = *state;
    create(f);
    ls_room *room;
    ls_room_config config = ls_room_config_default();
    config.match = ls_program_match(f->program, 5);
    config.match.tick_rate = 10;
    config.wait_players = 0;
    assert_ok(ls_server_open_room(f->server, &config, &room, NULL));
    uint64_t next = ls_server_step(f->server, f->now_ns);
    while (next < f->now_ns + 100 * MS)
        next = ls_server_step(f->server, next);
    assert_int_equal(next, f->now_ns + 100 * MS);
    assert_int_equal(ls_room_get_stats(room).tick, 0);
    ls_server_step(f->server, next);
    assert_int_equal(ls_room_get_stats(room).tick, 1);
    assert_int_equal(ls_world_tick(ls_room_world(room)), 1);
    assert_int_equal(ls_room_get_stats(room).lateness_ns, 0);
}

/* Returns how long a room on request stays open without a client. */
static uint64_t unused_with(fixture *f, uint32_t unused_s)
{
    ls_room_config config = ls_room_config_default();
    config.match = ls_program_match(f->program, 5);
    config.is_on_request = true;
    config.unused_s = unused_s;
    assert_ok(ls_server_open_room(f->server, &config, NULL, NULL));
    ls_server_step(f->server, f->now_ns);
    uint64_t begin_ns = f->now_ns;
    while (ls_server_get_stats(f->server).rooms && f->now_ns < begin_ns + 60 * S)
        ls_server_step(f->server, f->now_ns += 100 * MS);
    return f->now_ns - begin_ns;
}

TEST(test_server_keeps_a_room_on_request_for_its_time)
{
    fixture *f = *state;
    create(f);
    assert_in_range(unused_with(f, 0), LS_SERVER_UNUSED_NS, LS_SERVER_UNUSED_NS + 5 * S);
}

TEST(test_server_keeps_a_room_on_request_for_longer)
{
    fixture *f = *state;
    create(f);
    assert_in_range(unused_with(f, 30), 30 * S, 35 * S);
}

static uint64_t rest_with(fixture *f, uint32_t tick_rate, ls_room_policy policy)
{
    ls_room_config config = ls_room_config_default();
    config.match = ls_program_match(f->program, 5);
    config.match.tick_rate = tick_rate;
    config.policy = policy;
    assert_ok(ls_server_open_room(f->server, &config, NULL, NULL));
    f->now_ns += LS_SERVER_EXPIRY_INTERVAL_NS;
    ls_server_step(f->server, f->now_ns);
    return ls_server_step_interval_ns(f->server);
}

/* The process rests as long as its most demanding room permits. */
TEST(test_server_rests_for_a_part_of_a_tick)
{
    fixture *f = *state;
    create(f);
    assert_int_equal(rest_with(f, 10, LS_ROOM_PACE), LS_SERVER_HALF_TICK_MAX_NS);
    assert_in_range(rest_with(f, 120, LS_ROOM_PACE), 1, S / 120 / 2 + S / 120 / 16);
    assert_in_range(rest_with(f, 20, LS_ROOM_PACE), 1, S / 120 / 2 + S / 120 / 16);
    assert_in_range(rest_with(f, 20, LS_ROOM_WAIT), LS_SERVER_STEP_INTERVAL_MIN_NS,
                    2 * LS_SERVER_STEP_INTERVAL_MIN_NS);
}

/* Steps from one tick to the next, and returns the number of wakes, the last one for the tick. The
 * rests do not grow. */
static uint32_t count_wakes(fixture *f)
{
    uint64_t close_ns = ls_server_step(f->server, f->now_ns), rest_ns = S;
    f->now_ns = close_ns;
    close_ns = ls_server_step(f->server, f->now_ns);
    uint32_t wakes = 0;
    for (; f->now_ns < close_ns; wakes++) {
        uint64_t next_ns = ls_server_step_interval_ns(f->server), left_ns = close_ns - f->now_ns;
        assert_true(next_ns <= rest_ns + 1);
        rest_ns = next_ns;
        f->now_ns += rest_ns < left_ns ? rest_ns : left_ns;
        ls_server_step(f->server, f->now_ns);
    }
    return wakes;
}

/* A stranger asks: its answers come within a quarter of a tick near the close. */
TEST(test_server_wakes_twice_a_tick)
{
    fixture *f = *state;
    create(f);
    ls_room_config config = ls_room_config_default();
    config.match = ls_program_match(f->program, 5);
    config.match.tick_rate = 60;
    config.wait_players = 0;
    assert_ok(ls_server_open_room(f->server, &config, NULL, NULL));
    assert_int_equal(count_wakes(f), 2);
    ls_link *link = ls_network_open(f->network);
    static const uint8_t datagram[64] = {0x40};
    ls_link_post(link, NULL, datagram, sizeof datagram);
    assert_int_equal(count_wakes(f), 3);
    f->now_ns += LS_SERVER_ASKED_NS;
    assert_int_equal(count_wakes(f), 2);
    ls_network_kill(link);
}

/* Rooms with the same rate do not all close at once: four rooms use at least three of the four
 * slots of a period. */
TEST(test_server_staggers_its_rooms)
{
    fixture *f = *state;
    create(f);
    ls_room *rooms[4];
    for (uint32_t i = 0; i < 4; i++)
        assert_ok(open(f, "", &rooms[i], NULL));
    uint32_t together = 0, steps = 0;
    uint64_t before[4] = {0}, until_ns = f->now_ns + 1 * S;
    while (f->now_ns < until_ns) {
        uint32_t closed = 0;
        uint64_t next = ls_server_step(f->server, f->now_ns);
        for (uint32_t i = 0; i < 4; i++) {
            uint64_t tick = ls_room_get_stats(rooms[i]).tick;
            closed += tick > before[i];
            before[i] = tick;
        }
        steps += closed > 0;
        together += closed > 2;
        f->now_ns = next > f->now_ns ? next : f->now_ns + 1;
    }
    assert_true(steps > 170);
    assert_true(together <= 2);
    for (uint32_t i = 0; i < 4; i++)
        assert_in_range(before[i], 58, 61);
}

/* A client of the server in the fixture. */
typedef struct guest {
    ls_link *link;
    ls_handshake_client handshake;
    ls_handshake_accept accept;
    bool has_accept, has_sent_auth;
    char refusal[256];
} guest;

static void guest_receive(fixture *f, guest *self, const ls_packet *packet)
{
    uint8_t bytes[LS_MTU_BYTES];
    ls_writer writer;
    ls_error error = {""};
    ls_handshake_message message = {.data = packet->data, .bytes = packet->bytes};
    ls_writer_init(&writer, bytes, sizeof bytes);
    if (self->has_sent_auth) {
        self->has_accept =
            ls_handshake_client_accept(&self->handshake, &message, &self->accept, &error) == LS_OK;
    } else if (ls_handshake_client_cookie(&self->handshake, &message, 0, &error) == LS_OK) {
        ls_handshake_client_auth(&self->handshake, 0, &writer);
        ls_link_post(self->link, NULL, bytes, (uint32_t)writer.count);
        self->has_sent_auth = true;
    }
    snprintf(self->refusal, sizeof self->refusal, "%.250s", error.text);
}

static guest come(fixture *f, const char *room)
{
    guest self = {.link = ls_network_open(f->network)};
    uint8_t bytes[LS_MTU_BYTES];
    ls_writer writer;
    ls_link_event event;
    ls_handshake_client_config config = {.local.engine_version = LS_ENGINE_RULES,
                                         .pin = &f->identity.public_key};
    memcpy(config.local.fingerprint, ls_program_fingerprint(f->program), LS_FINGERPRINT_BYTES);
    strcpy(config.room, room);
    ls_handshake_client_init(&self.handshake, &config);
    ls_writer_init(&writer, bytes, sizeof bytes);
    ls_handshake_client_hello(&self.handshake, &writer);
    ls_link_post(self.link, NULL, bytes, (uint32_t)writer.count);
    for (uint32_t i = 0; i < 20; i++) {
        ls_server_step(f->server, f->now_ns += MS);
        while (ls_link_poll(self.link, f->now_ns, &event))
            guest_receive(f, &self, &event.packet);
    }
    ls_handshake_client_reset(&self.handshake);
    ls_network_kill(self.link);
    return self;
}

static void assert_in_room(const guest *who, const char *room)
{
    if (!who->has_accept)
        fail_msg("refused: %s", who->refusal);
    assert_string_equal(who->accept.room, room);
}

/* A server that received a packet is busy, so the process does not rest. */
TEST(test_server_is_busy_after_a_packet)
{
    fixture *f = *state;
    const uint8_t word[8] = {0x40};
    create(f);
    ls_link *link = ls_network_open(f->network);
    ls_server_step(f->server, f->now_ns += MS);
    assert_false(ls_server_is_busy(f->server));
    ls_link_post(link, NULL, word, sizeof word);
    bool was_busy = false;
    for (uint32_t i = 0; i < 20; i++) {
        ls_server_step(f->server, f->now_ns += MS);
        was_busy |= ls_server_is_busy(f->server);
    }
    assert_true(was_busy);
    assert_false(ls_server_is_busy(f->server));
    ls_network_kill(link);
}

TEST(test_server_brings_clients_to_their_rooms)
{
    fixture *f = *state;
    create(f);
    assert_ok(open(f, "a", NULL, NULL));
    assert_ok(open(f, "b", NULL, NULL));
    guest who = come(f, "b");
    assert_in_room(&who, "b");
    who = come(f, "a");
    assert_in_room(&who, "a");
    who = come(f, "nowhere");
    assert_false(who.has_accept);
    assert_non_null(strstr(who.refusal, "no room 'nowhere'"));
    /* Clients that name no room join any room with a free seat, until all are full. */
    for (uint32_t i = 0; i < 6; i++) {
        who = come(f, "");
        assert_in_room(&who, i < 3 ? "a" : "b");
    }
    who = come(f, "");
    assert_false(who.has_accept);
    assert_non_null(strstr(who.refusal, "all seats are taken"));
}

TEST(test_server_makes_rooms_on_request)
{
    fixture *f = *state;
    f->config.make_room = make_room;
    f->config.rooms_max = 2;
    create(f);
    guest who = come(f, "garden");
    assert_in_room(&who, "garden");
    who = come(f, "private");
    assert_non_null(strstr(who.refusal, "not for you"));
    who = come(f, "garden"); /* its one seat is taken; the room is not made again */
    assert_non_null(strstr(who.refusal, "all seats are taken"));
    who = come(f, "");
    assert_in_room(&who, "");
    assert_string_equal(f->made, "<garden><>");
    who = come(f, "third");
    assert_non_null(strstr(who.refusal, "all 2 rooms are open"));
    assert_int_equal(ls_server_get_stats(f->server).rooms_opened, 2);
}

static void run_jobs(fixture *f)
{
    while (slow_jobs_run_one(&f->slow))
        continue;
}

/* While the simulation lags, no room is made on request. Clients of existing rooms are admitted. */
TEST(test_server_opens_no_room_while_it_lags)
{
    fixture *f = *state;
    f->slow = slow_jobs_make();
    f->config.jobs = &f->slow.jobs;
    f->config.make_room = make_room;
    create(f);
    assert_ok(open(f, "there", NULL, NULL));
    /* The simulation stops here. A small lag changes nothing. */
    uint64_t start_ns = f->now_ns;
    while (f->now_ns < start_ns + LS_SERVER_BUSY_NS - 200 * MS)
        ls_server_step(f->server, f->now_ns += 10 * MS);
    guest who = come(f, "early");
    assert_in_room(&who, "early");
    while (f->now_ns < start_ns + LS_SERVER_BUSY_NS + 200 * MS)
        ls_server_step(f->server, f->now_ns += 10 * MS);
    ls_server_stats stats = ls_server_get_stats(f->server);
    assert_in_range(stats.lag_ns, LS_SERVER_BUSY_NS + 1, LS_SERVER_BUSY_NS + 300 * MS);
    who = come(f, "late");
    assert_false(who.has_accept);
    assert_non_null(strstr(who.refusal, "the server is busy, its matches are 1"));
    assert_non_null(strstr(who.refusal, "try again later"));
    assert_string_equal(f->made, "<early>");
    assert_int_equal(ls_server_get_stats(f->server).rooms_put_off, 1);
    who = come(f, "there");
    assert_in_room(&who, "there");
    assert_ok(open(f, "own", NULL, NULL)); /* the operator may still open one */
    /* The simulation has caught up. */
    for (uint32_t i = 0; i < 20; i++) {
        run_jobs(f);
        ls_server_step(f->server, f->now_ns += MS);
    }
    assert_in_range(ls_server_get_stats(f->server).lag_ns, 0, 100 * MS);
    who = come(f, "late");
    assert_in_room(&who, "late");
    assert_string_equal(f->made, "<early><late>");
}
