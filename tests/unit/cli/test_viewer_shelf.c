#include "cli/serve/viewer_shelf.h"

#include "tiny_recording.h"

static test_folder folder;

static void test_viewer_shelf_shows_ended_matches(void **state)
{
    test_folder_make(&folder);
    ls_viewer_shelf shelf = {.folder = folder.path};
    uint64_t now_ns = 1;
    ls_viewer_shelf_update(&shelf, now_ns);
    assert_int_equal(shelf.count, 0);
    make_recording(test_path(&folder, "b.lsr"), true);
    make_recording(test_path(&folder, "a.lsr"), true);
    make_recording(test_path(&folder, "played.lsr"), false);
    test_file_write(test_path(&folder, "garbage.lsr"), "garbage", 7);
    test_file_write(test_path(&folder, "notes.txt"), "notes", 5);
    ls_viewer_shelf_update(&shelf, now_ns + LS_VIEWER_SHELF_NS - 1);
    assert_int_equal(shelf.count, 0);
    ls_viewer_shelf_update(&shelf, now_ns += LS_VIEWER_SHELF_NS);
    assert_int_equal(shelf.count, 2);
    assert_string_equal(shelf.names[0], "a.lsr");
    assert_string_equal(shelf.names[1], "b.lsr");
    assert_true(ls_viewer_shelf_has(&shelf, "a.lsr"));
    assert_false(ls_viewer_shelf_has(&shelf, "played.lsr"));
    assert_false(ls_viewer_shelf_has(&shelf, "garbage.lsr"));
    assert_false(ls_viewer_shelf_has(&shelf, ""));
    /* A recording of an ended match is not opened again; a file that is gone is not shown. */
    test_file_write(test_path(&folder, "a.lsr"), "garbage", 7);
    assert_int_equal(unlink(test_path(&folder, "b.lsr")), 0);
    assert_int_equal(unlink(test_path(&folder, "played.lsr")), 0);
    make_recording(test_path(&folder, "played.lsr"), true);
    ls_viewer_shelf_update(&shelf, now_ns += LS_VIEWER_SHELF_NS);
    assert_int_equal(shelf.count, 2);
    assert_string_equal(shelf.names[0], "a.lsr");
    assert_string_equal(shelf.names[1], "played.lsr");
    ls_viewer_shelf_reset(&shelf);
    assert_false(ls_viewer_shelf_has(&shelf, "a.lsr"));
    static const char *const names[] = {"a.lsr", "played.lsr", "garbage.lsr", "notes.txt"};
    test_folder_remove(&folder, names, LS_COUNT_OF(names));
    ls_viewer_shelf_update(&shelf, now_ns);
    assert_int_equal(shelf.count, 0);
    ls_viewer_shelf_reset(&shelf);
}

int main(void)
{
    return RUN_TESTS(test_viewer_shelf_shows_ended_matches);
}
