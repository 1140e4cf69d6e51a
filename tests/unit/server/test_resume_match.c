/* A server dies during a match. Another one resumes the match from its recording. */
#include "arena.h"
#include "server/room_state.h"
#include "server/seats_file.h"
#include "server/server_state.h"
#include "slow_jobs.h"
#include "tally_sim.h"
#include "tests/support/test.h"
#include <lockstep/limits.h>
#include <lockstep/recorder.h>
#include <lockstep/recording_series.h>

static const ls_impairment_conditions lan = {.delay_ns = 5 * MS};

typedef struct fixture {
    arena *room;
    slow_jobs slow;
    ls_seats_file seats;
    ls_server_config config;
    uint32_t keep_s; /* keep_seats_s of the room that resumes */
    char log[1 << 16];
} fixture;

static void keep_log(void *context, const char *line)
{
    fixture *f = context;
    size_t used = strlen(f->log);
    snprintf(f->log + used, sizeof f->log - used, "%s\n", line);
}

static void begin(fixture *f, uint64_t tick)
{
    memset(f, 0, sizeof *f);
    f->slow = slow_jobs_make();
    f->room = arena_create(&(arena_config){.seed = 1, .conditions = lan, .wait_players = 2});
    arena_join_bot(f->room, "anna");
    arena_join_bot(f->room, "bert");
    arena_run_to_tick(f->room, tick, 20 * S);
}

/* The server and its link vanish without a packet. Bytes that were appended remain. */
static void kill_server(fixture *f)
{
    ls_room_seats(f->room->room, &f->seats);
    f->room->room = NULL;
    ls_server_destroy(f->room->server);
    ls_network_kill(f->room->link);
    f->room->link = ls_network_listen(f->room->network, 64);
    f->config = ls_server_config_default();
    f->config.program = f->room->program;
    f->config.link = f->room->link;
    f->config.identity = &f->room->identity;
    f->config.unix_s = 1700000000;
    f->config.log = keep_log;
    f->config.log_context = f;
}

static ls_status resume_match(fixture *f, uint32_t epoch)
{
    assert_ok(ls_server_create(&f->config, &f->room->server, NULL));
    ls_room_config config = ls_room_config_default();
    ls_error error = {""};
    ls_recording_end found;
    ls_recording *series = NULL;
    const ls_recorder_existing existing = {.existing = ls_memory_sink_reopen(&f->room->recording),
                                           .name = "arena"};
    if (ls_recorder_resume_on(&existing, &config.recorder, &found, &error) != LS_OK ||
        ls_recording_open_memory("arena", f->room->recording.data, f->room->recording.bytes,
                                 &series, &error) != LS_OK)
        fail_msg("%s", error.text);
    config.series = ls_series_of(series);
    config.name = "arena";
    config.epoch = epoch;
    config.seats = &f->seats;
    config.keep_seats_s = f->keep_s;
    return ls_server_open_room(f->room->server, &config, &f->room->room, &error);
}

static void finish(fixture *f)
{
    arena_destroy(f->room);
}

TEST(test_resume_match_gives_clients_their_seats)
{
    static fixture f;
    begin(&f, 300);
    uint8_t seats[2];
    for (uint32_t i = 0; i < 2; i++)
        seats[i] = arena_client_stats(f.room, i).player;
    uint64_t tick = arena_stats(f.room).tick;
    kill_server(&f);
    arena_run(f.room, 0);
    assert_ok(resume_match(&f, 1));
    arena_run(f.room, 8 * S);
    if (arena_stats(f.room).joins < 2)
        fail_msg("nobody came back: %s\n%s", ls_client_reason(arena_client_at(f.room, 0)), f.log);
    for (uint32_t i = 0; i < 2; i++) {
        ls_client_stats stats = arena_client_stats(f.room, i);
        assert_int_equal(stats.player, seats[i]);
        assert_true(stats.is_playing);
        assert_false(stats.has_diverged);
    }
    assert_int_equal(arena_stats(f.room).leaves, 2);
    assert_int_equal(arena_stats(f.room).desyncs, 0);
    assert_true(arena_stats(f.room).tick > tick);
    assert_non_null(strstr(f.log, "restored tick="));
    assert_non_null(strstr(f.log, "epoch=1"));
    arena_assert_all_equal(f.room);
    /* One recording with two epochs, which verifies from its first tick to its last. */
    arena_run(f.room, 1 * S);
    ls_room_drain(f.room->room, f.room->now_ns);
    uint64_t last = arena_stats(f.room).tick;
    uint64_t root = ls_world_root(arena_world(f.room));
    arena_run(f.room, 3 * S);
    assert_true(ls_server_is_done(f.room->server));
    f.room->final_stats.tick = last;
    ls_recording *recording;
    const ls_recording_tick *one;
    assert_ok(ls_recording_open_memory("arena", f.room->recording.data, f.room->recording.bytes,
                                       &recording, NULL));
    ls_world *world;
    assert_ok(
        ls_world_create(f.room->program, &ls_recording_get_header(recording)->match, &world, NULL));
    while (ls_recording_next(recording, &one, NULL) == LS_OK && one)
        assert_ok(ls_world_advance(world, &one->frame, NULL, NULL));
    assert_int_equal(ls_recording_get_end(recording)->kind, LS_RECORDING_CLEAN);
    assert_int_equal(ls_recording_get_end(recording)->tick_count, last);
    assert_int_equal(ls_world_root(world), root);
    ls_world_destroy(world);
    ls_recording_close(recording);
    finish(&f);
}

/* Resumes a match of two players in a server that keeps seats for 30 s, without some of the file of
 * seats. */
static void resume_kept(fixture *f, void change(ls_seats_file *seats))
{
    begin(f, 300);
    kill_server(f);
    f->keep_s = 30;
    if (change)
        change(&f->seats);
    assert_ok(resume_match(f, 1));
}

TEST(test_resume_match_keeps_seats)
{
    static fixture f;
    resume_kept(&f, NULL);
    arena_run(f.room, 8 * S);
    uint32_t inputs = tally_of(arena_world(f.room))->inputs[0];
    arena_run(f.room, 1 * S);
    assert_int_equal(arena_stats(f.room).seats_kept, 2);
    assert_int_equal(arena_stats(f.room).joins, 0);
    assert_int_equal(arena_stats(f.room).leaves, 0);
    for (uint32_t i = 0; i < 2; i++) {
        const tally_book *book = tally_of(arena_world(f.room));
        uint8_t seat = arena_client_stats(f.room, i).player;
        assert_true(arena_client_stats(f.room, i).is_playing);
        assert_int_equal(book->joins[seat], 1);
    }
    assert_true(tally_of(arena_world(f.room))->inputs[0] > inputs);
    arena_assert_all_equal(f.room);
    finish(&f);
}

/* A restored match begins without a player that never returns, and the player leaves in time. */
TEST(test_resume_match_keeps_a_seat_for_a_time)
{
    static fixture f;
    begin(&f, 300);
    kill_server(&f);
    arena_kill(f.room, 0);
    f.keep_s = 20;
    assert_ok(resume_match(&f, 1));
    arena_run(f.room, 18 * S);
    assert_int_equal(arena_stats(f.room).state, LS_ROOM_RUNNING);
    assert_int_equal(arena_stats(f.room).players, 2);
    assert_int_equal(arena_stats(f.room).leaves, 0);
    arena_run(f.room, 4 * S);
    assert_int_equal(arena_stats(f.room).players, 1);
    assert_int_equal(arena_stats(f.room).leaves, 1);
    finish(&f);
}

static void forget(ls_seats_file *seats)
{
    seats->count = 1;
}

/* Nothing could prove the claim to a seat that the file of seats lacks. */
TEST(test_resume_match_keeps_no_seat_without_a_secret)
{
    static fixture f;
    resume_kept(&f, forget);
    arena_run(f.room, 8 * S);
    assert_int_equal(arena_stats(f.room).seats_kept, 1);
    assert_int_equal(arena_stats(f.room).leaves, 1);
    assert_int_equal(arena_stats(f.room).joins, 1);
    finish(&f);
}

static void turn_light(ls_seats_file *seats)
{
    for (uint32_t i = 0; i < seats->count; i++)
        seats->seats[i].is_light = true;
}

/* The seat of a light client stays one over a restart. */
TEST(test_resume_match_remembers_light_clients)
{
    static fixture f;
    static ls_seats_file again;
    resume_kept(&f, turn_light);
    arena_run(f.room, 1 * S);
    ls_room_seats(f.room->room, &again);
    assert_int_equal(again.count, 2);
    assert_true(again.seats[0].is_light && again.seats[1].is_light);
    arena_run(f.room, 8 * S);
    assert_int_equal(arena_stats(f.room).seats_kept, 0); /* its clients are not light */
    finish(&f);
}

static void remember_desyncs(ls_seats_file *seats)
{
    seats->seats[0].was_resynced = true;
    seats->seats[1].was_asked = true;
}

/* A restart refills neither the snapshot nor the question of a client that differed. */
TEST(test_resume_match_remembers_desyncs)
{
    static fixture f;
    static ls_seats_file again;
    resume_kept(&f, remember_desyncs);
    arena_run(f.room, 8 * S);
    assert_int_equal(arena_stats(f.room).seats_kept, 2);
    ls_room_seats(f.room->room, &again);
    assert_true(again.seats[0].was_resynced && !again.seats[0].was_asked);
    assert_true(again.seats[1].was_asked && !again.seats[1].was_resynced);
    finish(&f);
}

static void require_tokens(ls_seats_file *seats)
{
    seats->requires_token = true;
}

/* A room for holders of tokens alone stays one over a restart: these clients have none. */
TEST(test_resume_match_still_requires_tokens)
{
    static fixture f;
    static ls_seats_file again;
    resume_kept(&f, require_tokens);
    arena_run(f.room, 8 * S);
    assert_int_equal(ls_server_get_stats(f.room->server).sessions, 0);
    assert_int_equal(arena_stats(f.room).seats_kept, 0);
    assert_non_null(
        strstr(ls_client_reason(arena_client_at(f.room, 0)), "only clients with a connect token"));
    ls_room_seats(f.room->room, &again);
    assert_true(again.requires_token);
    finish(&f);
}

/* Another server begins to resume the match of a killed one, in jobs. Returns the size of the
 * recording. */
static size_t begin_restore(fixture *f)
{
    begin(f, 200);
    kill_server(f);
    size_t bytes = f->room->recording.bytes;
    f->config.jobs = &f->slow.jobs;
    assert_ok(resume_match(f, 1));
    return bytes;
}

static void run_with_jobs(fixture *f, uint64_t duration_ns)
{
    for (uint64_t ns = 0; ns < duration_ns; ns += 10 * MS) {
        arena_run(f->room, 10 * MS);
        while (slow_jobs_run_one(&f->slow))
            continue;
    }
}

/* While the match is simulated again, clients get no answer and the server does not block. */
TEST(test_resume_match_is_a_job)
{
    static fixture f;
    begin_restore(&f);
    arena_run(f.room, 1 * S);
    assert_int_equal(arena_stats(f.room).state, LS_ROOM_RESTORING);
    assert_true(arena_stats(f.room).tick >= 200);
    assert_int_equal(arena_stats(f.room).simulated, 0);
    assert_int_equal(ls_server_get_stats(f.room->server).sessions, 0);
    assert_true(slow_jobs_run_one(&f.slow));
    run_with_jobs(&f, 6 * S);
    assert_int_equal(arena_stats(f.room).state, LS_ROOM_RUNNING);
    assert_int_equal(arena_stats(f.room).joins, 2);
    finish(&f);
}

/* A room on request waits for its players after the restore, and not for longer than they try. */
TEST(test_resume_match_ends_a_room_on_request)
{
    static fixture f;
    begin(&f, 200);
    kill_server(&f);
    arena_kill(f.room, 0);
    arena_kill(f.room, 1);
    f.seats.is_on_request = true;
    f.config.jobs = &f.slow.jobs;
    assert_ok(resume_match(&f, 1));
    arena_run(f.room, 70 * S);
    assert_int_equal(arena_stats(f.room).state, LS_ROOM_RESTORING);
    run_with_jobs(&f, 58 * S);
    assert_false(ls_server_is_done(f.room->server));
    run_with_jobs(&f, 4 * S);
    assert_true(ls_server_is_done(f.room->server));
    finish(&f);
}

/* A drain during the restore ends the match as soon as it is restored, with a closing record. */
TEST(test_resume_match_can_be_drained)
{
    static fixture f;
    begin_restore(&f);
    arena_run(f.room, 100 * MS);
    f.room->room = NULL;
    ls_server_drain(f.room->server, f.room->now_ns);
    arena_run(f.room, 1 * S);
    assert_false(ls_server_is_done(f.room->server));
    for (uint32_t i = 0; i < 100; i++) {
        while (slow_jobs_run_one(&f.slow))
            continue;
        arena_run(f.room, 50 * MS);
    }
    assert_true(ls_server_is_done(f.room->server));
    assert_non_null(strstr(f.log, "reason=drained"));
    finish(&f);
}

/* A stop with a deadline interrupts the restore between two ticks; the recording gets no closing
 * record. */
TEST(test_resume_match_breaks_off_for_a_stop)
{
    static fixture f;
    size_t bytes = begin_restore(&f);
    arena_run(f.room, 100 * MS);
    f.room->room = NULL;
    ls_server_drain(f.room->server, f.room->now_ns);
    arena_run(f.room, 1500 * MS);
    assert_true(slow_jobs_run_one(&f.slow));
    arena_run(f.room, 2 * S);
    assert_true(ls_server_is_done(f.room->server));
    assert_non_null(strstr(f.log, "restore_abandoned tick=1 "));
    assert_int_equal(f.room->recording.bytes, bytes);
    finish(&f);
}

/* One tick of the recording hangs. The server gives the room up, though the job may use its memory
 * forever. */
static void check_hanging_restore(bool drains)
{
    static fixture f;
    size_t bytes = begin_restore(&f);
    f.slow.hang = true;
    /* Waiting for a free thread has no time limit. */
    arena_run(f.room, 30 * S);
    assert_int_equal(arena_stats(f.room).state, LS_ROOM_RESTORING);
    ((ls_resume_state *)f.slow.first)->progress = 78;
    assert_int_equal(arena_stats(f.room).simulated, 77);
    arena_run(f.room, drains ? 5 * S : 9 * S);
    assert_int_equal(ls_server_get_stats(f.room->server).rooms, 1);
    f.room->final_stats.is_lost = true;
    if (drains)
        ls_server_drain(f.room->server, f.room->now_ns);
    f.room->room = NULL;
    arena_run(f.room, 4 * S);
    assert_true(ls_server_is_done(f.room->server));
    assert_non_null(strstr(f.log, drains ? "restore_abandoned reason=\"the server stops\""
                                         : "restore_abandoned reason=\"tick 77 of its recording"));
    assert_int_equal(ls_server_get_stats(f.room->server).rooms_failed, !drains);
    assert_int_equal(f.room->recording.bytes, bytes);
    finish(&f);
}

TEST(test_resume_match_that_hangs_is_given_up)
{
    check_hanging_restore(false);
    check_hanging_restore(true);
}

/* A recording that this server does not reproduce is not changed. */
TEST(test_resume_match_refuses_another_past)
{
    static fixture f;
    size_t bytes = begin_restore(&f);
    /* Flips a bit as if this machine had computed another result. */
    char what[128];
    assert_true(ls_world_flip_bit(ls_room_world(f.room->room), 77, what, sizeof what));
    slow_jobs_run_one(&f.slow);
    f.room->room = NULL;
    for (uint32_t i = 0; i < 20; i++) {
        arena_run(f.room, 50 * MS);
        while (slow_jobs_run_one(&f.slow))
            continue;
    }
    assert_true(ls_server_is_done(f.room->server));
    assert_non_null(strstr(f.log, "restore_failed"));
    assert_int_equal(f.room->recording.bytes, bytes);
    assert_int_equal(ls_server_get_stats(f.room->server).rooms_failed, 1);
    finish(&f);
}
