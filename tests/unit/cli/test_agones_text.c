#include "cli/serve/agones_text.h"

#include "test.h"

static void assert_tally(const ls_agones_facts *facts, ls_agones_tally tally, const char *wanted)
{
    char *text = ls_agones_text_tally(facts, tally);
    assert_string_equal(text, wanted);
    ls_free(text);
}

TEST(test_agones_text_tallies)
{
    static ls_agones_facts facts = {.rooms = 2,
                                    .rooms_max = 16,
                                    .players = 5,
                                    .players_max = 4,
                                    .name_count = 2,
                                    .names = {"red", "a\"b"}};
    assert_tally(&facts, LS_AGONES_COUNTER_ROOMS, "{\"count\": \"2\", \"capacity\": \"16\"}");
    /* Agones refuses a count above the capacity. */
    assert_tally(&facts, LS_AGONES_COUNTER_PLAYERS, "{\"count\": \"5\", \"capacity\": \"5\"}");
    assert_tally(&facts, LS_AGONES_LIST_ROOMS,
                 "{\"capacity\": \"16\", \"values\": [\"red\", \"a\\\"b\"]}");
    assert_tally(&facts, LS_AGONES_LIST_PLAYERS, "{\"capacity\": \"4\", \"values\": []}");
    facts.client_count = 3;
    strcpy(facts.clients[0], "anna");
    strcpy(facts.clients[1], "bert");
    strcpy(facts.clients[2], "anna"); /* Agones refuses a name that repeats */
    assert_tally(&facts, LS_AGONES_LIST_PLAYERS,
                 "{\"capacity\": \"4\", \"values\": [\"anna\", \"bert\"]}");
    facts.rooms_max = 5000; /* and a capacity above 1000 */
    assert_tally(&facts, LS_AGONES_LIST_ROOMS,
                 "{\"capacity\": \"1000\", \"values\": [\"red\", \"a\\\"b\"]}");
}

TEST(test_agones_text_bodies)
{
    const ls_public_key key = {{0}};
    char *text = ls_agones_text_body(LS_AGONES_ADDRESS, "[::1]:7#k", &key);
    assert_string_equal(text, "{\"key\": \"lockstep-address\", \"value\": \"[::1]:7#k\"}");
    ls_free(text);
    text = ls_agones_text_body(LS_AGONES_READY, "", &key);
    assert_string_equal(text, "{}"); /* the sidecar refuses an empty body */
    ls_free(text);
    assert_null(ls_agones_text_body(LS_AGONES_WATCH, "", &key));
    for (ls_agones_request i = 0; i < LS_AGONES_REQUESTS; i++)
        assert_true(ls_agones_text_path(i)[0] == '/' && ls_agones_text_method(i)[0]);
}
