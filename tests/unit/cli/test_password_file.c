#include "test.h"

#include "cli/common/password_file.h"

#include <sys/stat.h>
#include <unistd.h>

TESTS_AROUND_ALL(test_file_make, test_file_unlink);

static ls_status read_text(const char *content, char text[LS_PASSWORD_BYTES], ls_error *error)
{
    test_file_write(test_file, content, strlen(content));
    memset(text, 'x', LS_PASSWORD_BYTES);
    return ls_password_file_read(test_file, text, error);
}

TEST(test_password_file_gives_its_first_line)
{
    char text[LS_PASSWORD_BYTES];
    ls_error error;
    assert_ok(read_text("correct horse\r\nbattery\n", text, &error));
    assert_string_equal(text, "correct horse");
    assert_ok(read_text("no end", text, &error));
    assert_string_equal(text, "no end");
}

TEST(test_password_file_refuses)
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
    chmod(test_file, 0640);
    assert_int_equal(ls_password_file_read(test_file, text, &error), LS_ERROR_REFUSED);
    assert_string_equal(text, "");
    unlink(test_file);
    assert_int_equal(ls_password_file_read(test_file, text, &error), LS_ERROR_NOT_FOUND);
}
