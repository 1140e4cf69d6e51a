/* Ticks while jobs are slow, and rooms that wait for their players. */
#include "puppet.h"
#include "server/room_state.h"
#include "server/server_state.h"
#include "slow_jobs.h"
#include "tally_sim.h"
#include "tests/support/test.h"
#include <lockstep/context.h>
#include <lockstep/limits.h>

static const ls_impairment_conditions lan = {.delay_ns = 5 * MS};

typedef struct setting {
    slow_jobs slow;
    uint32_t lag_ticks_max;
} setting;

static void run_at_once(ls_jobs *jobs, ls_job *job)
{
    job->run(job);
    ls_job_finish(job);
}

static void be_done(ls_jobs *jobs, ls_job *job)
{
    assert_true(ls_job_is_finished(job));
}

/* The disk has threads of its own. */
static ls_jobs disk_jobs = {run_at_once, be_done, NULL};

static void prepare(void *context, ls_server_config *server, ls_room_config *room)
{
    setting *own = context;
    server->jobs = &own->slow.jobs;
    server->disk_jobs = &disk_jobs;
    server->rooms_max = 2;
    room->lag_ticks_max = own->lag_ticks_max;
}

/* Runs the arena, with jobs only every `pace_ns`. */
static void run_slowly(arena *room, slow_jobs *slow, uint64_t duration_ns, uint64_t pace_ns)
{
    for (uint64_t done = 0; done < duration_ns; done += pace_ns) {
        arena_run(room, pace_ns);
        while (slow_jobs_run_one(slow))
            continue;
    }
}

/* Ticks are sent on time, roots and joins come later, and no client is wrongly accused of a
 * desync. */
TEST(test_tick_loop_jobs_delay_no_tick)
{
    setting own = {.slow = slow_jobs_make()};
    arena *room = arena_create(
        &(arena_config){.seed = 1, .conditions = lan, .prepare = prepare, .context = &own});
    for (uint32_t i = 0; i < 3; i++)
        arena_join_bot(room, "bot");
    run_slowly(room, &own.slow, 10 * S, 50 * MS);
    ls_room_stats stats = arena_stats(room);
    assert_true(stats.tick > 550);
    assert_int_equal(stats.ticks_skipped, 0);
    assert_in_range(stats.simulated, stats.tick - 12, stats.tick);
    assert_int_equal(stats.joins, 3);
    assert_int_equal(stats.desyncs, 0);
    assert_true(stats.roots_checked > 3 * 500);
    for (uint32_t i = 0; i < 3; i++)
        assert_in_range(arena_client_stats(room, i).tick, stats.tick - 3, stats.tick);
    /* Only the last root delays the end. */
    ls_room_drain(room->room, room->now_ns);
    run_slowly(room, &own.slow, 3 * S, 50 * MS);
    assert_true(ls_server_is_done(room->server));
    arena_assert_recording(room, stats.tick);
    arena_destroy(room);
}

/* A lag below the limit is made up in batches. */
TEST(test_tick_loop_jobs_catch_up)
{
    setting own = {.slow = slow_jobs_make()};
    arena *room = arena_create(
        &(arena_config){.seed = 1, .conditions = lan, .prepare = prepare, .context = &own});
    arena_join_bot(room, "bot");
    run_slowly(room, &own.slow, 1 * S, 10 * MS);
    uint64_t simulated = arena_stats(room).simulated;
    arena_run(room, 3 * S);
    assert_in_range(arena_stats(room).simulated, simulated, simulated + LS_DRIVER_TICKS);
    run_slowly(room, &own.slow, 1 * S, 10 * MS);
    assert_in_range(arena_stats(room).simulated, arena_stats(room).tick - 3,
                    arena_stats(room).tick);
    assert_int_equal(arena_stats(room).desyncs, 0);
    arena_destroy(room);
}

/* A job does not end in time: the match ends, and its clients are told why. */
TEST(test_tick_loop_jobs_that_lag_too_far_end_the_match)
{
    setting own = {.slow = slow_jobs_make(), .lag_ticks_max = 120};
    arena *room = arena_create(
        &(arena_config){.seed = 1, .conditions = lan, .prepare = prepare, .context = &own});
    puppet *client = puppet_enter(room, "puppet");
    arena_join_bot(room, "bot");
    run_slowly(room, &own.slow, 1 * S, 10 * MS);
    uint64_t simulated = arena_stats(room).simulated;
    puppet_run(client, room, 3 * S);
    ls_room_stats stats = arena_stats(room);
    assert_int_equal(stats.state, LS_ROOM_ENDING);
    assert_int_equal(stats.ended_by, LS_CLOSING_FAILED);
    assert_in_range(stats.tick, simulated + 120, simulated + 130);
    assert_int_equal(client->notice.kind, LS_NOTICE_GOODBYE);
    assert_non_null(strstr(client->notice.text, "the match cannot continue: the simulation is"));
    assert_true(client->is_gone);
    assert_int_equal(stats.sessions, 0);
    assert_int_equal(ls_server_get_stats(room->server).rooms_failed, 1);
    run_slowly(room, &own.slow, 1 * S, 10 * MS);
    assert_true(ls_server_is_done(room->server));
    puppet_destroy(client);
    arena_destroy(room);
}

static void give_in(ls_context *context, const ls_entity *entities)
{
    ls_decide(context, ls_tick(context) >= 60 ? LS_YES_AND_AGAIN : LS_YES);
}

static void rest(ls_context *context, const ls_entity *entities)
{
}

static const ls_system criterion = {.name = "ask", .mode = LS_SEQUENTIAL, .match = give_in};
static const ls_set sets[] = {
    {.name = "restless", .when = {.criterion = &criterion, .iterations_max = 3}}};

/* A client fails first, and the empty room ends. Then the server's own simulation fails in a tick
 * that was closed before. */
TEST(test_tick_loop_jobs_that_fail_while_the_match_ends)
{
    setting own = {.slow = slow_jobs_make()};
    ls_sim sim = tally_sim;
    ls_system systems[8];
    LS_ASSERT(sim.system_count < LS_COUNT_OF(systems));
    memcpy(systems, sim.systems, sim.system_count * sizeof *systems);
    systems[sim.system_count++] =
        (ls_system){.name = "rest", .mode = LS_SEQUENTIAL, .match = rest, .labels = "restless"};
    sim.systems = systems;
    sim.sets = sets;
    sim.set_count = LS_COUNT_OF(sets);
    arena *room = arena_create(&(arena_config){.seed = 1,
                                               .sim = &sim,
                                               .conditions = lan,
                                               .prepare = prepare,
                                               .context = &own,
                                               .end_when_empty = true});
    arena_join_bot(room, "bot");
    run_slowly(room, &own.slow, 500 * MS, 10 * MS);
    arena_run(room, 2 * S);
    assert_int_equal(ls_client_get_state(arena_client_at(room, 0)), LS_CLIENT_FAILED);
    assert_int_equal(arena_stats(room).ended_by, LS_CLOSING_ABANDONED);
    run_slowly(room, &own.slow, 1 * S, 10 * MS);
    assert_int_equal(arena_stats(room).ended_by, LS_CLOSING_FAILED);
    assert_int_equal(arena_log_count(room, "advance_failed tick=60 "), 1);
    assert_int_equal(arena_log_count(room, "room_failed"), 1);
    assert_true(ls_server_is_done(room->server));
    arena_destroy(room);
}

typedef enum how_it_ends { BY_LAG = 0, DRAINED, FINISHED } how_it_ends;

/* The simulation hangs forever. The room still ends in time, but leaves its memory to the job. A
 * job that still waits for a thread is withdrawn. */
static void check_hang(how_it_ends how, bool hangs)
{
    static setting own; /* static, because the lost job still uses it */
    own = (setting){.slow = slow_jobs_make(), .lag_ticks_max = how == BY_LAG ? 120 : 0};
    own.slow.hang = hangs;
    arena *room = arena_create(&(arena_config){.seed = 1,
                                               .conditions = lan,
                                               .prepare = prepare,
                                               .context = &own,
                                               .ticks_max = how == FINISHED ? 120 : 0});
    arena_join_bot(room, "bot");
    run_slowly(room, &own.slow, 1 * S, 10 * MS);
    arena_run(room, how == BY_LAG ? 2 * S + 300 * MS : 1500 * MS);
    assert_int_equal(arena_stats(room).ended_by, how == BY_LAG     ? LS_CLOSING_FAILED
                                                 : how == FINISHED ? LS_CLOSING_FINISHED
                                                                   : 0);
    if (how == DRAINED)
        ls_server_drain(room->server, room->now_ns);
    arena_run(room, how == FINISHED ? 8 * S : 1 * S);
    assert_non_null(room->room);
    assert_int_equal(arena_log_count(room, "world_abandoned"), 0);
    arena_run(room, how == FINISHED ? 5 * S : 3 * S + 900 * MS);
    assert_null(room->room);
    assert_true(ls_server_is_done(room->server));
    assert_int_equal(arena_stats(room).ended_by, LS_CLOSING_FAILED);
    assert_int_equal(arena_stats(room).is_lost, hangs);
    assert_int_equal(own.slow.abandoned, 1);
    assert_int_equal(ls_server_get_stats(room->server).rooms_failed, 1);
    assert_int_equal(arena_log_count(room, "room_failed"), 1);
    assert_int_equal(arena_log_count(room, hangs ? "thread=lost" : "thread=free"), 1);
    assert_int_equal(ls_client_get_state(arena_client_at(room, 0)), LS_CLIENT_FAILED);
    arena_destroy(room);
    /* The thread returns after all; its memory is still valid. */
    ls_job *job = own.slow.lost[0];
    if (hangs)
        job->run(job);
}

/* A drained match with a simulation that is behind ends in order if that makes progress and ends in
 * time: a job of LS_DRIVER_TICKS ticks, now and then. */
static void check_drain_with_lag(uint64_t pace_ns, uint64_t duration_ns, ls_closing_reason ended_by)
{
    setting own = {.slow = slow_jobs_make()};
    arena *room = arena_create(
        &(arena_config){.seed = 1, .conditions = lan, .prepare = prepare, .context = &own});
    arena_join_bot(room, "bot");
    run_slowly(room, &own.slow, 1 * S, 10 * MS);
    arena_run(room, 8 * S);
    ls_server_drain(room->server, room->now_ns);
    for (uint64_t done = 0; done < duration_ns; done += pace_ns) {
        arena_run(room, pace_ns);
        slow_jobs_run_one(&own.slow);
    }
    arena_run(room, 3 * S);
    assert_true(ls_server_is_done(room->server));
    assert_int_equal(arena_stats(room).ended_by, ended_by);
    assert_int_equal(arena_log_count(room, "room_failed"), ended_by == LS_CLOSING_FAILED);
    assert_int_equal(arena_stats(room).desyncs, 0);
    arena_destroy(room);
}

TEST(test_tick_loop_jobs_that_lag_may_end_after_a_drain)
{
    check_drain_with_lag(50 * MS, 4 * S, LS_CLOSING_DRAINED);
    check_drain_with_lag(200 * MS, 7 * S, LS_CLOSING_FAILED);
    check_drain_with_lag(2500 * MS, 5 * S, LS_CLOSING_FAILED);
}

TEST(test_tick_loop_jobs_that_hang_end_the_match)
{
    check_hang(BY_LAG, true);
    check_hang(BY_LAG, false);
}

TEST(test_tick_loop_jobs_that_hang_delay_no_drain)
{
    check_hang(DRAINED, true);
    check_hang(DRAINED, false);
}

TEST(test_tick_loop_jobs_that_hang_delay_no_end)
{
    check_hang(FINISHED, true);
}

/* Runs all jobs but `kept`. */
static void run_others(slow_jobs *slow, const ls_job *kept)
{
    for (ls_job **link = &slow->first; *link;) {
        ls_job *job = *link;
        if (job == kept) {
            link = &job->next;
            continue;
        }
        *link = job->next;
        slow->waiting--;
        job->run(job);
        ls_job_finish(job);
    }
}

/* No thread waits for the packing job of a room that ends: the server continues. */
TEST(test_tick_loop_jobs_that_pack_delay_no_end)
{
    setting own = {.slow = slow_jobs_make()};
    own.slow.jobs.wait = be_done;
    arena *room = arena_create(
        &(arena_config){.seed = 1, .conditions = lan, .prepare = prepare, .context = &own});
    arena_join_bot(room, "bot");
    run_slowly(room, &own.slow, 1 * S, 10 * MS);
    puppet *client = puppet_enter(room, "puppet");
    puppet_request(client, room, &(ls_snapshot_request){.bytes = 64});
    const ls_job *packing = &room->room->snapshots.job;
    for (uint32_t i = 0; i < 50 && !ls_job_is_busy(packing); i++) {
        puppet_run(client, room, 10 * MS);
        run_others(&own.slow, packing);
    }
    assert_true(ls_job_is_busy(packing));
    ls_room_drain(room->room, room->now_ns);
    for (uint32_t i = 0; i < 400; i++) {
        puppet_run(client, room, 10 * MS);
        run_others(&own.slow, packing);
    }
    assert_int_equal(arena_stats(room).sessions, 0);
    assert_non_null(room->room);
    assert_int_equal(arena_stats(room).state, LS_ROOM_ENDING);
    assert_true(slow_jobs_run_one(&own.slow));
    arena_run(room, 100 * MS);
    assert_null(room->room);
    own.slow.jobs.wait = slow_jobs_wait; /* the server may wait when it is destroyed */
    puppet_destroy(client);
    arena_destroy(room);
}

/* The client that asked for a snapshot has left, so none is packed. */
TEST(test_tick_loop_jobs_pack_nothing_for_clients_that_left)
{
    setting own = {.slow = slow_jobs_make()};
    arena *room = arena_create(
        &(arena_config){.seed = 1, .conditions = lan, .prepare = prepare, .context = &own});
    puppet *client = puppet_enter(room, "puppet");
    run_slowly(room, &own.slow, 1 * S, 10 * MS);
    ls_plain bye;
    ls_bye_encode(&(ls_bye){"so long"}, &bye);
    puppet_request(client, room, &(ls_snapshot_request){.bytes = 64});
    puppet_send(client, room, &bye);
    puppet_run(client, room, 50 * MS);
    assert_int_equal(arena_stats(room).sessions, 0);
    assert_true(room->room->snapshots.is_wanted);
    uint64_t encoded = arena_stats(room).snapshots_encoded;
    ls_room_drain(room->room, room->now_ns);
    run_slowly(room, &own.slow, 1 * S, 10 * MS);
    assert_null(room->room);
    assert_int_equal(room->final_stats.snapshots_encoded, encoded);
    puppet_destroy(client);
    arena_destroy(room);
}

static void become_player(puppet *client, arena *room)
{
    uint64_t tick = arena_stats(room).tick;
    puppet_update(client, room,
                  &(ls_update){.ack = tick,
                               .root_count = 1,
                               .root_first = tick,
                               .roots = {ls_world_root(arena_world(room))}});
    puppet_run(client, room, 50 * MS);
    ls_server_peer_info info;
    uint32_t playing = 0;
    for (uint32_t i = 0; i < 64; i++)
        playing += ls_server_peer(room->server, i, &info) && info.is_playing;
    assert_true(playing > 0);
}

/* A silent client holds the match until it is removed. */
TEST(test_tick_loop_jobs_wait_policy_holds_until_silence_ends)
{
    arena *room =
        arena_create(&(arena_config){.seed = 1, .conditions = lan, .policy = LS_ROOM_WAIT});
    puppet *client = puppet_enter(room, "puppet");
    become_player(client, room);
    puppet_run(client, room, 3 * S);
    uint64_t tick = arena_stats(room).tick;
    assert_in_range(tick, 10, 25); /* a quarter of a second passes, then the match waits */
    puppet_run(client, room, 3 * S);
    assert_int_equal(arena_stats(room).tick, tick);
    assert_true(arena_stats(room).ticks_held > 0);
    /* The client answers again: the match continues without a burst. */
    puppet_update(client, room, &(ls_update){.ack = tick});
    puppet_run(client, room, 200 * MS);
    assert_in_range(arena_stats(room).tick, tick + 10, tick + 18);
    /* The server's machine slept, which does not count as silence of the client. */
    puppet_run(client, room, 2 * S);
    assert_true(arena_stats(room).ticks_held > 1);
    room->now_ns += 2 * LS_SERVER_SILENCE_NS;
    puppet_run(client, room, 2 * S);
    assert_false(client->is_gone);
    /* The client stays away. */
    puppet_run(client, room, LS_SERVER_SILENCE_NS + 2 * S);
    assert_true(client->is_gone);
    assert_int_equal(arena_stats(room).leaves, 1);
    assert_true(arena_stats(room).tick > tick + 60);
    assert_int_equal(arena_stats(room).ticks_skipped, 0);
    puppet_destroy(client);
    arena_destroy(room);
}

static void hold(const ls_world *world, uint32_t player, uint8_t *bytes)
{
    bytes[0] = (uint8_t)ls_world_tick(world);
    bytes[1] = (uint8_t)player;
}

/* A new client's first states are for later ticks. The match does not wait for its states of
 * earlier ticks, whatever the delay. */
TEST(test_tick_loop_jobs_wait_policy_takes_newcomers_with_states)
{
    static const uint64_t delays_ns[] = {1 * MS, 40 * MS, 150 * MS};
    ls_sim holding_sim = tally_sim;
    holding_sim.state_bytes = 2;
    holding_sim.bot_state = hold;
    for (uint32_t i = 0; i < LS_COUNT_OF(delays_ns); i++) {
        arena *room = arena_create(&(arena_config){.sim = &holding_sim,
                                                   .seed = 1,
                                                   .conditions = {.delay_ns = delays_ns[i]},
                                                   .policy = LS_ROOM_WAIT});
        for (uint32_t bot = 0; bot < 3; bot++) {
            arena_join_bot(room, "bot");
            arena_run(room, 5 * S);
        }
        uint64_t tick = arena_stats(room).tick;
        arena_run(room, 2 * S);
        assert_true(arena_stats(room).tick > tick + 20);
        assert_int_equal(arena_stats(room).leaves, 0);
        arena_assert_all_equal(room);
        arena_destroy(room);
    }
}

/* The default policy never waits. */
TEST(test_tick_loop_jobs_pace_policy_never_waits)
{
    arena *room = arena_create(&(arena_config){.seed = 1, .conditions = lan});
    puppet *client = puppet_enter(room, "puppet");
    become_player(client, room);
    uint64_t tick = arena_stats(room).tick;
    puppet_run(client, room, 3 * S);
    assert_in_range(arena_stats(room).tick, tick + 179, tick + 181);
    assert_int_equal(arena_stats(room).ticks_held, 0);
    puppet_destroy(client);
    arena_destroy(room);
}
