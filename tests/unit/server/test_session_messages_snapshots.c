#include "puppet.h"
#include "tally_sim.h"
#include "tests/support/test.h"
#include <lockstep/limits.h>

typedef struct fixture {
    arena *room;
    puppet *client;
} fixture;

/* A running room with a bot in seat 0, and a puppet that has entered. */
static int begin(void **state)
{
    fixture *f = ls_alloc(sizeof *f);
    f->room = arena_create(&(arena_config){.seed = 1, .conditions = {.delay_ns = 5 * MS}});
    arena_join_bot(f->room, "bot");
    arena_run_to_tick(f->room, 60, 5 * S);
    f->client = puppet_enter(f->room, "puppet");
    *state = f;
    return 0;
}

static int end(void **state)
{
    fixture *f = *state;
    puppet_destroy(f->client);
    arena_destroy(f->room);
    ls_free(f);
    return 0;
}

static void test_session_messages_sends_chunks_of_one_snapshot(void **state)
{
    fixture *f = *state;
    puppet_request(f->client, f->room, &(ls_snapshot_request){.bytes = 4096});
    puppet_run(f->client, f->room, 50 * MS);
    assert_int_equal(f->client->chunk_count, 4);
    uint64_t tick = f->client->chunk.tick;
    uint32_t total = f->client->chunk.total_bytes;
    /* The last, short chunk; then one past the end; then a tick that is not kept. */
    uint32_t last = (total - 1) / 1024 * 1024;
    puppet_request(f->client, f->room,
                   &(ls_snapshot_request){.tick = tick, .offset = last, .bytes = 65536});
    puppet_run(f->client, f->room, 50 * MS);
    assert_int_equal(f->client->chunk_count, 5);
    assert_int_equal(f->client->chunk.bytes, total - last);
    puppet_request(f->client, f->room,
                   &(ls_snapshot_request){.tick = tick, .offset = total + 1024, .bytes = 1024});
    puppet_run(f->client, f->room, 50 * MS);
    assert_int_equal(f->client->chunk_count, 6);
    assert_int_equal(f->client->chunk.offset, 0);
    puppet_request(f->client, f->room,
                   &(ls_snapshot_request){.tick = 99999, .offset = 2048, .bytes = 65536});
    puppet_run(f->client, f->room, 50 * MS);
    assert_int_equal(f->client->chunk_count, 7);
    assert_int_equal(f->client->chunk.offset, 0);
    assert_int_equal(f->client->chunk.tick, tick);
}

static void test_session_messages_bounds_a_snapshot_storm(void **state)
{
    fixture *f = *state;
    uint64_t begin_ns = f->room->now_ns;
    for (uint32_t i = 0; i < 2000; i++) {
        puppet_request(f->client, f->room,
                       &(ls_snapshot_request){.bytes = LS_SNAPSHOT_REQUEST_BYTES_MAX});
        puppet_run(f->client, f->room, 1 * MS);
    }
    ls_room_stats stats = arena_stats(f->room);
    uint64_t seconds = (f->room->now_ns - begin_ns) / S + 1;
    assert_true(stats.snapshot_bytes_sent <= (seconds + 1) * LS_SERVER_SNAPSHOT_BYTES_PER_S);
    assert_true(stats.snapshots_encoded <= 2 * seconds + 2);
    assert_true(ls_server_get_stats(f->room->server).packets_dropped > 0);
    /* The bot was served throughout. */
    assert_true(arena_client_stats(f->room, 0).tick + 5 > stats.tick);
}

int main(void)
{
    return RUN_TESTS_WITH(begin, end, test_session_messages_sends_chunks_of_one_snapshot,
                          test_session_messages_bounds_a_snapshot_storm);
}
