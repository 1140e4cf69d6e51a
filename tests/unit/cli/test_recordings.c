#include "test.h"

#include "cli/serve/recordings.h"
#include "core/base/platform_file.h"

#include <errno.h>

static void make(test_folder *folder, const char *name)
{
    test_file_write(test_path(folder, name), "", 0);
}

static const char *file_name(const char *path)
{
    return strrchr(path, '/') + 1;
}

TEST(test_recordings_are_listed_by_name)
{
    static const char *const names[] = {"b.lsr", "a.lsr", "c.lsr.quarantined", "a.seats", ".lsr"};
    test_folder folder;
    char **paths;
    uint32_t count;
    ls_error error;
    test_folder_make(&folder);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        make(&folder, names[i]);
    assert_ok(ls_recordings_list(folder.path, &paths, &count, &error));
    assert_int_equal(count, 2);
    assert_string_equal(file_name(paths[0]), "a.lsr");
    assert_string_equal(file_name(paths[1]), "b.lsr");
    ls_recordings_list_free(paths, count);
    assert_ok(ls_recordings_list(test_path(&folder, "none"), &paths, &count, &error));
    assert_int_equal(count, 0);
    ls_recordings_list_free(paths, count);
    assert_int_equal(ls_recordings_list(test_path(&folder, "a.lsr"), &paths, &count, &error),
                     LS_ERROR_IO);
    assert_non_null(strstr(error.text, "a.lsr"));
    test_folder_remove(&folder, names, sizeof names / sizeof names[0]);
}

/* Creates the folder and locks it until the caller closes the lock. If it cannot be created, the
 * error names it and nothing is locked. A prepared recording creates no file before its first
 * append. */
TEST(test_recordings_get_a_place)
{
    test_folder folder;
    char inside[64 + 8], path[LS_PATH_BYTES_MAX], foreign[128];
    ls_sink sink;
    int lock;
    ls_error error;
    test_folder_make(&folder);
    snprintf(inside, sizeof inside, "%s/in", folder.path);
    ls_recording_place place = {.folder = inside, .sim = "tiny", .seed = 7};
    assert_ok(ls_recordings_make_folder(inside, &error));
    assert_ok(ls_recordings_make_folder(inside, &error));
    assert_ok(ls_recordings_create(&place, path, &sink, &lock, &error));
    assert_true(lock >= 0);
    assert_ptr_equal(strstr(path, inside), path);
    assert_ptr_equal(strstr(file_name(path), "tiny-"), file_name(path));
    assert_string_equal(path + strlen(path) - strlen("-7.lsr"), "-7.lsr");
    sink.close(sink.context);
    close(lock);
    assert_ok(ls_recordings_prepare(&place, path, &sink, &error));
    assert_string_equal(path + strlen(path) - strlen("-7.lsr"), "-7.lsr");
    assert_int_equal(rmdir(inside), 0);
    assert_int_equal(sink.append(sink.context, "x", 1), -ENOENT);
    assert_ok(ls_recordings_make_folder(inside, &error));
    assert_int_equal(sink.append(sink.context, "x", 1), 1);
    sink.close(sink.context);
    assert_int_equal(rmdir(inside), 0); /* empty: a file has no name before its first sync */
    make(&folder, "file");
    strcpy(foreign, test_path(&folder, "file"));
    place.folder = foreign;
    assert_int_equal(ls_recordings_make_folder(foreign, &error), LS_ERROR_IO);
    assert_non_null(strstr(error.text, foreign));
    assert_int_equal(ls_recordings_create(&place, path, &sink, &lock, &error), LS_ERROR_IO);
    assert_int_equal(lock, -1);
    assert_non_null(strstr(error.text, foreign));
    static const char *const names[] = {"file"};
    test_folder_remove(&folder, names, 1);
}

/* Matches the recording's whole name: another name may begin with it. */
TEST(test_recordings_count_their_evidence)
{
    static const char *const names[] = {"a.lsr", "a.desync-7", "a.desync-7-2", "a.desync-90",
                                        "ab.desync-7"};
    test_folder folder;
    test_folder_make(&folder);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        make(&folder, names[i]);
    assert_int_equal(ls_recordings_count_evidence(test_path(&folder, "a.lsr")), 3);
    assert_int_equal(ls_recordings_count_evidence(test_path(&folder, "b.lsr")), 0);
    assert_int_equal(ls_recordings_count_evidence("nowhere/at/all/a.lsr"), 0);
    test_folder_remove(&folder, names, sizeof names / sizeof names[0]);
}
