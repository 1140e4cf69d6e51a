#include "test.h"

#include <lockstep/identity.h>

typedef struct files {
    char folder[64];
    char path[96];
} files;

static int setup(void **state)
{
    files *f = calloc(1, sizeof *f);
    test_directory_make(f->folder);
    snprintf(f->path, sizeof f->path, "%s/key", f->folder);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    test_directory_remove(((files *)*state)->folder);
    free(*state);
    return 0;
}

TESTS_AROUND(setup, teardown);

TEST(test_identity_survives_its_file)
{
    files *f = *state;
    ls_identity made, loaded;
    bool created = false;
    ls_error error;
    assert_int_equal(ls_identity_load(f->path, &loaded, &error), LS_ERROR_NOT_FOUND);
    assert_ok(ls_identity_load_or_create(f->path, &made, &created, &error));
    assert_true(created);
    assert_ok(ls_identity_load_or_create(f->path, &loaded, &created, &error));
    assert_false(created);
    assert_memory_equal(&made, &loaded, sizeof made);
    struct stat info;
    assert_int_equal(stat(f->path, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0600);
}

TEST(test_identity_refuses_a_readable_file)
{
    files *f = *state;
    ls_identity identity, zeros = {0};
    ls_error error;
    assert_ok(ls_identity_load_or_create(f->path, &identity, NULL, &error));
    const mode_t modes[] = {0640, 0604, 0660, 0610};
    for (size_t i = 0; i < LS_COUNT_OF(modes); i++) {
        assert_int_equal(chmod(f->path, modes[i]), 0);
        assert_int_equal(ls_identity_load(f->path, &identity, &error), LS_ERROR_REFUSED);
        assert_non_null(strstr(error.text, "chmod 600"));
        assert_non_null(strstr(error.text, f->path));
        assert_memory_equal(&identity, &zeros, sizeof zeros);
    }
    assert_int_equal(chmod(f->path, 0400), 0);
    assert_ok(ls_identity_load(f->path, &identity, &error));
}

TEST(test_identity_never_overwrites)
{
    files *f = *state;
    ls_identity first, second, loaded;
    ls_error error;
    ls_identity_init(&first, NULL);
    ls_identity_init(&second, NULL);
    assert_ok(ls_identity_save(f->path, &first, &error));
    assert_int_equal(ls_identity_save(f->path, &second, &error), LS_ERROR_REFUSED);
    assert_ok(ls_identity_load(f->path, &loaded, &error));
    assert_memory_equal(&loaded, &first, sizeof first);
}

TEST(test_identity_refuses_damaged_files)
{
    files *f = *state;
    ls_identity identity;
    ls_error error;
    ls_identity_init(&identity, NULL);
    assert_ok(ls_identity_save(f->path, &identity, &error));
    char good[256];
    FILE *file = fopen(f->path, "rb");
    size_t bytes = fread(good, 1, sizeof good, file);
    fclose(file);
    for (size_t count = 0; count < bytes; count++) {
        test_file_write(f->path, good, count);
        assert_int_equal(ls_identity_load(f->path, &identity, &error), LS_ERROR_CORRUPT);
    }
    for (size_t at = 0; at < bytes; at++) {
        char bad[256];
        memcpy(bad, good, bytes);
        bad[at] = 0;
        test_file_write(f->path, bad, bytes);
        assert_int_equal(ls_identity_load(f->path, &identity, &error), LS_ERROR_CORRUPT);
    }
    test_file_write(f->path, good, bytes);
    assert_ok(ls_identity_load(f->path, &identity, &error));
}

TEST(test_identity_names_the_path_it_cannot_write)
{
    files *f = *state;
    char path[160];
    snprintf(path, sizeof path, "%s/none/key", f->folder);
    ls_identity identity;
    ls_error error;
    assert_int_equal(ls_identity_load_or_create(path, &identity, NULL, &error), LS_ERROR_IO);
    assert_non_null(strstr(error.text, path));
}

TESTS_AROUND(NULL, NULL);

TEST(test_identity_key_text_round_trip)
{
    uint64_t seed = 4;
    for (uint32_t i = 0; i < 1000; i++) {
        ls_public_key key, parsed;
        test_fill(&seed, &key, sizeof key);
        char text[LS_PUBLIC_KEY_TEXT_BYTES];
        ls_public_key_format(&key, text);
        assert_int_equal(strlen(text), LS_PUBLIC_KEY_TEXT_BYTES - 1);
        assert_int_equal(strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                      "0123456789-_"),
                         strlen(text));
        assert_true(ls_public_key_parse(text, &parsed));
        assert_true(ls_public_key_equal(&key, &parsed));
    }
}

TEST(test_identity_key_text_is_canonical)
{
    ls_public_key key = {{0}};
    char text[LS_PUBLIC_KEY_TEXT_BYTES + 1] = "";
    ls_public_key_format(&key, text);
    text[42] = 'B'; /* sets a bit beyond the last byte */
    assert_false(ls_public_key_parse(text, &key));
    text[42] = '=';
    assert_false(ls_public_key_parse(text, &key));
    text[42] = ' ';
    assert_false(ls_public_key_parse(text, &key));
    text[42] = 0;
    assert_false(ls_public_key_parse(text, &key));
    strcpy(text + 42, "AA");
    assert_false(ls_public_key_parse(text, &key));
    assert_false(ls_public_key_parse("", &key));
    text[43] = 0;
    for (int byte = 128; byte < 256; byte++) { /* libsodium decodes some of these as letters */
        text[20] = (char)byte;
        assert_false(ls_public_key_parse(text, &key));
    }
}
