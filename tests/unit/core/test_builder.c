#include "harness.h"

#include "core/base/builder.h"

static void test_builder_holds_what_was_added(void **state)
{
    (void)state;
    ls_builder text = {0};
    ls_builder_add(&text, "%s", "");
    assert_string_equal(text.data, "");
    ls_builder_add(&text, "%d-%s", 7, "seven");
    assert_string_equal(text.data, "7-seven");
    ls_builder_cut(&text, 3);
    assert_string_equal(text.data, "7-se");
    ls_builder_add(&text, "!");
    assert_string_equal(text.data, "7-se!");
    ls_builder_cut(&text, 5);
    assert_string_equal(text.data, "");
    ls_free(text.data);
}

/* Every length at every fill: a piece may be longer than all that is there. */
static void test_builder_grows_by_pieces_of_any_length(void **state)
{
    (void)state;
    static char piece[5000];
    for (size_t length = 0; length < sizeof piece; length += 61) {
        ls_builder text = {0};
        memset(piece, 'x', length);
        piece[length] = 0;
        for (uint32_t i = 1; i <= 5; i++) {
            ls_builder_add(&text, "%s", piece);
            assert_int_equal(text.count, length * i);
            assert_int_equal(strlen(text.data), length * i);
            assert_true(text.count < text.capacity);
        }
        ls_builder_put(&text, piece, length);
        assert_int_equal(text.count, length * 6);
        assert_int_equal(strlen(text.data), length * 6);
        assert_true(text.count < text.capacity);
        ls_free(text.data);
    }
}

/* Around the room that a new one makes. */
static void test_builder_knows_its_last_byte(void **state)
{
    (void)state;
    static char piece[3000];
    for (size_t length = 1; length < sizeof piece; length++) {
        ls_builder text = {0};
        memset(piece, 'x', length);
        ls_builder_add(&text, "%s", piece);
        assert_int_equal(text.count, length);
        assert_int_equal(strlen(text.data), length);
        ls_free(text.data);
    }
}

static void test_builder_adds_members(void **state)
{
    (void)state;
    ls_builder text = {0};
    ls_builder_add_member(&text, "name", "a \"b\"");
    ls_builder_add_member(&text, "line", "");
    assert_string_equal(text.data, ",\"name\":\"a \\\"b\\\"\",\"line\":null");
    ls_free(text.data);
}

static void assert_string(const char *string, const char *expected)
{
    ls_builder text = {0};
    ls_builder_add_string(&text, string);
    assert_string_equal(text.data, expected);
    ls_free(text.data);
}

static void test_builder_makes_json_strings_of_any_bytes(void **state)
{
    (void)state;
    assert_string("", "\"\"");
    assert_string("a\"b\\c\n\x7f", "\"a\\\"b\\\\c\\u000a\x7f\"");
    assert_string("\u00e9 \u20ac \U0001f600 \uffff", "\"\u00e9 \u20ac \U0001f600 \uffff\"");
    /* Another character set's, cut short, longer than need be, half of a pair, out of range. */
    assert_string("\xe9t\xe9", "\"\\ufffdt\\ufffd\"");
    assert_string("\xe2\x82", "\"\\ufffd\\ufffd\"");
    assert_string("\xc0\xaf", "\"\\ufffd\\ufffd\"");
    assert_string("\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"");
    assert_string("\xf4\x90\x80\x80!", "\"\\ufffd\\ufffd\\ufffd\\ufffd!\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_builder_holds_what_was_added),
        cmocka_unit_test(test_builder_grows_by_pieces_of_any_length),
        cmocka_unit_test(test_builder_knows_its_last_byte),
        cmocka_unit_test(test_builder_adds_members),
        cmocka_unit_test(test_builder_makes_json_strings_of_any_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
