/* How clients authenticate: with a token, with a password, or not at all. */
#include "handshake_fixture.h"

TEST(test_handshake_token_or_the_password)
{
    fixture f;
    fixture_setup(&f);
    uint8_t psk[32];
    assert_ok(ls_handshake_password("open sesame", &f.identity.public_key, psk));
    f.server_config.psk = psk;
    fixture_reach_auth(&f);
    assert_int_equal(fixture_serve_auth(&f), LS_ERROR_CORRUPT);
    assert_int_equal(f.auth.failed, LS_HANDSHAKE_CHECK_BOX);
    f.client_config.password = "open sesami";
    fixture_reach_auth(&f);
    assert_int_equal(fixture_serve_auth(&f), LS_ERROR_CORRUPT);
    f.client_config.password = "open sesame";
    fixture_reach_auth(&f);
    assert_ok(fixture_serve_auth(&f));
    assert_false(f.auth.is_open);
    f.client_config.password = NULL;
    f.client_config.psk = psk; /* the client has the hash of the password */
    fixture_reach_auth(&f);
    assert_ok(fixture_serve_auth(&f));
    f.server_config.psk = NULL; /* a client with a password must not accept an open server */
    fixture_reach_auth(&f);
    assert_int_equal(fixture_serve_auth(&f), LS_ERROR_CORRUPT);
}

TEST(test_handshake_token_reads_the_token)
{
    fixture f;
    fixture_setup(&f);
    f.server_config.require_token = true;
    f.server_config.addresses = f.token.addresses;
    f.server_config.address_count = 1;
    f.token.server = f.identity.public_key;
    memcpy(f.token.fingerprint, f.server_config.local.fingerprint, LS_FINGERPRINT_BYTES);
    fixture_issue(&f);
    fixture_reach_auth(&f);
    assert_ok(fixture_serve_auth(&f));
    assert_true(f.auth.has_token);
    assert_false(f.auth.is_open);
    assert_string_equal(f.auth.token.client, "player 17");
    assert_string_equal(f.auth.token.room, "lobby");
    assert_int_equal(f.auth.token.rights, LS_TOKEN_PLAY);
    assert_memory_equal(f.auth.token.id, f.token.id, LS_TOKEN_ID_BYTES);
    uint8_t zeros[32] = {0};
    assert_memory_equal(f.auth.token.psk, zeros, sizeof zeros);
}

/* Issues f->token, runs the handshake up to the AUTH, and expects `status` from the server. */
static void expect_token(fixture *f, ls_status status)
{
    fixture_issue(f);
    fixture_reach_auth(f);
    assert_int_equal(fixture_serve_auth(f), status);
    assert_int_equal(f->auth.failed,
                     status == LS_OK ? LS_HANDSHAKE_CHECK_NONE : LS_HANDSHAKE_CHECK_TOKEN);
}

TEST(test_handshake_token_refuses_a_token_for_others)
{
    fixture f;
    fixture_setup(&f);
    expect_token(&f, LS_OK);
    f.token.server = f.identity.public_key;
    f.token.server.bytes[31] ^= 1;
    fixture_issue(&f);
    f.pass.has_server_key = false; /* the client must not refuse the server first */
    fixture_reach_auth(&f);
    assert_int_equal(fixture_serve_auth(&f), LS_ERROR_REFUSED);
    fixture_setup(&f);
    ls_address own[2] = {LS_ADDRESS_IPV4(10, 0, 0, 1, 1), f.token.addresses[0]};
    f.server_config.addresses = own;
    f.server_config.address_count = 1;
    expect_token(&f, LS_OK);
    assert_true(f.auth.token_is_elsewhere); /* the token names another address */
    f.server_config.address_count = 2;
    expect_token(&f, LS_OK);
    assert_false(f.auth.token_is_elsewhere);
    f.token.fingerprint[0] = 1;
    expect_token(&f, LS_ERROR_REFUSED);
}

/* The server marks an expired token and decides later whether it still gives a seat. A token before
 * its time is refused. */
TEST(test_handshake_token_knows_a_token_out_of_its_time)
{
    fixture f;
    fixture_setup(&f);
    fixture_issue(&f);
    fixture_reach_auth(&f);
    f.unix_s = f.token.expiry_s;
    assert_ok(fixture_serve_auth(&f));
    assert_true(f.auth.token_is_expired);
    f.unix_s = f.token.not_before_s - 1;
    assert_int_equal(fixture_serve_auth(&f), LS_ERROR_REFUSED);
    assert_int_equal(f.auth.failed, LS_HANDSHAKE_CHECK_TOKEN);
    f.unix_s = f.token.not_before_s;
    assert_ok(fixture_serve_auth(&f));
    f.unix_s = f.token.expiry_s - 1;
    assert_ok(fixture_serve_auth(&f));
    assert_false(f.auth.token_is_expired);
}

/* A sealed token can be copied in transit, but is useless without the psk inside it. */
TEST(test_handshake_token_stolen_token_is_worth_nothing)
{
    fixture f;
    fixture_setup(&f);
    fixture_issue(&f);
    memset(f.pass.psk, 0, sizeof f.pass.psk);
    fixture_reach_auth(&f);
    assert_int_equal(fixture_serve_auth(&f), LS_ERROR_CORRUPT);
    assert_int_equal(f.auth.failed, LS_HANDSHAKE_CHECK_BOX);
}

/* A server that requires a token refuses a HELLO without a token or with an unknown key id. The
 * AUTH needs the token, too. */
TEST(test_handshake_token_without_the_needed_token)
{
    fixture f;
    fixture_setup(&f);
    f.server_config.require_token = true;
    fixture_start(&f);
    fixture_send_hello(&f);
    assert_int_equal(fixture_serve_hello(&f), LS_ERROR_REFUSED);
    assert_true(f.cookie.bytes > 0 && f.cookie.bytes <= LS_COOKIE_BYTES_MAX);
    assert_int_equal(fixture_take_cookie(&f), LS_ERROR_REFUSED);
    assert_non_null(strstr(f.error.text, "connect token"));
    fixture_issue(&f);
    f.token_key.id = 8; /* the server's key has another id than the token */
    fixture_start(&f);
    fixture_send_hello(&f);
    assert_int_equal(fixture_serve_hello(&f), LS_ERROR_REFUSED);
    assert_int_equal(fixture_take_cookie(&f), LS_ERROR_REFUSED);
    assert_non_null(strstr(f.error.text, "key 7"));

    f.server_config.require_token = false; /* lets the client reach the AUTH */
    f.client_config.pass = NULL;
    fixture_reach_auth(&f);
    f.server.require_token = true;
    assert_int_equal(fixture_serve_auth(&f), LS_ERROR_REFUSED);
    assert_int_equal(f.auth.failed, LS_HANDSHAKE_CHECK_TOKEN);
}

TEST(test_handshake_token_has_one_length)
{
    fixture f;
    fixture_setup(&f);
    fixture_issue(&f);
    fixture_reach_auth(&f);
    for (uint32_t bytes = 1; bytes <= UINT16_MAX; bytes++) {
        f.authorization.data[101] = (uint8_t)bytes;
        f.authorization.data[102] = (uint8_t)(bytes >> 8);
        if (bytes == LS_TOKEN_BYTES)
            continue;
        assert_int_equal(fixture_serve_auth(&f), LS_ERROR_CORRUPT);
        assert_int_equal(f.auth.failed, LS_HANDSHAKE_CHECK_FORM);
    }
    f.authorization.data[101] = LS_TOKEN_BYTES & 0xff;
    f.authorization.data[102] = LS_TOKEN_BYTES >> 8;
    assert_ok(fixture_serve_auth(&f));
}

TEST(test_handshake_token_forgets_a_token_key)
{
    fixture f;
    fixture_setup(&f);
    fixture_issue(&f);
    fixture_reach_auth(&f);
    f.server.token_key_count = 0;
    assert_int_equal(fixture_serve_auth(&f), LS_ERROR_NOT_FOUND);
    f.server.token_key_count = 1;
    f.server.token_keys[0].secret[0] ^= 1;
    assert_int_equal(fixture_serve_auth(&f), LS_ERROR_CORRUPT);
    assert_int_equal(f.auth.failed, LS_HANDSHAKE_CHECK_TOKEN);
}
