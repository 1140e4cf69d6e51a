#include "handshake_fixture.h"

TEST(test_handshake_password_is_of_one_server)
{
    ls_public_key a = {.bytes = {1}}, b = {.bytes = {2}};
    uint8_t first[32], again[32], other[32], another[32];
    assert_ok(ls_handshake_password("open sesame", &a, first));
    assert_ok(ls_handshake_password("open sesame", &a, again));
    assert_ok(ls_handshake_password("open sesame", &b, other));
    assert_ok(ls_handshake_password("open sesami", &a, another));
    assert_memory_equal(first, again, sizeof first);
    assert_memory_not_equal(first, other, sizeof first);
    assert_memory_not_equal(first, another, sizeof first);
}

TEST(test_handshake_password_has_a_longest)
{
    ls_public_key key = {{0}};
    uint8_t psk[32];
    char password[LS_PASSWORD_BYTES + 1];
    memset(password, 'p', sizeof password);
    assert_int_equal(ls_handshake_password(password, &key, psk), LS_ERROR_LIMIT);
    password[LS_PASSWORD_BYTES - 1] = 0;
    assert_ok(ls_handshake_password(password, &key, psk));
}

TEST(test_handshake_reject_is_no_larger_than_a_question)
{
    char reason[1000];
    memset(reason, 'r', sizeof reason - 1);
    reason[sizeof reason - 1] = 0;
    fixture_message message;
    ls_writer writer = fixture_writer(&message);
    ls_handshake_reject(LS_REJECT_TOKEN, reason, &writer);
    assert_false(writer.failed);
    assert_true(writer.count <= LS_COOKIE_BYTES_MAX);
    assert_int_equal(message.data[1], 5);
    assert_int_equal(message.data[2], LS_PROTOCOL_VERSION);
}
