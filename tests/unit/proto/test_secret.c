#include "proto/secret.h"

#include "test.h"

/* The BLAKE2b-256 hash of "abc", from another implementation. */
TEST(test_secret_hash_is_blake2b_256)
{
    static const uint8_t expected[LS_SECRET_HASH_BYTES] = {
        0xbd, 0xdd, 0x81, 0x3c, 0x63, 0x42, 0x39, 0x72, 0x31, 0x71, 0xef,
        0x3f, 0xee, 0x98, 0x57, 0x9b, 0x94, 0x96, 0x4e, 0x3b, 0xb1, 0xcb,
        0x3e, 0x42, 0x72, 0x62, 0xc8, 0xc0, 0x68, 0xd5, 0x23, 0x19};
    uint8_t hash[LS_SECRET_HASH_BYTES];
    ls_secret_hash("abc", 3, hash);
    assert_memory_equal(hash, expected, sizeof hash);
}

TEST(test_secret_equal_sees_every_bit)
{
    uint8_t a[32] = {7}, b[32] = {7};
    assert_true(ls_secret_equal(a, b, sizeof a));
    for (uint32_t bit = 0; bit < 8 * sizeof b; bit++) {
        b[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_false(ls_secret_equal(a, b, sizeof a));
        b[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}
