#include "proto/link_memory.h"
#include "server/server.h"
#include "tally_sim.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* A disk that is full after so many bytes. */
typedef struct disk {
    uint64_t left;
    uint32_t closes;
    char log[4096];
} disk;

static int64_t disk_append(void *context, const void *data, size_t bytes)
{
    disk *self = context;
    (void)data;
    if (bytes > self->left)
        return -ENOSPC;
    self->left -= bytes;
    return (int64_t)bytes;
}

static int disk_sync(void *context)
{
    (void)context;
    return 0;
}

static int disk_close(void *context)
{
    ((disk *)context)->closes++;
    return 0;
}

static void keep(void *context, const char *line)
{
    disk *self = context;
    size_t used = strlen(self->log);
    snprintf(self->log + used, sizeof self->log - used, "%s\n", line);
}

typedef struct fixture {
    ls_program *program;
    ls_network *network;
    ls_identity identity;
    disk disk;
    ls_sink sink;
    ls_server_config config;
    ls_server *server;
} fixture;

static int begin(void **state)
{
    fixture *f = ls_alloc(sizeof *f);
    assert_int_equal(ls_program_create(&tally_sim, &f->program, NULL), LS_OK);
    f->network = ls_network_create(1, &(ls_network_conditions){0});
    ls_identity_init(&f->identity, NULL);
    f->disk.left = UINT64_MAX;
    f->sink = (ls_sink){
        .context = &f->disk, .append = disk_append, .sync = disk_sync, .close = disk_close};
    f->config = ls_server_config_default();
    f->config.program = f->program;
    f->config.match = ls_program_match(f->program, 1);
    f->config.link = ls_network_listen(f->network, 64);
    f->config.identity = &f->identity;
    f->config.sink = &f->sink;
    f->config.wait_players = 0;
    f->config.log = keep;
    f->config.log_context = &f->disk;
    *state = f;
    return 0;
}

static int end(void **state)
{
    fixture *f = *state;
    ls_server_destroy(f->server);
    ls_link_destroy(f->config.link);
    ls_network_destroy(f->network);
    ls_program_destroy(f->program);
    assert_int_equal(f->disk.closes, 1);
    ls_free(f);
    return 0;
}

static void assert_refused(fixture *f, const char *text)
{
    ls_error error = {""};
    assert_int_equal(ls_server_create(&f->config, &f->server, &error), LS_ERROR_USAGE);
    assert_null(f->server);
    assert_non_null(strstr(error.text, text));
}

static void test_server_refuses_too_many_to_wait_for(void **state)
{
    fixture *f = *state;
    f->config.wait_players = 5;
    assert_refused(f, "5 players");
}

static void test_server_refuses_a_wrong_peer_count(void **state)
{
    fixture *f = *state;
    f->config.peers_max = 0;
    assert_refused(f, "connections");
}

static void test_server_refuses_a_wrong_match(void **state)
{
    fixture *f = *state;
    f->config.match.tick_rate = LS_TICK_RATE_MAX + 1;
    ls_error error = {""};
    assert_int_equal(ls_server_create(&f->config, &f->server, &error), LS_ERROR_USAGE);
    assert_null(f->server);
    assert_true(error.text[0] != 0);
}

static void test_server_refuses_a_disk_without_room(void **state)
{
    fixture *f = *state;
    f->disk.left = 10;
    ls_error error = {""};
    assert_int_equal(ls_server_create(&f->config, &f->server, &error), LS_ERROR_IO);
    assert_null(f->server);
}

static void test_server_goes_on_when_the_disk_fills(void **state)
{
    fixture *f = *state;
    f->disk.left = 2000;
    assert_int_equal(ls_server_create(&f->config, &f->server, NULL), LS_OK);
    uint64_t now_ns = 0;
    while (ls_server_get_stats(f->server).tick < 300)
        now_ns = ls_server_step(f->server, now_ns);
    ls_server_stats stats = ls_server_get_stats(f->server);
    assert_true(stats.recording_failed);
    assert_true(stats.recording_bytes <= 2000);
    const char *first = strstr(f->disk.log, "recording_failed tick=");
    assert_non_null(first);
    assert_null(strstr(first + 1, "recording_failed"));
    ls_server_drain(f->server, now_ns);
    ls_server_step(f->server, now_ns);
    assert_true(ls_server_is_done(f->server));
}

static void test_server_step_tells_when_it_is_due(void **state)
{
    fixture *f = *state;
    f->config.match.tick_rate = 10;
    assert_int_equal(ls_server_create(&f->config, &f->server, NULL), LS_OK);
    uint64_t now_ns = 12345, next = ls_server_step(f->server, now_ns);
    while (next < now_ns + 100000000)
        next = ls_server_step(f->server, next);
    assert_int_equal(next, now_ns + 100000000);
    assert_int_equal(ls_server_get_stats(f->server).tick, 0);
    ls_server_step(f->server, next);
    assert_int_equal(ls_server_get_stats(f->server).tick, 1);
    assert_int_equal(ls_world_tick(ls_server_world(f->server)), 1);
    assert_int_equal(ls_server_get_stats(f->server).lateness_ns, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_server_refuses_too_many_to_wait_for),
        TEST(test_server_refuses_a_wrong_peer_count),
        TEST(test_server_refuses_a_wrong_match),
        TEST(test_server_refuses_a_disk_without_room),
        TEST(test_server_goes_on_when_the_disk_fills),
        TEST(test_server_step_tells_when_it_is_due),
    };
    return cmocka_run_group_tests_name("server", tests, NULL, NULL);
}
