#include "arena.h"
#include "proto/limits.h"
#include "slow_jobs.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define MS UINT64_C(1000000)
#define S  (1000 * MS)

/* A disk that is full after so many bytes, or cannot sync. */
typedef struct disk {
    slow_jobs slow;
    bool is_slow;
    ls_sink sink;
    uint64_t left;
    int sync_error;
    uint32_t closes, syncs;
    uint32_t sync_ticks;
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
    disk *self = context;
    /* The first gives the recording its name. */
    return self->syncs++ ? -self->sync_error : 0;
}

static int disk_close(void *context)
{
    ((disk *)context)->closes++;
    return 0;
}

static void prepare(void *context, ls_server_config *server, ls_room_config *room)
{
    disk *self = context;
    room->sink->close(room->sink->context);
    self->sink =
        (ls_sink){.context = self, .append = disk_append, .sync = disk_sync, .close = disk_close};
    room->sink = &self->sink;
    room->sync_ticks = self->sync_ticks;
    if (self->is_slow)
        server->jobs = &self->slow.jobs;
}

static arena *arena_on(disk *own)
{
    own->slow = slow_jobs_make();
    return arena_create(&(arena_config){
        .seed = 1, .conditions = {.delay_ns = 5 * MS}, .prepare = prepare, .context = own});
}

static void test_record_full_disk_ends_the_recording_only(void **state)
{
    (void)state;
    disk own = {.left = 2000, .sync_ticks = 60};
    arena *room = arena_on(&own);
    arena_join_bot(room, "bot");
    arena_run_to_tick(room, 300, 10 * S);
    ls_room_stats stats = arena_stats(room);
    assert_true(stats.recording_failed);
    assert_true(stats.recording_bytes <= 2000);
    assert_int_equal(arena_log_count(room, "recording_failed tick="), 1);
    assert_int_equal(stats.ticks_skipped, 0);
    assert_int_equal(ls_client_get_state(arena_client_at(room, 0)), LS_CLIENT_PLAYING);
    ls_room_drain(room->room, room->now_ns);
    arena_run_to_end(room, 5 * S);
    assert_int_equal(own.closes, 1);
    arena_destroy(room);
}

static void test_record_no_room_for_a_header_opens_no_room(void **state)
{
    (void)state;
    disk small = {.left = UINT64_MAX, .sync_ticks = 60};
    arena *room = arena_on(&small);
    ls_room_config config = ls_room_config_default();
    disk full = {.left = 10};
    ls_sink sink = {
        .context = &full, .append = disk_append, .sync = disk_sync, .close = disk_close};
    config.match = ls_program_match(room->program, 1);
    config.sink = &sink;
    ls_server_drain(room->server, room->now_ns);
    arena_run(room, 1 * S);
    ls_error error = {""};
    assert_int_equal(ls_server_open_room(room->server, &config, NULL, &error), LS_ERROR_IO);
    assert_int_equal(full.closes, 1);
    arena_destroy(room);
}

static void test_record_failed_sync_ends_the_recording_only(void **state)
{
    (void)state;
    disk own = {.left = UINT64_MAX, .sync_ticks = 60, .sync_error = EIO};
    arena *room = arena_on(&own);
    arena_join_bot(room, "bot");
    arena_run_to_tick(room, 300, 10 * S);
    assert_true(arena_stats(room).recording_failed);
    assert_int_equal(own.syncs, 2); /* a failed one is never tried again */
    assert_int_equal(arena_log_count(room, "recording_failed tick="), 1);
    arena_destroy(room);
}

/* A disk that takes its time holds up neither ticks nor appends. */
static void test_record_slow_disk_holds_nothing_up(void **state)
{
    (void)state;
    disk own = {.left = UINT64_MAX, .sync_ticks = 30, .is_slow = true};
    arena *room = arena_on(&own);
    arena_join_bot(room, "bot");
    for (uint32_t i = 0; i < 500; i++) {
        arena_run(room, 10 * MS);
        while (slow_jobs_run_one(&own.slow))
            continue;
    }
    assert_true(own.syncs > 8);
    assert_true(arena_stats(room).recording_unsynced_ticks <= 60);
    arena_run(room, 2 * S); /* now nothing ends */
    assert_true(arena_stats(room).recording_unsynced_ticks >= 90);
    assert_int_equal(arena_stats(room).ticks_skipped, 0);
    assert_false(arena_stats(room).recording_failed);
    arena_destroy(room);
    assert_int_equal(own.closes, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_record_full_disk_ends_the_recording_only),
        cmocka_unit_test(test_record_no_room_for_a_header_opens_no_room),
        cmocka_unit_test(test_record_failed_sync_ends_the_recording_only),
        cmocka_unit_test(test_record_slow_disk_holds_nothing_up),
    };
    return cmocka_run_group_tests_name("record", tests, NULL, NULL);
}
