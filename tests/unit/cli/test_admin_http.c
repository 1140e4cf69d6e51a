#include "cli/serve/admin_http.h"

#include "test.h"

#include <sys/stat.h>
#include <unistd.h>

#define TOKEN "0123456789abcdef+/=-._~"

static char path[] = "/tmp/lockstep-token-XXXXXX";

static ls_status read_token(const char *content, ls_admin_http *http, ls_error *error)
{
    test_file_write(path, content, strlen(content));
    return ls_admin_http_init(http, path, NULL, error);
}

static void test_admin_http_reads_a_token(void **state)
{
    static const char *const wrong[] = {"",
                                        "\n",
                                        "0123456789abcde",
                                        "0123456789abcdef x",
                                        "0123456789abcdef\x01",
                                        "0123456789abcdef\xc3\xa9"};
    char longest[LS_ADMIN_TOKEN_BYTES_MAX + 2] = "";
    ls_admin_http http, same;
    ls_error error;
    assert_ok(read_token(TOKEN, &http, &error));
    assert_ok(read_token(TOKEN "\r\nsecond line\n", &same, &error));
    assert_memory_equal(http.token, same.token, sizeof http.token);
    for (size_t i = 0; i < LS_COUNT_OF(wrong); i++) {
        assert_int_equal(read_token(wrong[i], &http, &error), LS_ERROR_USAGE);
        assert_non_null(strstr(error.text, "the first line is the token"));
    }
    memset(longest, 'x', LS_ADMIN_TOKEN_BYTES_MAX);
    assert_ok(read_token(longest, &http, &error));
    longest[LS_ADMIN_TOKEN_BYTES_MAX] = 'x';
    assert_int_equal(read_token(longest, &http, &error), LS_ERROR_USAGE);
    assert_ok(read_token(TOKEN, &http, &error));
    chmod(path, 0640);
    assert_int_equal(ls_admin_http_init(&http, path, NULL, &error), LS_ERROR_REFUSED);
    chmod(path, 0600);
    assert_int_equal(ls_admin_http_init(&http, "/tmp/no-such-token", NULL, &error),
                     LS_ERROR_NOT_FOUND);
    assert_non_null(strstr(error.text, "make it: "));
}

static uint32_t code_of(ls_admin_http *http, const char *where, const char *authorization)
{
    const ls_http_post post = {.path = where, .authorization = authorization, .from = "192.0.2.1"};
    ls_http_answer answer = {0};
    bool is_admitted = ls_admin_http_admits(http, &post, &answer);
    assert_int_equal(is_admitted, answer.code == 0);
    assert_int_equal(is_admitted, answer.body.count == 0);
    ls_free(answer.body.data);
    return answer.code;
}

static void test_admin_http_admits_with_its_token_alone(void **state)
{
    static const char *const wrong[] = {"",
                                        "Bearer",
                                        "Bearer ",
                                        TOKEN,
                                        "Basic " TOKEN,
                                        "bearer" TOKEN,
                                        "Bearer  " TOKEN,
                                        "Bearer " TOKEN "x",
                                        "Bearer 0123456789abcdef+/=-._"};
    ls_log log = {0};
    const ls_admin_facts facts = {.log = &log};
    ls_admin_http http;
    assert_ok(read_token(TOKEN "\n", &http, NULL));
    http.facts = &facts;
    assert_int_equal(code_of(&http, "/admin/rooms", "Bearer " TOKEN), 0);
    assert_int_equal(code_of(&http, "/admin/log-level", "Bearer " TOKEN), 0);
    assert_int_equal(code_of(&http, "/admin/", "Bearer " TOKEN), 404);
    assert_int_equal(code_of(&http, "/admin/rooms/", "Bearer " TOKEN), 404);
    assert_int_equal(code_of(&http, "/rooms", "Bearer " TOKEN), 405);
    for (size_t i = 0; i < LS_COUNT_OF(wrong); i++) {
        assert_int_equal(code_of(&http, "/admin/rooms", wrong[i]), 401);
        assert_int_equal(code_of(&http, "/admin/nothing", wrong[i]), 401);
        assert_int_equal(code_of(NULL, "/admin/rooms", wrong[i]), 404);
    }
    assert_int_equal(code_of(NULL, "/admin/rooms", "Bearer " TOKEN), 404);
    assert_int_equal(code_of(NULL, "/rooms", ""), 405);
    assert_int_equal(http.refused, 2 * LS_COUNT_OF(wrong) - 1); /* the first one has its line */
}

int main(void)
{
    close(mkstemp(path));
    int failed =
        RUN_TESTS(test_admin_http_reads_a_token, test_admin_http_admits_with_its_token_alone);
    unlink(path);
    return failed;
}
