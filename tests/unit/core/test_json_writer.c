#include "harness.h"

#include "core/base/json_writer.h"

TEST(test_json_writer_sets_the_commas)
{
    ls_builder text = {0};
    ls_json_open(&text, NULL, '{');
    ls_json_string(&text, "name", "a \"b\"");
    ls_json_string(&text, "none", NULL);
    ls_json_words(&text, "empty", "");
    ls_json_open(&text, "list", '[');
    ls_json_u64(&text, NULL, UINT64_MAX);
    ls_json_i64(&text, NULL, -1);
    ls_json_open(&text, NULL, '[');
    ls_json_close(&text, ']');
    ls_json_bool(&text, NULL, true);
    ls_json_close(&text, ']');
    ls_json_key(&text, "deep");
    ls_json_open(&text, NULL, '{');
    ls_json_decimal(&text, "half", 50, 2);
    ls_json_raw(&text, "raw", "[1]");
    ls_json_close(&text, '}');
    ls_json_u64_string(&text, "tick", UINT64_MAX);
    ls_json_i64_string(&text, "option", INT64_MIN);
    ls_json_root(&text, "root", 0xbeef);
    ls_json_close(&text, '}');
    assert_string_equal(text.data, "{\"name\": \"a \\\"b\\\"\", \"none\": null, \"empty\": null, "
                                   "\"list\": [18446744073709551615, -1, [], true], "
                                   "\"deep\": {\"half\": 0.50, \"raw\": [1]}, "
                                   "\"tick\": \"18446744073709551615\", "
                                   "\"option\": \"-9223372036854775808\", "
                                   "\"root\": \"000000000000beef\"}");
    ls_free(text.data);
}

TEST(test_json_writer_breaks_lines)
{
    ls_builder text = {0};
    ls_json_open(&text, NULL, '{');
    ls_json_line(&text, 1);
    ls_json_open(&text, "rows", '[');
    ls_json_line(&text, 2);
    ls_json_u64(&text, NULL, 1);
    ls_json_u64(&text, NULL, 2);
    ls_json_line(&text, 2);
    ls_json_u64(&text, NULL, 3);
    ls_json_close_lines(&text, 1, ']');
    ls_json_line(&text, 1);
    ls_json_open(&text, "none", '[');
    ls_json_close_lines(&text, 1, ']');
    ls_json_close_lines(&text, 0, '}');
    assert_string_equal(text.data, "{\n  \"rows\": [\n    1, 2,\n    3\n  ],\n  \"none\": []\n}");
    ls_free(text.data);
}

/* A new document after another one begins without a comma. */
TEST(test_json_writer_begins_anew_on_each_line)
{
    ls_builder text = {0};
    for (uint32_t i = 0; i < 2; i++) {
        ls_json_open(&text, NULL, '{');
        ls_json_close(&text, '}');
        ls_builder_add(&text, "\n");
    }
    assert_string_equal(text.data, "{}\n{}\n");
    ls_free(text.data);
}

static void assert_string(const char *string, const char *expected)
{
    ls_builder text = {0};
    ls_json_string(&text, NULL, string);
    assert_string_equal(text.data, expected);
    ls_free(text.data);
}

TEST(test_json_writer_strings_of_any_bytes)
{
    assert_string("", "\"\"");
    assert_string("a\"b\\c\n\x7f", "\"a\\\"b\\\\c\\u000a\x7f\"");
    assert_string("\u00e9 \u20ac \U0001f600 \uffff", "\"\u00e9 \u20ac \U0001f600 \uffff\"");
    /* Latin-1, truncated, overlong, a surrogate half, out of range. */
    assert_string("\xe9t\xe9", "\"\\ufffdt\\ufffd\"");
    assert_string("\xe2\x82", "\"\\ufffd\\ufffd\"");
    assert_string("\xc0\xaf", "\"\\ufffd\\ufffd\"");
    assert_string("\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"");
    assert_string("\xf4\x90\x80\x80!", "\"\\ufffd\\ufffd\\ufffd\\ufffd!\"");
}
