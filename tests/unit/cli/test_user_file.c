#include "cli/common/user_file.h"
#include "core/base/platform_file.h"

#include <sys/stat.h>

#include "test.h"

TEST(test_user_file_makes_private_folders)
{
    test_folder folder;
    test_folder_make(&folder);
    char path[LS_PATH_BYTES_MAX];
    unsetenv("XDG_CONFIG_HOME");
    setenv("HOME", folder.path, 1);
    assert_ok(ls_user_file("identity", path, NULL));
    assert_string_equal(path, test_path(&folder, ".config/lockstep/identity"));
    struct stat made;
    assert_int_equal(stat(test_path(&folder, ".config/lockstep"), &made), 0);
    assert_int_equal(made.st_mode & 0777, 0700);
    assert_ok(ls_user_file("identity", path, NULL)); /* the folders exist now */

    setenv("XDG_CONFIG_HOME", test_path(&folder, "xdg"), 1);
    assert_ok(ls_user_file("known_servers", path, NULL));
    assert_string_equal(path, test_path(&folder, "xdg/lockstep/known_servers"));
    setenv("XDG_CONFIG_HOME", "relative", 1); /* ignored */
    assert_ok(ls_user_file("identity", path, NULL));
    assert_string_equal(path, test_path(&folder, ".config/lockstep/identity"));
    test_folder_remove(
        &folder, (const char *const[]){"xdg/lockstep", "xdg", ".config/lockstep", ".config"}, 4);
}

TEST(test_user_file_names_the_missing_part)
{
    char path[LS_PATH_BYTES_MAX];
    ls_error error;
    unsetenv("XDG_CONFIG_HOME");
    unsetenv("HOME");
    assert_int_equal(ls_user_file("identity", path, &error), LS_ERROR_NOT_FOUND);
    setenv("HOME", "/proc/no", 1);
    assert_int_equal(ls_user_file("identity", path, &error), LS_ERROR_IO);
    assert_non_null(strstr(error.text, "/proc/no"));
}

TEST(test_user_file_folders_need_a_way)
{
    test_folder folder;
    test_folder_make(&folder);
    fclose(fopen(test_path(&folder, "file"), "w"));
    ls_error error;
    assert_int_equal(ls_make_folders(folder.file, 0777, &error), LS_ERROR_IO);
    assert_non_null(strstr(error.text, "of that name exists"));
    assert_int_equal(ls_make_folders(test_path(&folder, "file/below"), 0777, &error), LS_ERROR_IO);
    assert_int_equal(ls_make_folders("", 0777, &error), LS_ERROR_IO);
    assert_ok(ls_make_folders(test_path(&folder, "a//b/"), 0777, &error));
    test_folder_remove(&folder, (const char *const[]){"a/b", "a", "file"}, 3);
}
