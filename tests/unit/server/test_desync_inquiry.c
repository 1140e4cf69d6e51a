/* The evidence bundle that a room writes about a desync: a recording with evidence records. */
#include "arena.h"

#include "replays/evidence_record.h"
#include "replays/keyframe.h"
#include "server/room_state.h"
#include "server/server_state.h"
#include "slow_jobs.h"
#include "tally_sim.h"
#include "tests/support/test.h"
#include <lockstep/evidence_limits.h>

#include <errno.h>

enum { FLIP = 200 };

typedef struct scene {
    arena *room;
    ls_memory_sink file;
    uint32_t opened;
    uint64_t tick;
    bool is_refusing, is_broken;
    uint64_t files_before, bytes_before; /* used by other rooms */
    void (*prepare)(void *context, ls_server_config *server, ls_room_config *room);
    slow_jobs *disk;
} scene;

static int64_t fail_append(void *context, const void *data, size_t bytes)
{
    return -ENOSPC;
}

static ls_status open_evidence(void *context, const ls_room *room, uint64_t tick, ls_sink *sink,
                               char name[LS_RECORDING_TEXT_BYTES], ls_error *error)
{
    scene *self = context;
    self->opened++;
    self->tick = tick;
    if (self->is_refusing)
        return ls_error_set(error, LS_ERROR_IO, "no such folder");
    *sink = ls_memory_sink_open(&self->file);
    if (self->is_broken)
        sink->append = fail_append;
    snprintf(name, LS_RECORDING_TEXT_BYTES, "tally.desync-%u", (unsigned)tick);
    return LS_OK;
}

static void prepare(void *context, ls_server_config *server, ls_room_config *room)
{
    server->build = "the server's build";
    room->open_evidence = open_evidence;
    room->evidence_context = context;
    room->recording_name = "tally-1.lsr";
}

static void begin(scene *self)
{
    static const ls_impairment_conditions lan = {.delay_ns = 5 * MS};
    ls_memory_sink_init(&self->file);
    self->room = arena_create(&(arena_config){.seed = 1,
                                              .conditions = lan,
                                              .desync = LS_DESYNC_RESYNC,
                                              .prepare = self->prepare ? self->prepare : prepare,
                                              .context = self});
    self->room->server->stats.evidence_files = self->files_before;
    self->room->server->stats.evidence_bytes = self->bytes_before;
    arena_join_bot(self->room, "anna");
    ls_client_config config = arena_client_config(self->room, "carl");
    config.is_bot = true;
    config.build = "the client's build";
    config.corrupt_at = FLIP;
    config.corrupt_pick = 77;
    arena_join(self->room, &config);
}

static void end(scene *self)
{
    arena_destroy(self->room);
    ls_memory_sink_reset(&self->file);
}

static ls_recording *open_file(const scene *self)
{
    ls_recording *recording;
    ls_error error = {""};
    if (ls_recording_open_memory("evidence", self->file.data, self->file.bytes, &recording,
                                 &error) != LS_OK)
        fail_msg("%s", error.text);
    return recording;
}

static ls_world *world_at_keyframe(const scene *self, const ls_recording *recording)
{
    ls_error error = {""};
    ls_world *world;
    const ls_recording_keyframe *list;
    const ls_recording_header *header = ls_recording_get_header(recording);
    assert_int_equal(ls_recording_keyframes(recording, &list), 1);
    assert_int_equal(list[0].tick, header->first_tick);
    assert_int_equal(list[0].players, 3);
    assert_false(list[0].is_paused);
    assert_ok(ls_world_create(self->room->program, &header->match, &world, &error));
    assert_ok(ls_keyframe_decode(world, NULL, list[0].data, list[0].bytes, &error));
    return world;
}

static void assert_root(ls_world *world, const ls_recording *recording)
{
    uint64_t root;
    assert_true(ls_recording_find_root(recording, ls_world_tick(world), &root));
    assert_int_equal(ls_world_root(world), root);
}

static void run_to(ls_world *world, ls_recording *recording, uint64_t tick)
{
    const ls_recording_tick *next;
    ls_error error = {""};
    while (ls_world_tick(world) < tick) {
        assert_ok(ls_recording_next(recording, &next, &error));
        assert_non_null(next);
        assert_root(world, recording);
        assert_ok(ls_world_advance(world, &next->frame, NULL, &error));
    }
}

static ls_evidence *read_evidence(const ls_recording *recording)
{
    size_t bytes;
    ls_error error = {""};
    ls_evidence *evidence = ls_alloc(sizeof *evidence);
    const uint8_t *data = ls_recording_evidence(recording, &bytes);
    assert_non_null(data);
    assert_ok(ls_evidence_decode(data, bytes, evidence, &error));
    return evidence;
}

TEST(test_desync_inquiry_bundle_runs_again)
{
    scene self = {0};
    begin(&self);
    arena_run_to_tick(self.room, FLIP + 200, 20 * S);
    assert_int_equal(self.opened, 1);
    assert_int_equal(self.tick, FLIP);
    assert_int_equal(arena_stats(self.room).evidence_files, 1);
    assert_int_equal(
        arena_log_count(self.room, "evidence_written tick=200 file=\"tally.desync-200"), 1);
    ls_recording *recording = open_file(&self);
    const ls_recording_header *header = ls_recording_get_header(recording);
    assert_in_range(header->first_tick, 1, FLIP - 1);
    const ls_recording_end *found = ls_recording_find_end(recording);
    assert_int_equal(found->kind, LS_RECORDING_CLEAN);
    assert_int_equal(found->closing.reason, LS_CLOSING_CUT);
    assert_true(header->first_tick + found->tick_count > FLIP);
    ls_world *world = world_at_keyframe(&self, recording);
    run_to(world, recording, header->first_tick + found->tick_count);
    ls_recording_signed vouched;
    ls_error error = {""};
    assert_ok(ls_recording_check_signatures(recording, &vouched, &error));
    assert_true(vouched.has_key);
    assert_int_equal(vouched.tick, header->first_tick + found->tick_count);
    ls_world_destroy(world);
    ls_recording_close(recording);
    end(&self);
}

typedef struct place {
    char text[128];
    uint32_t count;
} place;

static bool note_place(void *argument, const ls_difference *difference)
{
    place *self = argument;
    snprintf(self->text, sizeof self->text, "%s", difference->place);
    self->count++;
    return true;
}

/* Replays of the bundle reach the server's cells. With the client's cells in their place, the world
 * has the client's root. */
static void check_cells(const ls_evidence *evidence, ls_world *world)
{
    uint8_t *bytes = ls_alloc(LS_CELLS_BYTES_MAX);
    ls_snapshot *snapshot = ls_world_snapshot(world);
    ls_cells_claim claims[LS_EVIDENCE_PAGES_MAX];
    for (uint32_t i = 0; i < evidence->page_count; i++) {
        const ls_evidence_page *page = &evidence->pages[i];
        size_t count =
            ls_cells_encode(snapshot, page->column, page->key, bytes, LS_CELLS_BYTES_MAX);
        assert_int_equal(page->server.count, count);
        assert_memory_equal(page->server.data, bytes, count);
        claims[i] =
            (ls_cells_claim){page->column, page->key, page->client.data, page->client.count};
    }
    place found = {.count = 0};
    uint64_t root;
    ls_error error = {""};
    assert_ok(ls_cells_compare(world, snapshot, claims, evidence->page_count, note_place, &found,
                               &root, &error));
    assert_int_equal(root, evidence->found);
    assert_int_equal(found.count, 1);
    assert_string_equal(found.text, evidence->findings[0].place);
    ls_snapshot_destroy(snapshot);
    ls_free(bytes);
}

TEST(test_desync_inquiry_bundle_has_both_sides)
{
    scene self = {0};
    begin(&self);
    arena_run_to_tick(self.room, FLIP + 200, 20 * S);
    ls_recording *recording = open_file(&self);
    ls_evidence *evidence = read_evidence(recording);
    ls_world *world = world_at_keyframe(&self, recording);
    run_to(world, recording, FLIP);
    assert_int_equal(evidence->tick, FLIP);
    assert_int_equal(evidence->verdict_tick, FLIP);
    assert_int_equal(evidence->expected, ls_world_root(world));
    assert_int_equal(evidence->server.root, evidence->expected);
    assert_int_equal(evidence->client.root, evidence->found);
    assert_int_equal(evidence->claimed, evidence->found);
    assert_string_equal(evidence->server.build, "the server's build");
    assert_string_equal(evidence->client.build, "the client's build");
    assert_string_equal(evidence->name, "carl");
    assert_string_equal(evidence->recording, "tally-1.lsr");
    assert_int_equal(evidence->server.threads, 1);
    assert_int_equal(evidence->client.threads, 1);
    assert_int_equal(evidence->client.step, 1);
    assert_in_range(evidence->network.rtt_us, 9000, 40000);
    assert_int_equal(evidence->network.loads, 1);
    /* Both sides ran the same inputs. */
    assert_int_equal(evidence->inputs_first, FLIP - 64);
    assert_int_equal(evidence->server.inputs, evidence->client.inputs);
    assert_int_not_equal(evidence->server.inputs, 0);
    uint32_t differ = 0;
    for (uint32_t i = 0; i < evidence->column_count; i++)
        differ += evidence->server.columns[i] != evidence->client.columns[i];
    assert_int_equal(differ, 1);
    assert_int_equal(evidence->page_count, 1);
    assert_int_equal(evidence->findings_in_all, 1);
    check_cells(evidence, world);
    ls_world_destroy(world);
    ls_free(evidence);
    ls_recording_close(recording);
    end(&self);
}

static void check_failure(scene *self, const char *reason)
{
    begin(self);
    arena_run_to_tick(self->room, FLIP + 200, 20 * S);
    assert_int_equal(self->opened, 1);
    assert_int_equal(arena_stats(self->room).evidence_files, 0);
    assert_int_equal(arena_log_count(self->room, "evidence_failed tick=200 "), 1);
    assert_int_equal(arena_log_count(self->room, reason), 1);
    assert_int_equal(arena_log_count(self->room, "desync_cell tick=200 "), 1);
    assert_int_equal(arena_stats(self->room).resyncs, 1);
    assert_int_equal(arena_stats(self->room).ticks_skipped, 0);
    end(self);
}

TEST(test_desync_inquiry_without_a_file_is_logged)
{
    check_failure(&(scene){.is_refusing = true}, "no such folder");
    check_failure(&(scene){.is_broken = true}, "No space left");
}

/* All rooms of a server share one budget for its lifetime. A client that reports false roots,
 * returns and opens rooms cannot fill the disk. */
TEST(test_desync_inquiry_bounds_bytes_on_disk)
{
    scene self = {.files_before = LS_SERVER_EVIDENCE_FILES - 1};
    begin(&self);
    arena_run_to_tick(self.room, FLIP + 200, 20 * S);
    ls_server_stats stats = ls_server_get_stats(self.room->server);
    assert_int_equal(arena_stats(self.room).evidence_files, 1);
    assert_int_equal(stats.evidence_files, LS_SERVER_EVIDENCE_FILES);
    /* Reserved bytes that the bundle did not need are returned. */
    assert_int_equal(stats.evidence_bytes, self.file.bytes);
    end(&self);

    static const scene full[] = {{.files_before = LS_SERVER_EVIDENCE_FILES},
                                 {.bytes_before = LS_SERVER_EVIDENCE_DISK_BYTES}};
    for (uint32_t i = 0; i < LS_COUNT_OF(full); i++) {
        self = full[i];
        begin(&self);
        arena_run_to_tick(self.room, FLIP + 200, 20 * S);
        assert_int_equal(self.opened, 0);
        assert_int_equal(arena_log_count(self.room, "desync_cell tick=200 "), 1);
        assert_int_equal(arena_log_count(self.room, "evidence budget is used up"), 1);
        end(&self);
    }

    enum { LEFT = 1000 };
    self = (scene){.bytes_before = LS_SERVER_EVIDENCE_DISK_BYTES - LEFT};
    begin(&self);
    arena_run_to_tick(self.room, FLIP + 200, 20 * S);
    stats = ls_server_get_stats(self.room->server);
    assert_in_range(self.file.bytes, 1, LEFT);
    /* The incomplete bundle was never named, so its bytes are returned. */
    assert_int_equal(self.file.synced_bytes, 0);
    assert_int_equal(stats.evidence_bytes, self.bytes_before);
    assert_int_equal(arena_log_count(self.room, "evidence_failed tick=200 "), 1);
    assert_int_equal(arena_stats(self.room).resyncs, 1);
    end(&self);
}

/* The worlds that failed rooms dump count, too. Bytes can be returned to the budget, but the number
 * of files is limited as well. */
TEST(test_desync_inquiry_is_shared_with_rooms_that_fail)
{
    scene self = {0};
    ls_error error;
    begin(&self);
    ls_server *server = self.room->server;
    uint64_t sum = 0, taken;
    uint32_t count = 0;
    for (; (taken = ls_server_reserve_evidence_bytes(server, &error)) != 0; count++) {
        assert_true(taken <= LS_SERVER_EVIDENCE_FILE_BYTES);
        sum += taken;
    }
    assert_int_equal(sum, LS_SERVER_EVIDENCE_DISK_BYTES);
    assert_non_null(strstr(error.text, "evidence budget is used up"));
    for (ls_server_release_evidence_bytes(server, 1); count < LS_SERVER_EVIDENCE_FILES; count++) {
        assert_int_equal(ls_server_reserve_evidence_bytes(server, &error), 1);
        ls_server_release_evidence_bytes(server, 1);
    }
    assert_int_equal(ls_server_reserve_evidence_bytes(server, &error), 0);
    end(&self);
}

/* Fails if a job is not finished: the network thread must never wait. */
static void wait_never(ls_jobs *jobs, ls_job *job)
{
    assert_true(ls_job_is_finished(job));
}

static void prepare_slow_disk(void *context, ls_server_config *server, ls_room_config *room)
{
    static slow_jobs disk;
    scene *self = context;
    prepare(context, server, room);
    disk = slow_jobs_make();
    disk.jobs.wait = wait_never;
    self->disk = &disk;
    server->disk_jobs = &disk.jobs;
    /* Only the bundle is written to this disk. */
    room->sink->close(room->sink->context);
    room->sink = NULL;
}

/* A room that ends closes only after its bundle is written, and no thread waits for that. */
TEST(test_desync_inquiry_slow_disk_delays_no_end)
{
    scene self = {.prepare = prepare_slow_disk};
    begin(&self);
    arena_run_to_tick(self.room, FLIP + 60, 20 * S);
    assert_int_equal(self.disk->waiting, 1);
    ls_room_drain(self.room->room, self.room->now_ns);
    arena_run(self.room, 5 * S);
    assert_int_equal(arena_stats(self.room).sessions, 0);
    assert_non_null(self.room->room);
    assert_int_equal(arena_stats(self.room).state, LS_ROOM_ENDING);
    assert_true(slow_jobs_run_one(self.disk));
    arena_run(self.room, 100 * MS);
    assert_null(self.room->room);
    assert_int_equal(self.room->final_stats.evidence_files, 1);
    assert_int_equal(arena_log_count(self.room, "evidence_written tick=200 "), 1);
    self.disk->jobs.wait = slow_jobs_wait; /* the server may wait when it is destroyed */
    end(&self);
}
