/* Which recordings are deleted, and in which order. */
#include "tiny_recording.h"

#include "cli/common/clock.h"
#include "cli/serve/retention.h"

#include <fcntl.h>
#include <sys/file.h>
#include <utime.h>

enum { DAY_S = 24 * 60 * 60 };

static test_folder folder;
static ls_log log_file;
static char log_text[4096];

static void set_age(const char *name, int64_t days)
{
    struct utimbuf times = {.modtime = ls_clock_unix_s() - days * DAY_S};
    assert_int_equal(utime(test_path(&folder, name), &times), 0);
}

/* Makes a recording without ticks that is `days` old. */
static void record(const char *name, bool is_finished, int64_t days)
{
    make_recording(test_path(&folder, name), is_finished);
    set_age(name, days);
}

static void add_file(const char *name, size_t bytes, int64_t days)
{
    static const char zeros[4096];
    test_file_write(test_path(&folder, name), zeros, bytes);
    set_age(name, days);
}

static bool exists(const char *name)
{
    return access(test_path(&folder, name), F_OK) == 0;
}

/* Looks at the folder once: without threads each call is a step, and the last ones do nothing. */
static void look(ls_retention *retention, uint64_t now_ns)
{
    for (uint32_t i = 0; i < 20; i++)
        ls_retention_maintain(retention, now_ns);
}

static void look_once(ls_retention_limits limits)
{
    ls_retention_config config = {.folder = folder.path, .limits = limits, .log = &log_file};
    ls_retention *retention = ls_retention_create(&config);
    look(retention, 1);
    ls_retention_destroy(retention);
}

static void begin(void)
{
    ls_error error;
    test_folder_make(&folder);
    assert_ok(ls_log_open(test_path(&folder, ".log"), &log_file, &error));
}

static uint64_t bytes_of(const char *name)
{
    FILE *file = fopen(test_path(&folder, name), "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long bytes = ftell(file);
    fclose(file);
    return (uint64_t)bytes;
}

/* Removes the folder; log_text is then what was logged. */
static void end(void)
{
    ls_error error;
    assert_ok(ls_log_close(&log_file, LS_OK, &error));
    FILE *file = fopen(test_path(&folder, ".log"), "rb");
    assert_non_null(file);
    log_text[fread(log_text, 1, sizeof log_text - 1, file)] = 0;
    fclose(file);
    assert_int_equal(remove(test_path(&folder, ".log")), 0);
    test_directory_remove(folder.path);
}

static uint32_t count_lines(const char *event)
{
    uint32_t count = 0;
    for (const char *at = log_text; (at = strstr(at, event)); at += strlen(event))
        count++;
    return count;
}

TEST(test_retention_without_a_folder_is_none)
{
    assert_null(ls_retention_create(&(ls_retention_config){.limits = {.days = 1}}));
    ls_retention_set_limits(NULL, &(ls_retention_limits){.days = 1});
    ls_retention_maintain(NULL, 1);
    ls_retention_destroy(NULL);
}

/* All files of a match go together. A match whose name begins in the same way stays. */
TEST(test_retention_removes_old_matches)
{
    begin();
    record("a-1.lsr", true, 9);
    record("a-1-2.lsr", true, 3);
    record("b.lsr", true, 8);
    add_file("a-1.desync-7", 10, 9);
    add_file("a-1.seats", 10, 9);
    add_file("notes.txt", 10, 9);
    add_file("c.lsr.quarantined", 10, 9);
    look_once((ls_retention_limits){.days = 7});
    assert_false(exists("a-1.lsr") || exists("a-1.desync-7") || exists("a-1.seats"));
    assert_false(exists("b.lsr"));
    assert_true(exists("a-1-2.lsr") && exists("notes.txt") && exists("c.lsr.quarantined"));
    end();
    assert_int_equal(count_lines("recording_removed"), 2);
    assert_non_null(strstr(log_text, "/a-1.lsr\" files=3 bytes="));
    assert_non_null(strstr(log_text, " limit=days"));
}

TEST(test_retention_looks_at_once)
{
    begin();
    record("a.lsr", true, 9);
    record("b.lsr", true, 8);
    ls_retention_config config = {.folder = folder.path, .limits = {.days = 7}, .log = &log_file};
    ls_retention *retention = ls_retention_create(&config);
    ls_retention_look(retention);
    assert_false(exists("a.lsr") || exists("b.lsr"));
    ls_retention_destroy(retention);
    ls_retention_look(NULL);
    end();
}

/* The age of a match is that of its youngest file. */
TEST(test_retention_counts_from_the_last_change)
{
    begin();
    record("a.lsr", true, 9);
    add_file("a.desync-7", 10, 2);
    look_once((ls_retention_limits){.days = 7});
    assert_true(exists("a.lsr") && exists("a.desync-7"));
    end();
    assert_string_equal(log_text, "");
}

TEST(test_retention_keeps_what_is_not_over)
{
    begin();
    record("crashed.lsr", false, 9);
    record("running.lsr", true, 9);
    add_file("damaged.lsr", 100, 9);
    int file = open(test_path(&folder, "running.lsr"), O_RDONLY);
    assert_int_equal(flock(file, LOCK_EX), 0);
    look_once((ls_retention_limits){.days = 1, .bytes = 1});
    assert_true(exists("crashed.lsr") && exists("running.lsr") && exists("damaged.lsr"));
    close(file);
    look_once((ls_retention_limits){.days = 1, .bytes = 1});
    assert_true(exists("crashed.lsr") && exists("damaged.lsr"));
    assert_false(exists("running.lsr"));
    end();
    assert_int_equal(count_lines("retention_short"), 2); /* one for each retention */
}

/* The log tells once that a limit is exceeded, and the count rises at each look. */
TEST(test_retention_counts_each_look_that_falls_short)
{
    begin();
    record("crashed.lsr", false, 9);
    ls_retention_config config = {.folder = folder.path, .limits = {.bytes = 1}, .log = &log_file};
    ls_retention *retention = ls_retention_create(&config);
    for (uint64_t i = 0; i < 3; i++)
        look(retention, 1 + i * LS_RETENTION_INTERVAL_NS);
    assert_int_equal(ls_retention_failures(retention), 3);
    ls_retention_destroy(retention);
    assert_int_equal(ls_retention_failures(NULL), 0);
    end();
    assert_int_equal(count_lines("retention_short"), 1);
}

TEST(test_retention_removes_the_oldest_until_the_rest_fits)
{
    begin();
    record("a.lsr", true, 1);
    record("b.lsr", true, 4);
    record("c.lsr", true, 3);
    record("d.lsr", true, 2);
    uint64_t bytes = bytes_of("a.lsr");
    add_file("d.desync-1", 1000, 2);
    look_once((ls_retention_limits){.bytes = 4 * bytes + 1000});
    assert_true(exists("b.lsr"));
    look_once((ls_retention_limits){.bytes = 3 * bytes + 999});
    assert_false(exists("b.lsr") || exists("c.lsr"));
    assert_true(exists("d.lsr") && exists("d.desync-1") && exists("a.lsr"));
    look_once((ls_retention_limits){.bytes = bytes});
    assert_false(exists("d.lsr") || exists("d.desync-1"));
    assert_true(exists("a.lsr"));
    end();
    assert_int_equal(count_lines("limit=bytes"), 3);
    assert_null(strstr(log_text, "retention_short"));
}

TEST(test_retention_keeps_the_disk_free)
{
    begin();
    record("a.lsr", true, 0);
    look_once((ls_retention_limits){.free_bytes = 1});
    assert_true(exists("a.lsr"));
    record("b.lsr", false, 0);
    look_once((ls_retention_limits){.free_bytes = UINT64_MAX});
    assert_false(exists("a.lsr"));
    assert_true(exists("b.lsr"));
    end();
    assert_int_equal(count_lines("limit=free"), 1);
    assert_int_equal(count_lines("retention_short"), 1);
}

/* A later file of a match counts with the first one; without the first it is a match. */
TEST(test_retention_takes_all_files_of_a_match)
{
    begin();
    record("a.lsr", true, 5);
    record("a.1.lsr", true, 1);
    record("b.1.lsr", true, 5);
    look_once((ls_retention_limits){.days = 3});
    assert_true(exists("a.lsr") && exists("a.1.lsr"));
    assert_false(exists("b.1.lsr"));
    look_once((ls_retention_limits){.bytes = 1});
    assert_false(exists("a.lsr") || exists("a.1.lsr"));
    end();
}

TEST(test_retention_looks_again_after_a_while)
{
    begin();
    ls_retention_config config = {.folder = folder.path, .limits = {.days = 1}, .log = &log_file};
    ls_retention *retention = ls_retention_create(&config);
    look(retention, 1);
    record("a.lsr", true, 2);
    look(retention, LS_RETENTION_INTERVAL_NS);
    assert_true(exists("a.lsr"));
    look(retention, 1 + LS_RETENTION_INTERVAL_NS);
    assert_false(exists("a.lsr"));
    ls_retention_destroy(retention);
    end();
}

/* A full disk does not wait for a minute, nor does it make the server look all the time. */
TEST(test_retention_hurries_but_not_always)
{
    begin();
    ls_retention_config config = {.folder = folder.path, .limits = {.days = 1}, .log = &log_file};
    ls_retention *retention = ls_retention_create(&config);
    uint64_t first_ns = 9 * LS_RETENTION_INTERVAL_NS;
    ls_retention_hurry(NULL);
    ls_retention_hurry(retention);
    look(retention, first_ns);
    record("a.lsr", true, 2);
    ls_retention_hurry(retention);
    look(retention, first_ns + LS_RETENTION_HURRY_NS - 1);
    assert_true(exists("a.lsr"));
    look(retention, first_ns + LS_RETENTION_HURRY_NS);
    assert_false(exists("a.lsr"));
    record("b.lsr", true, 2);
    ls_retention_hurry(retention);
    look(retention, first_ns + 2 * LS_RETENTION_HURRY_NS - 1);
    assert_true(exists("b.lsr"));
    ls_retention_destroy(retention);
    end();
}

/* A server without a limit gets one by `reload`, and loses it again. */
TEST(test_retention_takes_other_limits)
{
    begin();
    ls_retention_config config = {.folder = folder.path, .log = &log_file};
    ls_retention *retention = ls_retention_create(&config);
    record("a.lsr", true, 2);
    look(retention, 1);
    assert_true(exists("a.lsr"));
    ls_retention_set_limits(retention, &(ls_retention_limits){.days = 1});
    look(retention, 2); /* at once, not a minute later */
    assert_false(exists("a.lsr"));
    record("b.lsr", true, 2);
    ls_retention_set_limits(retention, &(ls_retention_limits){0});
    look(retention, 3 + LS_RETENTION_INTERVAL_NS);
    assert_true(exists("b.lsr"));
    ls_retention_destroy(retention);
    end();
}

/* A folder that cannot be listed is named once. */
TEST(test_retention_of_no_folder)
{
    begin();
    add_file("file", 1, 0);
    char path[128];
    strcpy(path, test_path(&folder, "file"));
    ls_retention_config config = {.folder = path, .limits = {.days = 1}, .log = &log_file};
    ls_retention *retention = ls_retention_create(&config);
    look(retention, 1);
    look(retention, 1 + LS_RETENTION_INTERVAL_NS);
    ls_retention_destroy(retention);
    config.folder = "/nowhere/at/all";
    retention = ls_retention_create(&config);
    look(retention, 1);
    ls_retention_destroy(retention);
    end();
    assert_int_equal(count_lines("retention_failed reason=\"Not a directory\""), 1);
}
