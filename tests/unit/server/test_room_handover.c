#include "server/room_handover.h"

#include "arena.h"
#include "server/room_state.h"
#include "slow_jobs.h"
#include "tests/support/remotes.h"
#include "tests/support/test.h"

#include <errno.h>

/* The arena's recording on a disk that is full or fails to sync when the test says so. */
typedef struct disk {
    slow_jobs slow;
    ls_sink arena, own;
    bool is_slow, is_full, fails_to_sync;
    uint32_t closes;
} disk;

static int64_t append(void *context, const void *data, size_t bytes)
{
    const disk *self = context;
    return self->is_full ? -ENOSPC : self->arena.append(self->arena.context, data, bytes);
}

static int sync_it(void *context)
{
    const disk *self = context;
    return self->fails_to_sync ? -EIO : self->arena.sync(self->arena.context);
}

static int close_it(void *context)
{
    disk *self = context;
    self->closes++;
    return self->arena.close(self->arena.context);
}

static void prepare(void *context, ls_server_config *server, ls_room_config *room)
{
    disk *self = context;
    self->slow = slow_jobs_make();
    if (self->is_slow)
        server->disk_jobs = &self->slow.jobs;
    room->sync_ticks = 0; /* nothing is written but what the handover needs */
    self->arena = *room->sink;
    self->own = (ls_sink){self, append, sync_it, close_it};
    room->sink = &self->own;
}

static arena *begin(disk *self)
{
    arena *room = arena_create(&(arena_config){
        .seed = 1, .conditions = {.delay_ns = 5 * MS}, .prepare = prepare, .context = self});
    arena_join_bot(room, "bot");
    arena_join_bot(room, "bat");
    arena_run(room, 2 * S);
    assert_int_equal(arena_stats(room).sessions, 2);
    return room;
}

static ls_release_state stop(arena *room)
{
    assert_ok(ls_room_handover_begin(room->room, room->now_ns, NULL));
    arena_run(room, 100 * MS);
    return ls_room_handover_release(room->room);
}

/* The released file has each tick that a client may have seen, is signed, and is not closed. */
TEST(test_room_handover_releases_every_tick)
{
    disk own = {0};
    ls_recording *recording;
    ls_recording_signed vouched;
    arena *room = begin(&own);
    assert_int_equal(stop(room), LS_RELEASE_DONE);
    assert_int_equal(own.closes, 1);
    assert_int_equal(room->recording.synced_bytes, room->recording.bytes);
    assert_ok(ls_recording_open_memory("moved", room->recording.data, room->recording.bytes,
                                       &recording, NULL));
    const ls_recording_end *end = ls_recording_find_end(recording);
    assert_int_equal(end->tick_count, arena_stats(room).tick);
    assert_false(end->is_closed);
    assert_ok(ls_recording_check_signatures(recording, &vouched, NULL));
    assert_int_equal(vouched.tick, end->tick_count);
    ls_recording_close(recording);
    const ls_remote to = LS_REMOTE_IPV4(203, 0, 113, 9, 7778);
    ls_room_handover_end(room->room, &to, room->now_ns);
    assert_true(ls_room_handover_is_over(room->room));
    arena_run(room, 100 * MS);
    assert_null(room->room); /* nothing of it lives on */
    assert_int_equal(arena_log_count(room, "handed_over tick="), 1);
    assert_int_equal(arena_log_count(room, "end tick="), 0);
    arena_destroy(room);
}

/* A slow disk holds the release up, and no tick closes meanwhile. */
TEST(test_room_handover_waits_for_the_disk)
{
    disk own = {.is_slow = true};
    arena *room = begin(&own);
    assert_int_equal(stop(room), LS_RELEASE_UNDER_WAY);
    uint64_t tick = arena_stats(room).tick;
    arena_run(room, 1 * S);
    assert_int_equal(arena_stats(room).tick, tick);
    assert_int_equal(ls_room_handover_release(room->room), LS_RELEASE_UNDER_WAY);
    assert_true(slow_jobs_run_one(&own.slow));
    arena_run(room, 10 * MS);
    assert_int_equal(ls_room_handover_release(room->room), LS_RELEASE_DONE);
    arena_destroy(room);
}

/* The match goes on where it stopped, with its sessions, and loses no tick but on the disk. */
static void goes_on(bool *fault, disk *own)
{
    arena *room = begin(own);
    uint64_t resumes = arena_client_stats(room, 0).resumes, joins = arena_stats(room).joins;
    *fault = true;
    assert_int_equal(stop(room), LS_RELEASE_FAILED);
    assert_int_equal(own->closes, 0);
    uint64_t tick = arena_stats(room).tick;
    ls_room_handover_cancel(room->room, room->now_ns);
    arena_run(room, 1 * S);
    ls_room_stats stats = arena_stats(room);
    assert_int_equal(stats.state, LS_ROOM_RUNNING);
    assert_in_range(stats.tick, tick + 55, tick + 65);
    assert_int_equal(stats.ticks_skipped, 0);
    assert_int_equal(stats.sessions, 2);
    assert_int_equal(stats.joins, joins);
    assert_int_equal(stats.leaves + stats.desyncs, 0);
    assert_true(stats.recording_failed);
    assert_int_equal(arena_client_stats(room, 0).resumes, resumes);
    assert_int_equal(ls_client_get_state(arena_client_at(room, 0)), LS_CLIENT_PLAYING);
    assert_true(arena_client_stats(room, 0).tick + 10 > stats.tick);
    /* Not again before a next file records it. */
    assert_int_equal(ls_room_handover_begin(room->room, room->now_ns, NULL), LS_ERROR_REFUSED);
    ls_room_drain(room->room, room->now_ns);
    arena_run_to_end(room, 10 * S);
    assert_int_equal(room->final_stats.ended_by, LS_CLOSING_DRAINED);
    assert_int_equal(room->final_stats.desyncs, 0);
    arena_destroy(room);
}

TEST(test_room_handover_a_full_disk_lets_the_match_go_on)
{
    disk own = {0};
    goes_on(&own.is_full, &own);
}

TEST(test_room_handover_a_failed_sync_lets_the_match_go_on)
{
    disk own = {0};
    goes_on(&own.fails_to_sync, &own);
}

/* SIGTERM while the match is stopped ends it when it returns. */
TEST(test_room_handover_a_drain_is_not_forgotten)
{
    disk own = {0};
    arena *room = begin(&own);
    own.is_full = true;
    assert_ok(ls_room_handover_begin(room->room, room->now_ns, NULL));
    ls_server_drain(room->server, room->now_ns);
    arena_run(room, 100 * MS);
    assert_int_equal(ls_room_handover_release(room->room), LS_RELEASE_FAILED);
    ls_room_handover_cancel(room->room, room->now_ns);
    arena_run_to_end(room, 10 * S);
    assert_int_equal(room->final_stats.ended_by, LS_CLOSING_DRAINED);
    arena_destroy(room);
}
