#include "test.h"

#include "cli/common/server_keys.h"

#include <sys/stat.h>
#include <unistd.h>

typedef struct fixture {
    char path[64];
    ls_identity mine, other;
    char key[LS_PUBLIC_KEY_TEXT_BYTES], other_key[LS_PUBLIC_KEY_TEXT_BYTES];
} fixture;

static void set_up(fixture *self)
{
    strcpy(self->path, "/tmp/lockstep-keys-XXXXXX");
    int file = mkstemp(self->path);
    assert_true(file >= 0);
    close(file);
    ls_identity_init(&self->mine, NULL);
    ls_identity_init(&self->other, NULL);
    ls_public_key_format(&self->mine.public_key, self->key);
    ls_public_key_format(&self->other.public_key, self->other_key);
}

static void write_text(const fixture *self, const char *format, const char *key)
{
    FILE *file = fopen(self->path, "w");
    assert_non_null(file);
    fprintf(file, format, key);
    fclose(file);
}

/* Checks the number of keys in a text, and whether they include the key of `mine`. */
static void check(const fixture *self, const char *text, uint32_t count, bool has_mine)
{
    ls_server_keys keys;
    ls_error error;
    assert_ok(ls_server_keys_read(text, &keys, &error));
    assert_int_equal(keys.count, count);
    assert_int_equal(ls_server_keys_has(&keys, &self->mine.public_key), has_mine);
    assert_false(ls_server_keys_has(&keys, &self->other.public_key));
    ls_server_keys_reset(&keys);
}

TEST(test_server_keys_in_every_form_that_prints_one)
{
    static const char *const files[] = {"play.example.org:7400 %s\n", "%s",
                                        "\n# mine\n[::1]:7400#%s\n", "identity %s\n",
                                        "listening 127.0.0.1:7400#%s\n"};
    fixture self;
    char text[128];
    set_up(&self);
    check(&self, self.key, 1, true);
    snprintf(text, sizeof text, "[::1]:7400#%s", self.key);
    check(&self, text, 1, true);
    for (size_t i = 0; i < LS_COUNT_OF(files); i++) {
        write_text(&self, files[i], self.key);
        check(&self, self.path, 1, true);
    }
    unlink(self.path);
}

/* The secret half of an identity looks like a key and would be accepted as one in a key file. */
TEST(test_server_keys_of_an_identity_file_is_the_public_half)
{
    fixture self;
    ls_server_keys keys;
    ls_error error;
    set_up(&self);
    unlink(self.path);
    assert_ok(ls_identity_save(self.path, &self.mine, &error));
    check(&self, self.path, 1, true);
    chmod(self.path, 0644);
    assert_int_equal(ls_server_keys_read(self.path, &keys, &error), LS_ERROR_USAGE);
    assert_non_null(strstr(error.text, "chmod 600"));
    assert_int_equal(keys.count, 0);
    unlink(self.path);
}

TEST(test_server_keys_refuses_texts_without_a_key)
{
    static const struct {
        const char *file, *says;
    } cases[] = {{"", "holds no key"},
                 {"# %s\n", "holds no key"},
                 {"%sA\n", "line 1 does not end with"},
                 {"a:1 %s\nb:2 me\n", "line 2 does not end with"},
                 {"lockstep identity 1\n%s", "not an identity file"}};
    fixture self;
    ls_server_keys keys;
    ls_error error;
    set_up(&self);
    for (size_t i = 0; i < LS_COUNT_OF(cases); i++) {
        write_text(&self, cases[i].file, self.key);
        chmod(self.path, 0600);
        assert_int_equal(ls_server_keys_read(self.path, &keys, &error), LS_ERROR_USAGE);
        assert_non_null(strstr(error.text, cases[i].says));
        assert_int_equal(keys.count, 0);
    }
    unlink(self.path);
    assert_int_equal(ls_server_keys_read(self.path, &keys, &error), LS_ERROR_USAGE);
    assert_non_null(strstr(error.text, "neither a public key nor a file"));
    assert_int_equal(ls_server_keys_read("/tmp", &keys, &error), LS_ERROR_IO);
}
