#include "test.h"

#include "proto/aead.h"
#include <lockstep/limits.h>

#include <sodium.h>

enum { BYTES_MAX = LS_MESSAGE_BYTES_MAX, HEAD_BYTES = 5 };
/* The lengths around which the way to compute changes. */
static const uint32_t borders[] = {0,  1,   15,  16,  17,  63,  64,
                                   65, 128, 191, 192, 193, 256, BYTES_MAX};

static uint8_t key[LS_AEAD_KEY_BYTES], nonce[LS_AEAD_NONCE_BYTES], head[LS_AEAD_HEAD_BYTES_MAX];

static ls_aead make_aead(uint64_t seed, uint32_t head_bytes)
{
    test_fill(&seed, key, sizeof key);
    test_fill(&seed, nonce, sizeof nonce);
    test_fill(&seed, head, sizeof head);
    return (ls_aead){key, nonce, head, head_bytes};
}

static void assert_same(const ls_aead *aead, const uint8_t *message, uint32_t bytes)
{
    uint8_t sealed[BYTES_MAX + LS_AEAD_TAG_BYTES], expected[sizeof sealed], opened[BYTES_MAX];
    ls_aead_seal(aead, message, bytes, sealed);
    crypto_aead_chacha20poly1305_ietf_encrypt(expected, NULL, message, bytes, aead->head,
                                              aead->head_bytes, NULL, aead->nonce, aead->key);
    assert_memory_equal(sealed, expected, bytes + LS_AEAD_TAG_BYTES);
    assert_true(ls_aead_open(aead, expected, bytes, opened));
    assert_memory_equal(opened, message, bytes);
}

static void test_aead_is_that_of_the_library_at_each_length(void **state)
{
    uint8_t message[BYTES_MAX];
    for (uint32_t bytes = 0; bytes <= BYTES_MAX; bytes++) {
        uint64_t seed = bytes + 1;
        ls_aead aead = make_aead(seed, HEAD_BYTES);
        test_fill(&seed, message, sizeof message);
        assert_same(&aead, message, bytes);
    }
}

static void test_aead_takes_heads_of_each_length(void **state)
{
    uint8_t message[BYTES_MAX] = {1};
    for (uint32_t bytes = 1; bytes <= LS_AEAD_HEAD_BYTES_MAX; bytes++)
        for (uint32_t i = 0; i < LS_COUNT_OF(borders); i++) {
            ls_aead aead = make_aead(bytes, bytes);
            assert_same(&aead, message, borders[i]);
        }
}

/* RFC 8439, section 2.8.2, whose message of 114 bytes takes the short way. */
static void test_aead_is_that_of_the_standard(void **state)
{
    static const char text[] =
        "Ladies and Gentlemen of the class of '99: If I could offer you only "
        "one tip for the future, sunscreen would be it.";
    static const uint8_t own_head[] = {0x50, 0x51, 0x52, 0x53, 0xc0, 0xc1,
                                       0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7};
    static const uint8_t own_nonce[] = {7, 0, 0, 0, 0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47};
    static const uint8_t begin[] = {0xd3, 0x1a, 0x8d, 0x34, 0x64, 0x8e, 0x60, 0xdb};
    static const uint8_t tag[] = {0x1a, 0xe1, 0x0b, 0x59, 0x4f, 0x09, 0xe2, 0x6a,
                                  0x7e, 0x90, 0x2e, 0xcb, 0xd0, 0x60, 0x06, 0x91};
    uint8_t own_key[LS_AEAD_KEY_BYTES], sealed[sizeof text - 1 + LS_AEAD_TAG_BYTES];
    for (uint32_t i = 0; i < sizeof own_key; i++)
        own_key[i] = (uint8_t)(0x80 + i);
    const ls_aead aead = {own_key, own_nonce, own_head, sizeof own_head};
    ls_aead_seal(&aead, (const uint8_t *)text, sizeof text - 1, sealed);
    assert_memory_equal(sealed, begin, sizeof begin);
    assert_memory_equal(sealed + sizeof text - 1, tag, sizeof tag);
}

static void test_aead_refuses_every_flipped_bit(void **state)
{
    for (uint32_t i = 0; i < LS_COUNT_OF(borders); i++) {
        uint32_t bytes = borders[i], all = bytes + LS_AEAD_TAG_BYTES;
        ls_aead aead = make_aead(i, HEAD_BYTES);
        uint8_t message[BYTES_MAX] = {0}, sealed[BYTES_MAX + LS_AEAD_TAG_BYTES];
        ls_aead_seal(&aead, message, bytes, sealed);
        for (uint32_t bit = 0; bit < 8 * all; bit++) {
            sealed[bit / 8] ^= (uint8_t)(1u << bit % 8);
            assert_false(ls_aead_open(&aead, sealed, bytes, message));
            sealed[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
        for (uint32_t bit = 0; bit < 8 * HEAD_BYTES; bit++) {
            head[bit / 8] ^= (uint8_t)(1u << bit % 8);
            assert_false(ls_aead_open(&aead, sealed, bytes, message));
            head[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
        assert_true(ls_aead_open(&aead, sealed, bytes, message));
    }
}

static void test_aead_writes_nothing_for_a_wrong_tag(void **state)
{
    uint8_t message[BYTES_MAX], sealed[BYTES_MAX + LS_AEAD_TAG_BYTES] = {0};
    ls_aead aead = make_aead(9, HEAD_BYTES);
    memset(message, 0xaa, sizeof message);
    assert_false(ls_aead_open(&aead, sealed, 100, message));
    for (uint32_t i = 0; i < sizeof message; i++)
        assert_int_equal(message[i], 0xaa);
}

int main(void)
{
    assert_true(sodium_init() >= 0);
    return RUN_TESTS(test_aead_is_that_of_the_library_at_each_length,
                     test_aead_takes_heads_of_each_length, test_aead_is_that_of_the_standard,
                     test_aead_refuses_every_flipped_bit, test_aead_writes_nothing_for_a_wrong_tag);
}
