#include "cli/serve/viewer_shelf.h"
#include "core/base/platform_file.h"

#include "tiny_recording.h"

#include <fcntl.h>
#include <sys/stat.h>

static test_folder folder;

static ls_viewer_shelf shelf = {.folder = folder.path};
static uint64_t now_ns = 1;

static void update(void)
{
    ls_viewer_shelf_update(&shelf, now_ns += LS_VIEWER_SHELF_NS);
}

static bool has(const char *name)
{
    return ls_viewer_shelf_has(&shelf, name);
}

static int begin(void **state)
{
    test_folder_make(&folder);
    return 0;
}

static int end(void **state)
{
    char command[96];
    ls_viewer_shelf_reset(&shelf);
    snprintf(command, sizeof command, "rm -rf %s", folder.path);
    return system(command); /* NOLINT: a path of this test alone */
}

TESTS_AROUND_ALL(begin, end);

TEST(test_viewer_shelf_shows_ended_matches)
{
    update();
    assert_int_equal(shelf.count, 0);
    make_recording(test_path(&folder, "b.lsr"), true);
    make_recording(test_path(&folder, "a.lsr"), true);
    make_recording(test_path(&folder, "crashed.lsr"), false);
    test_file_write(test_path(&folder, "garbage.lsr"), "garbage", 7);
    test_file_write(test_path(&folder, "notes.txt"), "notes", 5);
    ls_viewer_shelf_update(&shelf, now_ns + LS_VIEWER_SHELF_NS - 1);
    assert_false(has("a.lsr"));
    update();
    assert_true(has("a.lsr") && has("b.lsr"));
    assert_string_equal(ls_viewer_shelf_simulation(&shelf, "b.lsr"), "tiny");
    assert_false(has("crashed.lsr") || has("garbage.lsr") || has("notes.txt") || has(""));
    /* A recording of an ended match is not read again; a file that is gone is not shown. */
    test_file_write(test_path(&folder, "a.lsr"), "garbage", 7);
    assert_int_equal(unlink(test_path(&folder, "b.lsr")), 0);
    update();
    assert_true(has("a.lsr"));
    assert_false(has("b.lsr"));
}

/* A recording that is written is locked, whatever it says. */
TEST(test_viewer_shelf_waits_for_the_writer)
{
    make_recording(test_path(&folder, "written.lsr"), true);
    int file = ls_descriptor_open(folder.file, true);
    assert_int_equal(ls_descriptor_lock(file), 0);
    update();
    assert_false(has("written.lsr"));
    ls_descriptor_close(file);
    update();
    assert_true(has("written.lsr"));
}

/* The later files of a match are shown with the first one, also those that a full disk cut off. */
TEST(test_viewer_shelf_shows_all_files_of_a_match)
{
    make_recording(test_path(&folder, "long.lsr"), false);
    test_file_write(test_path(&folder, "long.1.lsr"), "cut off", 7);
    make_recording(test_path(&folder, "alone.1.lsr"), true);
    update();
    assert_false(has("long.lsr") || has("long.1.lsr"));
    assert_true(has("alone.1.lsr"));
    assert_int_equal(unlink(test_path(&folder, "long.lsr")), 0);
    make_recording(test_path(&folder, "long.lsr"), true);
    assert_int_equal(unlink(test_path(&folder, "long.1.lsr")), 0);
    update();
    assert_true(has("long.lsr"));
    test_file_write(test_path(&folder, "long.1.lsr"), "cut off", 7);
    update();
    assert_true(has("long.1.lsr"));
    assert_string_equal(ls_viewer_shelf_simulation(&shelf, "long.1.lsr"), "tiny");
}

/* Without the folder the list stays. */
TEST(test_viewer_shelf_stays_when_the_folder_cannot_be_read)
{
    shelf.folder = "/dev/null";
    update();
    assert_true(has("alone.1.lsr"));
    shelf.folder = folder.path;
}

/* A shelf of all recordings reads one again only if its size or its time has changed. */
TEST(test_viewer_shelf_has_all_and_reads_what_has_changed)
{
    test_folder all_folder;
    ls_viewer_shelf all = {.folder = all_folder.path, .has_all = true};
    struct stat facts;
    snprintf(all_folder.path, sizeof all_folder.path, "%s", test_path(&folder, "all"));
    assert_int_equal(mkdir(all_folder.path, 0700), 0);
    assert_true(ls_viewer_shelf_has(&all, "soon.lsr"));
    assert_false(ls_viewer_shelf_has(&all, "notes.txt"));
    make_recording(test_path(&all_folder, "crashed.lsr"), false);
    make_recording(test_path(&all_folder, "grows.lsr"), false);
    make_recording(test_path(&all_folder, "same.lsr"), true);
    test_file_write(test_path(&all_folder, "garbage.lsr"), "garbage", 7);
    ls_viewer_shelf_update(&all, now_ns);
    assert_int_equal(all.count, 4);
    assert_string_equal(ls_viewer_shelf_simulation(&all, "crashed.lsr"), "tiny");
    assert_string_equal(ls_viewer_shelf_simulation(&all, "garbage.lsr"), "");
    const char *same = test_path(&all_folder, "same.lsr");
    assert_int_equal(stat(same, &facts), 0);
    uint8_t *zeros = ls_alloc((size_t)facts.st_size);
    test_file_write(same, zeros, (size_t)facts.st_size);
    const struct timespec times[2] = {facts.st_atim, facts.st_mtim};
    assert_int_equal(utimensat(AT_FDCWD, same, times, 0), 0);
    test_file_write(test_path(&all_folder, "grows.lsr"), zeros, (size_t)facts.st_size);
    ls_viewer_shelf_update(&all, now_ns);
    assert_string_equal(ls_viewer_shelf_simulation(&all, "same.lsr"), "tiny");
    assert_string_equal(ls_viewer_shelf_simulation(&all, "grows.lsr"), "");
    ls_free(zeros);
    ls_viewer_shelf_reset(&all);
}
