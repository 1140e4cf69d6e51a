#include "puppet.h"
#include "server/room_state.h"
#include "server/server_state.h"
#include "session_fixture.h"
#include "tally_sim.h"
#include "tests/support/test.h"
#include <lockstep/session_limits.h>

static ls_update input_update(const fixture *f, uint32_t sequence, uint64_t wish,
                              const uint8_t *data, uint16_t bytes)
{
    return (ls_update){
        .ack = tick_of(f),
        .input_count = 1,
        .inputs = {{.sequence = sequence, .tick = wish, .bytes = bytes, .data = data}}};
}

TESTS_AROUND(begin, end);

TEST(test_session_messages_sends_no_ticks_before_an_update)
{
    fixture *f = *state;
    puppet_run(f->client, f->room, 200 * MS);
    assert_int_equal(f->client->ticks_count, 0);
    puppet_update(f->client, f->room, &(ls_update){.ack = tick_of(f)});
    puppet_run(f->client, f->room, 200 * MS);
    assert_true(f->client->ticks_count > 5);
    assert_int_equal(f->client->ticks.count, LS_TICKS_WINDOW);
    assert_true(f->client->ticks.first + f->client->ticks.count + 2 > tick_of(f));
}

/* An UPDATE is 5 ms on its way, and the server sleeps for 30 ms more. The client then gets the time
 * since the arrival, so its round trip does not contain the sleep. */
TEST(test_session_messages_times_the_arrival)
{
    fixture *f = *state;
    const ls_server_session *session = f->room->room->sessions; /* the newest first */
    puppet_update(f->client, f->room, &(ls_update){.ack = tick_of(f), .stamp_us = 77});
    uint64_t arrival_ns = f->room->now_ns + 5 * MS;
    f->room->now_ns += 35 * MS;
    ls_server_step(f->room->server, f->room->now_ns);
    assert_int_equal(session->stamp_us, 77);
    assert_int_equal(session->stamp_ns, arrival_ns);
    puppet_run(f->client, f->room, 6 * MS);
    assert_int_equal(f->client->ticks.echo_us, 77);
    assert_in_range(f->client->ticks.held_us, 30000, 31000);
}

/* A client with a queue in its line gets fewer repeats, and fewer packets, but every new tick. */
TEST(test_session_messages_repeats_less_on_a_congested_line)
{
    fixture *f = *state;
    static const struct {
        uint32_t window, most_packets;
    } levels[LS_CONGESTION_MAX + 1] = {{8, 60}, {4, 60}, {2, 60}, {1, 60},
                                       {2, 30}, {3, 20}, {5, 12}, {8, 8}};
    for (uint32_t level = 0; level <= LS_CONGESTION_MAX; level++) {
        uint64_t ack = tick_of(f);
        puppet_update(f->client, f->room, &(ls_update){.ack = ack, .congestion = level});
        puppet_run(f->client, f->room, 200 * MS);
        uint32_t before = f->client->ticks_count;
        uint64_t tick = tick_of(f);
        puppet_run(f->client, f->room, 500 * MS);
        assert_in_range(f->client->ticks.count, levels[level].window - (level > 3),
                        levels[level].window);
        assert_true(f->client->ticks.first + f->client->ticks.count + 2 +
                        (level > 3 ? levels[level].window : 0) >
                    tick_of(f));
        uint64_t packets = f->client->ticks_count - before;
        assert_true(packets <= levels[level].most_packets / 2 + 1);
        assert_true((packets + 1) * levels[level].window + 2 >= tick_of(f) - tick);
    }
}

/* In a pause only repeats bring a lost tick. On a congested line they are rare. */
TEST(test_session_messages_resends_less_on_a_congested_line)
{
    fixture *f = *state;
    puppet_update(f->client, f->room, &(ls_update){.ack = tick_of(f)});
    ls_room_pause(f->room->room, true);
    puppet_run(f->client, f->room, 500 * MS);
    for (uint32_t level = 1; level <= LS_CONGESTION_MAX; level += 3) {
        puppet_update(f->client, f->room, &(ls_update){.ack = tick_of(f) - 1, .congestion = level});
        puppet_run(f->client, f->room, 100 * MS);
        uint32_t before = f->client->ticks_count;
        puppet_run(f->client, f->room, 4200 * MS);
        assert_in_range(f->client->ticks_count - before, 42 / level - 2, 42 / level + 1);
    }
}

/* Acks of ticks that this server never closed: the client is told to reload, at most once a
 * second. */
TEST(test_session_messages_reloads_an_ack_of_the_future)
{
    fixture *f = *state;
    puppet_update(f->client, f->room, &(ls_update){.ack = tick_of(f) + 100});
    puppet_update(f->client, f->room, &(ls_update){.ack = UINT64_MAX});
    puppet_run(f->client, f->room, 100 * MS);
    assert_int_equal(f->client->ticks_count, 0);
    assert_int_equal(f->client->notice_count, 1);
    assert_int_equal(f->client->notice.kind, LS_NOTICE_RELOAD);
    assert_true(f->client->notice.tick <= tick_of(f));
    puppet_run(f->client, f->room, 1 * S);
    puppet_update(f->client, f->room, &(ls_update){.ack = UINT64_MAX});
    puppet_run(f->client, f->room, 100 * MS);
    assert_int_equal(f->client->notice_count, 2);
    assert_int_equal(arena_stats(f->room).sessions, 2);
}

TEST(test_session_messages_keeps_the_highest_ack)
{
    fixture *f = *state;
    puppet_update(f->client, f->room, &(ls_update){.ack = tick_of(f)});
    puppet_update(f->client, f->room, &(ls_update){.ack = 3});
    uint64_t ack = tick_of(f);
    puppet_run(f->client, f->room, 60 * MS);
    assert_true(f->client->ticks_count > 0);
    assert_true(f->client->ticks.first >= ack);
}

TEST(test_session_messages_validates_inputs_first)
{
    fixture *f = *state;
    become_player(f);
    const uint8_t data[4] = {255, 255, 255, 255}, good[4] = {3};
    ls_update bad = input_update(f, 1, 0, data, 4);
    puppet_update(f->client, f->room, &bad);
    ls_update far = input_update(f, 2, tick_of(f) + 1000, good, 4);
    puppet_update(f->client, f->room, &far);
    ls_update fine = input_update(f, 3, 0, good, 4);
    puppet_update(f->client, f->room, &fine);
    puppet_run(f->client, f->room, 100 * MS);
    assert_int_equal(arena_stats(f->room).inputs_refused, 2);
    assert_int_equal(tally_of(arena_world(f->room))->inputs[1], 1);
    assert_int_equal(f->client->ticks.input_ack, 3);
}

TEST(test_session_messages_kicks_an_input_flood)
{
    fixture *f = *state;
    become_player(f);
    uint32_t sequence = 1;
    uint64_t begin_ns = f->room->now_ns;
    while (!f->client->is_gone && f->room->now_ns - begin_ns < 20 * S) {
        ls_update update = {.ack = tick_of(f), .input_count = LS_UPDATE_INPUTS_MAX};
        sequence = f->client->ticks.input_ack + 1;
        uint8_t data[LS_UPDATE_INPUTS_MAX][4];
        for (uint32_t i = 0; i < LS_UPDATE_INPUTS_MAX; i++) {
            memset(data[i], 0, 4);
            data[i][0] = (uint8_t)(sequence + i);
            data[i][1] = (uint8_t)((sequence + i) >> 8);
            update.inputs[i] =
                (ls_update_input){.sequence = sequence + i, .bytes = 4, .data = data[i]};
        }
        puppet_update(f->client, f->room, &update);
        puppet_run(f->client, f->room, 5 * MS);
    }
    assert_true(f->client->is_gone);
    assert_int_equal(f->client->notice.kind, LS_NOTICE_KICK);
    assert_string_equal(f->client->notice.text, "input flood");
    assert_in_range(f->room->now_ns - begin_ns, 5 * S, 10 * S);
}

TEST(test_session_messages_answers_gaps_from_the_ring)
{
    fixture *f = *state;
    ls_update update = {.ack = 10, .gap_first = 10, .gap_count = 20};
    puppet_update(f->client, f->room, &update);
    puppet_run(f->client, f->room, 12 * MS);
    assert_int_equal(arena_stats(f->room).gaps_answered, 1);
    assert_true(f->client->ticks_count >= 1);
    /* Gap requests for ticks that do not exist are ignored. */
    update = (ls_update){.ack = 10, .gap_first = tick_of(f) + 500, .gap_count = LS_GAP_TICKS_MAX};
    puppet_update(f->client, f->room, &update);
    update.gap_first = UINT64_MAX - LS_GAP_TICKS_MAX;
    puppet_update(f->client, f->room, &update);
    puppet_run(f->client, f->room, 100 * MS);
    assert_int_equal(arena_stats(f->room).sessions, 2);
}

TEST(test_session_messages_bounds_gap_answers)
{
    fixture *f = *state;
    while (tick_of(f) < 590) {
        puppet_update(f->client, f->room, &(ls_update){.ack = tick_of(f)});
        puppet_run(f->client, f->room, 1 * S);
    }
    uint64_t before = ls_server_get_stats(f->room->server).bytes_sent;
    enum { SECONDS = 10, WINDOWS_BYTES = 2 * 60 * 200 };
    for (uint32_t i = 0; i < SECONDS * 1000; i++) {
        puppet_update(f->client, f->room,
                      &(ls_update){.gap_first = tick_of(f) - 580, .gap_count = 580});
        puppet_run(f->client, f->room, 1 * MS);
    }
    /* A packet is charged with more bytes than it has. */
    assert_true(ls_server_get_stats(f->room->server).bytes_sent - before <
                LS_SERVER_GAP_BYTES_BURST + SECONDS * (LS_SERVER_GAP_BYTES_PER_S + WINDOWS_BYTES));
}

static bool has_paid(const fixture *f)
{
    for (uint32_t i = 0; i < f->room->server->peers_max; i++) {
        ls_server_session *session = &f->room->server->sessions[i];
        if (session->phase == LS_SERVER_SESSION_ACTIVE &&
            !strcmp(session->entrant.name, "puppet")) {
            ls_token_bucket left = session->gaps;
            return !ls_token_bucket_take(&left, f->room->now_ns, LS_SERVER_GAP_BYTES_BURST);
        }
    }
    fail();
    return false;
}

/* When others have used up the shared budget, nothing is sent or charged. Asking again later
 * succeeds. */
TEST(test_session_messages_bounds_gap_answers_of_all)
{
    fixture *f = *state;
    ls_token_bucket *all = &f->room->server->gap_bytes;
    ls_update update = {.ack = 10, .gap_first = 10, .gap_count = 40};
    ls_token_bucket_init(all, 1, 1);
    puppet_update(f->client, f->room, &update);
    puppet_run(f->client, f->room, 12 * MS);
    assert_int_equal(arena_stats(f->room).gaps_answered, 0);
    assert_false(has_paid(f));
    ls_token_bucket_init(all, LS_SERVER_GAP_BYTES_ALL, LS_SERVER_GAP_BYTES_ALL);
    puppet_update(f->client, f->room, &update);
    puppet_run(f->client, f->room, 12 * MS);
    assert_int_equal(arena_stats(f->room).gaps_answered, 1);
    assert_true(has_paid(f));
    assert_false(ls_token_bucket_take(all, f->room->now_ns - 10 * MS, LS_SERVER_GAP_BYTES_ALL));
}

TEST(test_session_messages_bye_ends_the_session)
{
    fixture *f = *state;
    ls_plain plain;
    ls_bye_encode(&(ls_bye){.text = "good night"}, &plain);
    puppet_send(f->client, f->room, &plain);
    puppet_run(f->client, f->room, 50 * MS);
    assert_true(f->client->is_gone);
    assert_int_equal(arena_log_count(f->room, "reason=\"good night\""), 1);
    assert_int_equal(arena_log_count(f->room, "client_failed"), 0);
    assert_int_equal(arena_stats(f->room).clients_failed, 0);
}

TEST(test_session_messages_sends_chunks_of_one_snapshot)
{
    fixture *f = *state;
    puppet_request(f->client, f->room, &(ls_snapshot_request){.bytes = 4096});
    puppet_run(f->client, f->room, 50 * MS);
    assert_int_equal(f->client->chunk_count, 4);
    uint64_t tick = f->client->chunk.tick;
    uint32_t total = f->client->chunk.total_bytes;
    /* The last, short chunk; then one beyond the end; then one of a tick that the server does not
     * keep. */
    uint32_t last = (total - 1) / 1024 * 1024;
    puppet_request(f->client, f->room,
                   &(ls_snapshot_request){.tick = tick, .offset = last, .bytes = 65536});
    puppet_run(f->client, f->room, 50 * MS);
    assert_int_equal(f->client->chunk_count, 5);
    assert_int_equal(f->client->chunk.bytes, total - last);
    puppet_request(f->client, f->room,
                   &(ls_snapshot_request){.tick = tick, .offset = total + 1024, .bytes = 1024});
    puppet_run(f->client, f->room, 50 * MS);
    assert_int_equal(f->client->chunk_count, 6);
    assert_int_equal(f->client->chunk.offset, 0);
    puppet_request(f->client, f->room,
                   &(ls_snapshot_request){.tick = 99999, .offset = 2048, .bytes = 65536});
    puppet_run(f->client, f->room, 50 * MS);
    assert_int_equal(f->client->chunk_count, 7);
    assert_int_equal(f->client->chunk.offset, 0);
    assert_int_equal(f->client->chunk.tick, tick);
}

TEST(test_session_messages_bounds_a_snapshot_storm)
{
    fixture *f = *state;
    uint64_t begin_ns = f->room->now_ns;
    for (uint32_t i = 0; i < 2000; i++) {
        puppet_request(f->client, f->room,
                       &(ls_snapshot_request){.bytes = LS_SNAPSHOT_REQUEST_BYTES_MAX});
        puppet_run(f->client, f->room, 1 * MS);
    }
    ls_room_stats stats = arena_stats(f->room);
    uint64_t seconds = (f->room->now_ns - begin_ns) / S + 1;
    assert_true(stats.snapshot_bytes_sent <= (seconds + 1) * LS_SERVER_SNAPSHOT_BYTES_PER_S);
    assert_true(stats.snapshots_encoded <= 2 * seconds + 2);
    assert_true(ls_server_get_stats(f->room->server).packets_dropped > 0);
    /* The bot was served throughout. */
    assert_true(arena_client_stats(f->room, 0).tick + 5 > stats.tick);
}

static void say_report(fixture *f, const ls_line_report *report)
{
    ls_plain plain;
    ls_line_report_encode(report, &plain);
    puppet_send(f->client, f->room, &plain);
    puppet_run(f->client, f->room, 20 * MS);
}

TEST(test_session_messages_counts_reports)
{
    fixture *f = *state;
    const ls_client_times *times = &f->room->room->clients;
    f->room->room->sessions->entrant.capabilities |= LS_CAPABILITY_REPORT; /* of the puppet */
    uint64_t dropped = ls_server_get_stats(f->room->server).packets_dropped;
    ls_line_report report = {.rtt_us = 40000, .loss_permille = 50, .delay_ticks = 3};
    report.rollback_ticks = LS_REPORT_NONE;
    say_report(f, &report);
    uint64_t tick_ns = S / f->room->room->match.config.tick_rate;
    assert_int_equal(times->round_trip.count, 1);
    assert_int_equal(times->round_trip.sum_ns, 40 * MS);
    assert_int_equal(times->loss.sum_permille, 50);
    assert_int_equal(times->loss.buckets[5], 1); /* up to 50 */
    assert_int_equal(times->input_delay.sum_ns, 3 * tick_ns);
    assert_int_equal(times->rollback.count, 0);
    /* The next one is too early, the one after that is not. */
    say_report(f, &report);
    assert_int_equal(times->loss.buckets[5], 1);
    assert_int_equal(ls_server_get_stats(f->room->server).packets_dropped, dropped + 1);
    for (int i = 0; i < 5; i++) {
        puppet_update(f->client, f->room, &(ls_update){.ack = tick_of(f)});
        puppet_run(f->client, f->room, S);
    }
    report = (ls_line_report){.delay_ticks = LS_REPORT_NONE, .rollback_ticks = 7};
    say_report(f, &report);
    assert_int_equal(times->loss.buckets[0], 1);
    assert_int_equal(times->round_trip.count, 1);
    assert_int_equal(times->input_delay.count, 1);
    assert_int_equal(times->rollback.sum_ns, 7 * tick_ns);
}

/* A server that did not say that it takes reports, as one of before, drops them. */
TEST(test_session_messages_drops_reports_without_the_capability)
{
    fixture *f = *state;
    f->room->room->sessions->entrant.capabilities &= ~(uint32_t)LS_CAPABILITY_REPORT;
    uint64_t dropped = ls_server_get_stats(f->room->server).packets_dropped;
    say_report(f, &(ls_line_report){.rtt_us = 1});
    assert_int_equal(ls_server_get_stats(f->room->server).packets_dropped, dropped + 1);
    assert_int_equal(f->room->room->clients.loss.buckets[0], 0);
}

TEST(test_session_messages_drops_messages_of_the_other_side)
{
    fixture *f = *state;
    uint64_t dropped = ls_server_get_stats(f->room->server).packets_dropped;
    ls_plain plain;
    ls_notice_encode(&(ls_notice){.kind = LS_NOTICE_KICK, .text = "you"}, &plain);
    puppet_send(f->client, f->room, &plain);
    for (uint32_t type = 0; type < 256; type++) {
        ls_plain odd = {.channel = LS_CHANNEL_TICKS, .type = (uint8_t)type, .bytes = 3};
        puppet_send(f->client, f->room, &odd);
    }
    puppet_run(f->client, f->room, 100 * MS);
    assert_int_equal(ls_server_get_stats(f->room->server).packets_dropped, dropped + 257);
    assert_int_equal(arena_stats(f->room).sessions, 2);
}
