/* The lines that findings get from the text of sources. */
#include "test.h"

#include "cli/schedule/source_lines.h"

#include <unistd.h>

TESTS_AROUND_ALL(test_file_make, test_file_unlink);
static ls_source_lines sources;

static void read_text(const char *text)
{
    ls_error error = {""};
    test_file_write(test_file, text, strlen(text));
    ls_source_lines_reset(&sources);
    assert_ok(ls_source_lines_add(&sources, test_file, &error));
}

static uint32_t line_of(const char *name)
{
    ls_source_line found = {NULL, 0};
    return ls_source_lines_find(&sources, name, &found) ? found.line : 0;
}

static uint32_t line_of_item(const char *owner, const char *item)
{
    ls_source_line found = {NULL, 0};
    return ls_source_lines_find_item(&sources, owner, item, &found) ? found.line : 0;
}

TEST(test_source_lines_prefer_what_declares)
{
    read_text("/* .name = \"steer\",\n"
              " */ // .name = \"steer\"\n"
              "static const char *text = \"steer\", quote = '\"';\n"
              "SYSTEM(\"shoot\"),\n"
              "{.before = \"steer\"},\n"
              "{.name\n"
              "  = \"steer\"},\n"
              "LS_SYSTEM(eat, a),\n"
              "eat(); \"a \\\"steer\\\" b\n");
    assert_int_equal(line_of("steer"), 7);
    assert_int_equal(line_of("shoot"), 4);
    assert_int_equal(line_of("eat"), 8);
    assert_int_equal(line_of("nobody"), 0);
    assert_int_equal(line_of("ste"), 0);
}

TEST(test_source_lines_find_items_of_their_owner)
{
    read_text("{.name = \"first\", .after = \"ghost\"},\n"
              "{.name = \"second\",\n"
              " .after = \"first, \"\n"
              "          \"ghost , last\"},\n"
              "{.name = \"third\", .after = \"ghosts\"},\n");
    assert_int_equal(line_of_item("first", "ghost"), 1);
    assert_int_equal(line_of_item("second", "ghost"), 4);
    assert_int_equal(line_of_item("third", "ghosts"), 5);
    assert_int_equal(line_of_item("third", "ghost"), 1); /* none of its own */
    assert_int_equal(line_of_item("third", "spectre"), 0);
}

TEST(test_source_lines_survive_any_text)
{
    static const char *const texts[] = {"",     "\"",      "'",      "/*",   "/",
                                        "\"\\", "a = \"b", "\"\n\"", "/* \n"};
    for (size_t i = 0; i < LS_COUNT_OF(texts); i++) {
        read_text(texts[i]);
        assert_int_equal(line_of("steer"), 0);
        assert_int_equal(line_of_item("steer", "shoot"), 0);
    }
    ls_error error;
    assert_int_equal(ls_source_lines_add(&sources, "/nowhere/at/all.c", &error),
                     LS_ERROR_NOT_FOUND);
    assert_non_null(strstr(error.text, "/nowhere/at/all.c"));
    ls_source_lines_reset(&sources);
}
