#include "cli/serve/rooms_json.h"

#include "test.h"

#define ROOM(name_, more_)                                                                         \
    "{\"name\": \"" name_ "\", " more_ "\"recording_bytes\": 0, \"recording_unsynced_ticks\": 0, " \
    "\"recording_failed\": false}"
#define EMPTY                                                                                      \
    "\"state\": \"restoring\", \"tick\": 0, \"simulated\": 0, \"players\": 0, \"sessions\": 0, "   \
    "\"late_p50_ms\": 0.000, \"late_p99_ms\": 0.000, \"late_max_ms\": 0.000, "                     \
    "\"behind_ms\": 0.000, \"ticks_skipped\": 0, \"inputs_accepted\": 0, \"inputs_late\": 0, "     \
    "\"inputs_substituted\": 0, \"inputs_rejected\": 0, \"roots_checked\": 0, \"desyncs\": 0, "
#define FULL                                                                                       \
    "\"state\": \"paused\", \"tick\": 60, \"simulated\": 59, \"players\": 2, \"sessions\": 3, "    \
    "\"late_p50_ms\": 0.001, \"late_p99_ms\": 1.500, \"late_max_ms\": 2000.000, "                  \
    "\"behind_ms\": 50.000, \"ticks_skipped\": 1, \"inputs_accepted\": 5, \"inputs_late\": 7, "    \
    "\"inputs_substituted\": 4, \"inputs_rejected\": 6, \"roots_checked\": 8, \"desyncs\": 9, "

static ls_metrics_room rooms[] = {
    {.name = "b\"c",
     .stats = {.state = LS_ROOM_RUNNING,
               .is_paused = true,
               .tick = 60,
               .simulated = 59,
               .players = 2,
               .sessions = 3,
               .late_p50_ns = 1999,
               .late_p99_ns = 1500 * 1000,
               .late_max_ns = 2 * S,
               .behind_ns = 50 * MS,
               .ticks_skipped = 1,
               .inputs_accepted = 2,
               .states_accepted = 3,
               .inputs_late = 3,
               .states_late = 4,
               .states_substituted = 4,
               .inputs_refused = 1,
               .inputs_limited = 2,
               .states_refused = 3,
               .roots_checked = 8,
               .desyncs = 9}},
    {.name = "a"},
};
static const ls_metrics metrics = {.list = rooms, .room_count = 2};

TEST(test_rooms_json_lists_rooms_by_name)
{
    ls_builder text = {0};
    ls_rooms_json_print(&text, &metrics);
    assert_string_equal(text.data,
                        "{\"rooms\": [\n  " ROOM("a", EMPTY) ",\n  " ROOM("b\\\"c", FULL) "\n]}\n");
    ls_free(text.data);
}

TEST(test_rooms_json_without_rooms)
{
    ls_builder text = {0};
    ls_rooms_json_print(&text, &(ls_metrics){0});
    assert_string_equal(text.data, "{\"rooms\": []}\n");
    ls_free(text.data);
}

TEST(test_rooms_json_finds_one)
{
    ls_builder text = {0};
    assert_false(ls_rooms_json_print_one(&text, &metrics, ""));
    assert_false(ls_rooms_json_print_one(&text, &metrics, "A"));
    assert_null(text.data);
    assert_true(ls_rooms_json_print_one(&text, &metrics, "a"));
    assert_string_equal(text.data, ROOM("a", EMPTY) "\n");
    ls_free(text.data);
}
