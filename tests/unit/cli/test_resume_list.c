#include "test.h"

#include "cli/serve/recordings.h"
#include "cli/serve/resume_list.h"
#include "core/base/platform.h"
#include "server/seats_file.h"
#include <lockstep/recorder.h>

#include <fcntl.h>
#include <sys/file.h>

static test_folder folder;

/* Creates an open recording without ticks, and its room's seats file; none if `room` is NULL. */
static ls_recorder *record(const char *name, int64_t created_unix_s, const char *room)
{
    static uint64_t salt;
    char path[128], seats_path[128];
    ls_recorder *recorder;
    ls_error error;
    ls_recording_header header = {.salt = ++salt,
                                  .match = {.tick_rate = 60, .player_count = 2},
                                  .simulation = {.name = "tiny", .version = "1"},
                                  .created_unix_s = created_unix_s};
    strcpy(path, test_path(&folder, name));
    assert_ok(ls_recorder_create(path, &header, &recorder, &error));
    static ls_seats_file seats;
    seats.salt = salt;
    if (!room)
        return recorder;
    strcpy(seats.room, room);
    assert_ok(ls_seats_file_path(path, seats_path, sizeof seats_path, &error));
    assert_ok(ls_seats_file_write(seats_path, &seats, &error));
    return recorder;
}

static void list_and_compare(const char *const *expected, uint32_t expected_count)
{
    ls_resume_entry *list;
    uint32_t count;
    ls_error error;
    assert_ok(ls_resume_list(folder.path, &list, &count, &error));
    assert_int_equal(count, expected_count);
    for (uint32_t i = 0; i < count; i++)
        assert_string_equal(strrchr(list[i].path, '/') + 1, expected[i]);
    ls_resume_list_free(list, count);
}

/* Rooms are listed with their newest recording first, regardless of file names. Files that are no
 * recordings are listed with those of unknown rooms. */
TEST(test_resume_list_are_listed_by_room_the_newest_first)
{
    static const char *const expected[] = {"e.lsr", "f.lsr", "b.lsr", "a.lsr", "d.lsr", "c.lsr"};
    static const char *const names[] = {"a.lsr",   "b.lsr",   "c.lsr",   "d.lsr",   "e.lsr",
                                        "a.seats", "b.seats", "c.seats", "d.seats", "f.lsr"};
    test_folder_make(&folder);
    ls_recorder_destroy(record("a.lsr", 1000, "2"));
    ls_recorder_destroy(record("b.lsr", 2000, "2"));
    ls_recorder_destroy(record("c.lsr", 3000, "10"));
    ls_recorder_destroy(record("d.lsr", 3001, "10"));
    ls_recorder_destroy(record("e.lsr", 9, NULL));
    test_file_write(test_path(&folder, "f.lsr"), "none", 4);
    list_and_compare(expected, LS_COUNT_OF(expected));
    test_folder_remove(&folder, names, LS_COUNT_OF(names));
    ls_resume_entry *list;
    uint32_t count;
    ls_error error;
    assert_ok(ls_resume_list(folder.path, &list, &count, &error));
    assert_int_equal(count, 0);
    ls_resume_list_free(list, count);
}

/* The time of a list, or, when a busy machine has delayed it up to `limit_ns`, of the next of a
 * few. */
static uint64_t least_ns(const char *const *names, uint32_t count, uint64_t limit_ns)
{
    enum { TRIALS = 8 };
    uint64_t took_ns = limit_ns;
    for (uint32_t i = 0; i < TRIALS && took_ns >= limit_ns; i++) {
        uint64_t begin_ns = ls_monotonic_ns();
        list_and_compare(names, count);
        took_ns = ls_monotonic_ns() - begin_ns;
    }
    return took_ns;
}

/* All locked recordings are waited for together, not one after another. */
TEST(test_resume_list_waits_for_all_of_them_together)
{
    static const char *const names[] = {"a.lsr", "b.lsr", "c.lsr", "d.lsr"};
    ls_recorder *recorders[LS_COUNT_OF(names)];
    test_folder_make(&folder);
    for (uint32_t i = 0; i < LS_COUNT_OF(names); i++)
        recorders[i] = record(names[i], 1000 - i, NULL);
    uint64_t took_ns = least_ns(names, LS_COUNT_OF(names), 3 * LS_RECORDINGS_TIMEOUT_NS);
    assert_true(took_ns >= LS_RECORDINGS_TIMEOUT_NS);
    assert_true(took_ns < 3 * LS_RECORDINGS_TIMEOUT_NS);
    for (uint32_t i = 0; i < LS_COUNT_OF(names); i++)
        ls_recorder_destroy(recorders[i]);
    took_ns = least_ns(names, LS_COUNT_OF(names), LS_RECORDINGS_TIMEOUT_NS);
    assert_true(took_ns < LS_RECORDINGS_TIMEOUT_NS);
    test_folder_remove(&folder, names, LS_COUNT_OF(names));
}

/* The refusal names a newer recording only if it is unfinished. */
TEST(test_resume_list_names_the_newer)
{
    static const char *const names[] = {"a.lsr"};
    ls_error error;
    test_folder_make(&folder);
    ls_recorder *recorder = record("a.lsr", 1000, NULL);
    char path[128];
    strcpy(path, test_path(&folder, "a.lsr"));
    ls_resume_entry match = {.path = path, .room = "lobby"};
    assert_int_equal(ls_resume_entry_refuse(&match, "in/b.lsr", &error), LS_ERROR_REFUSED);
    assert_non_null(strstr(error.text, "the room 'lobby' has a newer recording: in/b"));
    assert_ok(ls_recorder_add_root(recorder, 7, &error));
    assert_ok(ls_recorder_finish(recorder, LS_CLOSING_DRAINED, &error));
    ls_recorder_destroy(recorder);
    assert_int_equal(ls_resume_entry_refuse(&match, "in/b.lsr", &error), LS_ERROR_NOT_FOUND);
    test_folder_remove(&folder, names, LS_COUNT_OF(names));
    assert_int_equal(ls_resume_entry_refuse(&match, "in/b.lsr", &error), LS_ERROR_NOT_FOUND);
}
