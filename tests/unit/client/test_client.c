#include "puppet_server.h"
#include "tests/support/test.h"
#include <lockstep/client.h>

TEST(test_client_refuses_a_bad_name)
{
    puppet_server *server = puppet_server_create();
    ls_client_config config = ls_client_config_default();
    ls_client *client;
    ls_error error = {""};
    config.program = server->program;
    config.link = server->client_link = ls_network_open(server->network);
    snprintf(config.name, sizeof config.name, "a\nb");
    assert_int_equal(ls_client_create(&config, &client, &error), LS_ERROR_USAGE);
    assert_null(client);
    memset(config.name, 'x', sizeof config.name);
    assert_int_equal(ls_client_create(&config, &client, &error), LS_ERROR_USAGE);
    assert_true(error.text[0] != 0);
    char password[LS_PASSWORD_BYTES + 1];
    memset(password, 'p', sizeof password - 1);
    password[sizeof password - 1] = 0;
    memset(config.name, 0, sizeof config.name);
    config.password = password;
    assert_int_equal(ls_client_create(&config, &client, &error), LS_ERROR_USAGE);
    config.password = NULL;
    memset(config.room, 'r', sizeof config.room);
    assert_int_equal(ls_client_create(&config, &client, &error), LS_ERROR_USAGE);
    puppet_server_destroy(server);
}

TEST(test_client_gives_up_a_silent_server)
{
    puppet_server *server = puppet_server_create();
    server->is_silent = true;
    puppet_server_join(server, NULL);
    puppet_server_run(server, LS_CLIENT_HANDSHAKE_NS - 100 * MS);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_HANDSHAKE);
    puppet_server_run(server, 200 * MS);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_LOST);
    assert_string_equal(ls_client_reason(server->client), "the server does not answer");
    assert_int_equal(ls_client_step(server->client, server->now_ns), UINT64_MAX);
    puppet_server_destroy(server);
}

TEST(test_client_knows_nothing_at_first)
{
    puppet_server *server = puppet_server_create();
    puppet_server_join(server, NULL);
    assert_null(ls_client_world(server->client));
    assert_null(ls_client_server_key(server->client));
    assert_null(ls_client_resume_secret(server->client));
    assert_null(ls_client_server_build(server->client));
    assert_string_equal(ls_client_reason(server->client), "asking the server");
    assert_int_equal(ls_client_submit(server->client, (const uint8_t *)"1234", 4),
                     LS_ERROR_REFUSED);
    puppet_server_run(server, 100 * MS);
    assert_non_null(ls_client_server_key(server->client));
    assert_non_null(ls_client_resume_secret(server->client));
    assert_in_range(ls_client_get_stats(server->client).rtt_ns, 10 * MS, 12 * MS);
    puppet_server_destroy(server);
}

TEST(test_client_leave_says_bye)
{
    puppet_server *server = puppet_server_create();
    puppet_server_join(server, NULL);
    puppet_server_run(server, 100 * MS);
    ls_client_leave(server->client, "supper", server->now_ns);
    ls_client_leave(server->client, "again", server->now_ns);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_ENDED);
    assert_string_equal(ls_client_reason(server->client), "left: supper");
    puppet_server_run(server, 100 * MS);
    assert_true(server->has_bye);
    assert_string_equal(server->bye.text, "supper");
    assert_null(ls_bye_failure(&server->bye));
    puppet_server_destroy(server);
}

TEST(test_client_leave_works_in_every_state)
{
    for (uint64_t wait = 0; wait < 60; wait += 7) {
        puppet_server *server = puppet_server_create();
        puppet_server_join(server, NULL);
        puppet_server_run(server, wait * MS);
        ls_client_leave(server->client, "", server->now_ns);
        assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_ENDED);
        puppet_server_run(server, 50 * MS);
        puppet_server_destroy(server);
    }
}
