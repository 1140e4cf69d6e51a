/* A client that can no longer fetch its missing ticks loads a snapshot or gives up. */
#include "puppet_server.h"
#include "tally_sim.h"
#include "tests/support/test.h"

/* Asserts that the client told the server its reason for leaving. */
static void expect_told(puppet_server *server)
{
    puppet_server_run(server, 50 * MS);
    assert_true(server->has_bye);
    assert_string_equal(ls_bye_failure(&server->bye), ls_client_reason(server->client));
}

TESTS_AROUND(puppet_server_begin, puppet_server_end);

TEST(test_loading_pulls_a_snapshot_when_too_far_behind)
{
    puppet_server *server = *state;
    puppet_server_tick(server, 0, 1, false, 0);
    puppet_server_run(server, 20 * MS);
    puppet_server_tick(server, 1000, 8, false, 0);
    puppet_server_run(server, 20 * MS);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_LOADING);
    puppet_server_advance(server, 900, false);
    puppet_server_load(server);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_PLAYING);
    assert_int_equal(puppet_server_stats(server).tick, 900);
    assert_int_equal(ls_world_root(ls_client_world(server->client)), ls_world_root(server->world));
}

/* The client gives up on a server that claims impossible heads. */
TEST(test_loading_gives_up_a_head_that_runs_away)
{
    puppet_server *server = *state;
    for (uint64_t i = 1; i < 10 && !ls_client_is_final(server->client); i++) {
        puppet_server_tick(server, i << 40, 8, false, 0);
        puppet_server_run(server, 20 * MS);
        if (!ls_client_is_final(server->client)) {
            puppet_server_advance(server, 1, false);
            puppet_server_load(server);
        }
    }
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_LOST);
    assert_non_null(strstr(ls_client_reason(server->client), "keep up"));
    expect_told(server);
}

TEST(test_loading_pulls_a_snapshot_when_a_gap_stays)
{
    puppet_server *server = *state;
    for (uint32_t i = 0; i < 52; i++) {
        puppet_server_tick(server, 20, 8, false, 0);
        puppet_server_run(server, 100 * MS);
    }
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_LOADING);
}

/* While it loads, the client names its snapshot in requests: a chunk of another one would restart
 * the download. */
TEST(test_loading_pings_with_the_snapshot_it_loads)
{
    puppet_server *server = *state;
    static const uint8_t data[LS_CHUNK_BYTES_MAX];
    ls_snapshot_chunk chunk = {.tick = 900,
                               .total_bytes = 9 * LS_CHUNK_BYTES_MAX,
                               .raw_bytes = 20 * LS_CHUNK_BYTES_MAX,
                               .bytes = LS_CHUNK_BYTES_MAX,
                               .data = data};
    ls_plain plain;
    puppet_server_tick(server, 0, 1, false, 0);
    puppet_server_run(server, 20 * MS);
    puppet_server_tick(server, 1000, 8, false, 0);
    puppet_server_run(server, 20 * MS);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_LOADING);
    ls_snapshot_chunk_encode(&chunk, &plain);
    puppet_server_say(server, &plain);
    uint32_t signs = 0, before = server->requests;
    for (uint32_t i = 0; i < 200; i++, before = server->requests) {
        puppet_server_run(server, 10 * MS);
        if (server->requests == before || server->request.bytes != 1)
            continue;
        assert_int_equal(server->request.tick, 900);
        signs++;
    }
    assert_in_range(signs, 4, 8);
}

TESTS_AROUND(NULL, NULL);

/* A broken snapshot ends the session with a reason. */
TEST(test_loading_refuses_a_broken_snapshot)
{
    puppet_server *server = puppet_server_create();
    puppet_server_join(server, NULL);
    puppet_server_run(server, 100 * MS);
    uint8_t noise[500];
    memset(noise, 0xa5, sizeof noise);
    ls_snapshot_chunk chunk = {
        .total_bytes = sizeof noise, .raw_bytes = 700, .bytes = sizeof noise, .data = noise};
    ls_plain plain;
    ls_snapshot_chunk_encode(&chunk, &plain);
    puppet_server_say(server, &plain);
    puppet_server_run(server, 50 * MS);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_LOST);
    assert_non_null(strstr(ls_client_reason(server->client), "snapshot cannot be read"));
    expect_told(server);
    puppet_server_destroy(server);
}

TEST(test_loading_refuses_a_snapshot_of_another_tick)
{
    puppet_server *server = puppet_server_create();
    puppet_server_join(server, NULL);
    puppet_server_run(server, 100 * MS);
    puppet_server_load_as(server, 5);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_LOST);
    assert_non_null(strstr(ls_client_reason(server->client), "another tick"));
    expect_told(server);
    puppet_server_destroy(server);
}

TESTS_AROUND(puppet_server_begin, puppet_server_end);

/* The server asks for a reload: snapshots older than its tick do not count. */
TEST(test_loading_reloads_when_asked)
{
    puppet_server *server = *state;
    ls_plain plain;
    ls_notice_encode(&(ls_notice){.kind = LS_NOTICE_RELOAD, .tick = 30, .text = "you differ"},
                     &plain);
    puppet_server_say(server, &plain);
    puppet_server_run(server, 20 * MS);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_LOADING);
    assert_non_null(strstr(ls_client_reason(server->client), "you differ"));
    puppet_server_advance(server, 29, false);
    puppet_server_load(server);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_LOADING);
    puppet_server_advance(server, 1, false);
    puppet_server_load(server);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_PLAYING);
    assert_int_equal(puppet_server_stats(server).tick, 30);
    assert_int_equal(puppet_server_stats(server).reloads, 1);
}

/* Loads a snapshot of a tick that is `count` ticks later, which jumps over all ticks before it. */
static void jump(puppet_server *server, uint32_t count)
{
    puppet_server_tick(server, ls_world_tick(server->world) + count + 100, 8, false, 0);
    puppet_server_run(server, 20 * MS);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_LOADING);
    puppet_server_advance(server, count, false);
    puppet_server_load(server);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_PLAYING);
}

static void say_notice(puppet_server *server, ls_notice_kind kind, uint64_t tick)
{
    ls_plain plain;
    ls_notice_encode(&(ls_notice){.kind = kind, .tick = tick}, &plain);
    puppet_server_say(server, &plain);
    puppet_server_run(server, 20 * MS);
}

/* A snapshot may jump over the client's JOIN. None was there when its world differed before, so it
 * must not take its seat for one that plays. */
TEST(test_loading_does_not_play_after_a_desync_before_its_join)
{
    puppet_server *server = *state;
    puppet_server_tick(server, 0, 1, false, 0);
    puppet_server_run(server, 100 * MS); /* the first root is reported */
    say_notice(server, LS_NOTICE_DESYNC, 0);
    jump(server, 900);
    assert_false(puppet_server_stats(server).is_playing);
    say_notice(server, LS_NOTICE_RELOAD, ls_world_tick(server->world) + 1);
    puppet_server_advance(server, 1, false);
    puppet_server_load(server);
    assert_true(puppet_server_stats(server).is_playing);
}
