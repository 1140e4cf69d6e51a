/* Marks and file names. test_cli_durable and test_cli_stuck show with whole servers that a
 * recording that kills the process is set aside. */
#include "test.h"

#include "cli/serve/quarantine.h"

static void make(test_folder *folder, const char *name)
{
    test_file_write(test_path(folder, name), "", 0);
}

static bool is_there(test_folder *folder, const char *name)
{
    return access(test_path(folder, name), F_OK) == 0;
}

TEST(test_quarantine_marks_are_beside_the_recording)
{
    test_folder folder;
    char recording[128];
    test_folder_make(&folder);
    strcpy(recording, test_path(&folder, "a.lsr"));
    ls_quarantine_mark(recording, true);
    ls_quarantine_mark(recording, true);
    assert_true(is_there(&folder, "a.restoring"));
    ls_quarantine_mark(recording, false);
    ls_quarantine_mark(recording, false);
    assert_false(is_there(&folder, "a.restoring"));
    test_folder_remove(&folder, NULL, 0);
}

/* Moves all files of the match and no others, and logs the reason. */
TEST(test_quarantine_sets_a_match_aside)
{
    static const char *const names[] = {"a.lsr.quarantined",
                                        "a.1.lsr.quarantined",
                                        "a.2.lsr.quarantined",
                                        "ab.lsr",
                                        "a.x.lsr",
                                        "log"};
    test_folder folder;
    char recording[128], line[512] = "";
    ls_log log = {0};
    ls_error error;
    test_folder_make(&folder);
    make(&folder, "a.lsr");
    make(&folder, "a.1.lsr");
    make(&folder, "a.2.lsr");
    make(&folder, "ab.lsr");
    make(&folder, "a.x.lsr");
    assert_ok(ls_log_open(test_path(&folder, "log"), &log, &error));
    strcpy(recording, test_path(&folder, "a.lsr"));
    ls_quarantine_mark(recording, true);
    ls_quarantine_move(recording, "it \"hangs\"", &log);
    assert_ok(ls_log_close(&log, LS_OK, &error));
    assert_false(is_there(&folder, "a.restoring"));
    FILE *file = fopen(test_path(&folder, "log"), "rb");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    fclose(file);
    assert_ptr_equal(strstr(line, "recording_quarantined recording="), line);
    assert_non_null(strstr(line, "reason=\"it \\\"hangs\\\"\""));
    test_folder_remove(&folder, names, sizeof names / sizeof names[0]);
}

/* Recordings without a mark are not tested; an error names a path that is no folder. */
TEST(test_quarantine_sift_leaves_the_unmarked_alone)
{
    static const char *const names[] = {"a.lsr"};
    test_folder folder;
    ls_match_options match = {.sim = "skirmish"};
    ls_log log = {0};
    ls_error error;
    test_folder_make(&folder);
    make(&folder, "a.lsr");
    assert_ok(ls_quarantine_check(folder.path, &match, &log, &error));
    assert_true(is_there(&folder, "a.lsr"));
    assert_int_equal(ls_quarantine_check(test_path(&folder, "a.lsr"), &match, &log, &error),
                     LS_ERROR_IO);
    assert_non_null(strstr(error.text, "--resume "));
    test_folder_remove(&folder, names, 1);
}
