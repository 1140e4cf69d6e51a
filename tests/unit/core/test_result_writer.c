#include "harness.h"

#include "core/base/json_writer.h"
#include "core/base/result_writer.h"

static void tell_inner(ls_result_writer *inner)
{
    ls_result_begin(inner, "");
    ls_result_words(inner, "field", "field", "x \"left\"");
    ls_result_end(inner);
}

TEST(test_result_writer_a_result_is_lines_and_an_object)
{
    ls_result_writer result, inner;
    ls_result_begin(&result, "  ");
    assert_string_equal(result.lines.data, "");
    ls_result_u64(&result, "tick", "tick", UINT64_MAX);
    ls_result_words(&result, "component", "component", "place");
    ls_result_line(&result, "value", "%d, not %s", 7, "8");
    ls_json_bool(&result.json, "is_start", false);
    tell_inner(&inner);
    ls_result_add(&result, "culprit", &inner);
    assert_null(inner.json.data);
    ls_result_end(&result);
    assert_string_equal(result.lines.data, "  tick       18446744073709551615\n"
                                           "  component  place\n"
                                           "  value      7, not 8\n"
                                           "field      x \"left\"\n");
    assert_string_equal(result.json.data, "{\"tick\": 18446744073709551615, "
                                          "\"component\": \"place\", \"is_start\": false, "
                                          "\"culprit\": {\"field\": \"x \\\"left\\\"\"}}");
    ls_result_reset(&result);
}

/* JSON has null for an unknown value; the text omits the line. */
TEST(test_result_writer_no_words_are_no_line)
{
    ls_result_writer result;
    ls_result_begin(&result, "");
    ls_result_words(&result, "system", "system", NULL);
    ls_result_words(&result, "entity", "entity", "");
    ls_result_end(&result);
    assert_string_equal(result.lines.data, "");
    assert_string_equal(result.json.data, "{\"system\": null, \"entity\": null}");
    ls_result_reset(&result);
}

TEST(test_result_writer_packed_are_two_texts)
{
    ls_builder text = {0};
    ls_result_writer result;
    ls_result_begin(&result, "");
    ls_result_u64(&result, "tick", "tick", 9);
    ls_result_pack(&result, &text);
    assert_null(result.lines.data);
    assert_string_equal(text.data, "tick       9\n");
    const char *json = text.data + strlen(text.data) + 1;
    assert_string_equal(json, "{\"tick\": 9}");
    assert_int_equal(text.count, (size_t)(json - text.data) + strlen(json) + 1);
    ls_free(text.data);
}
