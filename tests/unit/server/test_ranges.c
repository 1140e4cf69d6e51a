#include "puppet.h"
#include "server/room_state.h"
#include "server/server_state.h"
#include "tests/support/test.h"

static const ls_snapshot_request opening = {.bytes = LS_CHUNK_BYTES_MAX};

typedef struct fixture {
    arena *room;
    puppet *client;
    ls_server_session *session;
} fixture;

static void limit_egress(void *context, ls_server_config *server, ls_room_config *room)
{
    (void)context;
    (void)room;
    server->egress_bytes_per_s = LS_SERVER_EGRESS_MIN;
}

/* Creates a running room with a bot in seat 0 and a puppet. The server's egress is limited. */
static int begin(void **state)
{
    fixture *f = ls_alloc(sizeof *f);
    f->room = arena_create(
        &(arena_config){.seed = 1, .conditions = {.delay_ns = 5 * MS}, .prepare = limit_egress});
    arena_join_bot(f->room, "bot");
    arena_run_to_tick(f->room, 60, 5 * S);
    f->client = puppet_enter(f->room, "puppet");
    f->session = f->room->room->sessions;
    assert_int_equal(f->session->seat, 1);
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

/* Requests the start of a snapshot; returns the number of chunks received. */
static uint32_t ask(fixture *f)
{
    uint32_t before = f->client->chunk_count;
    puppet_request(f->client, f->room, &opening);
    puppet_run(f->client, f->room, 100 * MS);
    return f->client->chunk_count - before;
}

static void spend(ls_load_budget *budget, uint64_t now_ns)
{
    ls_token_bucket *volume = &budget->volume;
    uint64_t left = volume->burst - ls_token_bucket_missing(volume, now_ns);
    assert_true(ls_token_bucket_take(volume, now_ns, left));
}

TESTS_AROUND(begin, end);

/* A session with a spent budget gets no answer, and the server packs no snapshot for it. Later it
 * is answered again. */
TEST(test_ranges_of_a_spent_session_are_not_answered)
{
    fixture *f = *state;
    assert_int_equal(ask(f), 1);
    arena_run(f->room, S);
    ls_room_stats before = arena_stats(f->room);
    spend(&f->session->loads, f->room->now_ns);
    puppet_request(f->client, f->room, &opening);
    puppet_run(f->client, f->room, 20 * MS);
    ls_room_stats stats = arena_stats(f->room);
    assert_int_equal(stats.snapshots_encoded, before.snapshots_encoded);
    assert_int_equal(stats.snapshot_bytes_sent, before.snapshot_bytes_sent);
    assert_int_equal(stats.ranges_limited, before.ranges_limited + 1);
    puppet_run(f->client, f->room, S);
    assert_int_equal(ask(f), 1);
    assert_int_equal(arena_stats(f->room).snapshots_encoded, before.snapshots_encoded + 1);
}

/* A spent budget of the host also stops a new session, so connecting again gains nothing, not even
 * a snapshot that the server packs in vain. */
TEST(test_ranges_of_a_spent_host_are_not_answered)
{
    fixture *f = *state;
    ls_server *server = f->room->server;
    uint64_t encoded = arena_stats(f->room).snapshots_encoded;
    spend(&server->host_loads[f->session->entrant.bucket], f->room->now_ns);
    puppet_request(f->client, f->room, &opening);
    puppet_run(f->client, f->room, 12 * MS);
    assert_int_equal(f->client->chunk_count, 0);
    assert_int_equal(arena_stats(f->room).ranges_limited, 1);
    assert_int_equal(arena_stats(f->room).snapshots_encoded, encoded);
    assert_int_equal(ls_load_budget_rank(&f->session->loads, f->room->now_ns), 0);
    puppet_run(f->client, f->room, 100 * MS);
    assert_int_equal(ask(f), 1);
}

/* The bot has another host, so its loads do not count here. */
TEST(test_ranges_charge_the_session_and_its_host)
{
    fixture *f = *state;
    ls_load_budget *host = &f->room->server->host_loads[f->session->entrant.bucket];
    uint64_t own = ls_token_bucket_missing(&f->session->loads.volume, f->room->now_ns);
    assert_int_equal(own, 0);
    puppet_request(f->client, f->room, &opening);
    while (!f->client->chunk_count)
        puppet_run(f->client, f->room, MS);
    own = ls_token_bucket_missing(&f->session->loads.volume, f->room->now_ns);
    assert_true(own > 0);
    assert_true(ls_token_bucket_missing(&host->volume, f->room->now_ns) > 0);
    for (const ls_server_session *other = f->session->next; other; other = other->next)
        assert_int_not_equal(other->entrant.bucket, f->session->entrant.bucket);
}

TEST(test_ranges_wait_for_the_limit_of_the_server)
{
    fixture *f = *state;
    ls_egress_charge(&f->room->server->egress, f->room->now_ns, LS_SERVER_EGRESS_MIN);
    assert_int_equal(ask(f), 0);
    puppet_run(f->client, f->room, S);
    assert_int_equal(ask(f), 1);
}
