#include "test.h"

#include "cli/common/password_file.h"

#include <sys/stat.h>
#include <unistd.h>

static char path[] = "/tmp/lockstep-password-XXXXXX";

static ls_status read_text(const char *content, char text[LS_PASSWORD_BYTES], ls_error *error)
{
    test_file_write(path, content, strlen(content));
    memset(text, 'x', LS_PASSWORD_BYTES);
    return ls_password_file_read(path, text, error);
}

static void test_password_file_gives_its_first_line(void **state)
{
    char text[LS_PASSWORD_BYTES];
    ls_error error;
    assert_ok(read_text("correct horse\r\nbattery\n", text, &error));
    assert_string_equal(text, "correct horse");
    assert_ok(read_text("no end", text, &error));
    assert_string_equal(text, "no end");
}

static void test_password_file_refuses(void **state)
{
    char text[LS_PASSWORD_BYTES], longest[LS_PASSWORD_BYTES + 1];
    ls_error error;
    memset(longest, 'p', sizeof longest);
    longest[LS_PASSWORD_BYTES] = 0;
    assert_int_equal(read_text(longest, text, &error), LS_ERROR_LIMIT);
    assert_string_equal(text, "");
    longest[LS_PASSWORD_BYTES - 1] = 0;
    assert_ok(read_text(longest, text, &error));
    assert_string_equal(text, longest);
    assert_int_equal(read_text("\nsecond\n", text, &error), LS_ERROR_USAGE);
    assert_non_null(strstr(error.text, "empty"));
    chmod(path, 0640);
    assert_int_equal(ls_password_file_read(path, text, &error), LS_ERROR_REFUSED);
    assert_string_equal(text, "");
    unlink(path);
    assert_int_equal(ls_password_file_read(path, text, &error), LS_ERROR_NOT_FOUND);
}

int main(void)
{
    close(mkstemp(path));
    int failed = RUN_TESTS(test_password_file_gives_its_first_line, test_password_file_refuses);
    unlink(path);
    return failed;
}
