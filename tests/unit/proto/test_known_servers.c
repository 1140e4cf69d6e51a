#include "test.h"

#include <lockstep/known_servers.h>

typedef struct files {
    char folder[64];
    char path[96];
    ls_public_key key, other;
    ls_server_address host, host_other_port;
    ls_error error;
} files;

static int setup(void **state)
{
    files *f = calloc(1, sizeof *f);
    test_directory_make(f->folder);
    snprintf(f->path, sizeof f->path, "%s/known_servers", f->folder);
    uint64_t seed = 1;
    test_fill(&seed, &f->key, sizeof f->key);
    test_fill(&seed, &f->other, sizeof f->other);
    assert_ok(ls_server_address_parse("play.example.org", &f->host, NULL));
    assert_ok(ls_server_address_parse("[2001:db8::1]:9", &f->host_other_port, NULL));
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    test_directory_remove(((files *)*state)->folder);
    free(*state);
    return 0;
}

static size_t read_file(const char *path, char *text, size_t capacity)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t bytes = fread(text, 1, capacity - 1, file);
    fclose(file);
    text[bytes] = 0;
    return bytes;
}

TESTS_AROUND(setup, teardown);

TEST(test_known_servers_trust_on_first_use)
{
    files *f = *state;
    assert_int_equal(ls_known_servers_check(f->path, &f->host, &f->key, &f->error),
                     LS_ERROR_NOT_FOUND);
    assert_ok(ls_known_servers_add(f->path, &f->host, &f->key, &f->error));
    assert_ok(ls_known_servers_check(f->path, &f->host, &f->key, &f->error));
    assert_int_equal(ls_known_servers_check(f->path, &f->host_other_port, &f->key, &f->error),
                     LS_ERROR_NOT_FOUND);
    ls_server_address neighbour = f->host;
    neighbour.port++;
    assert_int_equal(ls_known_servers_check(f->path, &neighbour, &f->other, &f->error),
                     LS_ERROR_NOT_FOUND);
    assert_ok(ls_known_servers_add(f->path, &f->host_other_port, &f->other, &f->error));
    assert_ok(ls_known_servers_check(f->path, &f->host_other_port, &f->other, &f->error));
    struct stat info;
    assert_int_equal(stat(f->path, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0600);
}

TEST(test_known_servers_refuse_a_changed_key)
{
    files *f = *state;
    test_file_write(f->path, "# mine\n\n", 8);
    assert_ok(ls_known_servers_add(f->path, &f->host, &f->key, &f->error));
    char known[LS_PUBLIC_KEY_TEXT_BYTES], shown[LS_PUBLIC_KEY_TEXT_BYTES], before[512], after[512];
    ls_public_key_format(&f->key, known);
    ls_public_key_format(&f->other, shown);
    read_file(f->path, before, sizeof before);
    assert_int_equal(ls_known_servers_check(f->path, &f->host, &f->other, &f->error),
                     LS_ERROR_REFUSED);
    assert_non_null(strstr(f->error.text, known));
    assert_non_null(strstr(f->error.text, shown));
    assert_non_null(strstr(f->error.text, "play.example.org:7777"));
    assert_non_null(strstr(f->error.text, "remove line 3 of"));
    assert_non_null(strstr(f->error.text, f->path));
    assert_int_equal(ls_known_servers_add(f->path, &f->host, &f->other, &f->error),
                     LS_ERROR_REFUSED);
    read_file(f->path, after, sizeof after);
    assert_string_equal(before, after);
}

TEST(test_known_servers_keep_existing_lines)
{
    files *f = *state;
    test_file_write(f->path, "# mine, no newline", 18);
    assert_ok(ls_known_servers_add(f->path, &f->host, &f->key, &f->error));
    char key[LS_PUBLIC_KEY_TEXT_BYTES], expected[256], text[512];
    ls_public_key_format(&f->key, key);
    snprintf(expected, sizeof expected, "# mine, no newline\nplay.example.org:7777 %s\n", key);
    read_file(f->path, text, sizeof text);
    assert_string_equal(text, expected);
    assert_ok(ls_known_servers_add(f->path, &f->host, &f->key, &f->error));
    read_file(f->path, text, sizeof text);
    assert_string_equal(text, expected);
}

TEST(test_known_servers_refuse_a_damaged_line)
{
    files *f = *state;
    const char *const bad[] = {"host\n",
                               "host:1 AAAA\n",
                               "host:1#x y\n",
                               " host:1\n",
                               "host:99999 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8\n",
                               "host:1 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8 \n"};
    for (size_t i = 0; i < LS_COUNT_OF(bad); i++) {
        char text[256];
        snprintf(text, sizeof text, "# first\n%s", bad[i]);
        test_file_write(f->path, text, strlen(text));
        assert_int_equal(ls_known_servers_check(f->path, &f->host, &f->key, &f->error),
                         LS_ERROR_CORRUPT);
        assert_non_null(strstr(f->error.text, "line 2"));
        assert_int_equal(ls_known_servers_add(f->path, &f->host, &f->key, &f->error),
                         LS_ERROR_CORRUPT);
    }
    char longest[4096];
    memset(longest, 'x', sizeof longest);
    test_file_write(f->path, longest, sizeof longest);
    assert_int_equal(ls_known_servers_check(f->path, &f->host, &f->key, &f->error),
                     LS_ERROR_CORRUPT);
    test_file_write(f->path, "host:1\0 x\n", 10);
    assert_int_equal(ls_known_servers_check(f->path, &f->host, &f->key, &f->error),
                     LS_ERROR_CORRUPT);
}

TEST(test_known_servers_are_bounded)
{
    files *f = *state;
    char *text = malloc(LS_KNOWN_SERVERS_BYTES_MAX + 1);
    memset(text, '#', LS_KNOWN_SERVERS_BYTES_MAX + 1);
    test_file_write(f->path, text, LS_KNOWN_SERVERS_BYTES_MAX);
    assert_int_equal(ls_known_servers_add(f->path, &f->host, &f->key, &f->error), LS_ERROR_LIMIT);
    test_file_write(f->path, text, LS_KNOWN_SERVERS_BYTES_MAX + 1);
    assert_int_equal(ls_known_servers_add(f->path, &f->host, &f->key, &f->error), LS_ERROR_CORRUPT);
    free(text);
}
