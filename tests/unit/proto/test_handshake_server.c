#include "handshake_fixture.h"

#include "proto/handshake_internal.h"

TEST(test_handshake_server_learns_the_client)
{
    fixture f;
    fixture_setup(&f);
    fixture_reach_auth(&f);
    assert_int_equal(f.hello.bytes, LS_HELLO_BYTES);
    assert_true(f.cookie.bytes <= LS_COOKIE_BYTES_MAX);
    assert_int_equal(f.authorization.bytes, LS_AUTH_BYTES);
    assert_ok(fixture_serve_auth(&f));
    assert_string_equal(f.auth.name, "Ada");
    assert_string_equal(f.auth.build, "clang 14 wasm browser");
    assert_int_equal(f.auth.flags, LS_HANDSHAKE_BOT);
    assert_string_equal(f.auth.room, "lobby");
    assert_false(f.auth.has_resume);
    assert_false(f.auth.has_token);
    assert_true(f.auth.is_open);
    assert_int_equal(f.auth.failed, LS_HANDSHAKE_CHECK_NONE);
}

TEST(test_handshake_server_resume_secret_arrives)
{
    fixture f;
    fixture_setup(&f);
    uint8_t secret[LS_RESUME_BYTES] = "from the last session";
    f.client_config.resume_secret = secret;
    fixture_reach_auth(&f);
    assert_ok(fixture_serve_auth(&f));
    assert_true(f.auth.has_resume);
    assert_memory_equal(f.auth.resume_secret, secret, sizeof secret);
}

/* Both sides get the reason, which quotes the client's and the server's value. */
static void expect_refusal(fixture *f, const char *theirs, const char *ours)
{
    fixture_start(f);
    fixture_send_hello(f);
    assert_int_equal(fixture_serve_hello(f), LS_ERROR_INCOMPATIBLE);
    assert_true(f->cookie.bytes > 0 && f->cookie.bytes <= LS_COOKIE_BYTES_MAX);
    assert_non_null(strstr(f->error.text, theirs));
    assert_non_null(strstr(f->error.text, ours));
    char server_text[LS_ERROR_TEXT_BYTES];
    strcpy(server_text, f->error.text);
    assert_int_equal(fixture_take_cookie(f), LS_ERROR_INCOMPATIBLE);
    assert_non_null(strstr(f->error.text, server_text));
}

TEST(test_handshake_server_refuses_another_engine)
{
    fixture f;
    fixture_setup(&f);
    f.client_config.local.engine_version = 3;
    expect_refusal(&f, "client has 3", "server 4");
}

TEST(test_handshake_server_refuses_another_simulation)
{
    fixture f;
    fixture_setup(&f);
    /* The longest texts still fit the reason uncut. */
    memset(f.client_config.local.simulation, 'c', LS_SIMULATION_TEXT_BYTES - 1);
    memset(f.server_config.local.simulation, 's', LS_SIMULATION_TEXT_BYTES - 1);
    f.client_config.local.fingerprint[15] = 0xfe;
    expect_refusal(
        &f, "'cccccccccccccccccccccccccccccccc' (fingerprint 303132333435363738396162636465fe)",
        "'ssssssssssssssssssssssssssssssss' (fingerprint 30313233343536373839616263646500)");
}

TEST(test_handshake_server_refuses_another_protocol)
{
    fixture f;
    fixture_setup(&f);
    fixture_start(&f);
    fixture_send_hello(&f);
    f.hello.data[5] = 0x39;
    f.hello.data[6] = 0x05;
    memset(f.hello.data + 7, 0xff,
           50); /* the server does not read the rest of a later version's HELLO */
    assert_int_equal(fixture_serve_hello(&f), LS_ERROR_INCOMPATIBLE);
    assert_non_null(strstr(f.error.text, "the client speaks 1337, the server 3"));
    const uint8_t head[] = {LS_HANDSHAKE_REJECT, LS_REJECT_VERSION, 3, 0, 3, 0}; /* 3 to 3 */
    assert_memory_equal(f.cookie.data, head, sizeof head);
    assert_int_equal(fixture_take_cookie(&f), LS_ERROR_INCOMPATIBLE);
    assert_non_null(strstr(f.error.text, "1337"));
}

TEST(test_handshake_server_same_simulation_by_another_compiler_enters)
{
    fixture f;
    fixture_setup(&f);
    strcpy(f.client_config.local.simulation, "another spelling");
    fixture_reach_accept(&f);
    assert_ok(fixture_take_accept(&f));
}

TEST(test_handshake_server_malformed_hello_is_dropped)
{
    fixture f;
    fixture_setup(&f);
    fixture_start(&f);
    fixture_send_hello(&f);
    for (f.hello.bytes = 0; f.hello.bytes < LS_HELLO_BYTES; f.hello.bytes++) {
        assert_int_equal(fixture_serve_hello(&f), LS_ERROR_CORRUPT);
        assert_int_equal(f.cookie.bytes, 0);
    }
    const size_t places[] = {0, 1, 4, 27, 28, 100, LS_HELLO_BYTES - 1};
    for (size_t i = 0; i < LS_COUNT_OF(places); i++) {
        fixture_message good = f.hello;
        f.hello.data[places[i]] ^= 0x80;
        assert_int_equal(fixture_serve_hello(&f), LS_ERROR_CORRUPT);
        f.hello = good;
    }
}

/* The COOKIE contains a hash of the HELLO that the server received. */
TEST(test_handshake_server_tampered_hello_never_enters)
{
    for (size_t at = 0; at < LS_HELLO_BYTES; at++) {
        fixture f;
        fixture_setup(&f);
        fixture_start(&f);
        fixture_send_hello(&f);
        f.hello.data[at] ^= 1;
        if (fixture_serve_hello(&f) != LS_OK)
            continue;
        assert_int_equal(fixture_take_cookie(&f), LS_ERROR_CORRUPT);
        assert_int_equal(ls_handshake_client_kept(&f.client), 0);
    }
}

TEST(test_handshake_server_cookie_is_of_one_address)
{
    fixture f;
    fixture_setup(&f);
    fixture_reach_auth(&f);
    for (size_t bit = 0; bit < sizeof f.remote * 8; bit++) {
        f.remote.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_int_equal(fixture_serve_auth(&f), LS_ERROR_REFUSED);
        assert_int_equal(f.auth.failed, LS_HANDSHAKE_CHECK_COOKIE);
        assert_string_equal(f.auth.name, "");
        f.remote.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    assert_ok(fixture_serve_auth(&f));
}

TEST(test_handshake_server_cookie_expires)
{
    fixture f;
    fixture_setup(&f);
    f.now_ns = 10 * LS_COOKIE_BUCKET_NS;
    fixture_reach_auth(&f);
    f.now_ns = 12 * LS_COOKIE_BUCKET_NS - 1;
    assert_ok(fixture_serve_auth(&f));
    f.now_ns = 12 * LS_COOKIE_BUCKET_NS;
    assert_int_equal(fixture_serve_auth(&f), LS_ERROR_REFUSED);
    f.now_ns = 10 * LS_COOKIE_BUCKET_NS - 1; /* the cookie is from the future */
    assert_int_equal(fixture_serve_auth(&f), LS_ERROR_REFUSED);
}

/* Any AUTH with one bit flipped or another length is refused, and the result contains only the
 * check that failed. */
static void expect_no_other_auth(fixture *f)
{
    for (size_t bit = 0; bit < LS_AUTH_BYTES * 8; bit++) {
        f->authorization.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_int_not_equal(fixture_serve_auth(f), LS_OK);
        assert_int_not_equal(f->auth.failed, LS_HANDSHAKE_CHECK_NONE);
        ls_handshake_auth empty = {.failed = f->auth.failed};
        assert_memory_equal(&f->auth, &empty, sizeof empty);
        f->authorization.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    for (size_t bytes = 0; bytes <= sizeof f->authorization.data; bytes++) {
        f->authorization.bytes = bytes;
        if (bytes == LS_AUTH_BYTES)
            continue;
        assert_int_equal(fixture_serve_auth(f), LS_ERROR_CORRUPT);
        assert_int_equal(f->auth.failed, LS_HANDSHAKE_CHECK_FORM);
    }
    f->authorization.bytes = LS_AUTH_BYTES;
    assert_ok(fixture_serve_auth(f));
}

TEST(test_handshake_server_tampered_auth_is_refused_at_each_bit)
{
    fixture f;
    fixture_setup(&f);
    fixture_reach_auth(&f);
    expect_no_other_auth(&f);
}

TEST(test_handshake_server_tampered_auth_with_token_is_refused_at_each_bit)
{
    fixture f;
    fixture_setup(&f);
    fixture_issue(&f);
    fixture_reach_auth(&f);
    expect_no_other_auth(&f);
}

/* ls_handshake_server_knows() does only the first two checks of an AUTH. */
TEST(test_handshake_server_recognises_its_cookies)
{
    fixture f;
    fixture_setup(&f);
    fixture_reach_auth(&f);
    const uint8_t *ephemeral = NULL;
    ls_handshake_message message = fixture_view(&f, &f.authorization);
    assert_true(ls_handshake_server_knows(&f.server, &message, &ephemeral));
    assert_ptr_equal(ephemeral, f.authorization.data + LS_AUTH_COOKIE_BYTES);
    assert_memory_equal(ephemeral, f.client.ephemeral_public, 32);
    f.authorization.data[LS_AUTH_BYTES - 1] ^= 1;
    assert_true(ls_handshake_server_knows(&f.server, &message, &ephemeral));
    f.authorization.data[5] ^= 1;
    assert_false(ls_handshake_server_knows(&f.server, &message, &ephemeral));
    f.authorization.data[5] ^= 1;
    message.bytes--;
    assert_false(ls_handshake_server_knows(&f.server, &message, &ephemeral));
    message.bytes++;
    message.remote.bytes[17] ^= 1;
    assert_false(ls_handshake_server_knows(&f.server, &message, &ephemeral));
    message.remote.bytes[17] ^= 1;
    message.now_ns += 2 * LS_COOKIE_BUCKET_NS;
    assert_false(ls_handshake_server_knows(&f.server, &message, &ephemeral));
}

/* Serves an AUTH whose box is sealed correctly. Its content is all zeros, except one byte. */
static ls_status serve_forged_box(fixture *f, size_t at, uint8_t value)
{
    uint8_t bytes[LS_AUTH_PLAIN_BYTES_MAX] = {0};
    ls_writer plain = {.data = bytes, .capacity = sizeof bytes, .count = sizeof bytes};
    if (at < sizeof bytes)
        bytes[at] = value;
    ls_handshake_state schedule = f->client.cookies[0].state;
    ls_handshake_absorb(&schedule, f->authorization.data + LS_AUTH_COOKIE_BYTES,
                        LS_AUTH_HEADER_BYTES - LS_AUTH_COOKIE_BYTES);
    ls_writer writer = fixture_writer(&f->authorization);
    writer.count = LS_AUTH_HEADER_BYTES;
    ls_handshake_box_seal(&schedule, "auth box", &plain, &writer);
    return fixture_serve_auth(f);
}

TEST(test_handshake_server_box_is_canonical)
{
    enum { FLAGS = 32, NAME, BUILD, ROOM, HAS_RESUME, RESUME };
    enum { CAPABILITIES = RESUME + LS_RESUME_BYTES, ZEROS = CAPABILITIES + 4 };
    fixture f;
    fixture_setup(&f);
    fixture_reach_auth(&f);
    assert_ok(serve_forged_box(&f, SIZE_MAX, 0));
    assert_ok(serve_forged_box(&f, 0, 7)); /* any random of the client is valid */
    assert_ok(serve_forged_box(&f, FLAGS, LS_HANDSHAKE_FLAGS));
    assert_int_equal(serve_forged_box(&f, FLAGS, LS_HANDSHAKE_FLAGS + 1), LS_ERROR_CORRUPT);
    assert_int_equal(serve_forged_box(&f, NAME, 1), LS_ERROR_CORRUPT); /* a zero inside the name */
    assert_int_equal(serve_forged_box(&f, NAME, LS_NAME_BYTES), LS_ERROR_CORRUPT);
    assert_int_equal(serve_forged_box(&f, BUILD, 255), LS_ERROR_CORRUPT);
    assert_int_equal(serve_forged_box(&f, ROOM, 1), LS_ERROR_CORRUPT);
    assert_int_equal(serve_forged_box(&f, ROOM, LS_ROOM_BYTES), LS_ERROR_CORRUPT);
    assert_ok(serve_forged_box(&f, HAS_RESUME, 1));
    assert_int_equal(serve_forged_box(&f, HAS_RESUME, 2), LS_ERROR_CORRUPT);
    assert_int_equal(serve_forged_box(&f, RESUME, 1), LS_ERROR_CORRUPT);
    assert_ok(serve_forged_box(&f, CAPABILITIES, LS_LINK_CAPABILITIES));
    assert_int_equal(serve_forged_box(&f, CAPABILITIES + 3, 1), LS_ERROR_CORRUPT);
    assert_int_equal(serve_forged_box(&f, ZEROS, 1), LS_ERROR_CORRUPT);
    assert_int_equal(serve_forged_box(&f, LS_AUTH_PLAIN_BYTES_MAX - 1, 1), LS_ERROR_CORRUPT);
}

TEST(test_handshake_server_restart_refuses_old_cookies)
{
    fixture f;
    fixture_setup(&f);
    fixture_reach_auth(&f);
    ls_handshake_server_init(&f.server, &f.server_config); /* a restart draws new secrets */
    assert_int_equal(fixture_serve_auth(&f), LS_ERROR_REFUSED);
    assert_int_equal(f.auth.failed, LS_HANDSHAKE_CHECK_COOKIE);
}

TEST(test_handshake_server_certificate_is_renewed_at_half_life)
{
    fixture f;
    fixture_setup(&f);
    fixture_start(&f);
    uint64_t first = f.server.era.expiry_s;
    assert_int_equal(first, FIXTURE_NOW_S + LS_CERTIFICATE_LIFE_S);
    ls_handshake_server_renew(&f.server, FIXTURE_NOW_S + LS_CERTIFICATE_LIFE_S / 2 - 1, f.now_ns);
    assert_int_equal(f.server.era.expiry_s, first);
    ls_handshake_server_renew(&f.server, FIXTURE_NOW_S + LS_CERTIFICATE_LIFE_S / 2, f.now_ns);
    assert_int_equal(f.server.era.expiry_s, first + LS_CERTIFICATE_LIFE_S / 2);
    ls_handshake_server_renew(&f.server, FIXTURE_NOW_S - 1000,
                              f.now_ns); /* the wall clock was set back */
    assert_int_equal(f.server.era.expiry_s, FIXTURE_NOW_S - 1000 + LS_CERTIFICATE_LIFE_S);
}

static void renew(fixture *f)
{
    f->unix_s += LS_CERTIFICATE_LIFE_S / 2;
    ls_handshake_server_renew(&f->server, f->unix_s, f->now_ns);
}

/* A stolen key can impersonate the server only until its certificate expires. */
TEST(test_handshake_server_renewal_draws_a_new_key)
{
    fixture f;
    fixture_setup(&f);
    fixture_reach_auth(&f);
    ls_handshake_era first = f.server.era;
    renew(&f);
    assert_memory_not_equal(f.server.era.static_secret, first.static_secret, 32);
    assert_memory_not_equal(f.server.era.static_public, first.static_public, 32);
    assert_memory_not_equal(f.server.era.cookie_secret, first.cookie_secret, 32);
    fixture_reach_auth(&f);
    assert_memory_equal(f.client.cookies[0].server_static, f.server.era.static_public, 32);
    assert_ok(fixture_serve_auth(&f));
    fixture_send_accept(&f);
    assert_ok(fixture_take_accept(&f));
}

TEST(test_handshake_server_survives_renewal_in_between)
{
    fixture f;
    fixture_setup(&f);
    fixture_reach_auth(&f);
    renew(&f);
    f.now_ns += LS_COOKIE_BUCKET_NS;
    assert_ok(fixture_serve_auth(&f));
    fixture_send_accept(&f);
    assert_ok(fixture_take_accept(&f));
}

TEST(test_handshake_server_wipes_the_old_key_after_two_minutes)
{
    static const uint8_t zeros[32];
    fixture f;
    fixture_setup(&f);
    fixture_reach_auth(&f);
    uint8_t secret[32];
    memcpy(secret, f.server.era.static_secret, sizeof secret);
    renew(&f);
    f.now_ns += 2 * LS_COOKIE_BUCKET_NS - 1;
    ls_handshake_server_renew(&f.server, f.unix_s, f.now_ns);
    assert_memory_equal(f.server.past.static_secret, secret, 32);
    f.now_ns++;
    assert_int_equal(fixture_serve_auth(&f),
                     LS_ERROR_REFUSED); /* refused even before the secret is wiped */
    ls_handshake_server_renew(&f.server, f.unix_s, f.now_ns);
    assert_memory_equal(f.server.past.static_secret, zeros, 32);
    assert_memory_equal(f.server.past.cookie_secret, zeros, 32);
    assert_null(memmem(&f.server, sizeof f.server, secret, sizeof secret));
}

TEST(test_handshake_server_reset_wipes)
{
    fixture f;
    fixture_setup(&f);
    fixture_reach_accept(&f);
    uint8_t zeros[sizeof f.server + sizeof f.auth + sizeof f.client] = {0};
    ls_handshake_server_reset(&f.server);
    ls_handshake_auth_reset(&f.auth);
    ls_handshake_client_reset(&f.client);
    assert_memory_equal(&f.server, zeros, sizeof f.server);
    assert_memory_equal(&f.auth, zeros, sizeof f.auth);
    assert_memory_equal(&f.client, zeros, sizeof f.client);
}
