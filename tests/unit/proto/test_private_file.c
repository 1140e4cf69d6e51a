#include "test.h"

#include "proto/private_file.h"

TEST(test_private_file_leaves_nothing_beside)
{
    char folder[64], path[96];
    test_directory_make(folder);
    snprintf(path, sizeof path, "%s/file", folder);
    ls_private_file_content content = {.bytes = "one", .count = 3};
    ls_error error;
    assert_ok(ls_private_file_write(path, &content, &error));
    assert_int_equal(ls_private_file_write(path, &content, &error), LS_ERROR_REFUSED);
    content = (ls_private_file_content){.bytes = "second", .count = 6, .replace = true};
    assert_ok(ls_private_file_write(path, &content, &error));
    assert_int_equal(test_directory_count(folder), 1);
    ls_private_file file = {.path = path, .bytes_max = 6, .must_be_secret = true};
    char *text;
    size_t bytes;
    assert_ok(ls_private_file_read(&file, &text, &bytes, &error));
    assert_int_equal(bytes, 6);
    assert_string_equal(text, "second");
    ls_free(text);
    file.bytes_max = 5;
    assert_int_equal(ls_private_file_read(&file, &text, &bytes, &error), LS_ERROR_CORRUPT);
    test_directory_remove(folder);
}

TEST(test_private_file_refuses_folders_and_pipes)
{
    char folder[64], path[96];
    test_directory_make(folder);
    snprintf(path, sizeof path, "%s/pipe", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    char *text;
    size_t bytes;
    ls_error error;
    ls_private_file pipe = {.path = path, .bytes_max = 10};
    ls_private_file directory = {.path = folder, .bytes_max = 10};
    assert_int_equal(ls_private_file_read(&pipe, &text, &bytes, &error), LS_ERROR_REFUSED);
    assert_int_equal(ls_private_file_read(&directory, &text, &bytes, &error), LS_ERROR_REFUSED);
    test_directory_remove(folder);
}

TEST(test_private_file_checks_a_place)
{
    char folder[64], path[96];
    ls_error error;
    test_directory_make(folder);
    snprintf(path, sizeof path, "%s/file", folder);
    assert_ok(ls_private_file_check(path, &error));
    assert_int_equal(test_directory_count(folder), 0);
    snprintf(path, sizeof path, "%s/no/file", folder);
    assert_int_equal(ls_private_file_check(path, &error), LS_ERROR_IO);
    assert_non_null(strstr(error.text, path));
    test_directory_remove(folder);
}

TEST(test_private_file_names_a_missing_folder)
{
    const ls_private_file_content content = {.bytes = "x", .count = 1};
    ls_error error;
    assert_int_equal(ls_private_file_write("/tmp/lockstep-none/file", &content, &error),
                     LS_ERROR_IO);
    assert_string_equal(error.text,
                        "/tmp/lockstep-none/file: its folder does not exist; make it first");
}
