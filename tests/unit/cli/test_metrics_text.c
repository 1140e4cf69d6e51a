#include "cli/serve/metrics_text.h"

#include "test.h"

static char *print(const ls_metrics *metrics)
{
    ls_builder text = {0};
    ls_metrics_text_print(&text, metrics);
    return text.data;
}

TEST(test_metrics_text_prints_a_histogram)
{
    static const char expected[] =
        "# HELP lockstep_tick_duration_seconds Time to simulate a tick and to hash its state.\n"
        "# TYPE lockstep_tick_duration_seconds histogram\n"
        "lockstep_tick_duration_seconds_bucket{le=\"0.000064\"} 1\n"
        "lockstep_tick_duration_seconds_bucket{le=\"0.000128\"} 2\n"
        "lockstep_tick_duration_seconds_bucket{le=\"0.000256\"} 2\n"
        "lockstep_tick_duration_seconds_bucket{le=\"0.000512\"} 2\n"
        "lockstep_tick_duration_seconds_bucket{le=\"0.001024\"} 2\n"
        "lockstep_tick_duration_seconds_bucket{le=\"0.002048\"} 2\n"
        "lockstep_tick_duration_seconds_bucket{le=\"0.004096\"} 3\n"
        "lockstep_tick_duration_seconds_bucket{le=\"0.008192\"} 3\n"
        "lockstep_tick_duration_seconds_bucket{le=\"0.016384\"} 3\n"
        "lockstep_tick_duration_seconds_bucket{le=\"0.032768\"} 3\n"
        "lockstep_tick_duration_seconds_bucket{le=\"0.065536\"} 3\n"
        "lockstep_tick_duration_seconds_bucket{le=\"0.131072\"} 3\n"
        "lockstep_tick_duration_seconds_bucket{le=\"0.262144\"} 3\n"
        "lockstep_tick_duration_seconds_bucket{le=\"0.524288\"} 3\n"
        "lockstep_tick_duration_seconds_bucket{le=\"1.048576\"} 3\n"
        "lockstep_tick_duration_seconds_bucket{le=\"2.097152\"} 3\n"
        "lockstep_tick_duration_seconds_bucket{le=\"+Inf\"} 4\n"
        "lockstep_tick_duration_seconds_sum 3.0031\n"
        "lockstep_tick_duration_seconds_count 4\n";
    ls_metrics metrics = {0};
    ls_histogram durations = {0};
    static const uint64_t times_ns[] = {0, 100000, 3 * MS, 3 * S};
    for (size_t i = 0; i < LS_COUNT_OF(times_ns); i++)
        ls_histogram_add(&durations, times_ns[i]);
    ls_metrics_add_times(&metrics.rooms.durations, &durations);
    char *text = print(&metrics);
    assert_memory_equal(text, expected, sizeof expected - 1);
    ls_free(text);
}

static void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("no '%s' in\n%s", part, text);
}

/* The bounds are parts of all packets, and a loss at a bound counts in its bucket. */
TEST(test_metrics_text_prints_losses)
{
    static const char expected[] = "# TYPE lockstep_client_loss_ratio histogram\n"
                                   "lockstep_client_loss_ratio_bucket{le=\"0.001\"} 1\n"
                                   "lockstep_client_loss_ratio_bucket{le=\"0.002\"} 2\n"
                                   "lockstep_client_loss_ratio_bucket{le=\"0.005\"} 2\n"
                                   "lockstep_client_loss_ratio_bucket{le=\"0.01\"} 2\n"
                                   "lockstep_client_loss_ratio_bucket{le=\"0.02\"} 3\n"
                                   "lockstep_client_loss_ratio_bucket{le=\"0.05\"} 3\n"
                                   "lockstep_client_loss_ratio_bucket{le=\"0.1\"} 3\n"
                                   "lockstep_client_loss_ratio_bucket{le=\"0.2\"} 3\n"
                                   "lockstep_client_loss_ratio_bucket{le=\"0.5\"} 3\n"
                                   "lockstep_client_loss_ratio_bucket{le=\"1\"} 4\n"
                                   "lockstep_client_loss_ratio_bucket{le=\"+Inf\"} 4\n"
                                   "lockstep_client_loss_ratio_sum 1.013\n"
                                   "lockstep_client_loss_ratio_count 4\n";
    static const uint16_t losses[] = {0, 2, 11, 1000};
    ls_client_times times = {0};
    for (size_t i = 0; i < LS_COUNT_OF(losses); i++)
        ls_client_times_add(&times, &(ls_line_report){.loss_permille = losses[i]}, 20);
    char *text = print(&(ls_metrics){.rooms.loss = times.loss});
    assert_has(text, expected);
    ls_free(text);
}

TEST(test_metrics_text_prints_values)
{
    ls_metrics metrics = {.states[LS_METRICS_PAUSED] = 7,
                          .kinds[LS_METRICS_BOT] = 3,
                          .server = {.light = 2, .lag_ns = 1500 * MS, .bytes_sent = UINT64_MAX},
                          .link.refused[LS_LINK_FORGED] = 5,
                          .handshakes_refused[LS_REFUSED_DENIED] = 6,
                          .log_lines_lost = 8,
                          .rooms.stats = {.states_substituted = 9, .inputs_limited = 4}};
    char *text = print(&metrics);
    assert_has(text, "# HELP lockstep_rooms Open rooms.\n# TYPE lockstep_rooms gauge\n"
                     "lockstep_rooms{state=\"restoring\"} 0\n");
    assert_has(text, "\nlockstep_rooms{state=\"paused\"} 7\n");
    assert_has(text, "\nlockstep_sessions{kind=\"bot\"} 3\n");
    assert_has(text, "\nlockstep_light_sessions 2\n");
    assert_has(text, "\nlockstep_simulation_lag_seconds 1.5\n");
    assert_has(text, "\nlockstep_bytes_total{direction=\"sent\"} 18446744073709551615\n");
    assert_has(text, "\nlockstep_datagrams_refused_total{reason=\"forged\"} 5\n");
    assert_has(text, "\nlockstep_inputs_substituted_total 9\n");
    assert_has(text, "\nlockstep_inputs_refused_total{kind=\"order\",reason=\"limited\"} 4\n");
    assert_has(text, "\nlockstep_handshakes_refused_total{reason=\"denied\"} 6\n");
    assert_has(text, "\nlockstep_log_lines_dropped_total{reason=\"output\"} 8\n");
    ls_free(text);
}

TEST(test_metrics_text_prints_seconds)
{
    static const struct {
        uint64_t ns;
        const char *text;
    } cases[] = {{0, "0"}, {1, "0.000000001"}, {500 * MS, "0.5"},
                 {S, "1"}, {60 * S, "60"},     {10 * S + 100, "10.0000001"}};
    for (size_t i = 0; i < LS_COUNT_OF(cases); i++) {
        ls_builder text = {0};
        ls_metrics_text_seconds(&text, cases[i].ns);
        assert_string_equal(text.data, cases[i].text);
        ls_free(text.data);
    }
}

TEST(test_metrics_text_quotes_labels)
{
    static const ls_metrics_label labels[] = {{"a", "x\"y\\z\n"}, {"b", ""}};
    ls_builder text = {0};
    ls_metrics_text_info(&text, "info", labels, 2);
    assert_string_equal(text.data, "info{a=\"x\\\"y\\\\z\\n\",b=\"\"} 1\n");
    ls_free(text.data);
}
