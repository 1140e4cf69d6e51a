#include "cli/serve/agones_gameserver.h"

#include "test.h"

#define STATUS                                                                                     \
    "\"status\":{\"state\":\"Allocated\",\"address\":\"2001:db8::7\",\"ports\":[{\"name\":\"a\","  \
    "\"port\":1},{\"name\":\"lockstep\",\"port\":7654},{\"name\":\"b\",\"port\":2}],"              \
    "\"counters\":{\"rooms\":{\"count\":\"0\",\"capacity\":\"16\"}},\"lists\":{\"players\":{}}}"

static ls_agones_gameserver read_one(const char *json)
{
    ls_agones_gameserver gameserver;
    ls_error error;
    assert_int_equal(ls_agones_gameserver_read(json, strlen(json), &gameserver, &error), LS_OK);
    return gameserver;
}

TEST(test_agones_gameserver_is_read)
{
    ls_agones_gameserver one = read_one(
        "{\"result\":{\"object_meta\":{\"annotations\":{\"lockstep.dev/room\":\"red\","
        "\"lockstep.dev/seed\":\"7\",\"agones.dev/last-allocated\":\"2026\",\"other\":\"x\"}},"
        "\"spec\":{\"health\":{\"period_seconds\":4}}," STATUS "}}");
    assert_string_equal(one.state, "Allocated");
    assert_string_equal(one.address, "2001:db8::7");
    assert_int_equal(one.port, 7654);
    assert_int_equal(one.health_s, 4);
    assert_true(one.has_tally[LS_AGONES_COUNTER_ROOMS]);
    assert_false(one.has_tally[LS_AGONES_COUNTER_PLAYERS]);
    assert_false(one.has_tally[LS_AGONES_LIST_ROOMS]);
    assert_true(one.has_tally[LS_AGONES_LIST_PLAYERS]);
    assert_string_equal(one.allocation.room, "red");
    assert_string_equal(one.allocation.seed, "7");
    assert_string_equal(one.allocation.id, "2026");
    assert_string_equal(one.allocation.tokens, "");
    assert_null(one.allocation.wrong);
    assert_true(ls_agones_gameserver_is_allocated(&one));
}

/* A gateway may print the names of JSON, and the object without `result`. */
TEST(test_agones_gameserver_has_two_spellings)
{
    ls_agones_gameserver one =
        read_one("{\"objectMeta\":{},\"spec\":{\"health\":{\"periodSeconds\":9}}," STATUS "}");
    assert_int_equal(one.health_s, 9);
    assert_false(ls_agones_gameserver_is_allocated(&one)); /* without annotations for a room */
}

TEST(test_agones_gameserver_ready_is_not_allocated)
{
    ls_agones_gameserver one =
        read_one("{\"object_meta\":{\"annotations\":{\"lockstep.dev/room\":\"red\"}},"
                 "\"status\":{\"state\":\"Ready\",\"ports\":[{\"port\":5}]}}");
    assert_int_equal(one.port, 5); /* the first, as none is named */
    assert_int_equal(one.health_s, 0);
    assert_false(ls_agones_gameserver_is_allocated(&one));
}

TEST(test_agones_gameserver_names_wrong_annotations)
{
    char json[1024], text[LS_AGONES_TEXT_BYTES + 1];
    memset(text, '7', sizeof text - 1);
    text[sizeof text - 1] = 0;
    static const char *const texts[] = {"7", "\"a\\u0000b\"", "[]", "null"};
    for (size_t i = 0; i <= LS_COUNT_OF(texts); i++) {
        bool is_long = i == LS_COUNT_OF(texts);
        snprintf(json, sizeof json,
                 "{\"object_meta\":{\"annotations\":{\"lockstep.dev/options\":%s%s%s}},"
                 "\"status\":{\"state\":\"Allocated\"}}",
                 is_long ? "\"" : "", is_long ? text : texts[i], is_long ? "\"" : "");
        ls_agones_gameserver one = read_one(json);
        assert_string_equal(one.allocation.wrong, "options");
        assert_true(ls_agones_gameserver_is_allocated(&one));
    }
}

TEST(test_agones_gameserver_refuses_the_rest)
{
    static const char *const list[] = {"",
                                       "{}",
                                       "[]",
                                       "7",
                                       "{\"result\":{}}",
                                       "{\"result\":7}",
                                       "{\"object_meta\":{},\"status\":7}",
                                       "{\"object_meta\":{}",
                                       "{\"object_meta\":{},\"object_meta\":{},\"status\":{}}"};
    ls_agones_gameserver one;
    ls_error error;
    for (size_t i = 0; i < LS_COUNT_OF(list); i++)
        assert_int_equal(ls_agones_gameserver_read(list[i], strlen(list[i]), &one, &error),
                         LS_ERROR_CORRUPT);
}

static bool note(void *context, const char *line, size_t bytes)
{
    ls_builder *lines = context;
    ls_builder_put(lines, line, bytes);
    ls_builder_put(lines, "|", 1);
    return memchr(line, '!', bytes) == NULL;
}

TEST(test_agones_gameserver_splits_at_any_place)
{
    static const char text[] = "one\n\ntwo\nthree";
    for (size_t step = 1; step < sizeof text; step++) {
        ls_builder rest = {0}, lines = {0};
        for (size_t at = 0; at < strlen(text); at += step) {
            size_t part = strlen(text) - at < step ? strlen(text) - at : step;
            assert_true(ls_agones_gameserver_split(&rest, text + at, part, note, &lines));
        }
        assert_int_equal(lines.count, strlen("one|two|"));
        assert_memory_equal(lines.data, "one|two|", lines.count);
        assert_false(ls_agones_gameserver_split(&rest, "!\nx\n", 4, note, &lines));
        assert_int_equal(lines.count, strlen("one|two|three!|"));
        ls_free(rest.data);
        ls_free(lines.data);
    }
}

TEST(test_agones_gameserver_bounds_a_line)
{
    static char part[1 << 16];
    ls_builder rest = {0}, lines = {0};
    memset(part, 'x', sizeof part);
    size_t parts = LS_AGONES_LINE_BYTES_MAX / sizeof part;
    for (size_t i = 0; i < parts; i++)
        assert_true(ls_agones_gameserver_split(&rest, part, sizeof part, note, &lines));
    assert_false(ls_agones_gameserver_split(&rest, part, 1, note, &lines));
    assert_int_equal(lines.count, 0);
    ls_free(rest.data);
}
