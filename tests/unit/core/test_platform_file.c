/* Files of the system: what replays/ relies on. */
#include "harness.h"

#include "core/base/descriptor_all.h"
#include "core/base/platform_file.h"
#include "tests/support/directory.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

static void make_path(char path[128], const char *directory, const char *name)
{
    snprintf(path, 128, "%s/%s", directory, name);
}

static int make_file(const char *path, const char *content)
{
    int descriptor = ls_descriptor_create(path);
    assert_true(descriptor >= 0);
    assert_int_equal(ls_descriptor_write(descriptor, content, strlen(content)), strlen(content));
    return descriptor;
}

static void assert_holds(const char *path, const char *content)
{
    char bytes[32] = "";
    int descriptor = ls_descriptor_open(path, false);
    assert_true(descriptor >= 0);
    assert_int_equal(ls_descriptor_read(descriptor, bytes, sizeof bytes), strlen(content));
    assert_string_equal(bytes, content);
    assert_int_equal(ls_descriptor_close(descriptor), 0);
}

TEST(test_platform_file_renames_and_replaces_none)
{
    char directory[64], a[128], b[128];
    test_directory_make(directory);
    make_path(a, directory, "a b");
    make_path(b, directory, "\xc3\xa4");
    assert_int_equal(ls_descriptor_close(make_file(a, "first")), 0);
    assert_int_equal(ls_descriptor_create(a), -EEXIST);
    assert_int_equal(ls_path_rename_new(a, b), 0);
    assert_int_equal(ls_descriptor_open(a, false), -ENOENT);
    assert_int_equal(ls_descriptor_close(make_file(a, "second")), 0);
    assert_int_equal(ls_path_rename_new(a, b), -EEXIST);
    assert_holds(a, "second");
    assert_holds(b, "first");
    assert_int_equal(ls_path_sync_folder(a), 0);
    assert_int_equal(ls_path_remove(a), 0);
    assert_int_equal(ls_path_remove(a), -ENOENT);
    test_directory_remove(directory);
}

TEST(test_platform_file_renames_and_replaces_one)
{
    char directory[64], a[128], b[128];
    test_directory_make(directory);
    make_path(a, directory, "a");
    make_path(b, directory, "b");
    assert_int_equal(ls_descriptor_close(make_file(a, "new")), 0);
    assert_int_equal(ls_descriptor_close(make_file(b, "old")), 0);
    assert_int_equal(ls_path_rename(a, b), 0);
    assert_holds(b, "new");
    assert_int_equal(ls_path_rename(a, b), -ENOENT);
    test_directory_remove(directory);
}

TEST(test_platform_file_is_private)
{
    char directory[64], path[128];
    uint32_t mode;
    test_directory_make(directory);
    make_path(path, directory, "secret");
    int descriptor = ls_descriptor_create_private(path);
    assert_int_equal(ls_descriptor_get_mode(descriptor, &mode), 0);
    assert_int_equal(mode, 0600);
    assert_int_equal(ls_descriptor_create_private(path), -EEXIST);
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(ls_descriptor_get_mode(descriptor, &mode), 0);
    assert_int_equal(mode, 0640);
    assert_int_equal(ls_descriptor_close(descriptor), 0);
    test_directory_remove(directory);
}

/* A file that is open keeps its bytes, its lock and its place under another name. */
TEST(test_platform_file_continues_after_a_cut)
{
    char directory[64], a[128], b[128];
    test_directory_make(directory);
    make_path(a, directory, "a");
    make_path(b, directory, "b");
    int descriptor = make_file(a, "0123456789");
    assert_int_equal(ls_path_rename_new(a, b), 0);
    assert_int_equal(ls_descriptor_truncate(descriptor, 4), 0);
    assert_int_equal(ls_descriptor_write(descriptor, "xy", 2), 2);
    assert_int_equal(ls_descriptor_sync(descriptor, true), 0);
    assert_int_equal(ls_descriptor_sync(descriptor, false), 0);
    assert_holds(b, "0123xy");
    assert_int_equal(ls_descriptor_close(descriptor), 0);
    test_directory_remove(directory);
}

TEST(test_platform_file_has_one_lock)
{
    char directory[64], a[128];
    test_directory_make(directory);
    make_path(a, directory, "a");
    int first = make_file(a, "locked"), second = ls_descriptor_open(a, true);
    assert_int_equal(ls_descriptor_lock(first), 0);
    assert_int_equal(ls_descriptor_lock(second), -EAGAIN);
    assert_holds(a, "locked");
    assert_int_equal(ls_descriptor_close(first), 0);
    assert_int_equal(ls_descriptor_lock(second), 0);
    assert_int_equal(ls_descriptor_close(second), 0);
    test_directory_remove(directory);
}

/* Opening a pipe without another end would wait for ever. */
TEST(test_platform_file_tells_what_is_open)
{
    char directory[64], path[128];
    ls_descriptor_kind kind;
    uint64_t bytes;
    test_directory_make(directory);
    make_path(path, directory, "pipe");
    assert_int_equal(mkfifo(path, 0600), 0);
    int pipe = ls_descriptor_open(path, false), folder = ls_descriptor_open(directory, false);
    assert_int_equal(ls_descriptor_examine(pipe, &kind, &bytes), 0);
    assert_int_equal(kind, LS_DESCRIPTOR_OTHER);
    assert_int_equal(ls_descriptor_examine(folder, &kind, &bytes), 0);
    assert_int_equal(kind, LS_DESCRIPTOR_FOLDER);
    make_path(path, directory, "a");
    int file = make_file(path, "seven b");
    assert_int_equal(ls_descriptor_examine(file, &kind, &bytes), 0);
    assert_int_equal(kind, LS_DESCRIPTOR_REGULAR);
    assert_int_equal(bytes, 7);
    assert_int_equal(ls_descriptor_close(pipe), 0);
    assert_int_equal(ls_descriptor_close(folder), 0);
    assert_int_equal(ls_descriptor_close(file), 0);
    test_directory_remove(directory);
}

TEST(test_platform_file_finds_the_folder)
{
    assert_int_equal(ls_path_folder_length("name"), 0);
    assert_int_equal(ls_path_folder_length("/name"), 1);
    assert_int_equal(ls_path_folder_length("a/b/name"), 3);
    assert_string_equal(ls_path_name("name"), "name");
    assert_string_equal(ls_path_name("/name"), "name");
    assert_string_equal(ls_path_name("a/b/name"), "name");
}

TEST(test_platform_file_knows_one_file_by_two_paths)
{
    char directory[64], a[128], b[128], link[128], other[128];
    test_directory_make(directory);
    make_path(a, directory, "a");
    make_path(b, directory, "./a");
    make_path(link, directory, "link");
    make_path(other, directory, "other");
    assert_int_equal(ls_descriptor_close(make_file(a, "same")), 0);
    assert_int_equal(ls_descriptor_close(make_file(other, "same")), 0);
    assert_int_equal(symlink(a, link), 0);
    assert_true(ls_path_is_same(a, b));
    assert_true(ls_path_is_same(a, link));
    assert_false(ls_path_is_same(a, other));
    assert_int_equal(ls_path_remove(other), 0);
    assert_false(ls_path_is_same(a, other));
    assert_false(ls_path_is_same(other, other));
    test_directory_remove(directory);
}

TEST(test_platform_file_reads_all_up_to_the_end)
{
    char directory[64], path[128], bytes[16] = "";
    size_t done = 1;
    test_directory_make(directory);
    make_path(path, directory, "a");
    assert_int_equal(ls_descriptor_close(make_file(path, "all of it")), 0);
    int file = ls_descriptor_open(path, false);
    assert_int_equal(ls_descriptor_read_all(file, bytes, 4, &done), 0);
    assert_int_equal(done, 4);
    assert_int_equal(ls_descriptor_read_all(file, bytes + 4, sizeof bytes - 4, &done), 0);
    assert_int_equal(done, 5);
    assert_string_equal(bytes, "all of it");
    assert_int_equal(ls_descriptor_close(file), 0);
    assert_int_equal(ls_descriptor_read_all(-1, bytes, 4, &done), -EBADF);
    assert_int_equal(done, 0);
    test_directory_remove(directory);
}
