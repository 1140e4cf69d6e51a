#include "server/room_state.h"
#include "server/server_state.h"
#include "session_fixture.h"
#include <lockstep/session_limits.h>

TESTS_AROUND(begin, end);

/* The right root of an old tick makes no player: any client with a snapshot could report it. */
TEST(test_session_roots_makes_no_player_of_old_roots)
{
    fixture *f = *state;
    ls_world *world;
    assert_ok(
        ls_world_create(f->room->program, ls_world_match(arena_world(f->room)), &world, NULL));
    arena_run_to_tick(f->room, 200, 5 * S);
    ls_update update = {
        .ack = 1, .root_count = 1, .root_first = 0, .roots = {ls_world_root(world)}};
    uint64_t before = arena_stats(f->room).roots_checked;
    puppet_update(f->client, f->room, &update);
    puppet_run(f->client, f->room, 30 * MS);
    assert_true(arena_stats(f->room).roots_checked > before);
    assert_int_equal(arena_stats(f->room).desyncs, 0);
    puppet_run(f->client, f->room, 200 * MS);
    assert_int_equal(arena_stats(f->room).joins, 1);
    ls_world_destroy(world);
    become_player(f);
}

/* One right root does not outweigh a wrong one, even before the verdict. */
TEST(test_session_roots_makes_no_player_of_a_suspect)
{
    fixture *f = *state;
    uint64_t tick = tick_of(f);
    ls_update update = {.ack = tick,
                        .root_count = 2,
                        .root_first = tick - 1,
                        .roots = {77, ls_world_root(arena_world(f->room))}};
    puppet_update(f->client, f->room, &update);
    puppet_run(f->client, f->room, 1500 * MS);
    assert_int_equal(arena_stats(f->room).desyncs, 1);
    assert_int_equal(arena_stats(f->room).joins, 1);
}

TEST(test_session_roots_names_a_wrong_root)
{
    fixture *f = *state;
    uint64_t tick = tick_of(f) - 5;
    ls_update update = {.ack = tick + 1, .root_count = 2, .root_first = tick, .roots = {77, 78}};
    puppet_update(f->client, f->room, &update);
    puppet_run(f->client, f->room, 1500 * MS);
    assert_int_equal(f->client->notice_count, 1);
    assert_int_equal(f->client->notice.kind, LS_NOTICE_DESYNC);
    assert_int_equal(f->client->notice.tick, tick);
    assert_int_equal(f->client->notice.your_root, 77);
    assert_int_equal(arena_stats(f->room).desyncs, 1);
    assert_int_equal(arena_stats(f->room).joins, 1);
    puppet_update(f->client, f->room, &update);
    puppet_run(f->client, f->room, 1500 * MS);
    assert_int_equal(f->client->notice_count, 1);
}

/* Reports `count` roots, which are wrong from tick `wrong` on. Returns the tick up to which the
 * server acknowledges roots. */
static uint64_t report(fixture *f, uint64_t first, uint32_t count, bool begins, uint64_t wrong)
{
    const ls_referee *referee = &ls_server_room(f->room->server, 0)->match.referee;
    ls_update update = {
        .ack = tick_of(f), .root_first = first, .root_count = count, .roots_begin = begins};
    for (uint64_t i = 0; i < count; i++)
        update.roots[i] = referee->roots[(first + i) % LS_SERVER_ROOTS] ^ (first + i >= wrong);
    puppet_update(f->client, f->room, &update);
    puppet_run(f->client, f->room, 50 * MS);
    return f->client->ticks.root_ack;
}

/* A client repeats a root until the server has it and every root before it. */
TEST(test_session_roots_are_acknowledged_up_to_a_hole)
{
    fixture *f = *state;
    uint64_t tick = tick_of(f);
    assert_int_equal(report(f, tick - 10, 2, false, tick), 0); /* roots before these were lost */
    assert_int_equal(report(f, tick - 12, 4, true, tick), tick - 8);
    assert_int_equal(report(f, tick - 6, 1, false, tick), tick - 8);
    assert_int_equal(report(f, tick - 12, 2, true, tick), tick - 8); /* a late copy */
    assert_int_equal(report(f, tick - 8, 1, false, tick), tick - 7);
    assert_int_equal(report(f, tick - 4, 3, true, tick),
                     tick - 1); /* the client gave up three roots */
}

/* Reports the roots of `count` ticks as a batch; that of tick `wrong` differs. */
static uint64_t report_batch(fixture *f, uint64_t first, uint32_t count, uint64_t wrong)
{
    const ls_referee *referee = &ls_server_room(f->room->server, 0)->match.referee;
    ls_update update = {.ack = tick_of(f),
                        .root_first = first,
                        .root_count = 1,
                        .batch_count = count,
                        .roots_begin = true,
                        .roots = {first}};
    for (uint64_t tick = first; tick < first + count; tick++)
        update.roots[0] = ls_root_batch_add(
            update.roots[0], referee->roots[tick % LS_SERVER_ROOTS] ^ (tick == wrong));
    puppet_update(f->client, f->room, &update);
    puppet_run(f->client, f->room, 50 * MS);
    return f->client->ticks.root_ack;
}

/* A spectator reports batches. If one is wrong, the server acknowledges no further than before, and
 * so asks for its roots; its world may be right again since. */
TEST(test_session_roots_asks_for_those_of_a_wrong_batch)
{
    fixture *f = *state;
    uint64_t tick = tick_of(f), wrong = tick - 10, checked = arena_stats(f->room).roots_checked;
    assert_int_equal(report_batch(f, tick - 30, 11, wrong), tick - 19);
    assert_true(arena_stats(f->room).roots_checked >= checked + 11);
    assert_int_equal(report_batch(f, tick - 19, 18, wrong), tick - 19);
    assert_int_equal(report_batch(f, tick - 19, 19, wrong),
                     tick - 19); /* sent before the server asked */
    assert_int_equal(report_batch(f, tick - 9, 9, wrong), tick - 19); /* this one is right */
    assert_int_equal(report(f, tick - 19, 8, false, UINT64_MAX), tick - 11);
    assert_int_equal(f->client->notice_count, 0);
    (void)report(f, tick - 11, 2, false, wrong);
    puppet_run(f->client, f->room, 100 * MS);
    assert_int_equal(f->client->notice.kind, LS_NOTICE_DESYNC);
    assert_int_equal(f->client->notice.tick, wrong);
}

/* The first report of a session is a wrong batch: its roots are asked for, since no root was right.
 */
TEST(test_session_roots_asks_for_those_of_a_first_batch)
{
    fixture *f = *state;
    arena_run_to_tick(f->room, 400, 10 * S); /* the ticks are more than a client keeps */
    puppet_run(f->client, f->room, 100 * MS);
    uint64_t tick = tick_of(f), wrong = tick - 10;
    assert_int_equal(report_batch(f, tick - 15, 15, wrong), tick - 15);
    assert_int_equal(f->client->notice_count, 0);
    (void)report(f, tick - 15, 8, false, wrong);
    puppet_run(f->client, f->room, 100 * MS);
    assert_int_equal(f->client->notice.kind, LS_NOTICE_DESYNC);
    assert_int_equal(f->client->notice.tick, wrong);
}

/* A spectator that gives no roots after its wrong batch is judged by the batch, and the log says
 * so.
 */
TEST(test_session_roots_judges_a_batch_alone)
{
    fixture *f = *state;
    uint64_t tick = tick_of(f);
    assert_int_equal(report_batch(f, tick - 15, 12, tick - 10), tick - 15);
    puppet_run(f->client, f->room, LS_SERVER_DESYNC_GRACE_NS + 100 * MS);
    assert_int_equal(f->client->notice.kind, LS_NOTICE_DESYNC);
    assert_int_equal(f->client->notice.tick, tick - 4);
    assert_int_equal(arena_log_count(f->room, " batch=12"), 1);
}

/* After the verdict batches are acknowledged, so that the client does not send each root. */
TEST(test_session_roots_acknowledges_batches_after_the_verdict)
{
    fixture *f = *state;
    uint64_t tick = tick_of(f);
    (void)report(f, tick - 10, 2, true, tick - 9);
    puppet_run(f->client, f->room, 100 * MS);
    assert_int_equal(f->client->notice.kind, LS_NOTICE_DESYNC);
    assert_int_equal(report_batch(f, tick - 8, 8, tick - 3), tick);
}

/* Sends sealed messages other than UPDATE. */
static void keep_alive(fixture *f, uint64_t duration_ns)
{
    ls_plain plain;
    ls_pause_encode(true, &plain); /* players of this room may not pause */
    for (uint64_t done = 0; done < duration_ns; done += 500 * MS) {
        puppet_send(f->client, f->room, &plain);
        puppet_run(f->client, f->room, 500 * MS);
    }
}

TEST(test_session_roots_misses_roots_without_updates)
{
    fixture *f = *state;
    become_player(f);
    keep_alive(f, 18 * S);
    assert_int_equal(arena_stats(f->room).roots_missed, 0);
    keep_alive(f, 3 * S);
    assert_int_equal(arena_stats(f->room).roots_missed, 1);
    assert_int_equal(arena_log_count(f->room, "roots_missing tick="), 1);
}

/* Acks of ticks that the server has not closed do not excuse missing roots. */
TEST(test_session_roots_misses_roots_of_future_acks)
{
    fixture *f = *state;
    become_player(f);
    for (uint32_t i = 0; i < 42; i++) {
        puppet_update(f->client, f->room, &(ls_update){.ack = tick_of(f) + 1000});
        puppet_run(f->client, f->room, 500 * MS);
    }
    assert_int_equal(arena_stats(f->room).roots_missed, 1);
}

/* A load excuses missing roots until the next right root. Repeating the load extends nothing. */
TEST(test_session_roots_excuses_roots_during_a_load)
{
    fixture *f = *state;
    become_player(f);
    puppet_request(f->client, f->room, &(ls_snapshot_request){.bytes = 2048});
    keep_alive(f, LS_SERVER_LOAD_NS / 2);
    puppet_request(f->client, f->room, &(ls_snapshot_request){.bytes = 2048});
    keep_alive(f, LS_SERVER_LOAD_NS / 2 + 7 * S);
    assert_int_equal(arena_stats(f->room).roots_missed, 0);
    keep_alive(f, 5 * S);
    assert_int_equal(arena_stats(f->room).roots_missed, 1);
}
