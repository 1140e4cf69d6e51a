#include "puppet_server.h"
#include "tests/support/test.h"
#include <lockstep/address.h>
#include <lockstep/link_remote.h>
#include <lockstep/session_limits.h>

static const ls_address elsewhere = LS_ADDRESS_IPV4(203, 0, 113, 9, 7778);
static ls_link_vtable vtable; /* that of the client's link, with a redirect that counts */
static uint32_t redirected;
static ls_remote last;

/* The puppet is at every address. */
static ls_status redirect(ls_link *link, const ls_remote *to)
{
    (void)link;
    redirected++;
    last = *to;
    return LS_OK;
}

/* A client that plays, with a server of these capabilities, on a link with this redirect. */
static puppet_server *begin_on(uint32_t capabilities,
                               ls_status (*redirects)(ls_link *link, const ls_remote *to))
{
    puppet_server *server = puppet_server_create();
    puppet_server_set_handshake(server, &server->identity, capabilities);
    puppet_server_join(server, NULL);
    vtable = *server->client_link->vtable;
    vtable.redirect = redirects;
    server->client_link->vtable = &vtable;
    redirected = 0;
    puppet_server_run(server, 100 * MS);
    puppet_server_load(server);
    puppet_server_tick(server, 0, 1, true, 0);
    puppet_server_run(server, 20 * MS);
    server->tick = 1;
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_PLAYING);
    return server;
}

static puppet_server *begin(uint32_t capabilities)
{
    return begin_on(capabilities, redirect);
}

static void lead(puppet_server *server, const ls_address *address)
{
    ls_plain plain;
    ls_peer before = server->peer;
    ls_notice_encode(&(ls_notice){.kind = LS_NOTICE_FOLLOW, .to = ls_address_to_remote(address)},
                     &plain);
    puppet_server_say(server, &plain);
    puppet_server_run(server, 400 * MS);
    if (server->peer != before)
        ls_link_disconnect(server->link, before); /* the puppet has few places */
}

/* The client resumes at the address, with its secret, and keeps its world. */
TEST(test_follow_resumes_elsewhere)
{
    puppet_server *server = begin(LS_SESSION_CAPABILITIES);
    uint32_t resumes = puppet_server_stats(server).resumes;
    lead(server, &elsewhere);
    const ls_remote to = ls_address_to_remote(&elsewhere);
    assert_int_equal(redirected, 1);
    assert_true(ls_remote_is_same(&last, &to));
    assert_int_equal(puppet_server_stats(server).resumes, resumes + 1);
    assert_true(server->has_resume);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_PLAYING);
    assert_int_equal(puppet_server_stats(server).tick, 1);
    puppet_server_destroy(server);
}

/* A server that leads its clients in circles keeps them for LS_CLIENT_FOLLOWS turns a minute. */
TEST(test_follow_is_limited)
{
    puppet_server *server = begin(LS_SESSION_CAPABILITIES);
    for (uint32_t i = 0; i < LS_CLIENT_FOLLOWS + 3; i++)
        lead(server, &elsewhere);
    assert_int_equal(redirected, LS_CLIENT_FOLLOWS);
    assert_string_equal(ls_client_reason(server->client), "in the match");
    puppet_server_destroy(server);
}

/* A link that may not or cannot follow does not end the session. */
TEST(test_follow_needs_a_link_that_can)
{
    puppet_server *server = begin(LS_SESSION_CAPABILITIES);
    vtable.redirect = NULL;
    uint32_t resumes = puppet_server_stats(server).resumes;
    lead(server, &elsewhere);
    assert_int_equal(puppet_server_stats(server).resumes, resumes);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_PLAYING);
    puppet_server_destroy(server);
}

/* At the new address is a server with another key: the client lets go, and shows it no secret. */
TEST(test_follow_refuses_another_key)
{
    puppet_server *server = begin(LS_SESSION_CAPABILITIES);
    ls_identity other;
    uint32_t auths = server->auths;
    ls_identity_init(&other, NULL);
    puppet_server_set_handshake(server, &other, LS_SESSION_CAPABILITIES);
    lead(server, &elsewhere);
    puppet_server_run(server, LS_CLIENT_REJECT_NS + 1000 * MS);
    assert_int_equal(redirected, 1);
    assert_int_equal(server->auths, auths);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_REFUSED);
    puppet_server_destroy(server);
}

/* Without the capability in the session the notice is dropped. */
TEST(test_follow_needs_the_capability)
{
    puppet_server *server = begin(LS_LINK_CAPABILITIES);
    uint64_t dropped = puppet_server_stats(server).packets_dropped;
    lead(server, &elsewhere);
    assert_int_equal(redirected, 0);
    assert_int_equal(puppet_server_stats(server).packets_dropped, dropped + 1);
    assert_int_equal(ls_client_get_state(server->client), LS_CLIENT_PLAYING);
    puppet_server_destroy(server);
}

/* A client on a link that can turn to no other address does not offer the capability. */
TEST(test_follow_is_not_offered_without_redirect)
{
    puppet_server *server = begin_on(LS_SESSION_CAPABILITIES, NULL);
    uint64_t dropped = puppet_server_stats(server).packets_dropped;
    vtable.redirect = redirect;
    lead(server, &elsewhere);
    assert_int_equal(redirected, 0);
    assert_int_equal(puppet_server_stats(server).packets_dropped, dropped + 1);
    puppet_server_destroy(server);
}
