#include "server/room_checkpoint.h"

#include "puppet.h"
#include "server/room_state.h"
#include "slow_jobs.h"
#include "tests/support/test.h"
#include <lockstep/file_sink.h>

#include <errno.h>

/* The recording of the arena, whose disk works only when the test says so. */
typedef struct disk {
    slow_jobs slow;
    ls_sink arena, failing;
    bool has_none, fails;
    uint32_t syncs;
} disk;

static int64_t append(void *context, const void *data, size_t bytes)
{
    const ls_sink *sink = &((disk *)context)->arena;
    return sink->append(sink->context, data, bytes);
}

static int sync_not(void *context)
{
    disk *self = context;
    return self->syncs++ ? -EIO : 0; /* the first one begins the recording */
}

static int close_it(void *context)
{
    const ls_sink *sink = &((disk *)context)->arena;
    return sink->close(sink->context);
}

static void prepare(void *context, ls_server_config *server, ls_room_config *room)
{
    disk *self = context;
    server->disk_jobs = &self->slow.jobs;
    room->sync_ticks = 0;
    room->recording_name = "match.lsr";
    room->open_segment = self->fails ? NULL : ls_file_sink_create;
    self->arena = *room->sink;
    self->failing = (ls_sink){self, append, sync_not, close_it};
    if (self->fails)
        room->sink = &self->failing;
    if (!self->has_none)
        return;
    room->sink->close(room->sink->context);
    room->sink = NULL;
}

static arena *begin(disk *self)
{
    self->slow = slow_jobs_make();
    arena *room = arena_create(&(arena_config){
        .seed = 1, .conditions = {.delay_ns = 5 * MS}, .prepare = prepare, .context = self});
    arena_join_bot(room, "bot");
    arena_run(room, 2 * S);
    return room;
}

/* The bytes that it names are a recording by themselves, signed up to its tick. */
static void assert_is_cut(const arena *room, const ls_room_checkpoint *checkpoint)
{
    ls_recording *recording;
    ls_recording_signed vouched;
    assert_true(checkpoint->bytes <= room->recording.synced_bytes);
    assert_ok(
        ls_recording_open_memory("cut", room->recording.data, checkpoint->bytes, &recording, NULL));
    const ls_recording_end *end = ls_recording_find_end(recording);
    assert_int_equal(end->ignored_bytes, 0);
    assert_int_equal(end->tick_count, checkpoint->tick);
    assert_ok(ls_recording_check_signatures(recording, &vouched, NULL));
    assert_int_equal(vouched.tick, checkpoint->tick);
    ls_recording_close(recording);
}

TEST(test_room_checkpoint_is_durable_when_the_disk_has_it)
{
    disk own = {0};
    ls_room_checkpoint one, other;
    arena *room = begin(&own);
    uint64_t tick = arena_stats(room).tick;
    assert_int_equal(own.slow.waiting, 0);
    assert_ok(ls_room_checkpoint_begin(room->room, &one, NULL));
    assert_string_equal(one.file, "match.lsr");
    assert_int_equal(own.slow.waiting, 1);
    arena_run(room, 1 * S); /* no tick waits for it */
    assert_true(arena_stats(room).tick >= tick + 50);
    assert_int_equal(arena_stats(room).ticks_skipped, 0);
    assert_ok(ls_room_checkpoint_begin(room->room, &other, NULL)); /* begins after the first */
    assert_int_equal(own.slow.waiting, 1);
    assert_ok(ls_room_checkpoint_poll(room->server, &one, NULL));
    assert_false(one.is_durable);
    assert_true(slow_jobs_run_one(&own.slow));
    arena_run(room, 10 * MS);
    assert_ok(ls_room_checkpoint_poll(room->server, &one, NULL));
    assert_ok(ls_room_checkpoint_poll(room->server, &other, NULL));
    assert_true(one.is_durable && !other.is_durable);
    assert_int_equal(one.tick, tick);
    assert_is_cut(room, &one);
    assert_true(slow_jobs_run_one(&own.slow));
    arena_run(room, 10 * MS);
    assert_ok(ls_room_checkpoint_poll(room->server, &other, NULL));
    assert_true(other.is_durable && other.tick > one.tick);
    assert_is_cut(room, &other);
    arena_run(room, 1 * S);
    assert_int_equal(own.slow.waiting, 0);
    arena_destroy(room);
}

TEST(test_room_checkpoint_tells_that_the_disk_fails)
{
    disk own = {.fails = true};
    ls_room_checkpoint checkpoint;
    ls_error error;
    arena *room = begin(&own);
    assert_ok(ls_room_checkpoint_begin(room->room, &checkpoint, NULL));
    assert_true(slow_jobs_run_one(&own.slow));
    arena_run(room, 10 * MS);
    assert_int_equal(ls_room_checkpoint_poll(room->server, &checkpoint, &error), LS_ERROR_IO);
    assert_non_null(strstr(error.text, "the disk fails"));
    assert_int_equal(ls_room_checkpoint_begin(room->room, &checkpoint, &error), LS_ERROR_IO);
    assert_non_null(strstr(error.text, "the recording has failed"));
    arena_destroy(room);
}

TEST(test_room_checkpoint_of_a_match_that_ends)
{
    disk own = {0};
    ls_room_checkpoint checkpoint, late;
    ls_error error;
    arena *room = begin(&own);
    assert_ok(ls_room_checkpoint_begin(room->room, &checkpoint, NULL));
    assert_true(slow_jobs_run_one(&own.slow));
    assert_ok(ls_room_checkpoint_begin(room->room, &checkpoint, NULL));
    ls_room_drain(room->room, room->now_ns);
    assert_int_equal(ls_room_checkpoint_begin(room->room, &late, &error), LS_ERROR_REFUSED);
    assert_non_null(strstr(error.text, "the match is ending"));
    while (room->room) {
        (void)slow_jobs_run_one(&own.slow);
        if (!checkpoint.is_durable)
            assert_ok(ls_room_checkpoint_poll(room->server, &checkpoint, &error));
        arena_run(room, 10 * MS);
    }
    assert_int_equal(checkpoint.tick, room->final_stats.tick);
    assert_int_equal(ls_room_checkpoint_poll(room->server, &checkpoint, &error), LS_ERROR_REFUSED);
    arena_destroy(room);
}

TEST(test_room_checkpoint_needs_a_recording)
{
    disk own = {.has_none = true};
    ls_room_checkpoint checkpoint;
    ls_error error;
    arena *room = begin(&own);
    assert_int_equal(ls_room_checkpoint_begin(room->room, &checkpoint, &error), LS_ERROR_NOT_FOUND);
    assert_string_equal(error.text, "the match is not recorded");
    arena_destroy(room);
}

TEST(test_room_checkpoint_needs_signatures)
{
    disk own = {0};
    ls_room_checkpoint checkpoint;
    ls_error error;
    arena *room = begin(&own);
    room->room->recording.is_unsigned = true;
    assert_int_equal(ls_room_checkpoint_begin(room->room, &checkpoint, &error), LS_ERROR_REFUSED);
    assert_non_null(strstr(error.text, "the recording is not signed"));
    arena_destroy(room);
}
