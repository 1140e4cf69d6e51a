#include "cli/serve/admin_http.h"

#include "test.h"

#define TOKEN "0123456789abcdef+/=-._~"

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

TEST(test_admin_http_admits_with_its_token_alone)
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
    ls_http_token token, next;
    ls_secret_hash(TOKEN, strlen(TOKEN), token.hash);
    ls_secret_hash("next" TOKEN, strlen("next" TOKEN), next.hash);
    ls_admin_http_init(&http, &facts);
    ls_admin_http_set_token(&http, &token);
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
    ls_admin_http_set_token(&http, &next);
    assert_int_equal(code_of(&http, "/admin/rooms", "Bearer " TOKEN), 401);
    assert_int_equal(code_of(&http, "/admin/rooms", "Bearer next" TOKEN), 0);
    ls_admin_http_destroy(&http);
}
