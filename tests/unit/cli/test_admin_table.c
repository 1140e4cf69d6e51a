#include "cli/common/admin_table.h"

#include "test.h"

static const char good[] = "room:s\ttick:n\tlate:n\tfull:b\n"
                           "a\xc3\xa9\t5\t0.250\tyes\n"
                           "\t-17\t12.000\tno\n";

TEST(test_admin_table_is_printed)
{
    char text[sizeof good];
    ls_admin_table table;
    ls_error error;
    ls_builder people = {0}, list = {0}, json = {0}, one = {0};
    memcpy(text, good, sizeof good);
    assert_int_equal(ls_admin_table_parse(&table, text, &error), LS_OK);
    assert_int_equal(table.row_count, 2);
    assert_string_equal(ls_admin_table_cell(&table, 1, "tick"), "-17");
    assert_string_equal(ls_admin_table_cell(&table, 1, "none"), "");
    ls_admin_table_print(&table, false, &people);
    assert_string_equal(people.data, "room  tick    late  full\n"
                                     "a\xc3\xa9       5   0.250  yes\n"
                                     "       -17  12.000  no\n");
    ls_admin_table_print(&table, true, &list);
    assert_string_equal(list.data, "room  a\xc3\xa9\ntick  5\nlate  0.250\nfull  yes\n");
    ls_admin_table_print_json(&table, false, &json);
    assert_string_equal(json.data,
                        "[\n"
                        "  {\"room\": \"a\xc3\xa9\", \"tick\": 5, \"late\": 0.250, \"full\": "
                        "true},\n"
                        "  {\"room\": \"\", \"tick\": -17, \"late\": 12.000, \"full\": false}\n"
                        "]\n");
    ls_admin_table_print_json(&table, true, &one);
    assert_string_equal(one.data, "{\"room\": \"a\xc3\xa9\", \"tick\": 5, \"late\": 0.250, "
                                  "\"full\": true}\n");
    ls_free(people.data);
    ls_free(list.data);
    ls_free(json.data);
    ls_free(one.data);
    ls_admin_table_reset(&table);
}

TEST(test_admin_table_without_rows)
{
    char text[] = "ban:s\n";
    ls_admin_table table;
    ls_error error;
    ls_builder people = {0}, json = {0};
    assert_int_equal(ls_admin_table_parse(&table, text, &error), LS_OK);
    ls_admin_table_print(&table, false, &people);
    ls_admin_table_print_json(&table, false, &json);
    assert_string_equal(people.data, "ban\n");
    assert_string_equal(json.data, "[]\n");
    ls_free(people.data);
    ls_free(json.data);
    ls_admin_table_reset(&table);
}

TEST(test_admin_table_refuses_other_texts)
{
    static const char *const bad[] = {
        "",          "a:s",      "a\n",         "a:x\n",         "a:ss\n",
        "a:s\tb\n",  "a:s\nx",   "a:s\nx\ty\n", "a:s\tb:s\nx\n", "a:n\nx\n",
        "a:n\n\t\n", "a:n\n-\n", "a:n\n1.\n",   "a:b\ntrue\n"};
    for (size_t i = 0; i < LS_COUNT_OF(bad); i++) {
        char text[32];
        ls_admin_table table;
        ls_error error;
        strcpy(text, bad[i]);
        assert_int_equal(ls_admin_table_parse(&table, text, &error), LS_ERROR_CORRUPT);
        ls_admin_table_reset(&table);
    }
}

TEST(test_admin_table_cells_forge_no_row)
{
    ls_builder text = {0};
    ls_admin_table_put(&text, "a\tb\nc\x7f");
    assert_string_equal(text.data, "a?b?c?");
    ls_free(text.data);
}
