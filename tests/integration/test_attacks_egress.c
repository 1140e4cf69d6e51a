/* Attack table row 39: sessions that request as many snapshots as they can get. */
#include "cargo_sim.h"
#include "puppet.h"

#include "tests/support/test.h"
#include <lockstep/session_limits.h>

#include <stdio.h>

enum { PULLERS = 3 };

/* A spectator that requests one snapshot range after another, and starts again at the end. */
typedef struct puller {
    puppet *session;
    uint32_t offset;
} puller;

typedef struct scene {
    arena *room;
    puller pullers[PULLERS];
    uint64_t lateness_ns; /* the maximum lateness of a tick */
} scene;

/* Bytes that the server received and sent until `at_ns`. */
typedef struct traffic {
    uint64_t at_ns, in, out;
} traffic;

static traffic traffic_of(const arena *room)
{
    ls_server_stats stats = ls_server_get_stats(room->server);
    return (traffic){.at_ns = room->now_ns, .in = stats.bytes_received, .out = stats.bytes_sent};
}

static double factor_since(const arena *room, const char *what, traffic before)
{
    traffic now = traffic_of(room);
    double seconds = (double)(now.at_ns - before.at_ns) / 1e9;
    double in = (double)(now.in - before.in), out = (double)(now.out - before.out);
    printf("%s: in %.1f kB/s, out %.1f kB/s (x %.0f)\n", what, in / seconds / 1e3,
           out / seconds / 1e3, out / in);
    return out / in;
}

static puppet *enter(arena *room)
{
    ls_handshake_client_config config = puppet_config(room, "puller");
    config.flags = LS_HANDSHAKE_SPECTATE;
    puppet *self = puppet_create(room, &config);
    assert_true(self->has_accept);
    puppet_confirm(self, room);
    return self;
}

static void limit_egress(void *context, ls_server_config *server, ls_room_config *room)
{
    (void)room;
    server->egress_bytes_per_s = *(const uint64_t *)context;
}

/* Creates a world of 1 MB with a player and the pullers. */
static scene begin(uint64_t egress_per_s)
{
    scene self = {.room = arena_create(&(arena_config){.sim = &cargo_large_sim,
                                                       .seed = 1,
                                                       .conditions = {.delay_ns = 5 * MS},
                                                       .prepare = limit_egress,
                                                       .context = &egress_per_s})};
    arena_join_bot(self.room, "a");
    arena_run(self.room, 2 * S);
    for (uint32_t i = 0; i < PULLERS; i++)
        self.pullers[i].session = enter(self.room);
    return self;
}

static void end(scene *self)
{
    assert_int_equal(arena_stats(self->room).ticks_skipped, 0);
    assert_in_range(self->lateness_ns, 0, 1 * MS);
    assert_int_equal(arena_stats(self->room).desyncs, 0);
    for (uint32_t i = 0; i < PULLERS; i++)
        puppet_destroy(self->pullers[i].session);
    arena_destroy(self->room);
}

static void pull(puller *self, arena *room)
{
    const ls_snapshot_chunk *known = &self->session->chunk;
    ls_snapshot_request request = {.bytes = LS_SNAPSHOT_REQUEST_BYTES_MAX};
    if (self->session->chunk_count) {
        request.tick = known->tick;
        request.offset = self->offset;
        self->offset += LS_SNAPSHOT_REQUEST_BYTES_MAX;
        self->offset = self->offset < known->total_bytes ? self->offset : 0;
    }
    puppet_request(self->session, room, &request);
}

/* Sends requests as often as the server accepts messages of a session. */
static void pull_for(scene *self, uint64_t duration_ns)
{
    arena *room = self->room;
    uint64_t until_ns = room->now_ns + duration_ns;
    while (room->now_ns < until_ns)
        for (uint32_t i = 0; i < PULLERS; i++) {
            pull(&self->pullers[i], room);
            puppet_run(self->pullers[i].session, room, 1 * MS);
            uint64_t lateness_ns = arena_stats(room).lateness_ns;
            self->lateness_ns = lateness_ns > self->lateness_ns ? lateness_ns : self->lateness_ns;
        }
}

/* Lets a client join while the pullers go on; returns the time that it takes. */
static uint64_t join_for(scene *self, uint64_t patience_ns)
{
    uint32_t late = arena_join_bot(self->room, "late");
    uint64_t begin_ns = self->room->now_ns;
    while (ls_client_get_state(arena_client_at(self->room, late)) != LS_CLIENT_PLAYING) {
        if (self->room->now_ns - begin_ns > patience_ns)
            fail_msg("the late client has not joined:\n%s", self->room->log);
        pull_for(self, 5 * MS);
    }
    assert_int_equal(arena_client_stats(self->room, late).snapshots_loaded, 1);
    uint64_t took_ns = self->room->now_ns - begin_ns;
    printf("a late join: %.0f ms\n", (double)took_ns / 1e6);
    return took_ns;
}

static uint64_t snapshot_bytes(const scene *self)
{
    return self->pullers[0].session->chunk.total_bytes;
}

TEST(test_attack_39_pullers_get_some_snapshots)
{
    scene self = begin(0);
    traffic start = traffic_of(self.room);
    pull_for(&self, 1 * S);
    factor_since(self.room, "the first second", start);
    assert_true(arena_stats(self.room).snapshot_bytes_sent <
                (PULLERS * (LS_SERVER_LOADS_AT_ONCE + 1) + 2) * snapshot_bytes(&self));
    assert_true(join_for(&self, 5 * S) < 300 * MS);
    pull_for(&self, 9 * S);
    factor_since(self.room, "the first ten seconds", start);
    uint64_t seconds = (self.room->now_ns - start.at_ns) / S + 1;
    uint64_t again = seconds * S / LS_SERVER_LOAD_AGAIN_NS + 1;
    /* 4: one snapshot each for the player and the late client, and resent ranges. */
    assert_true(arena_stats(self.room).snapshot_bytes_sent <
                (PULLERS * (LS_SERVER_LOADS + again) + 4) * snapshot_bytes(&self));
    pull_for(&self, LS_SERVER_LOADS * LS_SERVER_LOAD_PACE_NS - 10 * S);
    start = traffic_of(self.room);
    uint64_t sent = arena_stats(self.room).snapshot_bytes_sent;
    uint64_t encoded = arena_stats(self.room).snapshots_encoded;
    pull_for(&self, 30 * S);
    assert_true(factor_since(self.room, "then", start) < 10);
    sent = arena_stats(self.room).snapshot_bytes_sent - sent;
    assert_true(sent <= PULLERS * snapshot_bytes(&self) * 31 * S / LS_SERVER_LOAD_AGAIN_NS);
    assert_int_equal(arena_stats(self.room).snapshots_encoded, encoded);
    assert_true(join_for(&self, 5 * S) < 300 * MS);
    end(&self);
}

/* Under a limit the pullers share the bandwidth with the joining client and never delay ticks. */
TEST(test_attack_39_pullers_under_a_limit)
{
    enum { LIMIT = 1000000 };
    scene self = begin(LIMIT);
    traffic start = traffic_of(self.room);
    pull_for(&self, 1 * S);
    join_for(&self, 6 * S);
    pull_for(&self, 5 * S);
    factor_since(self.room, "under a limit of 1 MB/s", start);
    uint64_t out = traffic_of(self.room).out - start.out;
    uint64_t max = (self.room->now_ns - start.at_ns) / 1000 * LIMIT / 1000000 + LIMIT / 2;
    assert_true(out <= max);
    end(&self);
}

/* A client on a bad line loads a second snapshot after its world diverges. */
TEST(test_attack_39_a_client_that_loses_a_third)
{
    for (uint64_t seed = 1; seed <= 5; seed++) {
        arena *room = arena_create(
            &(arena_config){.sim = &cargo_large_sim, .seed = seed, .desync = LS_DESYNC_RESYNC});
        arena_join_bot(room, "a");
        arena_run(room, 2 * S);
        uint32_t carl = arena_join_corrupted(room, 5000, 7);
        ls_network_set_conditions(room->clients[carl].link,
                                  &(ls_impairment_conditions){.delay_ns = 30 * MS, .loss = 300000});
        arena_run_to_tick(room, 10000, 200 * S);
        assert_int_equal(arena_stats(room).ranges_limited, 0);
        ls_client_stats stats = arena_client_stats(room, carl);
        assert_int_equal(stats.snapshots_loaded, 2);
        assert_int_equal(ls_client_get_state(arena_client_at(room, carl)), LS_CLIENT_PLAYING);
        arena_destroy(room);
    }
}
