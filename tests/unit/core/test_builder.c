#include "harness.h"

#include "core/base/builder.h"

TEST(test_builder_holds_what_was_added)
{
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

/* Adds pieces of every length at every fill level: a piece may be longer than the whole
 * capacity. */
TEST(test_builder_grows_by_pieces_of_any_length)
{
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

/* Lengths around the initial capacity. */
TEST(test_builder_knows_its_last_byte)
{
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
