/* Two builds of which one has a capability more: they agree on what both have, and an attacker
 * cannot change it. */
#include "handshake_fixture.h"

#include "proto/handshake_internal.h"

#define NEWER (UINT32_C(1) << 31) /* a capability of a build to come */

enum { HELLO_CAPABILITIES = 27 + 13 + 4 + 32, HELLO_PADDING = HELLO_CAPABILITIES + 4 };
enum { COOKIE_CAPABILITIES = 225 };

/* The capabilities of both sides, and what they agree on. */
typedef struct deal {
    uint32_t client, server, both;
} deal;

static void check_deal(const deal *d)
{
    fixture f;
    fixture_setup(&f);
    f.client_config.local.capabilities = d->client;
    f.server_config.local.capabilities = d->server;
    fixture_reach_accept(&f);
    assert_int_equal(f.auth.carrier.capabilities, d->both);
    assert_ok(fixture_take_accept(&f));
    assert_int_equal(f.client.carrier.capabilities, d->both);
    assert_memory_equal(&f.client.carrier, &f.auth.carrier, sizeof f.auth.carrier);
}

TEST(test_handshake_capabilities_are_those_of_both)
{
    const deal deals[] = {
        {LS_LINK_CAPABILITIES, LS_LINK_CAPABILITIES, LS_LINK_CAPABILITIES},
        {LS_LINK_CAPABILITIES | NEWER, LS_LINK_CAPABILITIES, LS_LINK_CAPABILITIES},
        {LS_LINK_CAPABILITIES, LS_LINK_CAPABILITIES | NEWER, LS_LINK_CAPABILITIES},
        {LS_LINK_CAPABILITIES | NEWER, LS_LINK_CAPABILITIES | NEWER, LS_LINK_CAPABILITIES | NEWER},
        {NEWER, LS_LINK_CAPABILITIES, 0},
        {LS_LINK_CAPABILITIES, 0, 0},
        {0, LS_LINK_CAPABILITIES | NEWER, 0},
    };
    for (size_t i = 0; i < LS_COUNT_OF(deals); i++)
        check_deal(&deals[i]);
}

/* Puts a field of a newer build where this one has padding. */
static void extend_hello(fixture *f)
{
    fixture_send_hello(f);
    memset(f->hello.data + HELLO_PADDING, 0x77, 100);
    f->hello.data[LS_HELLO_BYTES - 1] = 0x77;
    ls_handshake_hash(f->hello.data, f->hello.bytes, f->client.hello_hash);
}

TEST(test_handshake_capabilities_extend_a_hello)
{
    fixture f;
    fixture_setup(&f);
    f.client_config.local.capabilities |= NEWER;
    fixture_start(&f);
    extend_hello(&f);
    assert_ok(fixture_serve_hello(&f));
    assert_ok(fixture_take_cookie(&f));
    fixture_send_auth(&f);
    assert_ok(fixture_serve_auth(&f));
    fixture_send_accept(&f);
    assert_ok(fixture_take_accept(&f));
    assert_int_equal(f.client.carrier.capabilities, LS_LINK_CAPABILITIES);
}

/* Without a capability to come the padding is zeros, as ever. */
TEST(test_handshake_capabilities_keep_the_hello_canonical)
{
    fixture f;
    fixture_setup(&f);
    fixture_start(&f);
    extend_hello(&f);
    assert_int_equal(fixture_serve_hello(&f), LS_ERROR_CORRUPT);
    fixture_setup(&f);
    f.client_config.local.capabilities |= NEWER;
    f.server_config.local.capabilities |= NEWER; /* it would know a field, and has none */
    fixture_start(&f);
    extend_hello(&f);
    assert_int_equal(fixture_serve_hello(&f), LS_ERROR_CORRUPT);
}

/* Each bit of the HELLO's, taken away or added on the way. */
TEST(test_handshake_capabilities_of_a_hello_are_authentic)
{
    for (uint32_t bit = 0; bit < 32; bit++) {
        fixture f;
        fixture_setup(&f);
        fixture_start(&f);
        fixture_send_hello(&f);
        f.hello.data[HELLO_CAPABILITIES + bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_ok(fixture_serve_hello(&f));
        assert_int_equal(fixture_take_cookie(&f), LS_ERROR_CORRUPT);
    }
}

TEST(test_handshake_capabilities_of_a_cookie_are_authentic)
{
    for (uint32_t bit = 0; bit < 32; bit++) {
        fixture f;
        fixture_setup(&f);
        f.client_config.local.capabilities = UINT32_MAX;
        fixture_start(&f);
        fixture_send_hello(&f);
        assert_ok(fixture_serve_hello(&f));
        f.cookie.data[COOKIE_CAPABILITIES + bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_ok(fixture_take_cookie(&f)); /* it may be the server's: the AUTH will tell */
        fixture_send_auth(&f);
        assert_int_equal(fixture_serve_auth(&f), LS_ERROR_CORRUPT);
        assert_int_equal(f.auth.failed, LS_HANDSHAKE_CHECK_BOX);
    }
}

/* The true COOKIE beside the changed one still leads in. */
TEST(test_handshake_capabilities_changed_on_the_way_cost_nothing)
{
    fixture f;
    fixture_setup(&f);
    fixture_start(&f);
    fixture_send_hello(&f);
    assert_ok(fixture_serve_hello(&f));
    fixture_message honest = f.cookie;
    f.cookie.data[COOKIE_CAPABILITIES] ^= LS_CAPABILITY_MOVE;
    assert_ok(fixture_take_cookie(&f));
    f.cookie = honest;
    assert_ok(fixture_take_cookie(&f));
    assert_int_equal(f.client.cookie_count, 2);
    fixture_send_auth(&f);
    assert_ok(fixture_serve_auth(&f));
    fixture_send_accept(&f);
    assert_ok(fixture_take_accept(&f));
    assert_int_equal(f.client.carrier.capabilities, LS_LINK_CAPABILITIES);
}

/* Serves an ACCEPT that forwards to `to`; both sides have these capabilities. */
static ls_status forward(uint32_t capabilities, ls_remote to, fixture *f)
{
    fixture_setup(f);
    f->client_config.local.capabilities = f->server_config.local.capabilities = capabilities;
    f->granted.forward = to;
    fixture_reach_accept(f);
    return fixture_take_accept(f);
}

/* Without the capability an ACCEPT is that of a build before it, and lets the client in. */
TEST(test_handshake_capabilities_decide_on_a_forward)
{
    const ls_remote to = LS_REMOTE_IPV4(203, 0, 113, 9, 7778), none = {{0}};
    fixture f;
    assert_ok(forward(LS_LINK_CAPABILITIES | LS_CAPABILITY_FOLLOW, to, &f));
    assert_true(ls_remote_is_same(&f.accepted.forward, &to));
    size_t bytes = f.accept.bytes;
    assert_ok(forward(LS_LINK_CAPABILITIES | LS_CAPABILITY_FOLLOW, none, &f));
    assert_true(ls_remote_is_none(&f.accepted.forward));
    assert_ok(forward(LS_LINK_CAPABILITIES, to, &f));
    assert_true(ls_remote_is_none(&f.accepted.forward));
    assert_int_equal(f.accept.bytes, bytes - LS_REMOTE_BYTES);
}

/* A server of the right key, too, sends its clients to one host only. */
TEST(test_handshake_capabilities_forward_to_one_host)
{
    const ls_remote bad[] = {
        LS_REMOTE_IPV4(203, 0, 113, 9, 0),
        LS_REMOTE_IPV4(0, 0, 0, 0, 7778),
        LS_REMOTE_IPV4(239, 1, 2, 3, 7778),
        LS_REMOTE_IPV4(255, 255, 255, 255, 7778),
        {{[16] = 1, 1}},
        {{0xff, 2, [16] = 1, 1}},
    };
    fixture f;
    for (size_t i = 0; i < LS_COUNT_OF(bad); i++)
        assert_int_equal(forward(LS_LINK_CAPABILITIES | LS_CAPABILITY_FOLLOW, bad[i], &f),
                         LS_ERROR_CORRUPT);
}
