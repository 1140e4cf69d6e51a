#include "puppet_server.h"
#include "tests/support/test.h"

static ls_client_state state_after(puppet_server *server, const ls_client_config *config)
{
    puppet_server_join(server, config);
    puppet_server_run(server, 200 * MS);
    return ls_client_get_state(server->client);
}

TEST(test_connect_confirms_and_loads)
{
    puppet_server *server = puppet_server_create();
    assert_int_equal(state_after(server, NULL), LS_CLIENT_LOADING);
    assert_true(server->has_confirm);
    assert_true(server->requests >= 1);
    assert_true(
        ls_public_key_equal(ls_client_server_key(server->client), &server->identity.public_key));
    puppet_server_destroy(server);
}

TEST(test_connect_says_hello_again)
{
    puppet_server *server = puppet_server_create();
    server->is_silent = true;
    assert_int_equal(state_after(server, NULL), LS_CLIENT_HANDSHAKE);
    server->is_silent = false;
    puppet_server_run(server, LS_CLIENT_REPEAT_NS + 100 * MS);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_LOADING);
    puppet_server_destroy(server);
}

TEST(test_connect_refuses_a_seat_that_cannot_be)
{
    puppet_server *server = puppet_server_create();
    server->player = 200; /* makes every ACCEPT invalid */
    assert_int_equal(state_after(server, NULL), LS_CLIENT_HANDSHAKE);
    puppet_server_destroy(server);
    server = puppet_server_create();
    ls_client_config config = ls_client_config_default();
    config.is_spectator = true;
    assert_int_equal(state_after(server, &config), LS_CLIENT_LOST);
    puppet_server_destroy(server);
}

TEST(test_connect_refuses_a_match_that_does_not_suit)
{
    puppet_server *server = puppet_server_create();
    server->match.option_count = 3; /* the simulation has no options */
    assert_int_equal(state_after(server, NULL), LS_CLIENT_REFUSED);
    assert_int_equal(ls_client_refusal(server->client), LS_ERROR_REFUSED);
    assert_non_null(strstr(ls_client_reason(server->client), "is not accepted"));
    puppet_server_destroy(server);
}

static ls_status refuse(void *context, const ls_public_key *shown, ls_error *error)
{
    ++*(uint32_t *)context;
    return ls_error_set(error, LS_ERROR_REFUSED, "%s", "");
}

TEST(test_connect_asks_for_trust_before_auth)
{
    puppet_server *server = puppet_server_create();
    uint32_t asked = 0;
    ls_client_config config = ls_client_config_default();
    config.trust = refuse;
    config.trust_context = &asked;
    /* Another server may still answer, so it repeats HELLO until the timeout. */
    assert_int_equal(state_after(server, &config), LS_CLIENT_HANDSHAKE);
    assert_int_equal(asked, 1);
    puppet_server_run(server, LS_CLIENT_REJECT_NS);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_REFUSED);
    assert_int_equal(ls_client_refusal(server->client), LS_ERROR_REFUSED);
    assert_in_range(asked, 2, 5);
    assert_int_equal(server->auths, 0);
    assert_string_equal(ls_client_reason(server->client), "the server's key is not trusted");
    assert_null(ls_client_resume_secret(server->client));
    puppet_server_destroy(server);
}

TEST(test_connect_ignores_noise)
{
    puppet_server *server = puppet_server_create();
    server->is_silent = true;
    assert_int_equal(state_after(server, NULL), LS_CLIENT_HANDSHAKE);
    uint64_t random = 1;
    for (uint32_t i = 0; i < 300; i++) {
        uint8_t bytes[LS_COOKIE_BYTES_MAX];
        for (uint32_t k = 0; k < sizeof bytes; k++)
            bytes[k] = (uint8_t)((random = random * UINT64_C(6364136223846793005) + 9) >> 40);
        bytes[0] = (uint8_t)(0x40 + i % 4); /* not 0x45: a rejection is unauthenticated */
        puppet_server_post(server, bytes, 1 + (uint32_t)(random >> 33) % sizeof bytes);
        puppet_server_run(server, 1 * MS);
    }
    puppet_server_run(server, 20 * MS);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_HANDSHAKE);
    assert_int_equal(ls_client_get_stats(server->client).packets_dropped, 300);
    server->is_silent = false;
    puppet_server_run(server, LS_CLIENT_REPEAT_MAX_NS);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_LOADING);
    puppet_server_destroy(server);
}

/* HELLO goes out at 0, 250 and 750 ms, then every second. */
TEST(test_connect_repeats_slower_and_slower)
{
    puppet_server *server = puppet_server_create();
    server->is_silent = true;
    puppet_server_join(server, NULL);
    puppet_server_run(server, 700 * MS);
    assert_int_equal(server->hellos, 2);
    puppet_server_run(server, LS_CLIENT_HANDSHAKE_NS);
    assert_int_equal(server->hellos, 12);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_LOST);
    puppet_server_destroy(server);
}

/* While a server answers BUSY, the client repeats its request every 250 ms until the handshake's
 * limit of ten seconds. */
TEST(test_connect_goes_on_asking_a_busy_server)
{
    puppet_server *server = puppet_server_create();
    server->is_deaf = true;
    assert_int_equal(state_after(server, NULL), LS_CLIENT_HANDSHAKE);
    for (uint32_t i = 0; i < 30; i++) {
        puppet_server_reject(server, LS_REJECT_BUSY, "a crowd");
        puppet_server_run(server, 100 * MS);
        assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_HANDSHAKE);
    }
    assert_in_range(server->auths, 10, 14);
    server->is_deaf = false;
    puppet_server_run(server, LS_CLIENT_REPEAT_NS + 50 * MS);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_LOADING);
    puppet_server_destroy(server);
}

TEST(test_connect_names_what_put_it_off)
{
    puppet_server *server = puppet_server_create();
    server->is_deaf = true;
    assert_int_equal(state_after(server, NULL), LS_CLIENT_HANDSHAKE);
    puppet_server_run(server, LS_CLIENT_HANDSHAKE_NS - 1500 * MS);
    puppet_server_reject(server, LS_REJECT_BUSY, "a crowd");
    puppet_server_run(server, 2 * S);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_REFUSED);
    assert_int_equal(ls_client_refusal(server->client), LS_ERROR_REFUSED);
    assert_string_equal(ls_client_reason(server->client), "the server is busy: a crowd");
    puppet_server_destroy(server);
}

/* The server was busy once and never answered again, so being busy is not the reported reason. */
TEST(test_connect_forgets_what_put_it_off_long_ago)
{
    puppet_server *server = puppet_server_create();
    server->is_deaf = true;
    assert_int_equal(state_after(server, NULL), LS_CLIENT_HANDSHAKE);
    puppet_server_reject(server, LS_REJECT_BUSY, "a crowd");
    puppet_server_run(server, LS_CLIENT_HANDSHAKE_NS);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_REFUSED);
    assert_non_null(
        strstr(ls_client_reason(server->client), "a password or a connect token is needed"));
    puppet_server_destroy(server);
}

/* A refusal can be forged: a better answer within a second overrides it. */
TEST(test_connect_survives_a_forged_refusal)
{
    puppet_server *server = puppet_server_create();
    server->is_silent = true;
    assert_int_equal(state_after(server, NULL), LS_CLIENT_HANDSHAKE);
    puppet_server_reject(server, LS_REJECT_FULL, "go away");
    puppet_server_run(server, 20 * MS);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_HANDSHAKE);
    server->is_silent = false;
    puppet_server_run(server, 700 * MS);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_LOADING);
    assert_ok(ls_client_refusal(server->client));
    puppet_server_destroy(server);
}

TEST(test_connect_takes_a_refusal_when_nothing_better_comes)
{
    puppet_server *server = puppet_server_create();
    server->is_silent = true;
    assert_int_equal(state_after(server, NULL), LS_CLIENT_HANDSHAKE);
    puppet_server_reject(server, LS_REJECT_SIMULATION, "another one");
    puppet_server_run(server, LS_CLIENT_REJECT_NS - 100 * MS);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_HANDSHAKE);
    puppet_server_run(server, 200 * MS);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_REFUSED);
    assert_int_equal(ls_client_refusal(server->client), LS_ERROR_INCOMPATIBLE);
    assert_non_null(strstr(ls_client_reason(server->client), "another one"));
    puppet_server_destroy(server);
}

/* The COOKIE may have been forged: the client repeats HELLO together with each AUTH, and finally
 * starts again with another key. */
TEST(test_connect_restarts_without_an_answer_to_auth)
{
    puppet_server *server = puppet_server_create();
    server->is_deaf = true;
    assert_int_equal(state_after(server, NULL), LS_CLIENT_HANDSHAKE);
    puppet_server_run(server, 3000 * MS); /* after 250 and 500 ms, then every second */
    assert_int_equal(server->hellos, LS_CLIENT_AUTH_TRIES);
    assert_int_equal(server->auths, LS_CLIENT_AUTH_TRIES);
    server->is_deaf = false;
    puppet_server_run(server, 1500 * MS);
    assert_int_equal(server->hellos, LS_CLIENT_AUTH_TRIES + 1);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_LOADING);
    puppet_server_destroy(server);
}

/* A server drops the AUTH of a client that does not know its password. */
TEST(test_connect_gives_up_without_an_answer_to_auth)
{
    puppet_server *server = puppet_server_create();
    server->is_deaf = true;
    puppet_server_join(server, NULL);
    puppet_server_run(server, LS_CLIENT_HANDSHAKE_NS - 100 * MS);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_HANDSHAKE);
    puppet_server_run(server, 200 * MS);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_REFUSED);
    assert_int_equal(ls_client_refusal(server->client), LS_ERROR_REFUSED);
    assert_non_null(
        strstr(ls_client_reason(server->client), "a password or a connect token is needed"));
    puppet_server_destroy(server);
}

/* A server with all connections in use does not answer a connection attempt. */
TEST(test_connect_is_accepted_and_gets_no_connection)
{
    puppet_server *server = puppet_server_create();
    puppet_server_join(server, NULL);
    while (ls_client_get_state(server->client) != LS_CLIENT_CONNECTING)
        puppet_server_run(server, MS);
    puppet_server_cut(server, true);
    puppet_server_run(server, LS_CLIENT_HANDSHAKE_NS + 200 * MS);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_REFUSED);
    assert_int_equal(ls_client_refusal(server->client), LS_ERROR_REFUSED);
    assert_non_null(strstr(ls_client_reason(server->client), "answers no connection"));
    puppet_server_destroy(server);
}

/* A refusal is more informative than a timeout, even if it arrives last. */
TEST(test_connect_tells_a_refusal_that_comes_last)
{
    puppet_server *server = puppet_server_create();
    server->is_deaf = true;
    puppet_server_join(server, NULL);
    puppet_server_run(server, LS_CLIENT_HANDSHAKE_NS - 200 * MS);
    puppet_server_reject(server, LS_REJECT_SIMULATION, "another one");
    puppet_server_run(server, LS_CLIENT_REJECT_NS + 100 * MS);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_REFUSED);
    assert_int_equal(ls_client_refusal(server->client), LS_ERROR_INCOMPATIBLE);
    assert_non_null(strstr(ls_client_reason(server->client), "another one"));
    puppet_server_destroy(server);
}
