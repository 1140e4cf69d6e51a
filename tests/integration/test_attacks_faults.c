/* Attack table, faults: a disk that fails, a clock that jumps, a server that stalls, one room of
 * two that fails. */
#include "raw_client.h"
#include "tally_sim.h"

#include "tests/support/test.h"
#include <lockstep/limits.h>

#include <errno.h>

/* A disk on which append 100 fails. */
typedef struct bad_disk {
    ls_sink sink, inner;
    uint32_t appends;
    int error;
} bad_disk;

static int64_t disk_append(void *context, const void *data, size_t bytes)
{
    bad_disk *self = context;
    if (self->appends++ == 100)
        return -self->error;
    return self->inner.append(self->inner.context, data, bytes);
}

static int disk_sync(void *context)
{
    bad_disk *self = context;
    return self->inner.sync(self->inner.context);
}

static int disk_close(void *context)
{
    bad_disk *self = context;
    return self->inner.close(self->inner.context);
}

static void prepare_disk(void *context, ls_server_config *server, ls_room_config *room)
{
    bad_disk *self = context;
    (void)server;
    self->inner = *room->sink;
    self->sink =
        (ls_sink){.context = self, .append = disk_append, .sync = disk_sync, .close = disk_close};
    room->sink = &self->sink;
}

/* The match continues and the error is logged; the recording up to it is readable. */
TEST(test_attack_43_disk_full_or_broken)
{
    static const int errors[] = {ENOSPC, EIO};
    for (uint32_t i = 0; i < LS_COUNT_OF(errors); i++) {
        bad_disk disk = {.error = errors[i]};
        arena *room = arena_create(&(arena_config){.seed = 1,
                                                   .conditions = arena_lan,
                                                   .ticks_max = 300,
                                                   .prepare = prepare_disk,
                                                   .context = &disk});
        arena_join_bot(room, "bot");
        arena_run_to_end(room, 10 * S);
        assert_int_equal(arena_stats(room).tick, 300);
        assert_true(arena_stats(room).recording_failed);
        assert_int_equal(arena_log_count(room, "recording_failed tick="), 1);
        ls_recording *recording;
        const ls_recording_tick *tick;
        uint64_t count = 0;
        assert_int_equal(ls_recording_open_memory("r", room->recording.data, room->recording.bytes,
                                                  &recording, NULL),
                         LS_OK);
        while (ls_recording_next(recording, &tick, NULL) == LS_OK && tick)
            count++;
        assert_in_range(count, 90, 100);
        assert_false(ls_recording_get_end(recording)->is_closed); /* marked as incomplete */
        ls_recording_close(recording);
        arena_destroy(room);
    }
}

/* A stranger causes a log line with every datagram: some lines are written, the others counted. */
TEST(test_attack_44_log_flood)
{
    arena *room = arena_create(&(arena_config){.seed = 1, .conditions = arena_lan});
    arena_join_bot(room, "honest");
    arena_run(room, 500 * MS);
    const uint8_t psk[32] = {1}; /* a wrong password: the server cannot open the box */
    ls_handshake_client_config config = puppet_config(room, "noisy");
    config.psk = psk;
    raw_client *client = raw_create(room, &config);
    raw_get_cookie(client, room);
    size_t before = room->log_bytes;
    uint64_t begin_ns = room->now_ns;
    for (uint32_t i = 0; i < 2000; i++) {
        ls_link_post(client->link, NULL, client->auth, LS_AUTH_BYTES);
        raw_run(client, room, MS);
    }
    uint64_t seconds = (room->now_ns - begin_ns) / S + 1;
    uint64_t lines = 0;
    for (size_t i = before; i < room->log_bytes; i++)
        lines += room->log[i] == '\n';
    assert_true(lines > 0);
    assert_true(lines <= LS_SERVER_LOG_BURST + seconds * LS_SERVER_LOG_LINES_PER_S);
    assert_true(ls_server_get_stats(room->server).log_lines_dropped > 0);
    /* A wrong password gets no answer. Only above the budget the server answers BUSY, which reveals
     * nothing. */
    assert_in_range(client->answers, 1, 2000 - LS_SERVER_AUTHS_PER_HOST);
    assert_int_equal(client->answer[1], LS_REJECT_BUSY);
    raw_destroy(client);
    arena_destroy(room);
}

/* Joins the match, leaves and joins again for a minute: the lines about the player in the stream
 * count, too. */
TEST(test_attack_44_a_player_joins_and_leaves)
{
    arena *room = arena_create(&(arena_config){.seed = 1, .conditions = {.delay_ns = 1 * MS}});
    arena_join_bot(room, "honest");
    arena_run(room, 500 * MS);
    ls_client_config config = arena_client_config(room, "restless");
    const uint8_t host[4] = {192, 0, 2, 9};
    size_t before = room->log_bytes;
    uint64_t begin_ns = room->now_ns, joins = arena_stats(room).joins;
    while (room->now_ns < begin_ns + 60 * S) {
        ls_link *link = ls_network_open(room->network);
        ls_network_move(link, host);
        uint32_t guest = arena_join_over(room, &config, link);
        arena_run(room, 250 * MS);
        ls_client_leave(arena_client_at(room, guest), "soon back", room->now_ns);
        arena_run(room, 30 * MS);
        arena_kill(room, guest);
        room->clients[guest].is_dead = false;
        room->client_count--;
    }
    joins = arena_stats(room).joins - joins;
    print_message("%llu joins\n", (unsigned long long)joins);
    assert_true(joins > 100);
    uint64_t seconds = (room->now_ns - begin_ns) / S + 1, lines = 0;
    for (size_t i = before; i < room->log_bytes; i++)
        lines += room->log[i] == '\n';
    assert_in_range(lines, LS_SERVER_LOG_LINES_PER_HOST,
                    LS_SERVER_LOG_LINES_PER_HOST + seconds * LS_SERVER_LOG_LINES_PER_HOST_S);
    arena_join_bot(room, "other");
    arena_run(room, 1 * S);
    room->log[room->log_bytes] = 0;
    assert_non_null(strstr(room->log, "name=\"other\""));
    arena_destroy(room);
}

/* Enters, leaves and enters again for a minute: the log gets two lines a second of it, and the
 * lines about others. */
TEST(test_attack_44_one_address_comes_and_goes)
{
    arena *room = arena_create(&(arena_config){.seed = 1, .conditions = {.delay_ns = 1 * MS}});
    arena_join_bot(room, "honest");
    arena_run(room, 500 * MS);
    ls_handshake_client_config config = puppet_config(room, "restless");
    const uint8_t host[4] = {192, 0, 2, 9};
    size_t before = room->log_bytes;
    uint64_t begin_ns = room->now_ns, visits = 0;
    while (room->now_ns < begin_ns + 60 * S) {
        puppet *guest = puppet_create_at(room, &config, host);
        if (guest->is_connected) { /* else over the budget of AUTHs */
            ls_plain bye;
            puppet_confirm(guest, room);
            ls_bye_encode(&(ls_bye){.text = "soon back"}, &bye);
            puppet_send(guest, room, &bye);
            puppet_run(guest, room, 10 * MS);
            visits++;
        }
        puppet_destroy(guest);
    }
    uint64_t seconds = (room->now_ns - begin_ns) / S + 1, bytes = room->log_bytes - before;
    print_message("%llu visits, %llu bytes of log a second\n", (unsigned long long)visits,
                  (unsigned long long)(bytes / seconds));
    assert_true(visits > 600);
    room->log[room->log_bytes] = 0;
    uint64_t lines = 0;
    for (const char *at = room->log + before; (at = strstr(at, "restless")); at++)
        lines++;
    assert_in_range(lines, LS_SERVER_LOG_LINES_PER_HOST,
                    LS_SERVER_LOG_LINES_PER_HOST + seconds * LS_SERVER_LOG_LINES_PER_HOST_S);
    arena_join_bot(room, "other");
    arena_run(room, 1 * S);
    room->log[room->log_bytes] = 0;
    assert_non_null(strstr(room->log, "name=\"other\""));
    arena_destroy(room);
}

/* Steps use the passed time only: two or five seconds pass between two steps, and the match catches
 * up. */
TEST(test_attack_46_the_server_stalls)
{
    static const uint64_t stalls[] = {2 * S, 5 * S};
    arena *room = arena_create(&(arena_config){.seed = 1, .conditions = arena_lan});
    arena_join_bot(room, "a");
    arena_join_bot(room, "b");
    arena_run_to_tick(room, 60, 5 * S);
    for (uint32_t i = 0; i < LS_COUNT_OF(stalls); i++) {
        uint64_t before = arena_stats(room).tick;
        room->now_ns += stalls[i];
        ls_server_step(room->server, room->now_ns);
        assert_int_equal(arena_stats(room).tick, before + LS_SERVER_CATCH_UP_TICKS);
        before = arena_stats(room).tick;
        arena_run(room, 2 * S);
        assert_in_range(arena_stats(room).tick, before + 115, before + 125);
    }
    assert_int_equal(arena_stats(room).leaves, 0);
    assert_int_equal(arena_stats(room).desyncs, 0);
    arena_assert_all_equal(room);
    arena_destroy(room);
}

static bool refuse_from_tick(const ls_match *match, uint32_t player, const uint8_t *bytes,
                             uint32_t count)
{
    /* A faulty simulation: accepts an order when it arrives, and refuses it when the world asks
     * again. */
    static uint32_t asked;
    (void)bytes;
    return player < match->player_count && count > 0 && (asked++ % 2) == 0;
}

static void allow_two(void *context, ls_server_config *server, ls_room_config *room)
{
    (void)context, (void)room;
    server->rooms_max = 2;
}

/* A match with a contradictory validator ends and notifies its clients; another room loses no
 * tick. */
TEST(test_attack_54_a_room_that_fails_fails_alone)
{
    ls_sim faulty = tally_sim;
    faulty.input_is_valid = refuse_from_tick;
    arena *room = arena_create(
        &(arena_config){.sim = &faulty, .seed = 1, .conditions = arena_lan, .prepare = allow_two});
    ls_room_config config = ls_room_config_default();
    ls_room *other;
    config.name = "other";
    config.match = ls_program_match(room->program, 2);
    config.wait_players = 0;
    assert_ok(ls_server_open_room(room->server, &config, &other, NULL));
    ls_client_config watcher = arena_client_config(room, "watcher");
    watcher.is_spectator = true;
    strcpy(watcher.room, "other");
    uint32_t index = arena_join(room, &watcher);
    puppet *client = puppet_enter(room, "puppet");
    uint64_t tick = arena_stats(room).tick;
    puppet_update(client, room,
                  &(ls_update){.ack = tick,
                               .root_count = 1,
                               .root_first = tick,
                               .roots = {ls_world_root(arena_world(room))}});
    puppet_run(client, room, 200 * MS);
    assert_int_equal(arena_stats(room).joins, 1);
    uint64_t before = ls_room_get_stats(other).tick;
    const uint8_t data[4] = {1};
    puppet_update(client, room,
                  &(ls_update){.ack = arena_stats(room).tick,
                               .input_count = 1,
                               .inputs = {{.sequence = 1, .bytes = 4, .data = data}}});
    puppet_run(client, room, 1 * S);
    assert_int_equal(client->notice.kind, LS_NOTICE_GOODBYE);
    assert_non_null(strstr(client->notice.text, "the match cannot continue"));
    assert_true(client->is_gone);
    assert_int_equal(ls_server_get_stats(room->server).rooms_failed, 1);
    assert_int_equal(ls_server_get_stats(room->server).rooms, 1);
    assert_in_range(ls_room_get_stats(other).tick, before + 59, before + 61);
    assert_int_equal(ls_room_get_stats(other).ticks_skipped, 0);
    assert_int_equal(ls_client_get_state(arena_client_at(room, index)), LS_CLIENT_PLAYING);
    puppet_destroy(client);
    arena_destroy(room);
}
