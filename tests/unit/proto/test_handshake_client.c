#include "handshake_fixture.h"

#include "proto/handshake_internal.h"

TEST(test_handshake_client_and_server_share_keys)
{
    fixture f;
    fixture_setup(&f);
    fixture_reach_accept(&f);
    assert_true(f.accept.bytes <= LS_ACCEPT_BYTES_MAX && f.accept.bytes < LS_AUTH_BYTES);
    assert_ok(fixture_take_accept(&f));
    assert_memory_equal(&f.client.keys, &f.auth.keys, sizeof f.client.keys);
    assert_true(ls_public_key_equal(&f.client.server_key, &f.identity.public_key));
    assert_memory_equal(&f.client.carrier, &f.auth.carrier, sizeof f.client.carrier);
    assert_int_equal(f.client.carrier.connect_id, 0xc0ffee);
    assert_memory_not_equal(f.client.carrier.keys[0], f.client.carrier.keys[1],
                            LS_CARRIER_KEY_BYTES);
    assert_int_equal(f.accepted.player, 1);
    assert_int_equal(f.accepted.connect_id, 0xc0ffee);
    assert_int_equal(f.accepted.epoch, 3);
    assert_string_equal(f.accepted.room, "lobby");
    assert_int_equal(f.accepted.tick, 1234);
    assert_int_equal(f.accepted.match.seed, 9);
    assert_int_equal(f.accepted.match.player_count, 2);
    assert_string_equal(f.accepted.build, "gcc 12 x86_64 linux");
    assert_memory_equal(f.accepted.resume_secret, f.granted.resume_secret, LS_RESUME_BYTES);
    for (uint32_t i = 0; i < 4; i++) /* each direction of each channel has its own key */
        for (uint32_t k = 0; k < i; k++)
            assert_memory_not_equal(f.auth.keys.keys[i / 2][i % 2], f.auth.keys.keys[k / 2][k % 2],
                                    LS_SEAL_KEY_BYTES);
}

TEST(test_handshake_client_largest_accept_fits)
{
    fixture f;
    fixture_setup(&f);
    f.granted.match.option_count = LS_OPTIONS_MAX;
    memset(f.server_config.local.build, 'b', LS_BUILD_TEXT_BYTES - 1);
    memset(f.granted.room, 'r', LS_ROOM_BYTES - 1);
    fixture_reach_accept(&f);
    assert_true(f.accept.bytes <= LS_ACCEPT_BYTES_MAX);
    assert_ok(fixture_take_accept(&f));
    assert_int_equal(f.accepted.match.option_count, LS_OPTIONS_MAX);
}

TEST(test_handshake_client_repeats_its_bytes)
{
    fixture f;
    fixture_setup(&f);
    fixture_reach_auth(&f);
    fixture_message hello = f.hello, authorization = f.authorization;
    fixture_send_hello(&f);
    fixture_send_auth(&f);
    assert_memory_equal(hello.data, f.hello.data, LS_HELLO_BYTES);
    assert_memory_equal(authorization.data, f.authorization.data, LS_AUTH_BYTES);
}

TEST(test_handshake_client_two_sessions_share_no_key)
{
    fixture f;
    fixture_setup(&f);
    fixture_reach_accept(&f);
    ls_seal_keys first = f.auth.keys;
    fixture_reach_accept(&f);
    assert_memory_not_equal(&first, &f.auth.keys, sizeof first);
}

TEST(test_handshake_client_refuses_another_identity)
{
    fixture f;
    fixture_setup(&f);
    ls_public_key other = f.identity.public_key;
    other.bytes[0] ^= 1;
    f.client_config.pin = &other;
    fixture_start(&f);
    fixture_send_hello(&f);
    assert_ok(fixture_serve_hello(&f));
    assert_int_equal(fixture_take_cookie(&f), LS_ERROR_REFUSED);
    char expected[LS_PUBLIC_KEY_TEXT_BYTES], shown[LS_PUBLIC_KEY_TEXT_BYTES];
    ls_public_key_format(&other, expected);
    ls_public_key_format(&f.identity.public_key, shown);
    assert_non_null(strstr(f.error.text, expected));
    assert_non_null(strstr(f.error.text, shown));
}

TEST(test_handshake_client_without_pin_learns_the_identity)
{
    fixture f;
    fixture_setup(&f);
    f.client_config.pin = NULL;
    fixture_reach_auth(&f);
    assert_true(ls_public_key_equal(&f.client.server_key, &f.identity.public_key));
}

TEST(test_handshake_client_refuses_an_expired_certificate)
{
    fixture f;
    fixture_setup(&f);
    fixture_start(&f);
    fixture_send_hello(&f);
    assert_ok(fixture_serve_hello(&f));
    f.unix_s = FIXTURE_NOW_S + LS_CERTIFICATE_LIFE_S;
    assert_int_equal(fixture_take_cookie(&f), LS_ERROR_REFUSED);
    f.unix_s--;
    assert_ok(fixture_take_cookie(&f));
}

/* A changed COOKIE is refused by the client, or by the server at the AUTH if only the server can
 * tell. */
TEST(test_handshake_client_tampered_cookie_never_enters)
{
    fixture f;
    fixture_setup(&f);
    fixture_start(&f);
    fixture_send_hello(&f);
    assert_ok(fixture_serve_hello(&f));
    ls_handshake_client fresh = f.client;
    for (size_t bit = 0; bit < f.cookie.bytes * 8; bit++) {
        f.client = fresh;
        f.cookie.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        ls_status status = fixture_take_cookie(&f);
        if (status == LS_OK) {
            fixture_send_auth(&f);
            assert_int_not_equal(fixture_serve_auth(&f), LS_OK);
        } else {
            assert_memory_equal(&f.client, &fresh, sizeof fresh);
        }
        f.cookie.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    size_t bytes = f.cookie.bytes;
    for (f.cookie.bytes = 0; f.cookie.bytes < bytes; f.cookie.bytes++)
        assert_int_equal(fixture_take_cookie(&f), LS_ERROR_CORRUPT);
    f.cookie.bytes = bytes + 1;
    assert_int_equal(fixture_take_cookie(&f), LS_ERROR_CORRUPT);
}

TEST(test_handshake_client_tampered_accept_is_refused)
{
    fixture f;
    fixture_setup(&f);
    fixture_reach_accept(&f);
    ls_handshake_accept zeros = {0};
    for (size_t bit = 0; bit < f.accept.bytes * 8; bit++) {
        f.accept.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_int_equal(fixture_take_accept(&f), LS_ERROR_CORRUPT);
        assert_memory_equal(&f.accepted, &zeros, sizeof zeros);
        f.accept.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    size_t bytes = f.accept.bytes;
    for (f.accept.bytes = 0; f.accept.bytes < bytes; f.accept.bytes++)
        assert_int_equal(fixture_take_accept(&f), LS_ERROR_CORRUPT);
    f.accept.bytes = sizeof f.accept.data;
    assert_int_equal(fixture_take_accept(&f), LS_ERROR_CORRUPT);
    f.accept.bytes = bytes;
    assert_ok(fixture_take_accept(&f));
}

TEST(test_handshake_client_refuses_an_accept_for_another)
{
    fixture a, b;
    fixture_setup(&a);
    fixture_setup(&b);
    b.client_seed = 99;
    fixture_reach_accept(&a);
    fixture_reach_accept(&b);
    b.accept = a.accept;
    assert_int_equal(fixture_take_accept(&b), LS_ERROR_CORRUPT);
}

TEST(test_handshake_client_takes_a_seat_only_of_the_match)
{
    fixture f;
    fixture_setup(&f);
    f.granted.player = 2; /* the match has players 0 and 1 only */
    fixture_reach_accept(&f);
    assert_int_equal(fixture_take_accept(&f), LS_ERROR_CORRUPT);
    f.granted.player = LS_HANDSHAKE_PLAYER_NONE;
    fixture_reach_accept(&f);
    assert_ok(fixture_take_accept(&f));
}

/* Seals an ACCEPT with connect id `id`, as a server would. Servers never send 0. Any key pair works
 * as e_s. */
static ls_status take_accept_with_id(fixture *f, uint8_t id)
{
    uint8_t bytes[LS_ACCEPT_PLAIN_BYTES_MAX];
    ls_writer plain, writer = fixture_writer(&f->accept);
    ls_writer_init(&plain, bytes, sizeof bytes);
    ls_write_u8(&plain, 1);
    ls_write_u32(&plain, id);
    ls_handshake_write_zeros(&plain, 4 + 8);
    ls_match_encode(&f->granted.match, &plain);
    ls_handshake_write_zeros(&plain, 1 + 1 + LS_RESUME_BYTES);
    ls_write_u8(&writer, LS_HANDSHAKE_ACCEPT);
    ls_write_bytes(&writer, f->server.era.static_public, 32);
    ls_handshake_state schedule = f->auth.state;
    ls_handshake_absorb(&schedule, f->server.era.static_public, 32);
    assert_true(ls_handshake_mix_exchange(&schedule, f->server.era.static_secret,
                                          f->client.ephemeral_public));
    ls_handshake_box_seal(&schedule, "accept box", &plain, &writer);
    f->accept.bytes = writer.count;
    return fixture_take_accept(f);
}

TEST(test_handshake_client_wants_a_connect_id)
{
    fixture f;
    fixture_setup(&f);
    fixture_reach_auth(&f);
    assert_ok(fixture_serve_auth(&f));
    assert_int_equal(take_accept_with_id(&f, 0), LS_ERROR_CORRUPT);
    assert_ok(take_accept_with_id(&f, 1));
}

TEST(test_handshake_client_pass_pins_the_server)
{
    fixture f;
    fixture_setup(&f);
    f.client_config.pin = NULL;
    f.token.server = f.identity.public_key;
    fixture_issue(&f);
    fixture_reach_accept(&f);
    assert_ok(fixture_take_accept(&f));
    f.pass.server_key.bytes[0] ^= 1;
    fixture_start(&f);
    fixture_send_hello(&f);
    assert_ok(fixture_serve_hello(&f));
    assert_int_equal(fixture_take_cookie(&f), LS_ERROR_REFUSED);
    f.client_config.pin = &f.identity.public_key; /* the pass and the pin must both match */
    fixture_start(&f);
    fixture_send_hello(&f);
    assert_ok(fixture_serve_hello(&f));
    assert_int_equal(fixture_take_cookie(&f), LS_ERROR_REFUSED);
}

TEST(test_handshake_client_knows_that_its_pass_is_over)
{
    fixture f;
    fixture_setup(&f);
    fixture_issue(&f);
    fixture_start(&f);
    fixture_send_hello(&f);
    assert_ok(fixture_serve_hello(&f));
    f.unix_s = f.token.expiry_s;
    assert_int_equal(fixture_take_cookie(&f), LS_ERROR_REFUSED);
    assert_non_null(strstr(f.error.text, "token expired"));
    f.unix_s--;
    assert_ok(fixture_take_cookie(&f));
}

TEST(test_handshake_client_accept_needs_the_psk)
{
    fixture f;
    fixture_setup(&f);
    uint8_t psk[32] = {1};
    f.server_config.psk = psk;
    f.client_config.psk = psk;
    fixture_reach_auth(&f);
    assert_ok(fixture_serve_auth(&f));
    f.auth.state.secret[0] ^= 1; /* what a server without the psk would have */
    fixture_send_accept(&f);
    assert_int_equal(fixture_take_accept(&f), LS_ERROR_CORRUPT);
}

static bool contains(const void *bytes, size_t count, const void *part, size_t part_bytes)
{
    return memmem(bytes, count, part, part_bytes) != NULL;
}

/* Forward secrecy: after the handshake neither side has the secrets that its keys were derived
 * from. */
TEST(test_handshake_client_wipes_key_material)
{
    fixture f;
    fixture_setup(&f);
    fixture_issue(&f);
    fixture_reach_auth(&f);
    uint8_t ephemeral[32], secret[32];
    memcpy(ephemeral, f.client.ephemeral_secret, sizeof ephemeral);
    memcpy(secret, f.client.cookies[0].state.secret, sizeof secret);
    assert_ok(fixture_serve_auth(&f));
    fixture_send_accept(&f);
    assert_true(contains(&f.client, sizeof f.client, f.token.psk, 32));
    assert_ok(fixture_take_accept(&f));
    assert_false(contains(&f.client, sizeof f.client, ephemeral, 32));
    assert_false(contains(&f.client, sizeof f.client, secret, 32));
    assert_false(contains(&f.client, sizeof f.client, f.token.psk, 32));
    assert_false(contains(&f.auth, sizeof f.auth, secret, 32));
    assert_false(contains(&f.auth, sizeof f.auth, f.token.psk, 32));
}

TEST(test_handshake_client_forgets_the_password)
{
    fixture f;
    fixture_setup(&f);
    f.client_config.password = "open sesame";
    fixture_start(&f);
    assert_true(contains(&f.client, sizeof f.client, "sesame", 6));
    fixture_reach_auth(&f);
    assert_false(contains(&f.client, sizeof f.client, "sesame", 6));
}

TEST(test_handshake_client_hears_a_reject)
{
    fixture f;
    fixture_setup(&f);
    fixture_reach_auth(&f);
    ls_writer writer = fixture_writer(&f.accept);
    ls_handshake_reject(LS_REJECT_FULL, "all 2 seats are taken", &writer);
    f.accept.bytes = writer.count;
    assert_int_equal(fixture_take_accept(&f), LS_ERROR_REFUSED);
    assert_string_equal(f.error.text, "the server refuses: all 2 seats are taken");
    for (f.accept.bytes = 0; f.accept.bytes < writer.count; f.accept.bytes++)
        assert_int_equal(fixture_take_accept(&f), LS_ERROR_CORRUPT);
    f.accept.bytes = writer.count;
    f.accept.data[1] = LS_REJECT_CODE_COUNT;
    assert_int_equal(fixture_take_accept(&f), LS_ERROR_CORRUPT);
}

TEST(test_handshake_client_long_reason_is_cut)
{
    fixture f;
    fixture_setup(&f);
    fixture_start(&f);
    char reason[1000];
    memset(reason, 'r', sizeof reason - 1);
    reason[sizeof reason - 1] = 0;
    ls_writer writer = fixture_writer(&f.cookie);
    ls_handshake_reject(LS_REJECT_POLICY, reason, &writer);
    f.cookie.bytes = writer.count;
    assert_true(writer.count <= LS_COOKIE_BYTES_MAX);
    assert_int_equal(fixture_take_cookie(&f), LS_ERROR_REFUSED);
}

TEST(test_handshake_client_ignores_unexpected_messages)
{
    fixture f;
    fixture_setup(&f);
    fixture_reach_accept(&f);
    assert_ok(fixture_take_accept(&f));
    ls_seal_keys keys = f.client.keys;
    assert_int_equal(fixture_take_cookie(&f), LS_ERROR_CORRUPT);
    assert_int_equal(fixture_take_accept(&f), LS_ERROR_CORRUPT);
    assert_memory_equal(&f.client.keys, &keys, sizeof keys);
}

/* An attacker sends the same HELLO from other addresses. The client takes the COOKIEs of the
 * answers, which have the server's real certificate. */
static void take_cookies_of_others(fixture *f, uint32_t count)
{
    ls_remote own = f->remote;
    for (uint32_t i = 0; i < count; i++) {
        f->remote.bytes[16]++;
        assert_ok(fixture_serve_hello(f));
        assert_ok(fixture_take_cookie(f));
    }
    f->remote = own;
}

TEST(test_handshake_client_cookie_is_for_one_hello)
{
    fixture a, b;
    fixture_setup(&a);
    fixture_setup(&b);
    b.client_seed = 99;
    fixture_start(&a);
    fixture_start(&b);
    fixture_send_hello(&a);
    assert_ok(fixture_serve_hello(&a));
    ls_handshake_client fresh = b.client;
    b.cookie = a.cookie;
    assert_int_equal(fixture_take_cookie(&b), LS_ERROR_CORRUPT);
    assert_memory_equal(&b.client, &fresh, sizeof fresh);
}

/* COOKIEs of an attacker before and after the true one do not keep the client out. */
TEST(test_handshake_client_cookies_of_others_cost_nothing)
{
    for (uint32_t before = 0; before <= 20; before += 5) {
        fixture f;
        fixture_setup(&f);
        fixture_start(&f);
        fixture_send_hello(&f);
        take_cookies_of_others(&f, before);
        assert_ok(fixture_serve_hello(&f));
        assert_ok(fixture_take_cookie(&f));
        assert_ok(fixture_take_cookie(&f)); /* the same COOKIE again is not stored twice */
        assert_int_equal(f.client.cookie_count, before + 1);
        fixture_send_auth(&f);
        fixture_message authorization = f.authorization;
        take_cookies_of_others(&f, 2 * before);
        fixture_send_auth(&f);
        if (before > 0)
            assert_int_equal(fixture_serve_auth(&f),
                             LS_ERROR_REFUSED); /* the COOKIE was made for another address */
        f.authorization = authorization;
        assert_ok(fixture_serve_auth(&f));
        fixture_send_accept(&f);
        assert_ok(fixture_take_accept(&f));
        assert_memory_equal(&f.client.keys, &f.auth.keys, sizeof f.client.keys);
    }
}

/* The client cannot tell a replayed COOKIE of an older certificate from the current one, so it
 * keeps them all. Exactly one AUTH is accepted: that of the current certificate. */
TEST(test_handshake_client_old_certificates_cost_nothing)
{
    fixture f;
    fixture_setup(&f);
    fixture_start(&f);
    fixture_send_hello(&f);
    for (uint32_t i = 1; i < LS_CLIENT_COOKIES; i++) {
        assert_ok(fixture_serve_hello(&f));
        assert_ok(fixture_take_cookie(&f));
        ls_handshake_server_init(&f.server, &f.server_config); /* with another key */
    }
    assert_ok(fixture_serve_hello(&f));
    assert_ok(fixture_take_cookie(&f));
    assert_int_equal(ls_handshake_client_kept(&f.client), LS_CLIENT_COOKIES);
    uint32_t taken = 0;
    for (uint32_t age = 0; age < LS_CLIENT_COOKIES; age++) {
        ls_writer writer = fixture_writer(&f.authorization);
        ls_handshake_client_auth(&f.client, age, &writer);
        f.authorization.bytes = writer.count;
        taken += fixture_serve_auth(&f) == LS_OK;
    }
    assert_int_equal(taken, 1);
    fixture_send_auth(&f);
    assert_ok(fixture_serve_auth(&f));
    fixture_send_accept(&f);
    assert_ok(fixture_take_accept(&f));
    assert_true(ls_public_key_equal(&f.client.server_key, &f.identity.public_key));
}

static ls_status trust_none(void *context, const ls_public_key *shown, ls_error *error)
{
    *(ls_public_key *)context = *shown;
    return ls_error_set(error, LS_ERROR_NOT_FOUND, "never met");
}

TEST(test_handshake_client_asks_for_trust)
{
    fixture f;
    ls_public_key shown = {{0}};
    fixture_setup(&f);
    f.client_config.pin = NULL;
    f.client_config.trust = trust_none;
    f.client_config.trust_context = &shown;
    f.client_config.password =
        "open sesame"; /* the password is not hashed for a server without trust */
    fixture_start(&f);
    fixture_send_hello(&f);
    assert_ok(fixture_serve_hello(&f));
    assert_int_equal(fixture_take_cookie(&f), LS_ERROR_REFUSED);
    assert_string_equal(f.error.text, "never met");
    assert_true(ls_public_key_equal(&shown, &f.identity.public_key));
    assert_int_equal(f.client.cookie_count, 0);
    assert_int_equal(f.client.hashes_left, LS_CLIENT_COOKIES);
}

TEST(test_handshake_client_name_is_cleaned)
{
    fixture f;
    fixture_setup(&f);
    memcpy(f.client_config.name, "A\x1b[31m", 7);
    fixture_reach_auth(&f);
    assert_ok(fixture_serve_auth(&f));
    assert_string_equal(f.auth.name, "A?[31m");
}
