#include "cli/serve/http_token.h"

#include "test.h"

#include <sys/stat.h>
#include <unistd.h>

#define TOKEN "0123456789abcdef+/=-._~"

TESTS_AROUND_ALL(test_file_make, test_file_unlink);

static ls_status read_token(const char *content, ls_http_token *token, ls_error *error)
{
    test_file_write(test_file, content, strlen(content));
    return ls_http_token_read(test_file, token, error);
}

TEST(test_http_token_is_the_first_line)
{
    static const char *const wrong[] = {"",
                                        "\n",
                                        "0123456789abcde",
                                        "0123456789abcdef x",
                                        "0123456789abcdef\x01",
                                        "0123456789abcdef\xc3\xa9"};
    char longest[LS_HTTP_TOKEN_BYTES_MAX + 2] = "";
    ls_http_token token, same;
    ls_error error;
    assert_ok(read_token(TOKEN, &token, &error));
    assert_ok(read_token(TOKEN "\r\nsecond line\n", &same, &error));
    assert_memory_equal(token.hash, same.hash, sizeof token.hash);
    for (size_t i = 0; i < LS_COUNT_OF(wrong); i++) {
        assert_int_equal(read_token(wrong[i], &token, &error), LS_ERROR_USAGE);
        assert_non_null(strstr(error.text, "the first line is the token"));
    }
    memset(longest, 'x', LS_HTTP_TOKEN_BYTES_MAX);
    assert_ok(read_token(longest, &token, &error));
    longest[LS_HTTP_TOKEN_BYTES_MAX] = 'x';
    assert_int_equal(read_token(longest, &token, &error), LS_ERROR_USAGE);
    assert_ok(read_token(TOKEN, &token, &error));
    chmod(test_file, 0640);
    assert_int_equal(ls_http_token_read(test_file, &token, &error), LS_ERROR_REFUSED);
    chmod(test_file, 0600);
    assert_int_equal(ls_http_token_read("/tmp/no-such-token", &token, &error), LS_ERROR_NOT_FOUND);
    assert_non_null(strstr(error.text, "make it: "));
}

TEST(test_http_token_is_whole_in_its_header)
{
    static const char *const wrong[] = {"", "Bearer ", TOKEN, "Bearer " TOKEN " ",
                                        "Bearer 0123456789abcdef"};
    ls_http_token token;
    assert_ok(read_token(TOKEN "\n", &token, NULL));
    assert_true(ls_http_token_is_in(&token, "Bearer " TOKEN));
    assert_true(ls_http_token_is_in(&token, "bEARER " TOKEN));
    for (size_t i = 0; i < LS_COUNT_OF(wrong); i++)
        assert_false(ls_http_token_is_in(&token, wrong[i]));
}
