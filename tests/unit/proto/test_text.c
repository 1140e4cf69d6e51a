#include "test.h"

#include "proto/text.h"

TEST(test_text_accepts_utf8)
{
    const char *const good[] = {"",
                                "Ada",
                                "J\xc3\xbcrgen",
                                "\xe6\x9d\xb1\xe4\xba\xac",
                                "\xf0\x9f\x8e\xae",
                                "\xc2\xa0",
                                "\xed\x9f\xbf",
                                "\xf4\x8f\xbf\xbf"};
    for (size_t i = 0; i < LS_COUNT_OF(good); i++)
        assert_true(ls_text_is_valid(good[i]));
}

TEST(test_text_refuses_what_breaks_a_log)
{
    const char *const bad[] = {
        "a\nb", "\x1b[31m", "\x7f",         "\xc2\x85",     "\x80",
        "\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80",
        "\xff", "\xe6\x9d", "\xf0\x9f\x8e", "a\xc3z"};
    for (size_t i = 0; i < LS_COUNT_OF(bad); i++)
        assert_false(ls_text_is_valid(bad[i]));
}

TEST(test_text_copy_is_valid_at_every_capacity)
{
    const char *source = "J\xc3\xbc\x1b\xff\xe6\x9d\xb1\xf0\x9f\x8e\xae!";
    for (size_t capacity = 1; capacity < 32; capacity++) {
        char text[32];
        memset(text, 'x', sizeof text);
        ls_text_copy(text, capacity, source);
        assert_true(strlen(text) < capacity);
        assert_true(ls_text_is_valid(text));
    }
    char whole[32];
    ls_text_copy(whole, sizeof whole, source);
    assert_string_equal(whole, "J\xc3\xbc??\xe6\x9d\xb1\xf0\x9f\x8e\xae!");
}

TEST(test_text_read_refuses_invalid)
{
    uint8_t bytes[] = {2, 0xc3, 0x28};
    ls_reader reader;
    ls_reader_init(&reader, bytes, sizeof bytes);
    char text[8];
    ls_text_read(&reader, text, sizeof text);
    assert_true(reader.failed);
    assert_string_equal(text, "");
}
