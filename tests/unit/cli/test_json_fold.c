#include "cli/common/json_fold.h"

#include "test.h"

static void assert_folds(const char *json, uint32_t bytes_max, const char *expected)
{
    ls_builder text = {0};
    ls_builder_add(&text, "Name "); /* text before the JSON is not counted */
    ls_json_fold_arrays(json, bytes_max, &text);
    assert_string_equal(text.data + 5, expected);
    ls_free(text.data);
}

TEST(test_json_fold_leaves_short_arrays_alone)
{
    assert_folds("", 4, "");
    assert_folds("{\"a\": 1, \"b\": 2, \"c\": 3}", 0, "{\"a\": 1, \"b\": 2, \"c\": 3}");
    assert_folds("[]", 0, "[]");
    assert_folds("[12345]", 0, "[12345]");
    assert_folds("[1, 2, 3, 4]", 9, "[1, 2, 3, 4]");
}

TEST(test_json_fold_counts_folded_items)
{
    assert_folds("[1, 2, 3, 4]", 7, "[1, 2, 3, +1 more]");
    assert_folds("[1, 2, 3, 4]", 4, "[1, 2, +2 more]");
    assert_folds("[1, 2, 3, 4]", 0, "[1, +3 more]");
    assert_folds("{\"a\": [1, 2, 3], \"b\": [4, 5]}", 1,
                 "{\"a\": [1, +2 more], \"b\": [4, +1 more]}");
}

TEST(test_json_fold_of_nested_items)
{
    assert_folds("[[1, 2, 3], [4, 5], [6, 7]]", 0, "[[1, +2 more], +2 more]");
    assert_folds("[{\"x\": 1, \"y\": [2, 3]}, {\"x\": 4, \"y\": []}]", 0,
                 "[{\"x\": 1, \"y\": [2, +1 more]}, +1 more]");
}

TEST(test_json_fold_reads_strings_as_wholes)
{
    assert_folds("[\"a, b]\", \"\\\"], [\", 3]", 12, "[\"a, b]\", \"\\\"], [\", +1 more]");
    assert_folds("[\"\\\\\", 2]", 0, "[\"\\\\\", +1 more]");
}

TEST(test_json_fold_has_a_deepest_array)
{
    char deep[2 * LS_JSON_FOLD_DEPTH_MAX + 16] = "", *at = deep;
    for (int i = 0; i < LS_JSON_FOLD_DEPTH_MAX; i++)
        *at++ = '[';
    memcpy(at, "[1, 2], 3", 9);
    at += 9;
    for (int i = 0; i < LS_JSON_FOLD_DEPTH_MAX; i++)
        *at++ = ']';
    ls_builder text = {0};
    ls_json_fold_arrays(deep, 0, &text);
    assert_non_null(strstr(text.data, "[1, 2], +1 more]"));
    ls_free(text.data);
}
