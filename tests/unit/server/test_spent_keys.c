#include "server/spent_keys.h"
#include "tests/support/test.h"

static const uint8_t secret[LS_SPENT_SECRET_BYTES] = {7};

static void key_of(uint32_t number, uint8_t key[LS_SPENT_KEY_BYTES])
{
    memset(key, 0x5a, LS_SPENT_KEY_BYTES);
    memcpy(key, &number, sizeof number);
}

/* As long as a cookie may live: this minute's and that of the one before. */
TEST(test_spent_keys_outlive_their_cookies)
{
    ls_spent_keys keys;
    uint8_t one[LS_SPENT_KEY_BYTES], other[LS_SPENT_KEY_BYTES];
    key_of(1, one);
    memcpy(other, one, sizeof other);
    other[LS_SPENT_KEY_BYTES - 1] ^= 1;
    ls_spent_keys_init(&keys, secret);
    assert_false(ls_spent_keys_has(&keys, one, 100));
    ls_spent_keys_add(&keys, one, 100);
    assert_true(ls_spent_keys_has(&keys, one, 100));
    assert_true(ls_spent_keys_has(&keys, one, 99 + 2 * LS_COOKIE_BUCKET_NS));
    assert_false(ls_spent_keys_has(&keys, one, 100 + 2 * LS_COOKIE_BUCKET_NS));
    assert_false(ls_spent_keys_has(&keys, other, 100));
    ls_spent_keys_reset(&keys);
    assert_null(keys.items);
}

/* Half of the table fits with few losses, and a table that is full forgets the oldest first. */
TEST(test_spent_keys_forget_the_oldest)
{
    ls_spent_keys keys;
    uint8_t key[LS_SPENT_KEY_BYTES];
    ls_spent_keys_init(&keys, secret);
    for (uint32_t i = 0; i < LS_SERVER_SPENT_KEYS / 2; i++) {
        key_of(i, key);
        ls_spent_keys_add(&keys, key, 1 + i);
    }
    uint32_t known = 0;
    for (uint32_t i = 0; i < LS_SERVER_SPENT_KEYS / 2; i++) {
        key_of(i, key);
        known += ls_spent_keys_has(&keys, key, LS_SERVER_SPENT_KEYS);
    }
    assert_in_range(known, LS_SERVER_SPENT_KEYS / 2 * 99 / 100, LS_SERVER_SPENT_KEYS / 2);
    for (uint32_t i = 0; i < 4 * LS_SERVER_SPENT_KEYS; i++) {
        key_of(LS_SERVER_SPENT_KEYS + i, key);
        ls_spent_keys_add(&keys, key, LS_SERVER_SPENT_KEYS + i);
        assert_true(ls_spent_keys_has(&keys, key, LS_SERVER_SPENT_KEYS + i));
    }
    key_of(0, key);
    assert_false(ls_spent_keys_has(&keys, key, 5 * LS_SERVER_SPENT_KEYS));
    ls_spent_keys_reset(&keys);
}
