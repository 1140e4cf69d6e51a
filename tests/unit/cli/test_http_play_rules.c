#include "cli/serve/http_play_rules.h"

#include "test.h"

static const ls_http_address loopback = {.host = "127.0.0.1", .bytes = {127, 0, 0, 1}},
                             open_to_all = {.host = "0.0.0.0"};

static uint32_t judge(const ls_http_play_rules *rules, const char *origin, const char *host)
{
    ls_address client;
    return ls_http_play_judge(rules,
                              &(ls_http_play_request){.path = "/play",
                                                      .host = host,
                                                      .origin = origin,
                                                      .authorization = "",
                                                      .forwarded = "",
                                                      .peer = "192.0.2.9"},
                              &client);
}

TEST(test_http_play_rules_origins)
{
    ls_http_play_rules rules = {.address = &open_to_all};
    assert_int_equal(judge(&rules, "", "game.example"), 0);
    assert_int_equal(judge(&rules, "https://game.example", "Game.Example"), 0);
    assert_int_equal(judge(&rules, "http://game.example:81", "game.example:81"), 0);
    assert_int_equal(judge(&rules, "http://game.example:81", "game.example"), 403);
    assert_int_equal(judge(&rules, "https://evil.example", "game.example"), 403);
    assert_int_equal(judge(&rules, "game.example", "game.example"), 403);
    assert_int_equal(judge(&rules, "null", "null"), 403);
    assert_int_equal(judge(&rules, "https://", ""), 403);
    rules.origins[rules.origin_count++] = "https://evil.example";
    assert_int_equal(judge(&rules, "https://evil.example", "game.example"), 0);
    assert_int_equal(judge(&rules, "https://evil.example.org", "game.example"), 403);
    assert_int_equal(judge(&rules, "http://evil.example", "game.example"), 403);
}

/* On loopback, a name that another site's DNS server has moved here is no host of ours. */
TEST(test_http_play_rules_rebinding)
{
    const ls_http_play_rules rules = {.address = &loopback};
    assert_int_equal(judge(&rules, "http://evil.example:91", "evil.example:91"), 403);
    assert_int_equal(judge(&rules, "http://localhost:91", "localhost:91"), 0);
    assert_int_equal(judge(&rules, "http://127.0.0.1:91", "127.0.0.1:91"), 0);
}

static uint32_t come(const char *peer, const char *forwarded, char text[LS_ADDRESS_TEXT_BYTES])
{
    const ls_http_play_rules rules = {.address = &loopback, .proxy = "10.0.0.1"};
    ls_address client;
    uint32_t code = ls_http_play_judge(&rules,
                                       &(ls_http_play_request){.path = "/play",
                                                               .host = "x",
                                                               .origin = "",
                                                               .authorization = "",
                                                               .forwarded = forwarded,
                                                               .peer = peer},
                                       &client);
    ls_address_format_host(&client, text);
    return code;
}

TEST(test_http_play_rules_proxy)
{
    static const char *const bad[] = {"",          ",",          "1.2.3.4,", "unknown",
                                      "1.2.3",     "1.2.3.4:5",  "[::1]",    "1.2.3.4 x",
                                      "1.2.3.4;",  "\t1.2.3.4",  "::g",      "fe80::1%eth0",
                                      "1.2.3.4, ", "1.2.3.4\r\n"};
    char text[LS_ADDRESS_TEXT_BYTES];
    for (size_t i = 0; i < LS_COUNT_OF(bad); i++)
        if (come("10.0.0.1", bad[i], text) != 400)
            fail_msg("%s is accepted", bad[i]);
    assert_int_equal(come("10.0.0.1", "9.9.9.9, 192.0.2.1", text), 0);
    assert_string_equal(text, "192.0.2.1");
    assert_int_equal(come("10.0.0.1", "2001:db8::1 ", text), 0);
    assert_string_equal(text, "2001:db8::1");
    assert_int_equal(come("10.0.0.1", "::ffff:192.0.2.1", text), 0);
    assert_string_equal(text, "192.0.2.1");
    assert_int_equal(come("10.0.0.2", "192.0.2.1", text), 0); /* no proxy of ours */
    assert_string_equal(text, "10.0.0.2");
    assert_int_equal(come("", "", text), 400);
}

TEST(test_http_play_rules_path)
{
    static const char *const paths[] = {"", "/", "/play/", "/playx", "/PLAY", "play", "/play?x"};
    const ls_http_play_rules rules = {.address = &loopback};
    ls_address client;
    for (size_t i = 0; i < LS_COUNT_OF(paths); i++)
        assert_int_equal(ls_http_play_judge(&rules,
                                            &(ls_http_play_request){.path = paths[i],
                                                                    .host = "",
                                                                    .origin = "",
                                                                    .authorization = "",
                                                                    .forwarded = "",
                                                                    .peer = "::1"},
                                            &client),
                         404);
}

static uint32_t prove(const char *peer, const char *authorization)
{
    ls_http_token token;
    ls_secret_hash("0123456789abcdef", 16, token.hash);
    const ls_http_play_rules rules = {
        .address = &loopback, .proxy = "10.0.0.1", .proxy_token = &token};
    ls_address client;
    return ls_http_play_judge(&rules,
                              &(ls_http_play_request){.path = "/play",
                                                      .host = "x",
                                                      .origin = "",
                                                      .authorization = authorization,
                                                      .forwarded = "192.0.2.1",
                                                      .peer = peer},
                              &client);
}

/* Another program on the machine of the proxy has its address, and not its token. */
TEST(test_http_play_rules_proxy_token)
{
    assert_int_equal(prove("10.0.0.1", "Bearer 0123456789abcdef"), 0);
    assert_int_equal(prove("10.0.0.1", "Bearer 0123456789abcdeg"), 401);
    assert_int_equal(prove("10.0.0.1", "Bearer 0123456789abcde"), 401);
    assert_int_equal(prove("10.0.0.1", "0123456789abcdef"), 401);
    assert_int_equal(prove("10.0.0.1", ""), 401);
    assert_int_equal(prove("10.0.0.2", ""), 0); /* a player that comes without a proxy */
}
