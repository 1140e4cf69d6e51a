#include "cli/common/admin_json.h"

#include "test.h"

TEST(test_admin_json_reads_arguments)
{
    static const struct {
        const char *json, *line;
    } cases[] = {
        {"", "say"},
        {" \r\n\t", "say"},
        {"[]", "say"},
        {" [ ] ", "say"},
        {"[\"1\"]", "say\t1"},
        {"[3,\"be nice\"]", "say\t3\tbe nice"},
        {"[9223372036854775807, -0]", "say\t9223372036854775807\t0"},
        {" [ 3 , \"a\" , \"b\" ]\n", "say\t3\ta\tb"}, /* too many, as the line's reader will tell */
        {"[\"a\\\"b\\\\c\\/d\"]", "say\ta\"b\\c/d"},
        {"[\"\\u0041\\u00e9\\u20AC\\uD83D\\ude00\"]", "say\tA\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"},
        {"[\"caf\xc3\xa9\"]", "say\tcaf\xc3\xa9"},
    };
    for (size_t i = 0; i < LS_COUNT_OF(cases); i++) {
        ls_builder line = {0};
        assert_ok(
            ls_admin_json_read(LS_ADMIN_SAY, cases[i].json, strlen(cases[i].json), &line, NULL));
        assert_string_equal(line.data, cases[i].line);
        ls_free(line.data);
    }
}

TEST(test_admin_json_refuses_the_rest)
{
    static const char *const cases[] = {
        "x",
        "{}",
        "\"a\"",
        "[",
        "[\"a\"",
        "[\"a",
        "[\"a\",]",
        "[,\"a\"]",
        "[\"a\" \"b\"]",
        "[\"a\"]x",
        "[\"a\"]]",
        "[-1]",
        "[007]",
        "[9223372036854775808]",
        "[\"\xff\"]",
        "[1.5]",
        "[null]",
        "[[\"a\"]]",
        "[\"a\tb\"]",
        "[\"a\nb\"]",
        "[\"a\\tb\"]",
        "[\"a\\nb\"]",
        "[\"\\u0009\"]",
        "[\"\\u00\"]",
        "[\"\\u00g0\"]",
        "[\"\\ud800\"]",
        "[\"\\ud800\\u0041\"]",
        "[\"\\udc00\"]",
        "[\"\\x\"]",
        "[\"\\",
        "[\"\\u0000\"]",
    };
    for (size_t i = 0; i < LS_COUNT_OF(cases); i++) {
        ls_builder line = {0};
        ls_error error;
        assert_int_equal(
            ls_admin_json_read(LS_ADMIN_SAY, cases[i], strlen(cases[i]), &line, &error),
            LS_ERROR_USAGE);
        assert_non_null(strstr(error.text, "a JSON array of texts and whole numbers"));
        ls_free(line.data);
    }
    ls_builder line = {0};
    assert_int_equal(ls_admin_json_read(LS_ADMIN_SAY, "[\"a\0b\"]", 7, &line, NULL),
                     LS_ERROR_USAGE);
    ls_free(line.data);
}

static void prints(ls_admin_verb verb, const char *body, bool is_table, const char *json)
{
    char copy[128];
    ls_builder text = {0};
    snprintf(copy, sizeof copy, "%s", body);
    assert_ok(ls_admin_json_print(verb, copy, is_table, &text, NULL));
    assert_string_equal(text.data, json);
    ls_free(text.data);
}

TEST(test_admin_json_prints_answers)
{
    static const char table[] = "room:s\ttick:n\tlost:b\n1\t7\tno\n";
    char damaged[] = "room:s\ttick:n\n1\tx\n";
    ls_builder text = {0};
    prints(LS_ADMIN_ROOM, table, true, "{\"room\": \"1\", \"tick\": 7, \"lost\": false}\n");
    prints(LS_ADMIN_ROOMS, table, true,
           "[\n  {\"room\": \"1\", \"tick\": 7, \"lost\": false}\n]\n");
    prints(LS_ADMIN_SAY, "told \"2\"\n", false, "{\"result\": \"told \\\"2\\\"\\u000a\"}\n");
    assert_int_equal(ls_admin_json_print(LS_ADMIN_ROOMS, damaged, true, &text, NULL),
                     LS_ERROR_CORRUPT);
    ls_free(text.data);
}
