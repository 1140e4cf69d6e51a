#include "cli/common/admin_request.h"

#include "test.h"

TEST(test_admin_request_reads_what_it_writes)
{
    static const struct {
        ls_admin_verb verb;
        const char *arguments[2];
        uint32_t count;
        const char *line;
    } cases[] = {{LS_ADMIN_ROOMS, {0}, 0, "rooms\n"},
                 {LS_ADMIN_ROOM, {"a b"}, 1, "room\ta b\n"},
                 {LS_ADMIN_PLAYERS, {0}, 0, "players\n"},
                 {LS_ADMIN_KICK, {"3", "be nice \xc3\xa9"}, 2, "kick\t3\tbe nice \xc3\xa9\n"}};
    for (size_t i = 0; i < LS_COUNT_OF(cases); i++) {
        char line[LS_ADMIN_LINE_BYTES_MAX];
        ls_admin_request request;
        ls_error error;
        assert_int_equal(ls_admin_request_format(cases[i].verb, cases[i].arguments, cases[i].count,
                                                 line, &error),
                         LS_OK);
        assert_string_equal(line, cases[i].line);
        assert_int_equal(ls_admin_request_parse(&request, line, strlen(line) - 1, &error), LS_OK);
        assert_int_equal(request.verb, cases[i].verb);
        assert_int_equal(request.count, cases[i].count);
        for (uint32_t k = 0; k < request.count; k++)
            assert_string_equal(request.arguments[k], cases[i].arguments[k]);
    }
}

TEST(test_admin_request_refuses_the_rest)
{
    static const struct {
        const char *line, *says;
        size_t bytes; /* 0: all */
    } cases[] = {
        {"", "unknown action ''", 0},
        {"romos", "unknown action 'romos', did you mean 'rooms'?", 0},
        {"rooms\tx", "give `rooms`", 0},
        {"kick", "give `kick PEER [REASON]`", 0},
        {"kick\t3\tx\ty", "give `kick PEER [REASON]`", 0},
        {"say", "give `say [ROOM] TEXT`", 0},
        {"say\tlobby\ta\033[2J", "has control characters", 0},
        {"kick\t\tx", "kick: an empty argument", 0},
        {"room\t", "room: an empty argument", 0},
        {"room\ta\x01", "control characters", 0},
        {"room\ta\x7f", "control characters", 0},
        {"room\ta\xff", "not UTF-8", 0},
        {"room\ta\xc3", "not UTF-8", 0},
        {"rooms\0", "control characters", 6},
    };
    char long_line[LS_ADMIN_LINE_BYTES_MAX];
    ls_admin_request request;
    ls_error error;
    for (size_t i = 0; i < LS_COUNT_OF(cases); i++) {
        size_t bytes = cases[i].bytes ? cases[i].bytes : strlen(cases[i].line);
        assert_int_equal(ls_admin_request_parse(&request, cases[i].line, bytes, &error),
                         LS_ERROR_USAGE);
        assert_non_null(strstr(error.text, cases[i].says));
    }
    memset(long_line, 'a', sizeof long_line);
    assert_int_equal(ls_admin_request_parse(&request, long_line, sizeof long_line, &error),
                     LS_ERROR_USAGE);
    assert_non_null(strstr(error.text, "longer than 1023 bytes"));
    memcpy(long_line, "room\t", 5);
    assert_int_equal(ls_admin_request_parse(&request, long_line, sizeof long_line - 1, &error),
                     LS_OK);
}

TEST(test_admin_request_has_each_verb)
{
    for (uint32_t i = 0; i < LS_ADMIN_VERBS; i++) {
        const ls_admin_verb_info *verb = ls_admin_verb_get(i);
        assert_int_equal(ls_admin_verb_find(verb->name), i);
        assert_true(verb->min <= verb->max && verb->max <= LS_ADMIN_ARGUMENTS_MAX);
        assert_int_equal(verb->max > 0, verb->usage[0] != 0);
    }
}
