#include "cli/common/config_text.h"

#include "test.h"

/* Reads a text to its end or its first error, and writes "LINE name|value;" for each setting. */
static ls_status read_all(const char *text, size_t bytes, char *found, ls_error *error)
{
    char copy[256];
    ls_config_text config;
    memcpy(copy, text, bytes);
    copy[bytes] = 0;
    found[0] = 0;
    ls_config_text_begin(&config, copy, bytes);
    ls_status status;
    while ((status = ls_config_text_next(&config, error)) == LS_OK && config.name)
        sprintf(found + strlen(found), "%u %s|%s;", config.line, config.name, config.value);
    if (status)
        sprintf(found + strlen(found), "%u", config.line);
    return status;
}

TEST(test_config_text_reads_settings)
{
    static const struct {
        const char *text, *found;
    } cases[] = {
        {"", ""},
        {"\n\n", ""},
        {"port = 7", "1 port|7;"},
        {"port=7\n", "1 port|7;"},
        {"  port\t =  7 \r\n# c = d\n\n  # e\nset = units=5\n", "1 port|7;5 set|units=5;"},
        {"record = /a b/#c\n", "1 record|/a b/#c;"},
        {"quiet = yes\nquiet = no", "1 quiet|yes;2 quiet|no;"},
    };
    for (size_t i = 0; i < LS_COUNT_OF(cases); i++) {
        char found[256];
        ls_error error;
        assert_int_equal(read_all(cases[i].text, strlen(cases[i].text), found, &error), LS_OK);
        assert_string_equal(found, cases[i].found);
    }
}

TEST(test_config_text_refuses_other_lines)
{
    static const struct {
        const char *text, *found, *says;
        size_t bytes;
    } cases[] = {
        {"port = 7\nquiet\n", "1 port|7;2", "'quiet' is no setting", 15},
        {"= 7", "1", "no option before '='", 3},
        {"\nport =  \n", "2", "'port' has no value", 10},
        {"port = 7\n\0", "1 port|7;2", "zero byte", 10},
        {"po\0rt = 7", "1", "zero byte", 9},
    };
    for (size_t i = 0; i < LS_COUNT_OF(cases); i++) {
        char found[256];
        ls_error error;
        assert_int_equal(read_all(cases[i].text, cases[i].bytes, found, &error), LS_ERROR_USAGE);
        assert_string_equal(found, cases[i].found);
        assert_non_null(strstr(error.text, cases[i].says));
    }
}

TEST(test_config_text_knows_what_it_cannot_express)
{
    static const char *const good[] = {"7", "a b", "#", "=", "\"a\""};
    static const char *const bad[] = {"", " a", "a ", "a\nb", "\t", "a\r"};
    for (size_t i = 0; i < LS_COUNT_OF(good); i++)
        assert_true(ls_config_text_can_have(good[i]));
    for (size_t i = 0; i < LS_COUNT_OF(bad); i++)
        assert_false(ls_config_text_can_have(bad[i]));
}
