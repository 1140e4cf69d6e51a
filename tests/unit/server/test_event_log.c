#include "server/event_log.h"
#include "tests/support/test.h"
#include <lockstep/limits.h>

static void keep(void *context, const char *line)
{
    snprintf(context, 1024, "%s", line);
}

TEST(test_event_log_names_the_room)
{
    char line[1024] = "";
    ls_event_log log;
    ls_event_log_init(&log, keep, line, "main");
    ls_event_log_write(&log, "start tick=%d", 7);
    assert_string_equal(line, "start tick=7 room=main");
    ls_event_log_init(&log, keep, line, NULL);
    ls_event_log_write(&log, "start tick=%d", 8);
    assert_string_equal(line, "start tick=8");
}

TEST(test_event_log_cuts_long_lines)
{
    char line[1024] = "", text[2000];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = 0;
    ls_event_log log;
    ls_event_log_init(&log, keep, line, "main");
    ls_event_log_write(&log, "%s", text);
    assert_int_equal(strlen(line), LS_SERVER_LOG_BYTES - 1);
}

TEST(test_event_log_limits_lines_of_strangers)
{
    char line[1024] = "";
    ls_event_log log;
    ls_event_log_init(&log, keep, line, "main");
    for (uint32_t i = 0; i < LS_SERVER_LOG_BURST + 50; i++)
        ls_event_log_write_limited(&log, LS_SECOND_NS, "noise n=%u", i);
    assert_int_equal(log.dropped, 50);
    ls_event_log_write(&log, "desync");
    assert_string_equal(line, "desync room=main");
    ls_event_log_write_limited(&log, 2 * LS_SECOND_NS, "noise again");
    assert_string_equal(line, "noise again room=main");
}

/* A host that uses up its own lines leaves those of the others alone. */
TEST(test_event_log_limits_lines_of_a_host)
{
    char line[1024] = "";
    ls_event_log log;
    ls_token_bucket noisy, quiet;
    ls_token_bucket_init(&noisy, 2, 10);
    quiet = noisy;
    ls_event_log_init(&log, keep, line, "main");
    for (uint32_t i = 0; i < 50; i++)
        ls_event_log_write_of(&log, &noisy, LS_SECOND_NS, "noise n=%u", i);
    assert_string_equal(line, "noise n=9 room=main");
    assert_int_equal(log.dropped, 40);
    ls_event_log_write_of(&log, &quiet, LS_SECOND_NS, "quiet");
    assert_string_equal(line, "quiet room=main");
    ls_event_log_write_of(&log, &noisy, 2 * LS_SECOND_NS, "noise again");
    assert_string_equal(line, "noise again room=main");
    /* And the lines of all are limited as before. */
    for (uint32_t i = 0; i < 2 * LS_SERVER_LOG_BURST; i++) {
        ls_token_bucket fresh = quiet;
        ls_event_log_write_of(&log, &fresh, 2 * LS_SECOND_NS, "other n=%u", i);
    }
    assert_in_range(log.dropped, 40 + LS_SERVER_LOG_BURST, 40 + LS_SERVER_LOG_BURST + 20);
}

TEST(test_event_log_without_a_log_is_silent)
{
    ls_event_log log;
    ls_event_log_init(&log, NULL, NULL, "main");
    ls_event_log_write(&log, "start");
    ls_event_log_write_limited(&log, 0, "noise");
    assert_int_equal(log.dropped, 0);
}

TEST(test_event_log_quotes)
{
    char quoted[LS_EVENT_LOG_QUOTED_BYTES], text[2000];
    assert_string_equal(ls_event_log_quote("a \"b\\\n", quoted), "\"a \\\"b\\\\?\"");
    memset(text, '"', sizeof text);
    text[sizeof text - 1] = 0;
    size_t length = strlen(ls_event_log_quote(text, quoted));
    assert_in_range(length, sizeof quoted - 4, sizeof quoted - 1);
    assert_int_equal(quoted[length - 1], '"');
}

TEST(test_event_log_names_only_words_plainly)
{
    char quoted[LS_EVENT_LOG_QUOTED_BYTES];
    assert_string_equal(ls_event_log_name("red-7_b.1", quoted), "red-7_b.1");
    assert_string_equal(ls_event_log_name("a b", quoted), "\"a b\"");
    assert_string_equal(ls_event_log_name("x reason=y", quoted), "\"x reason=y\"");
    assert_string_equal(ls_event_log_name("\"", quoted), "\"\\\"\"");
    assert_string_equal(ls_event_log_name("", quoted), "\"\"");
}

/* Without a token a client has no name in the log. The longest name fits. */
TEST(test_event_log_names_the_client_of_a_token)
{
    char text[LS_EVENT_LOG_CLIENT_BYTES], name[LS_CLIENT_ID_BYTES] = "";
    assert_string_equal(ls_event_log_client("", text), "");
    assert_string_equal(ls_event_log_client("ada", text), " client=\"ada\"");
    memset(name, '"', sizeof name - 1);
    ls_event_log_client(name, text);
    assert_int_equal(strlen(text), strlen(" client=") + 2 + 2 * (sizeof name - 1));
}
