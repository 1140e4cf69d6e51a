#include "puppet.h"
#include "replays/keyframe.h"
#include "server/room_state.h"
#include "slow_jobs.h"
#include "tests/support/test.h"
#include <lockstep/limits.h>

#include <errno.h>

/* A sink on a disk that is full after `left` bytes, or fails to sync. */
typedef struct disk {
    slow_jobs slow;
    bool is_slow, waits_alone; /* whether `slow` runs all jobs, or only those of the disk */
    ls_sink sink;
    uint64_t left;
    int sync_error;
    uint32_t closes, syncs;
    uint32_t sync_ticks;
} disk;

static int64_t disk_append(void *context, const void *data, size_t bytes)
{
    disk *self = context;
    if (bytes > self->left)
        return -ENOSPC;
    self->left -= bytes;
    return (int64_t)bytes;
}

static int disk_sync(void *context)
{
    disk *self = context;
    /* The first sync names the recording. */
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
    if (self->waits_alone)
        server->disk_jobs = &self->slow.jobs;
}

static arena *arena_on(disk *own)
{
    own->slow = slow_jobs_make();
    return arena_create(&(arena_config){
        .seed = 1, .conditions = {.delay_ns = 5 * MS}, .prepare = prepare, .context = own});
}

TEST(test_room_recording_no_room_for_a_header_opens_no_room)
{
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

TEST(test_room_recording_failed_sync_ends_the_recording_only)
{
    disk own = {.left = UINT64_MAX, .sync_ticks = 60, .sync_error = EIO};
    arena *room = arena_on(&own);
    arena_join_bot(room, "bot");
    arena_run_to_tick(room, 300, 10 * S);
    assert_true(arena_stats(room).recording_failed);
    assert_true(arena_stats(room).recording_unsynced_ticks >= 240); /* it grows with the match */
    assert_int_equal(room->room->recording.failures, 1);
    assert_int_equal(own.syncs, 2); /* a failed sync is never retried */
    assert_int_equal(arena_log_count(room, "recording_failed tick="), 1);
    arena_destroy(room);
}

/* A slow disk delays neither ticks nor appends. */
TEST(test_room_recording_slow_disk_delays_no_tick)
{
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
    arena_run(room, 2 * S); /* no job ends from here on */
    assert_true(arena_stats(room).recording_unsynced_ticks >= 90);
    assert_int_equal(arena_stats(room).ticks_skipped, 0);
    assert_false(arena_stats(room).recording_failed);
    arena_destroy(room);
    assert_int_equal(own.closes, 1);
}

/* A match that ends does not wait for the disk: its clients are told at once. The closing record is
 * written after the current sync, and the room closes after that. */
TEST(test_room_recording_slow_disk_delays_no_end)
{
    disk own = {.left = UINT64_MAX, .sync_ticks = 30, .waits_alone = true};
    arena *room = arena_on(&own);
    arena_join_bot(room, "bot");
    arena_run(room, 2 * S);
    assert_int_equal(own.slow.waiting, 1);
    uint64_t left = own.left;
    ls_room_drain(room->room, room->now_ns);
    arena_run(room, 3 * S);
    assert_int_equal(ls_client_get_state(arena_client_at(room, 0)), LS_CLIENT_ENDED);
    assert_int_equal(arena_stats(room).state, LS_ROOM_ENDING);
    assert_int_equal(arena_stats(room).sessions, 0);
    assert_int_equal(own.left, left);
    assert_true(slow_jobs_run_one(&own.slow));
    arena_run(room, 100 * MS);
    assert_int_equal(own.left, left);
    assert_int_equal(own.slow.waiting, 1); /* the job that closes the recording */
    assert_true(arena_stats(room).recording_unsynced_ticks > 0);
    assert_true(slow_jobs_run_one(&own.slow));
    assert_true(own.left < left);
    arena_run(room, 100 * MS);
    assert_null(room->room);
    assert_false(room->final_stats.recording_failed);
    assert_int_equal(room->final_stats.recording_unsynced_ticks, 0);
    assert_int_equal(own.closes, 1);
    arena_destroy(room);
}

static disk *request_disk;
static ls_match request_match;

static ls_status make_room(void *context, const char *name, ls_room_config *config, ls_error *error)
{
    static ls_sink sink;
    sink = (ls_sink){
        .context = request_disk, .append = disk_append, .sync = disk_sync, .close = disk_close};
    config->sink = &sink;
    config->match = request_match;
    return LS_OK;
}

static void prepare_requests(void *context, ls_server_config *server, ls_room_config *room)
{
    request_disk = context;
    request_match = room->match;
    server->rooms_max = 3;
    server->make_room = make_room;
    server->disk_jobs = &request_disk->slow.jobs;
}

static puppet *ask(arena *room, const char *name)
{
    ls_handshake_client_config config = puppet_config(room, "p");
    strcpy(config.room, name);
    return puppet_create(room, &config);
}

/* Runs all jobs, including the syncs of the running match. */
static void run_all(slow_jobs *slow)
{
    while (slow_jobs_run_one(slow))
        continue;
}

/* Only the client that asked for a room waits until its recording is open. If that fails, the next
 * client that asks for it is refused. */
TEST(test_room_recording_slow_disk_delays_no_other_opening)
{
    disk own = {.slow = slow_jobs_make(), .left = UINT64_MAX};
    arena *room = arena_create(&(arena_config){.seed = 1,
                                               .conditions = {.delay_ns = 5 * MS},
                                               .prepare = prepare_requests,
                                               .context = &own});
    arena_join_bot(room, "bot");
    arena_run(room, 1 * S);
    puppet *early = ask(room, "named");
    assert_false(early->has_accept);
    assert_non_null(strstr(early->refusal, "its room is being opened"));
    assert_int_equal(own.syncs, 0);
    assert_int_equal(arena_stats(room).ticks_skipped, 0);
    run_all(&own.slow);
    assert_int_equal(own.syncs, 1);
    arena_run(room, 100 * MS);
    puppet *late = ask(room, "named");
    assert_true(late->has_accept);
    assert_string_equal(late->accept.room, "named");
    own.left = 0;
    puppet *third = ask(room, "other");
    run_all(&own.slow);
    arena_run(room, 100 * MS);
    puppet *told = ask(room, "other");
    assert_false(told->has_accept);
    assert_non_null(strstr(told->refusal, "No space left"));
    puppet_destroy(told);
    puppet_destroy(third);
    puppet_destroy(late);
    puppet_destroy(early);
    own.left = UINT64_MAX;
    arena_destroy(room);
}

/* The server is destroyed while the disk still opens the recording. */
TEST(test_room_recording_opening_can_be_broken_off)
{
    disk own = {.slow = slow_jobs_make(), .left = UINT64_MAX};
    arena *room = arena_create(&(arena_config){.seed = 1,
                                               .conditions = {.delay_ns = 5 * MS},
                                               .prepare = prepare_requests,
                                               .context = &own});
    puppet *client = ask(room, "named");
    assert_int_equal(own.slow.waiting, 1);
    puppet_destroy(client);
    arena_destroy(room);
    assert_int_equal(own.closes, 1);
}

static ls_memory_sink segments[4];
static uint32_t segment_count;

static ls_status open_segment(const char *name, ls_sink *sink, ls_error *error)
{
    char expected[32];
    assert_true(segment_count < LS_COUNT_OF(segments));
    snprintf(expected, sizeof expected, "match.%u.lsr", segment_count + 1);
    assert_string_equal(name, expected);
    ls_memory_sink *memory = &segments[segment_count++];
    ls_memory_sink_init(memory);
    *sink = ls_memory_sink_open(memory);
    /* The first segment fails to open; another one is tried later. */
    if (segment_count == 1) {
        sink->close(sink->context);
        return ls_error_set(error, LS_ERROR_IO, "no space");
    }
    return LS_OK;
}

/* A keyframe's state and the ticks replayed from it have the recorded roots. */
static void assert_plays(ls_recording *recording, const arena *room, uint64_t *root)
{
    const ls_recording_keyframe *keyframes;
    const ls_recording_columns *columns;
    const ls_recording_tick *tick;
    ls_world *world;
    ls_error error;
    uint64_t hashes[LS_COMPONENTS_MAX], known;
    assert_ok(
        ls_world_create(room->program, &ls_recording_get_header(recording)->match, &world, &error));
    uint32_t count = ls_recording_keyframes(recording, &keyframes);
    uint32_t columns_count = ls_recording_columns_list(recording, &columns), seen = 0;
    ls_snapshot *base = NULL;
    assert_true(count >= 2 && columns_count >= 2);
    for (uint32_t i = 0; i < count; i++) {
        bool is_full = keyframes[i].base_tick == keyframes[i].tick;
        assert_ok(ls_keyframe_decode(world, is_full ? NULL : base, keyframes[i].data,
                                     keyframes[i].bytes, &error));
        assert_int_equal(ls_world_tick(world), keyframes[i].tick);
        assert_true(ls_recording_find_root(recording, keyframes[i].tick, &known));
        assert_int_equal(ls_world_root(world), known);
        assert_int_equal(keyframes[i].players, 1);
        if (is_full) {
            ls_snapshot_destroy(base);
            base = ls_world_snapshot(world);
        }
    }
    assert_ok(ls_keyframe_decode(world, NULL, keyframes[0].data, keyframes[0].bytes, &error));
    assert_ok(ls_recording_seek(recording, keyframes[0].tick, &error));
    while (ls_recording_next(recording, &tick, &error) == LS_OK && tick) {
        assert_ok(ls_world_advance(world, &tick->frame, NULL, &error));
        ls_world_column_hashes(world, hashes);
        for (uint32_t i = 0; i < columns_count; i++)
            if (columns[i].tick == ls_world_tick(world)) {
                seen++;
                assert_int_equal(columns[i].count, ls_program_column_count(room->program));
                for (uint32_t k = 0; k < columns[i].count; k++)
                    assert_int_equal(ls_recording_column(&columns[i], k), hashes[k]);
            }
    }
    assert_true(seen >= 2);
    *root = ls_world_root(world);
    ls_snapshot_destroy(base);
    ls_world_destroy(world);
}

static void prepare_segments(void *context, ls_server_config *server, ls_room_config *room)
{
    disk *self = context;
    prepare(context, server, room);
    room->recording_name = "match.lsr";
    room->open_segment = open_segment;
    room->keyframe_ticks = 40;
    server->disk_jobs = self->is_slow ? &self->slow.jobs : NULL;
}

/* A failed sync is never retried. The recording continues in another file, which begins with a
 * keyframe and can be verified and replayed alone. */
TEST(test_room_recording_goes_on_in_a_segment)
{
    for (int is_slow = 0; is_slow < 2; is_slow++) {
        disk own = {.left = UINT64_MAX, .sync_ticks = 60, .sync_error = EIO, .is_slow = is_slow};
        own.slow = slow_jobs_make();
        segment_count = 0;
        arena *room = arena_create(&(arena_config){.seed = 1,
                                                   .conditions = {.delay_ns = 5 * MS},
                                                   .ticks_max = 900,
                                                   .prepare = prepare_segments,
                                                   .context = &own});
        arena_join_bot(room, "bot");
        uint64_t written = 0;
        for (uint32_t i = 0; i < 4000 && room->room; i++) {
            written = ls_room_recording_written_bytes(&room->room->recording);
            arena_run(room, 5 * MS);
            while (slow_jobs_run_one(&own.slow))
                continue;
        }
        assert_null(room->room);
        assert_true(written > room->final_stats.recording_bytes); /* of both files */
        assert_true(written <= UINT64_MAX - own.left + segments[1].bytes);
        assert_true(room->final_stats.recording_failed);
        assert_int_equal(room->final_stats.recording_segments, 2);
        assert_int_equal(room->final_stats.ticks_skipped, 0);
        assert_int_equal(arena_log_count(room, "segment_failed tick="), 1);
        assert_int_equal(arena_log_count(room, "segment tick="), 1);
        assert_int_equal(own.syncs, 2);
        assert_int_equal(own.closes, 1);
        ls_recording *recording;
        ls_recording_signed vouched;
        uint64_t root;
        assert_ok(
            ls_recording_open_memory("m", segments[1].data, segments[1].bytes, &recording, NULL));
        const ls_recording_header *header = ls_recording_get_header(recording);
        const ls_recording_end *end = ls_recording_find_end(recording);
        assert_int_equal(header->segment, 2);
        assert_true(header->first_tick > 60 && header->origin && header->origin != header->salt);
        assert_int_equal(end->kind, LS_RECORDING_CLEAN);
        assert_int_equal(header->first_tick + end->tick_count, 900);
        assert_ok(ls_recording_check_signatures(recording, &vouched, NULL));
        assert_int_equal(vouched.tick, 900);
        assert_plays(recording, room, &root);
        assert_int_equal(root, ls_world_root(room->final_world));
        ls_recording_close(recording);
        for (uint32_t i = 0; i < segment_count; i++)
            ls_memory_sink_reset(&segments[i]);
        arena_destroy(room);
    }
}

enum { KEYFRAME_S = 2, RATE = 60, LONG_TICKS = 1000 };

static void prepare_interval(void *context, ls_server_config *server, ls_room_config *room)
{
    room->keyframe_ticks = LS_ROOM_TICKS_AUTO;
    room->keyframe_s_max = *(uint32_t *)context;
}

/* The most ticks between two keyframes. Without a limit the second one comes at tick 128. */
static uint64_t longest_interval(uint32_t s_max)
{
    arena *room = arena_create(&(arena_config){.seed = 1,
                                               .tick_rate = RATE,
                                               .ticks_max = LONG_TICKS,
                                               .prepare = prepare_interval,
                                               .context = &s_max});
    arena_join_bot(room, "bot");
    for (uint32_t i = 0; i < 400 && room->room; i++)
        arena_run(room, 1 * S);
    ls_recording *recording;
    const ls_recording_keyframe *keyframes;
    assert_ok(ls_recording_open_memory("m", room->recording.data, room->recording.bytes, &recording,
                                       NULL));
    uint64_t longest = 0, last = 0;
    uint32_t count = ls_recording_keyframes(recording, &keyframes);
    for (uint32_t i = 0; i <= count; i++) {
        uint64_t tick = i < count ? keyframes[i].tick : LONG_TICKS;
        longest = tick - last > longest ? tick - last : longest;
        last = tick;
    }
    ls_recording_close(recording);
    arena_destroy(room);
    return longest;
}

TEST(test_room_recording_limits_the_interval_of_keyframes)
{
    assert_true(longest_interval(0) > KEYFRAME_S * RATE);
    assert_true(longest_interval(KEYFRAME_S) <= KEYFRAME_S * RATE);
}
