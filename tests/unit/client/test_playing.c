#include "puppet_server.h"
#include "tally_sim.h"
#include "tests/support/test.h"

TESTS_AROUND(puppet_server_begin, puppet_server_end);

TEST(test_playing_reports_every_root)
{
    puppet_server *server = *state;
    assert_int_equal(server->update.root_count, 1);
    assert_int_equal(server->update.root_first, 0);
    assert_int_equal(server->update.roots[0], ls_world_root(server->world));
    for (uint64_t tick = 0; tick < 20; tick++) {
        puppet_server_tick(server, tick, 1, false, 0);
        puppet_server_run(server, 20 * MS);
        puppet_server_advance(server, 1, false);
        const ls_update *update = &server->update;
        assert_int_equal(update->ack, tick + 1);
        assert_int_equal(update->root_first + update->root_count, tick + 2);
        assert_int_equal(update->roots[update->root_count - 1], ls_world_root(server->world));
    }
    assert_int_equal(puppet_server_stats(server).roots_sent, 21);
}

/* The later one of two packets says which roots the server has, also if it has no newer tick. */
TEST(test_playing_ignores_an_overtaken_acknowledgement)
{
    puppet_server *server = *state;
    for (uint64_t tick = 0; tick <= 10; tick++) {
        puppet_server_set_times(server, (uint32_t)(server->now_ns / 1000), 0, 0);
        puppet_server_tick(server, tick < 10 ? tick : 9, 1, false, 0);
        puppet_server_run(server, 20 * MS);
    }
    assert_int_equal(server->roots_next, 11);
    server->roots_next = 3;
    puppet_server_set_times(server, (uint32_t)((server->now_ns - 50 * MS) / 1000), 0, 0);
    puppet_server_tick(server, 9, 1, false, 0);
    puppet_server_run(server, 100 * MS);
    assert_int_equal(server->roots_next, 3); /* no root came again */
    puppet_server_set_times(server, (uint32_t)(server->now_ns / 1000), 0, 0);
    puppet_server_tick(server, 9, 1, false, 0);
    puppet_server_run(server, 100 * MS);
    assert_int_equal(server->roots_next, 11);
}

/* After a burst of ticks the client sends as many updates as the roots need. */
TEST(test_playing_reports_a_burst_whole)
{
    puppet_server *server = *state;
    uint32_t before = server->updates;
    puppet_server_tick(server, 0, 60, false, 0);
    puppet_server_run(server, 30 * MS);
    assert_in_range(server->updates - before, 8, 9);
    assert_int_equal(puppet_server_stats(server).roots_sent, 61);
    assert_int_equal(puppet_server_stats(server).tick, 60);
}

TEST(test_playing_asks_for_gaps_once_then_again)
{
    puppet_server *server = *state;
    puppet_server_tick(server, 20, 8, false, 0);
    puppet_server_run(server, 20 * MS);
    assert_int_equal(server->update.gap_first, 0);
    assert_int_equal(server->update.gap_count, 20);
    puppet_server_tick(server, 21, 8, false, 0);
    puppet_server_run(server, 20 * MS);
    assert_int_equal(server->update.gap_count, 0);
    assert_int_equal(puppet_server_stats(server).gaps, 1);
    puppet_server_run(server, 150 * MS);
    assert_int_equal(puppet_server_stats(server).gaps, 2);
    puppet_server_tick(server, 0, 20, false, 0);
    puppet_server_run(server, 20 * MS);
    assert_int_equal(puppet_server_stats(server).tick, 29);
    assert_int_equal(puppet_server_stats(server).head, 29);
}

TEST(test_playing_submits_as_a_player_only)
{
    puppet_server *server = *state;
    const uint8_t good[4] = {1}, bad[4] = {255, 255, 255, 255};
    assert_int_equal(ls_client_submit(server->client, good, 4), LS_ERROR_REFUSED);
    puppet_server_tick(server, 0, 1, true, 0);
    puppet_server_run(server, 20 * MS);
    assert_true(puppet_server_stats(server).is_playing);
    assert_int_equal(ls_client_submit(server->client, bad, 4), LS_ERROR_USAGE);
    assert_int_equal(ls_client_submit(server->client, good, 0), LS_ERROR_USAGE);
    for (uint32_t i = 0; i < LS_CLIENT_INPUT_QUEUE; i++)
        assert_ok(ls_client_submit(server->client, good, 4));
    assert_int_equal(ls_client_submit(server->client, good, 4), LS_ERROR_LIMIT);
    uint32_t before = server->updates;
    puppet_server_run(server, 100 * MS);
    assert_in_range(server->updates - before, 5, 8); /* 60 a second while they wait */
    assert_int_equal(server->update.input_count, LS_UPDATE_INPUTS_MAX);
    assert_int_equal(server->update.inputs[0].sequence, 1);
    puppet_server_tick(server, 1, 1, false, LS_UPDATE_INPUTS_MAX);
    puppet_server_run(server, 100 * MS);
    assert_int_equal(server->update.inputs[0].sequence, LS_UPDATE_INPUTS_MAX + 1);
    assert_ok(ls_client_submit(server->client, good, 4));
}

TEST(test_playing_drops_an_ack_of_nothing)
{
    puppet_server *server = *state;
    uint64_t dropped = puppet_server_stats(server).packets_dropped;
    puppet_server_tick(server, 0, 1, false, 77);
    puppet_server_run(server, 20 * MS);
    assert_int_equal(puppet_server_stats(server).tick, 0);
    assert_int_equal(puppet_server_stats(server).packets_dropped, dropped + 1);
}

TEST(test_playing_asks_a_silent_server_for_a_sign)
{
    puppet_server *server = *state;
    uint32_t before = server->requests;
    puppet_server_run(server, 1900 * MS);
    assert_in_range(server->requests - before, 5, 7);
    assert_int_equal(server->request.bytes, 1);
    assert_true(server->updates > 1900 / 60);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_PLAYING);
    uint8_t byte = 7;
    ls_plain plain;
    ls_snapshot_chunk chunk = {.total_bytes = 9, .raw_bytes = 9, .bytes = 1, .data = &byte};
    ls_snapshot_chunk_encode(&chunk, &plain);
    puppet_server_say(server, &plain);
    puppet_server_run(server, 1900 * MS);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_PLAYING);
}

TEST(test_playing_hears_notices)
{
    puppet_server *server = *state;
    ls_plain plain;
    ls_notice notice = {.kind = LS_NOTICE_DESYNC, .tick = 7, .your_root = 1, .server_root = 2};
    ls_notice_encode(&notice, &plain);
    puppet_server_say(server, &plain);
    puppet_server_run(server, 20 * MS);
    assert_true(puppet_server_stats(server).has_diverged);
    assert_int_equal(puppet_server_stats(server).desync_tick, 7);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_PLAYING);
    ls_notice_encode(&(ls_notice){.kind = LS_NOTICE_KICK, .text = "because"}, &plain);
    puppet_server_say(server, &plain);
    puppet_server_run(server, 20 * MS);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_REFUSED);
    assert_int_equal(ls_client_refusal(server->client), LS_ERROR_REFUSED);
    assert_non_null(strstr(ls_client_reason(server->client), "because"));
}

/* Texts for the user are kept in their order; too many replace the oldest. */
TEST(test_playing_hears_texts)
{
    puppet_server *server = *state;
    char text[LS_REASON_BYTES];
    assert_false(ls_client_next_text(server->client, text));
    for (uint32_t i = 0; i < 6; i++) {
        ls_notice notice = {.kind = LS_NOTICE_SAY};
        ls_plain plain;
        snprintf(notice.text, sizeof notice.text, "text %u", i);
        ls_notice_encode(&notice, &plain);
        puppet_server_say(server, &plain);
    }
    puppet_server_run(server, 20 * MS);
    for (uint32_t i = 2; i < 6; i++) {
        char wanted[16];
        snprintf(wanted, sizeof wanted, "text %u", i);
        assert_true(ls_client_next_text(server->client, text));
        assert_string_equal(text, wanted);
    }
    assert_false(ls_client_next_text(server->client, text));
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_PLAYING);
}

/* The server sends an input that the simulation refuses; the client reports it. */
TEST(test_playing_a_tick_that_cannot_be_run_is_told)
{
    puppet_server *server = *state;
    const ls_input input = {.kind = LS_INPUT, .bytes = 1, .data = (const uint8_t *)"x"};
    puppet_server_tick(server, 0, 1, true, 0);
    puppet_server_frame(server, 1, &input, 1);
    puppet_server_run(server, 20 * MS);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_FAILED);
    assert_int_equal(puppet_server_stats(server).tick, 1);
    const char *reason = ls_client_reason(server->client);
    assert_non_null(strstr(reason, "the simulation failed: input 0 of tick 1"));
    puppet_server_run(server, 50 * MS);
    assert_true(server->has_bye);
    assert_string_equal(ls_bye_failure(&server->bye), reason);
}

TEST(test_playing_fails_with_the_match)
{
    puppet_server *server = *state;
    ls_plain plain;
    ls_notice_encode(&(ls_notice){.kind = LS_NOTICE_GOODBYE, .text = "the match cannot continue"},
                     &plain);
    puppet_server_say(server, &plain);
    puppet_server_run(server, 50 * MS);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_FAILED);
    assert_string_equal(ls_client_reason(server->client), "the match cannot continue");
    assert_false(server->has_bye);
}

TEST(test_playing_drops_noise_and_replays)
{
    puppet_server *server = *state;
    uint64_t random = 1, dropped = puppet_server_stats(server).packets_dropped;
    for (uint32_t i = 0; i < 500; i++) {
        uint8_t bytes[200];
        for (uint32_t k = 0; k < sizeof bytes; k++)
            bytes[k] = (uint8_t)((random = random * UINT64_C(6364136223846793005) + 9) >> 40);
        bytes[0] = (uint8_t)(i % 9);
        ls_packet packet = {.channel = (uint8_t)(i % 2),
                            .bytes = 1 + (uint32_t)(random >> 33) % sizeof bytes,
                            .data = bytes};
        (void)!ls_link_send(server->link, server->peer, &packet);
        puppet_server_run(server, 1 * MS);
    }
    for (uint32_t type = 0; type < 256; type++) {
        ls_plain odd = {.channel = LS_CHANNEL_TICKS, .type = (uint8_t)type, .bytes = 5};
        puppet_server_say(server, &odd);
    }
    puppet_server_run(server, 20 * MS);
    assert_int_equal(puppet_server_stats(server).packets_dropped, dropped + 500 + 256);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_PLAYING);
}

TESTS_AROUND(NULL, NULL);

/* The ticks since the snapshot may contain the JOIN of the seat's former player, which must not
 * count. */
TEST(test_playing_knows_its_own_join)
{
    puppet_server *server = puppet_server_create();
    server->tick = 5;
    puppet_server_join(server, NULL);
    puppet_server_run(server, 100 * MS);
    puppet_server_load(server);
    puppet_server_tick(server, 0, 5, true, 0);
    puppet_server_run(server, 20 * MS);
    assert_false(ls_client_get_stats(server->client).is_playing);
    puppet_server_tick(server, 5, 1, true, 0);
    puppet_server_run(server, 20 * MS);
    assert_true(ls_client_get_stats(server->client).is_playing);
    puppet_server_destroy(server);
}

/* Slow ticks are caught up in small steps. */
TEST(test_playing_catches_up_in_parts)
{
    puppet_server *server = puppet_server_create();
    ls_client_config config = ls_client_config_default();
    config.step_ticks = 4;
    puppet_server_join(server, &config);
    puppet_server_run(server, 100 * MS);
    puppet_server_load(server);
    puppet_server_tick(server, 0, 20, false, 0);
    uint64_t before = puppet_server_stats(server).tick, steps = 0;
    for (; steps < 100 && puppet_server_stats(server).tick < 20; steps++) {
        uint64_t tick = puppet_server_stats(server).tick;
        ls_client_step(server->client, server->now_ns + 20 * MS);
        assert_true(puppet_server_stats(server).tick <= tick + 4);
    }
    assert_int_equal(before, 0);
    assert_int_equal(steps, 5);
    ls_client *other;
    ls_error error = {""};
    config.program = server->program;
    config.link = server->client_link;
    for (config.step_ticks = 0; config.step_ticks <= LS_CLIENT_STEP_TICKS + 1;
         config.step_ticks += LS_CLIENT_STEP_TICKS + 1)
        assert_int_equal(ls_client_create(&config, &other, &error), LS_ERROR_USAGE);
    puppet_server_destroy(server);
}

TEST(test_playing_corrupts_on_request)
{
    puppet_server *server = puppet_server_create();
    ls_client_config config = ls_client_config_default();
    config.corrupt_at = 3;
    puppet_server_join(server, &config);
    puppet_server_run(server, 100 * MS);
    puppet_server_load(server);
    for (uint64_t tick = 0; tick < 5; tick++) {
        uint64_t own = ls_world_root(ls_client_world(server->client));
        assert_int_equal(own == ls_world_root(server->world), tick < 3);
        assert_int_equal(puppet_server_stats(server).was_corrupted, tick >= 3);
        puppet_server_tick(server, tick, 1, false, 0);
        puppet_server_run(server, 20 * MS);
        puppet_server_advance(server, 1, false);
    }
    puppet_server_destroy(server);
}

TESTS_AROUND(puppet_server_begin, puppet_server_end);

TEST(test_playing_measures_the_round_trip)
{
    puppet_server *server = *state;
    assert_true(server->update.stamp_us != 0);
    puppet_server_run(server, 100 * MS);
    for (uint64_t tick = 0; tick < 300; tick++) {
        /* 30 ms since the echo, minus 12 held by the server, plus 5 on the way back: 23 ms. */
        uint32_t echo_us = (uint32_t)((server->now_ns - 30 * MS) / 1000);
        puppet_server_set_times(server, echo_us, 12000, -700);
        puppet_server_tick(server, tick, 1, false, 0);
        puppet_server_run(server, 20 * MS);
    }
    assert_in_range(puppet_server_stats(server).rtt_ns, 22 * MS, 25 * MS);
    assert_true(puppet_server_stats(server).jitter_ns < 2 * MS);
    assert_int_equal(puppet_server_stats(server).slack_us, -700);
    assert_int_equal(puppet_server_stats(server).loss_permille, 0);
    assert_int_equal(puppet_server_stats(server).head, 300);
    assert_true(server->now_ns - puppet_server_stats(server).head_ns <= 20 * MS);
}

/* Ticks reach the machine 5 ms after they were sent. The process sleeps for 40 ms more. */
TEST(test_playing_measures_up_to_the_arrival)
{
    puppet_server *server = *state;
    puppet_server_run(server, 100 * MS);
    for (uint64_t tick = 0; tick < 100; tick++) {
        puppet_server_set_times(server, (uint32_t)((server->now_ns - 30 * MS) / 1000), 12000, 0);
        puppet_server_tick(server, tick, 1, false, 0);
        uint64_t arrival_ns = server->now_ns + 5 * MS;
        server->now_ns += 45 * MS;
        puppet_server_run(server, MS);
        assert_int_equal(puppet_server_stats(server).head, tick + 1);
        assert_int_equal(puppet_server_stats(server).head_ns, arrival_ns);
    }
    assert_in_range(puppet_server_stats(server).rtt_ns, 22 * MS, 24 * MS);
}

TEST(test_playing_estimates_the_loss)
{
    puppet_server *server = *state;
    for (uint64_t tick = 0; tick < 400; tick++) {
        server->seal.send_next[LS_CHANNEL_TICKS] += tick % 4 == 0; /* as if one packet was lost */
        puppet_server_tick(server, tick, 1, false, 0);
        puppet_server_tick(server, tick, 1, false, 0);
        puppet_server_run(server, 6 * MS);
    }
    assert_in_range(puppet_server_stats(server).loss_permille, 100, 122); /* one of nine */
    assert_int_equal(puppet_server_stats(server).frames_received, 800);
    assert_int_equal(puppet_server_stats(server).frames_duplicate, 400);
}

TEST(test_playing_holds_at_the_limit)
{
    puppet_server *server = *state;
    ls_client_set_limit(server->client, 5);
    puppet_server_tick(server, 0, 20, false, 0);
    puppet_server_run(server, 20 * MS);
    assert_int_equal(puppet_server_stats(server).tick, 5);
    assert_int_equal(server->update.ack, 20); /* all have arrived, so none is requested */
    for (uint64_t tick = 20; tick < 500; tick += 10) {
        puppet_server_tick(server, tick, 10, false, 0);
        puppet_server_run(server, 200 * MS);
    }
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_PLAYING);
    assert_int_equal(puppet_server_stats(server).tick, 5);
    assert_int_equal(puppet_server_stats(server).gaps, 0);
    assert_int_equal(puppet_server_stats(server).head, 500);
    assert_true(puppet_server_stats(server).delay_ticks >= 495);
    ls_client_set_limit(server->client, LS_TICK_NEVER);
    puppet_server_run(server, 50 * MS);
    assert_int_equal(puppet_server_stats(server).tick, 500);
    assert_int_equal(puppet_server_stats(server).roots_sent, 501);
}

struct heard {
    uint64_t ran, next, loaded;
};

static void receive_ran(void *context, const ls_frame *frame)
{
    struct heard *heard = context;
    assert_int_equal(frame->tick, heard->next);
    heard->next++;
    heard->ran++;
}

static void receive_loaded(void *context)
{
    ((struct heard *)context)->loaded++;
}

TESTS_AROUND(NULL, NULL);

TEST(test_playing_tells_its_hooks)
{
    struct heard heard = {.next = 3};
    puppet_server *server = puppet_server_create();
    ls_client_config config = ls_client_config_default();
    config.ran = receive_ran;
    config.loaded = receive_loaded;
    config.hook_context = &heard;
    puppet_server_join(server, &config);
    puppet_server_run(server, 100 * MS);
    puppet_server_advance(server, 3, false);
    puppet_server_load(server);
    assert_int_equal(heard.loaded, 1);
    puppet_server_tick(server, 3, 4, false, 0);
    puppet_server_run(server, 50 * MS);
    assert_int_equal(heard.ran, 4);
    puppet_server_destroy(server);
}

TESTS_AROUND(puppet_server_begin, puppet_server_end);

TEST(test_playing_asks_for_a_pause)
{
    puppet_server *server = *state;
    assert_int_equal(ls_client_pause(server->client, true), LS_ERROR_REFUSED);
    puppet_server_tick(server, 0, 1, true, 0);
    puppet_server_run(server, 20 * MS);
    assert_ok(ls_client_pause(server->client, true));
    puppet_server_run(server, 20 * MS);
    assert_int_equal(server->pauses, 1);
    assert_true(server->wants_pause);
    ls_input input = {.player = TALLY_PLAYERS, .kind = LS_PAUSE};
    input.player = (uint8_t)server->match.player_count;
    puppet_server_frame(server, 1, &input, 1);
    puppet_server_run(server, 20 * MS);
    assert_true(puppet_server_stats(server).is_paused);
    input.kind = LS_RESUME;
    puppet_server_frame(server, 2, &input, 1);
    puppet_server_run(server, 20 * MS);
    assert_false(puppet_server_stats(server).is_paused);
}
