#include "test.h"

#include <lockstep/token.h>

TEST(test_token_key_is_kept)
{
    char folder[64], path[96];
    test_directory_make(folder);
    snprintf(path, sizeof path, "%s/key", folder);
    ls_token_key key, loaded;
    ls_error error;
    uint64_t seed = 1;
    ls_entropy entropy = test_entropy(&seed);
    ls_token_key_init(&key, UINT32_MAX, &entropy);
    assert_ok(ls_token_key_save(path, &key, &error));
    assert_ok(ls_token_key_load(path, &loaded, &error));
    assert_memory_equal(&loaded, &key, sizeof key);
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    assert_int_equal(ls_token_key_save(path, &key, &error), LS_ERROR_REFUSED);
    test_directory_remove(folder);
}

static void expect_refusal(const char *path, ls_status status)
{
    ls_token_key loaded, zeros = {0};
    ls_error error;
    memset(&loaded, 1, sizeof loaded);
    assert_int_equal(ls_token_key_load(path, &loaded, &error), status);
    assert_memory_equal(&loaded, &zeros, sizeof zeros);
    assert_non_null(strstr(error.text, path));
}

TEST(test_token_key_file_has_to_be_whole)
{
    char folder[64], path[96];
    test_directory_make(folder);
    snprintf(path, sizeof path, "%s/key", folder);
    expect_refusal(path, LS_ERROR_NOT_FOUND);
    /* A file with id 0, which is invalid, then with id 4. */
    char text[] = "lockstep token key 1\nAAAAAAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB\n";
    size_t count = sizeof text - 1;
    test_file_write(path, text, count);
    assert_int_equal(chmod(path, 0600), 0);
    expect_refusal(path, LS_ERROR_CORRUPT);
    text[21] = 'B';
    test_file_write(path, text, count);
    ls_token_key key;
    assert_ok(ls_token_key_load(path, &key, NULL));
    assert_int_equal(key.id, 4);
    for (size_t cut = 0; cut < count; cut++) {
        test_file_write(path, text, cut);
        expect_refusal(path, LS_ERROR_CORRUPT);
    }
    test_file_write(path, text, count + 1); /* with a zero byte at the end */
    expect_refusal(path, LS_ERROR_CORRUPT);
    test_file_write(path, text, count);
    assert_int_equal(chmod(path, 0640), 0);
    expect_refusal(path, LS_ERROR_REFUSED);
    test_directory_remove(folder);
}
