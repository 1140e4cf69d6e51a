/* A room is the same whether its recording is simulated from the first tick or from a keyframe. */
#include "server/room_state.h"
#include <lockstep/server.h>

#include "echo_sim.h"
#include "slow_jobs.h"
#include "tests/support/link_memory.h"
#include "tests/support/memory_sink.h"
#include "tests/support/test.h"

enum { PROOF_TICKS = 256, TICKS_MAX = 4000, FILES_MAX = 2, PER_FULL = 4 };

enum fault { NO_FAULT, OTHER_BYTES, OTHER_STATE };

/* The recording to write. */
struct spec {
    uint64_t ticks, lag;
    uint64_t interval; /* between keyframes, in ticks; 0: only a later file has one, at its start */
    uint64_t second_file; /* its first tick; 0: only one file */
    uint64_t lost_ticks;  /* ticks missing before the second file */
    enum fault fault;     /* of every keyframe from tick `faulty_from` on */
    uint64_t faulty_from;
    uint64_t wrong_root; /* 0: no root is wrong */
};

struct tape {
    ls_memory_sink sinks[FILES_MAX];
    uint32_t count;
};

/* Plays a match and writes its recording. */
struct writer {
    struct spec spec;
    struct tape *tape;
    ls_program *program;
    ls_world *world, *other; /* `other` runs without inputs, for keyframes with a wrong state */
    ls_seats seats;
    ls_match match;
    ls_recorder *recorder;
    ls_snapshot *base;
    uint32_t from_base;
    uint64_t players, last_keyframe;
    bool is_paused;
    uint64_t roots[TICKS_MAX + 1];
};

static ls_recording_header header_of(const struct writer *self, uint64_t tick)
{
    ls_recording_header header = {.salt = 7 + tick, .match = self->match, .first_tick = tick};
    header.simulation.rules_version = LS_ENGINE_RULES;
    memcpy(header.simulation.fingerprint, ls_program_fingerprint(self->program),
           LS_FINGERPRINT_BYTES);
    snprintf(header.simulation.name, sizeof header.simulation.name, "echo");
    snprintf(header.simulation.version, sizeof header.simulation.version, "1");
    header.segment = tick > 0;
    header.origin = tick > 0 ? 7 : 0;
    return header;
}

static void make_keyframe(struct writer *self, uint64_t tick, ls_recording_keyframe *keyframe)
{
    bool is_faulty = self->spec.fault && tick >= self->spec.faulty_from;
    bool is_full = is_faulty || !self->base || ++self->from_base == PER_FULL;
    ls_world *world = is_faulty && self->spec.fault == OTHER_STATE ? self->other : self->world;
    ls_snapshot *snapshot = ls_world_snapshot(world);
    uint64_t base_tick = is_full ? tick : ls_snapshot_tick(self->base);
    uint8_t *bytes;
    *keyframe = (ls_recording_keyframe){.tick = tick,
                                        .base_tick = base_tick,
                                        .players = self->players,
                                        .is_paused = self->is_paused};
    ls_keyframe_encode(snapshot, is_full ? NULL : self->base, &bytes, &keyframe->bytes);
    if (is_faulty && self->spec.fault == OTHER_BYTES)
        bytes[keyframe->bytes / 2] ^= 0x55;
    keyframe->data = bytes;
    self->last_keyframe = tick;
    if (!is_full || is_faulty) {
        ls_snapshot_destroy(snapshot);
        return;
    }
    ls_snapshot_destroy(self->base);
    self->base = snapshot;
    self->from_base = 0;
}

static void open_file(struct writer *self, uint64_t tick)
{
    ls_recording_header header = header_of(self, tick);
    ls_recording_keyframe keyframe;
    ls_memory_sink *sink = &self->tape->sinks[self->tape->count++];
    ls_memory_sink_init(sink);
    ls_recorder_config config = {
        .sink = ls_memory_sink_open(sink), .name = "tape", .header = &header};
    ls_recorder_destroy(self->recorder);
    if (tick > 0) {
        ls_snapshot_destroy(self->base);
        self->base = NULL;
        make_keyframe(self, tick, &keyframe);
        config.keyframe = &keyframe;
    }
    assert_ok(ls_recorder_begin(&config, &self->recorder, NULL));
    if (tick > 0)
        ls_free((void *)keyframe.data);
}

/* Builds a frame as a room does: joins, leaves, orders, held states and an occasional pause. */
static void build_frame(struct writer *self, uint64_t tick, ls_frame *frame)
{
    ls_seats_taken taken;
    ls_seats_event event = {.kind = LS_INPUT, .player = ECHO_PLAYERS};
    if (tick % 97 == 50 || tick % 97 == 51)
        event.kind = tick % 97 == 50 ? LS_PAUSE : LS_RESUME;
    for (uint32_t i = 0; i < ECHO_PLAYERS; i++) {
        ls_seat *seat = &self->seats.items[i];
        uint8_t order = (uint8_t)(tick % 200 + i), held[ECHO_STATE_BYTES] = {(uint8_t)tick, 3};
        if (tick % (70 * (i + 1)) == 3 && !seat->is_taken) {
            ls_seats_take(&self->seats, i);
            ls_seats_join(&self->seats, i);
        } else if (tick % (150 * (i + 1)) == 140 && seat->is_taken)
            ls_seats_release(&self->seats, i);
        if (tick % (5 + i) == 0)
            (void)ls_seats_submit(
                &self->seats, i,
                &(ls_seat_input){
                    .tick = tick, .sequence = seat->sequence + 1, .bytes = 1, .data = &order});
        if (tick % 11 < 7 - i)
            (void)ls_seats_submit_state(&self->seats, i, tick, tick, held);
    }
    ls_seats_build(&self->seats, tick, event, frame, &taken);
    for (uint32_t i = 0; i < ECHO_PLAYERS; i++)
        self->players = (self->players & ~(UINT64_C(1) << i)) |
                        (uint64_t)self->seats.items[i].is_in_stream << i;
    if (event.kind != LS_INPUT)
        self->is_paused = event.kind == LS_PAUSE;
}

static void write_tick(struct writer *self, uint64_t tick)
{
    const struct spec *spec = &self->spec;
    ls_frame frame;
    self->roots[tick] = ls_world_root(self->world);
    if (spec->second_file && tick == spec->second_file)
        open_file(self, tick);
    bool is_lost = tick < spec->second_file && tick + spec->lost_ticks >= spec->second_file;
    for (uint64_t root; !is_lost && (root = ls_recorder_root_tick(self->recorder)) <= tick &&
                        root + spec->lag <= tick;)
        assert_ok(ls_recorder_add_root(
            self->recorder, self->roots[root] ^ (root == spec->wrong_root && root > 0), NULL));
    if (!is_lost && spec->interval && tick && tick % spec->interval == 0 &&
        tick > self->last_keyframe) {
        ls_recording_keyframe keyframe;
        make_keyframe(self, tick, &keyframe);
        assert_ok(ls_recorder_append_keyframe(self->recorder, &keyframe, NULL));
        ls_free((void *)keyframe.data);
    }
    build_frame(self, tick, &frame);
    if (!is_lost)
        assert_ok(ls_recorder_append(self->recorder, &frame, NULL));
    assert_ok(ls_world_advance(self->world, &frame, NULL, NULL));
    frame.count = 0;
    assert_ok(ls_world_advance(self->other, &frame, NULL, NULL));
}

/* Writes a recording without a closing record, as if the server had died. */
static void write_tape(ls_program *program, const struct spec *spec, struct tape *tape)
{
    struct writer *self = ls_alloc(sizeof *self);
    *self = (struct writer){.spec = *spec, .tape = tape, .program = program};
    self->match = ls_program_match(program, 5);
    assert_ok(ls_world_create(program, &self->match, &self->world, NULL));
    assert_ok(ls_world_create(program, &self->match, &self->other, NULL));
    ls_seats_init(&self->seats, &echo_sim, &self->match);
    tape->count = 0;
    assert_true(spec->ticks <= TICKS_MAX);
    open_file(self, 0);
    for (uint64_t tick = 0; tick < spec->ticks; tick++)
        write_tick(self, tick);
    ls_recorder_destroy(self->recorder);
    ls_seats_reset(&self->seats);
    ls_snapshot_destroy(self->base);
    ls_world_destroy(self->other);
    ls_world_destroy(self->world);
    ls_free(self);
}

/* A server and its only room, which is resumed. */
struct server {
    ls_network *network;
    ls_link *link;
    ls_identity identity;
    slow_jobs slow;
    ls_server *server;
    ls_room *room;
    struct tape tape;
    char log[1 << 14];
};

static void keep_log(void *context, const char *line)
{
    struct server *self = context;
    size_t used = strlen(self->log);
    snprintf(self->log + used, sizeof self->log - used, "%s\n", line);
}

static ls_series *read_tape(struct tape *tape)
{
    ls_series *series = NULL;
    for (uint32_t i = 0; i < tape->count; i++) {
        ls_recording *recording;
        ls_error error = {""};
        if (ls_recording_open_memory("tape", tape->sinks[i].data, tape->sinks[i].bytes, &recording,
                                     &error) != LS_OK)
            fail_msg("%s", error.text);
        if (i == 0) {
            series = ls_series_of(recording);
            continue;
        }
        series->files = ls_realloc(series->files, (i + 1) * sizeof series->files[0]);
        series->names = ls_realloc(series->names, (i + 1) * sizeof series->names[0]);
        series->files[i] = recording;
        series->names[i] = NULL;
        series->count = i + 1;
    }
    return series;
}

/* Resumes the room until its job has ended, no further. */
static struct server *resume_room(ls_program *program, const struct spec *spec)
{
    struct server *self = ls_alloc(sizeof *self);
    write_tape(program, spec, &self->tape);
    self->network = ls_network_create(1, &(ls_impairment_conditions){0});
    self->link = ls_network_listen(self->network, 8);
    self->slow = slow_jobs_make();
    ls_identity_init(&self->identity, NULL);
    ls_server_config config = ls_server_config_default();
    config.program = program;
    config.link = self->link;
    config.identity = &self->identity;
    config.unix_s = 1700000000;
    config.jobs = &self->slow.jobs;
    config.log = keep_log;
    config.log_context = self;
    assert_ok(ls_server_create(&config, &self->server, NULL));
    ls_room_config room = ls_room_config_default();
    room.name = "echo";
    room.epoch = 1;
    room.series = read_tape(&self->tape);
    ls_recording_end found;
    const ls_recorder_existing existing = {
        .existing = ls_memory_sink_reopen(&self->tape.sinks[self->tape.count - 1]), .name = "tape"};
    ls_error error = {""};
    if (ls_recorder_resume_on(&existing, &room.recorder, &found, &error) != LS_OK ||
        ls_server_open_room(self->server, &room, &self->room, &error) != LS_OK)
        fail_msg("%s", error.text);
    assert_true(slow_jobs_run_one(&self->slow));
    return self;
}

static void leave(struct server *self)
{
    ls_server_destroy(self->server);
    ls_link_destroy(self->link);
    ls_network_destroy(self->network);
    ls_identity_reset(&self->identity);
    for (uint32_t i = 0; i < self->tape.count; i++)
        ls_memory_sink_reset(&self->tape.sinks[i]);
    ls_free(self);
}

static void assert_same_match(const ls_room_match *left, const ls_room_match *right)
{
    assert_int_equal(left->ring.next, right->ring.next);
    assert_int_equal(left->ring.count, right->ring.count);
    for (uint64_t tick = ls_tick_ring_first(&left->ring); tick < left->ring.next; tick++) {
        ls_ticks_body a = ls_tick_ring_body(&left->ring, tick);
        ls_ticks_body b = ls_tick_ring_body(&right->ring, tick);
        assert_int_equal(a.bytes, b.bytes);
        assert_memory_equal(a.data, b.data, a.bytes);
    }
    assert_int_equal(left->referee.next, right->referee.next);
    uint64_t first = right->referee.first;
    if (right->referee.next > first + LS_SERVER_ROOTS)
        first = right->referee.next - LS_SERVER_ROOTS;
    assert_true(left->referee.first <= first);
    for (uint64_t tick = first; tick < right->referee.next; tick++)
        assert_int_equal(left->referee.roots[tick % LS_SERVER_ROOTS],
                         right->referee.roots[tick % LS_SERVER_ROOTS]);
    uint32_t count = left->config.player_count;
    for (uint32_t i = 0; i < count; i++) {
        const ls_seat *a = &left->seats.items[i], *b = &right->seats.items[i];
        assert_int_equal(a->is_in_stream, b->is_in_stream);
        assert_int_equal(a->sequence, b->sequence);
        assert_int_equal(a->count, b->count);
        assert_int_equal(a->has_state, b->has_state);
    }
    assert_int_equal(left->seats.first_seat, right->seats.first_seat);
    assert_memory_equal(left->seats.states, right->seats.states,
                        count * (LS_SERVER_STATES + 1) * (size_t)ECHO_STATE_BYTES);
    assert_int_equal(left->is_paused, right->is_paused);
    assert_int_equal(ls_world_tick(left->driver.world), left->ring.next);
    assert_int_equal(ls_world_root(left->driver.world), ls_world_root(right->driver.world));
}

/* Resumes from a keyframe and from the first tick, and compares the rooms. Returns the ticks that
 * were simulated after the keyframe. */
static uint64_t check_resume(ls_program *program, struct spec spec)
{
    struct server *from_keyframe = resume_room(program, &spec);
    spec.interval = 0;
    spec.fault = NO_FAULT;
    spec.second_file = spec.lost_ticks ? spec.second_file : 0;
    struct server *from_start = resume_room(program, &spec);
    assert_same_match(&from_keyframe->room->match, &from_start->room->match);
    assert_int_equal(from_keyframe->room->resume.status, from_start->room->resume.status);
    assert_int_equal(from_keyframe->room->resume.lost_ticks, from_start->room->resume.lost_ticks);
    uint64_t simulated = from_keyframe->room->resume.simulated_ticks;
    /* Both continue in the same way: they append the missing roots and then the same next tick. */
    for (uint32_t i = 0; i < 3; i++) {
        struct server *both[] = {from_keyframe, from_start};
        for (uint32_t k = 0; k < 2; k++) {
            ls_server_step(both[k]->server, 1000000 * (uint64_t)(i + 1));
            while (slow_jobs_run_one(&both[k]->slow))
                continue;
        }
    }
    assert_non_null(strstr(from_keyframe->log, "restored tick="));
    assert_int_equal(ls_room_get_stats(from_keyframe->room).restored_ticks, simulated);
    assert_int_equal(from_keyframe->room->match.driver.players,
                     from_start->room->match.driver.players);
    leave(from_keyframe);
    leave(from_start);
    return simulated;
}

static int begin(void **state)
{
    return ls_program_create(&echo_sim, (ls_program **)state, NULL) != LS_OK;
}

static int end(void **state)
{
    ls_program_destroy(*state);
    return 0;
}

TESTS_AROUND(begin, end);

TEST(test_resume_replay_simulates_from_a_keyframe)
{
    for (uint64_t cut = 1; cut < 3000; cut += 1 + cut / 9)
        for (uint64_t lag = 0; lag < 60; lag += 29) {
            uint64_t simulated = check_resume(
                *state, (struct spec){.ticks = cut, .lag = lag, .interval = 100, .faulty_from = 0});
            /* The last tick with a recorded root, and the last keyframe that enough roots
             * follow. */
            uint64_t known = cut - 1 >= lag ? cut - 1 - lag : 0;
            uint64_t from = known >= PROOF_TICKS ? (known - PROOF_TICKS) / 100 * 100 : 0;
            assert_int_equal(simulated, cut - from);
        }
}

/* A recording that ends after a PAUSE resumes a paused match. */
TEST(test_resume_replay_keeps_a_pause)
{
    for (uint64_t cut = 97 * 8 + 49; cut < 97 * 8 + 54; cut++)
        check_resume(*state, (struct spec){.ticks = cut, .lag = 3, .interval = 60});
}

TEST(test_resume_replay_over_several_files)
{
    for (uint64_t second = 1000; second < 2900; second += 83)
        for (uint64_t lost = 0; lost < 60; lost += 20) {
            uint64_t simulated = check_resume(*state, (struct spec){.ticks = 3000,
                                                                    .lag = 5,
                                                                    .interval = 100,
                                                                    .second_file = second,
                                                                    .lost_ticks = lost});
            /* The first file lacks its last roots. All roots that clients may still report are
             * computed again. */
            bool is_old = second + LS_SERVER_ROOTS < 3000;
            assert_in_range(simulated, PROOF_TICKS,
                            (is_old ? 0 : 3000 - second + lost) + PROOF_TICKS + 2 * 100);
        }
}

/* A keyframe with another state than that of its tick is skipped for an earlier one. */
TEST(test_resume_replay_passes_over_wrong_keyframes)
{
    for (enum fault fault = OTHER_BYTES; fault <= OTHER_STATE; fault++) {
        struct spec spec = {.ticks = 1501, .interval = 100, .fault = fault, .faulty_from = 901};
        assert_int_equal(check_resume(*state, spec), 1501 - 900);
        struct server *self = resume_room(*state, &spec);
        assert_int_equal(self->room->resume.unusable_count, 3);
        assert_int_equal(self->room->resume.unusable_tick, 1000);
        ls_server_step(self->server, 1);
        assert_non_null(strstr(self->log, "restore_keyframes_unusable count=3 last=1000 from=900"));
        leave(self);
        spec.faulty_from = 0;
        assert_int_equal(check_resume(*state, spec), 1501);
        spec.second_file = 700; /* its first keyframe is wrong, too, but no tick is missing */
        assert_int_equal(check_resume(*state, spec), 1501);
        /* With 150 wrong keyframes, only the last ones are tried. */
        spec.second_file = 0;
        spec.interval = 10;
        self = resume_room(*state, &spec);
        assert_int_equal(self->room->resume.unusable_count, 2 * LS_KEYFRAMES_PER_FULL);
        assert_int_equal(self->room->resume.simulated_ticks, 1501);
        leave(self);
    }
}

/* A keyframe leads to another root than the recorded one. The whole match is then simulated, and
 * diverges. */
TEST(test_resume_replay_simulates_all_when_a_root_differs)
{
    const struct spec spec = {.ticks = 1501, .interval = 100, .wrong_root = 1400};
    struct server *self = resume_room(*state, &spec);
    assert_int_equal(self->room->resume.status, LS_ERROR_DIVERGED);
    assert_int_equal(self->room->resume.unusable_tick, 1200);
    assert_int_equal(self->room->resume.from_tick, 0);
    assert_int_equal(self->room->resume.simulated_ticks, 200 + 1400);
    ls_server_step(self->server, 1);
    assert_non_null(strstr(self->log, "restore_failed"));
    assert_non_null(strstr(self->log, "before tick 1400"));
    leave(self);
}
