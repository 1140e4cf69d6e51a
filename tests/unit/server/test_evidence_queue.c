/* Clients that diverge at the same time are asked one after another, and each gets its own cell and
 * bundle. A client that leaves, is silent or sends garbage delays the others by at most its time
 * limit. */
#include "puppet.h"

#include "replays/evidence_record.h"
#include "server/room_state.h"
#include "server/server_state.h"
#include "slow_jobs.h"
#include "tests/support/test.h"
#include <lockstep/evidence_limits.h>

enum { FLIP = 400, FILES_MAX = 8 };

static const ls_impairment_conditions lan = {.delay_ns = 5 * MS};

typedef struct scene {
    arena *room;
    ls_memory_sink files[FILES_MAX];
    uint32_t opened;
    uint32_t tick_rate;
} scene;

static ls_status open_evidence(void *context, const ls_room *room, uint64_t tick, ls_sink *sink,
                               char name[LS_RECORDING_TEXT_BYTES], ls_error *error)
{
    scene *self = context;
    assert_true(self->opened < FILES_MAX);
    snprintf(name, LS_RECORDING_TEXT_BYTES, "%u.desync-%u", self->opened, (unsigned)tick);
    *sink = ls_memory_sink_open(&self->files[self->opened++]);
    return LS_OK;
}

static void prepare(void *context, ls_server_config *server, ls_room_config *room)
{
    room->open_evidence = open_evidence;
    room->evidence_context = context;
}

static void begin(scene *self, ls_desync_policy desync)
{
    for (uint32_t i = 0; i < FILES_MAX; i++)
        ls_memory_sink_init(&self->files[i]);
    self->room = arena_create(&(arena_config){.seed = 1,
                                              .conditions = lan,
                                              .players = 12,
                                              .tick_rate = self->tick_rate,
                                              .desync = desync,
                                              .prepare = prepare,
                                              .context = self});
    arena_join_bot(self->room, "honest");
}

static void end(scene *self)
{
    arena_destroy(self->room);
    for (uint32_t i = 0; i < FILES_MAX; i++)
        ls_memory_sink_reset(&self->files[i]);
}

static uint32_t join_corrupted(scene *self, uint64_t tick, uint64_t pick)
{
    char name[LS_NAME_BYTES];
    snprintf(name, sizeof name, "bad%u", (unsigned)pick);
    ls_client_config config = arena_client_config(self->room, name);
    config.is_bot = true;
    config.corrupt_at = tick;
    config.corrupt_pick = pick;
    return arena_join(self->room, &config);
}

static ls_evidence *read_evidence(const scene *self, uint32_t index, ls_recording **recording)
{
    size_t bytes;
    ls_error error = {""};
    ls_evidence *evidence = ls_alloc(sizeof *evidence);
    if (ls_recording_open_memory("evidence", self->files[index].data, self->files[index].bytes,
                                 recording, &error) != LS_OK)
        fail_msg("%s", error.text);
    const uint8_t *data = ls_recording_evidence(*recording, &bytes);
    assert_non_null(data);
    assert_ok(ls_evidence_decode(data, bytes, evidence, &error));
    return evidence;
}

/* Each bundle is about another client, and has its one finding and the cells of both sides. */
static void check_bundles(const scene *self, uint32_t count)
{
    char names[FILES_MAX][LS_NAME_BYTES + 128], places[FILES_MAX][LS_NAME_BYTES + 160];
    assert_int_equal(self->opened, count);
    assert_int_equal(arena_stats(self->room).evidence_files, count);
    for (uint32_t i = 0; i < count; i++) {
        ls_recording *recording;
        ls_evidence *evidence = read_evidence(self, i, &recording);
        assert_int_equal(evidence->tick, FLIP);
        assert_int_equal(evidence->findings_in_all, 1);
        assert_int_equal(evidence->claimed, evidence->found);
        assert_int_equal(evidence->server.root, evidence->expected);
        assert_int_equal(evidence->client.root, evidence->found);
        assert_int_equal(evidence->server.inputs, evidence->client.inputs);
        assert_int_not_equal(evidence->server.inputs, 0);
        snprintf(names[i], sizeof names[i], "%s", evidence->name);
        snprintf(places[i], sizeof places[i], "%s", evidence->findings[0].place);
        for (uint32_t k = 0; k < i; k++) {
            assert_string_not_equal(names[i], names[k]);
            assert_string_not_equal(places[i], places[k]);
        }
        const ls_recording_end *found = ls_recording_find_end(recording);
        uint64_t first = ls_recording_get_header(recording)->first_tick;
        assert_true(first < FLIP && first + found->tick_count > FLIP);
        ls_recording_close(recording);
        ls_free(evidence);
    }
}

static void check_together(uint32_t count, ls_desync_policy desync)
{
    scene self = {0};
    begin(&self, desync);
    for (uint32_t i = 0; i < count; i++)
        join_corrupted(&self, FLIP, 77 + i);
    arena_run_to_tick(self.room, FLIP + 1, 20 * S);
    arena_run(self.room, 400 * MS);
    assert_int_equal(arena_log_count(self.room, "desync tick=400 "), count);
    assert_int_equal(arena_log_count(self.room, "desync_cell tick=400 "), count);
    assert_int_equal(arena_log_count(self.room, "differences=1 "), count);
    assert_int_equal(arena_log_count(self.room, "whole=1"), count);
    assert_int_equal(arena_log_count(self.room, "desync_unexplained"), 0);
    assert_int_equal(arena_stats(self.room).inquiries_found, count);
    assert_int_equal(arena_stats(self.room).ticks_skipped, 0);
    check_bundles(&self, count);
    arena_run(self.room, S);
    ls_room_stats stats = arena_stats(self.room);
    assert_int_equal(desync == LS_DESYNC_KICK ? stats.kicks : stats.resyncs,
                     desync == LS_DESYNC_REPORT ? 0 : count);
    end(&self);
}

TEST(test_evidence_queue_of_three_at_one_tick)
{
    check_together(3, LS_DESYNC_RESYNC);
    check_together(3, LS_DESYNC_KICK);
    check_together(3, LS_DESYNC_REPORT);
}

/* Clients beyond the limit of open inquiries get their verdict at once, and the log says why. */
TEST(test_evidence_queue_is_bounded)
{
    enum { MANY = LS_SERVER_INQUIRIES_OPEN + 2 };
    scene self = {0};
    begin(&self, LS_DESYNC_RESYNC);
    for (uint32_t i = 0; i < MANY; i++)
        join_corrupted(&self, FLIP, 77 + i);
    arena_run_to_tick(self.room, FLIP + 60, 20 * S);
    assert_int_equal(arena_log_count(self.room, "desync tick=400 "), MANY);
    assert_int_equal(arena_log_count(self.room, "desync_cell tick=400 "), LS_SERVER_INQUIRIES_OPEN);
    assert_int_equal(arena_log_count(self.room, "desync_unexplained tick=400 "), 2);
    assert_int_equal(arena_log_count(self.room, "too many inquiries are open"), 2);
    check_bundles(&self, LS_SERVER_INQUIRIES_OPEN);
    arena_run(self.room, S);
    assert_int_equal(arena_stats(self.room).resyncs, MANY);
    end(&self);
}

static void say_root(puppet *client, arena *room, uint64_t root)
{
    uint64_t tick = arena_stats(room).tick;
    puppet_update(
        client, room,
        &(ls_update){.ack = tick, .root_count = 1, .root_first = tick - 1, .roots = {root}});
}

typedef enum behaviour { SILENT = 0, LEAVES, GARBAGE } behaviour;

/* Answers the current question with garbage. */
static void say_garbage(puppet *client, arena *room)
{
    uint8_t data[LS_CHUNK_BYTES_MAX];
    memset(data, 0xa5, sizeof data);
    ls_plain plain;
    ls_evidence_chunk_encode(&(ls_evidence_chunk){.tick = client->question.tick,
                                                  .level = client->question.level,
                                                  .total_bytes = 700,
                                                  .bytes = 700,
                                                  .data = data},
                             &plain);
    puppet_send(client, room, &plain);
}

static void behave(puppet *client, arena *room, behaviour how)
{
    ls_plain plain;
    ls_bye_encode(&(ls_bye){"so long"}, &plain);
    if (how == LEAVES)
        puppet_send(client, room, &plain);
    else if (how == GARBAGE)
        say_garbage(client, room);
}

typedef struct queue_case {
    behaviour how;
    uint32_t rate, liars;
    const char *reason;
} queue_case;

static void run_all(puppet *const *liars, uint32_t count, arena *room, uint64_t duration_ns)
{
    for (uint32_t i = 0; i < count; i++)
        puppet_run(liars[i], room, i ? 0 : duration_ns);
}

/* The liars are queued before a client that diverges at FLIP. The first liar is asked when that
 * happens. */
static void check_after_liars(const queue_case *test)
{
    scene self = {.tick_rate = test->rate};
    puppet *liars[2];
    begin(&self, LS_DESYNC_REPORT);
    join_corrupted(&self, FLIP, 77);
    arena_run_to_tick(self.room, FLIP - test->rate * 14 / 10, 20 * S);
    for (uint32_t i = 0; i < test->liars; i++) {
        liars[i] = puppet_enter(self.room, "liar");
        say_root(liars[i], self.room, 666);
    }
    /* A wrong root is judged a second later. */
    while (arena_stats(self.room).inquiries < test->liars || !liars[0]->question_count)
        run_all(liars, test->liars, self.room, 5 * MS);
    arena_run_to_tick(self.room, FLIP + 1, 2 * S);
    run_all(liars, test->liars, self.room, 60 * MS);
    uint64_t asked_ns = self.room->now_ns;
    behave(liars[0], self.room, test->how);
    while (!arena_log_count(self.room, "desync_cell ") && self.room->now_ns - asked_ns < 10 * S)
        run_all(liars, test->liars, self.room, 10 * MS);
    uint64_t took_ns = self.room->now_ns - asked_ns;
    uint64_t silence_ns = test->how == SILENT ? test->liars * LS_SERVER_EVIDENCE_NS : 0;
    assert_int_equal(arena_log_count(self.room, "desync_cell tick=400 "), 1);
    assert_int_equal(arena_log_count(self.room, test->reason), test->liars);
    assert_in_range(took_ns, 0, silence_ns + 200 * MS);
    run_all(liars, test->liars, self.room, 100 * MS);
    check_bundles(&self, 1);
    assert_int_equal(arena_stats(self.room).ticks_skipped, 0);
    for (uint32_t i = 0; i < test->liars; i++)
        puppet_destroy(liars[i]);
    end(&self);
}

TEST(test_evidence_queue_after_a_silent_liar)
{
    check_after_liars(&(queue_case){SILENT, 60, 1, "does not answer"});
}

/* At this tick rate the server discards the frames and roots of the tick before the client is
 * asked. The queue must copy them at once. */
TEST(test_evidence_queue_keeps_frames_and_roots)
{
    check_after_liars(&(queue_case){SILENT, LS_TICK_RATE_MAX, 2, "does not answer"});
}

TEST(test_evidence_queue_after_one_that_leaves)
{
    check_after_liars(&(queue_case){LEAVES, 60, 1, "it has left"});
}

TEST(test_evidence_queue_after_garbage)
{
    check_after_liars(&(queue_case){GARBAGE, 60, 1, "cannot be read"});
}

/* A client that leaves while it is queued delays neither itself nor the next one. */
TEST(test_evidence_queue_skips_one_that_left)
{
    scene self = {0};
    begin(&self, LS_DESYNC_REPORT);
    arena_run_to_tick(self.room, 10, 2 * S); /* a root of a tick before the first is ignored */
    puppet *liars[2];
    for (uint32_t i = 0; i < 2; i++) {
        liars[i] = puppet_enter(self.room, "liar");
        say_root(liars[i], self.room, 666 + i);
    }
    for (uint64_t ns = 0; ns < LS_SERVER_DESYNC_GRACE_NS + 150 * MS; ns += 5 * MS)
        run_all(liars, 2, self.room, 5 * MS);
    assert_int_equal(arena_stats(self.room).inquiries, 2);
    assert_int_not_equal(liars[0]->question_count, 0);
    assert_int_equal(liars[1]->question_count, 0);
    /* An answer of a client that was not asked is dropped. */
    uint64_t dropped = ls_server_get_stats(self.room->server).packets_dropped;
    say_garbage(liars[1], self.room);
    puppet_run(liars[1], self.room, 50 * MS);
    assert_int_equal(ls_server_get_stats(self.room->server).packets_dropped, dropped + 1);
    behave(liars[1], self.room, LEAVES);
    puppet_run(liars[1], self.room, 50 * MS);
    assert_int_equal(arena_log_count(self.room, "it has left"), 1);
    puppet_run(liars[0], self.room, LS_SERVER_EVIDENCE_NS);
    assert_int_equal(arena_log_count(self.room, "does not answer"), 1);
    for (uint32_t i = 0; i < 2; i++)
        puppet_destroy(liars[i]);
    end(&self);
}

static void prepare_slow(void *context, ls_server_config *server, ls_room_config *room)
{
    server->jobs = context;
}

/* Enters a liar that gets its verdict while the simulation is busy. */
static puppet *enter_liar(arena **room, slow_jobs *slow)
{
    *slow = slow_jobs_make();
    *room = arena_create(
        &(arena_config){.seed = 1, .conditions = lan, .prepare = prepare_slow, .context = slow});
    arena_join_bot(*room, "honest");
    puppet *liar = puppet_enter(*room, "liar");
    for (uint32_t i = 0; i < 100; i++) {
        puppet_run(liar, *room, 10 * MS);
        while (slow_jobs_run_one(slow))
            continue;
    }
    say_root(liar, *room, 666);
    for (uint32_t i = 0; i < 200 && !arena_stats(*room).desyncs; i++) {
        bool is_closed = i > 10;
        puppet_run(liar, *room, 10 * MS);
        while (!is_closed && slow_jobs_run_one(slow))
            continue;
        puppet_update(liar, *room, &(ls_update){.ack = arena_stats(*room).tick});
    }
    assert_int_equal(arena_stats(*room).desyncs, 1);
    assert_true(ls_job_is_busy(&(*room)->room->match.driver.job));
    return liar;
}

/* A client that was never asked is not reported as silent. */
TEST(test_evidence_queue_waits_for_the_simulation)
{
    slow_jobs slow;
    arena *room;
    puppet *liar = enter_liar(&room, &slow);
    puppet_run(liar, room, LS_SERVER_EVIDENCE_STATE_NS - 100 * MS);
    assert_int_equal(arena_log_count(room, "desync_unexplained"), 0);
    puppet_run(liar, room, 300 * MS);
    assert_int_equal(liar->question_count, 0);
    assert_int_equal(arena_log_count(room, "the server's simulation is behind"), 1);
    assert_int_equal(arena_log_count(room, "does not answer"), 0);
    puppet_destroy(liar);
    arena_destroy(room);
}

/* A client's time limit begins at its first question, however late the simulation makes it. */
TEST(test_evidence_queue_counts_from_the_question)
{
    slow_jobs slow;
    arena *room;
    puppet *liar = enter_liar(&room, &slow);
    puppet_run(liar, room, LS_SERVER_EVIDENCE_STATE_NS - 200 * MS);
    assert_int_equal(liar->question_count, 0);
    uint64_t asked_ns = room->now_ns;
    while (room->now_ns - asked_ns < LS_SERVER_EVIDENCE_NS - 100 * MS) {
        while (slow_jobs_run_one(&slow))
            continue;
        puppet_run(liar, room, 10 * MS);
    }
    assert_true(liar->question_count > 10);
    assert_int_equal(arena_log_count(room, "desync_unexplained"), 0);
    puppet_run(liar, room, 300 * MS);
    assert_int_equal(arena_log_count(room, "does not answer"), 1);
    puppet_destroy(liar);
    arena_destroy(room);
}

/* The match and its server end while three inquiries are open. */
TEST(test_evidence_queue_when_its_room_ends)
{
    scene self = {0};
    begin(&self, LS_DESYNC_RESYNC);
    for (uint32_t i = 0; i < 3; i++)
        join_corrupted(&self, FLIP, 77 + i);
    arena_run_to_tick(self.room, FLIP + 1, 20 * S);
    for (uint32_t i = 0; i < 100 && arena_stats(self.room).inquiries < 3; i++)
        arena_run(self.room, MS);
    assert_int_equal(arena_stats(self.room).inquiries, 3);
    end(&self);
}
