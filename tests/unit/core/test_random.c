#include "tests/support/test.h"

#include <lockstep/random.h>

#include <math.h>
#include <string.h>

enum { WORDS = 5, SAMPLES = 1 << 16 };

static ls_random_key key_of(const uint64_t words[WORDS])
{
    return (ls_random_key){.seed = words[0],
                           .tick = words[1],
                           .system = words[2],
                           .entity = words[3],
                           .draw = words[4]};
}

static uint64_t number_of(const uint64_t words[WORDS])
{
    ls_random_key key = key_of(words);
    return ls_random_u64(&key);
}

/* These values are a contract: other values would break every recording. */
TEST(test_random_golden_values)
{
    static const uint64_t keys[][WORDS] = {
        {0, 0, 0, 0, 0},
        {1, 2, 3, 4, 5},
        {5, 4, 3, 2, 1},
        {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX},
        {20240229, 1000000, 0x85944171f73967e8, 0x0000000100000007, 3},
    };
    static const uint64_t expected[] = {0x3c8cd8161fe09c96, 0xb2a876dc3f9b394b, 0x085c87b0ffdc777b,
                                        0x22e2250b5ccc5e59, 0xb129080c43635096};
    for (size_t i = 0; i < LS_COUNT_OF(keys); i++)
        assert_true(number_of(keys[i]) == expected[i]);
}

TEST(test_random_streams_equal_the_key)
{
    for (uint64_t i = 0; i < 1000; i++) {
        uint64_t words[WORDS] = {i, i * 3, i * i, ~i, i << 40};
        ls_random_stream stream = ls_random_root(words[0]);
        for (int word = 1; word < 4; word++)
            stream = ls_random_child(stream, words[word]);
        assert_true(ls_random_draw(stream, words[4]) == number_of(words));
    }
}

/* Flipping a bit of a word flips each output bit half the time. With 4,096 keys the count has a
 * standard deviation of 32. With 20,480 counts, a limit of six deviations fails by chance for one
 * of 20,000 choices of keys; these are fixed. */
static void check_avalanche(int word, int bit)
{
    enum { KEYS = 4096 };
    uint32_t flips[64] = {0};
    for (uint64_t i = 0; i < KEYS; i++) {
        uint64_t words[WORDS] = {42, i & 63, 77, i >> 6, 0};
        uint64_t before = number_of(words);
        words[word] ^= (uint64_t)1 << bit;
        uint64_t changed = before ^ number_of(words);
        for (int out = 0; out < 64; out++)
            flips[out] += (uint32_t)(changed >> out) & 1;
    }
    for (int out = 0; out < 64; out++)
        if (flips[out] < KEYS / 2 - 192 || flips[out] > KEYS / 2 + 192)
            fail_msg("word %d bit %d flips bit %d %u times of %d", word, bit, out, flips[out],
                     KEYS);
}

TEST(test_random_avalanche)
{
    for (int word = 0; word < WORDS; word++)
        for (int bit = 0; bit < 64; bit++)
            check_avalanche(word, bit);
}

/* Chi-square test with 256 classes while one word counts up: mean 255, deviation 22.6. Six
 * deviations either way: too even is as wrong as too uneven. */
static void check_byte(int word, int shift)
{
    uint32_t counts[256] = {0};
    for (uint64_t i = 0; i < SAMPLES; i++) {
        uint64_t words[WORDS] = {9, 9, 9, 9, 9};
        words[word] = i;
        counts[(uint8_t)(number_of(words) >> shift)]++;
    }
    double chi_square = 0, mean = SAMPLES / 256.0;
    for (int i = 0; i < 256; i++)
        chi_square += (counts[i] - mean) * (counts[i] - mean) / mean;
    if (chi_square < 255 - 136 || chi_square > 255 + 136)
        fail_msg("word %d, byte at bit %d: chi-square %.1f", word, shift, chi_square);
}

TEST(test_random_bytes_are_even)
{
    for (int word = 0; word < WORDS; word++)
        for (int shift = 0; shift < 64; shift += 8)
            check_byte(word, shift);
}

/* Successive values of each word give uncorrelated numbers: pairs of nibbles, 256 classes. */
TEST(test_random_neighbours_are_independent)
{
    for (int word = 0; word < WORDS; word++) {
        uint32_t counts[256] = {0};
        uint64_t words[WORDS] = {1, 2, 3, 4, 5};
        uint64_t last = number_of(words);
        for (uint64_t i = 0; i < SAMPLES; i++) {
            words[word]++;
            uint64_t next = number_of(words);
            counts[(last >> 60) << 4 | next >> 60]++;
            last = next;
        }
        double chi_square = 0, mean = SAMPLES / 256.0;
        for (int i = 0; i < 256; i++)
            chi_square += (counts[i] - mean) * (counts[i] - mean) / mean;
        assert_true(chi_square > 255 - 136 && chi_square < 255 + 136);
    }
}

/* Exchanging two words gives another key. */
TEST(test_random_words_do_not_commute)
{
    for (int a = 0; a < WORDS; a++)
        for (int b = a + 1; b < WORDS; b++) {
            uint64_t words[WORDS] = {11, 22, 33, 44, 55};
            uint64_t before = number_of(words), kept = words[a];
            words[a] = words[b];
            words[b] = kept;
            assert_true(number_of(words) != before);
        }
}

TEST(test_random_below_covers_evenly)
{
    ls_random_stream stream = ls_random_root(6);
    uint32_t counts[6] = {0};
    for (uint64_t i = 0; i < 60000; i++) {
        uint32_t face = ls_random_below(ls_random_draw(stream, i), 6);
        assert_true(face < 6);
        counts[face]++;
    }
    for (int face = 0; face < 6; face++)
        assert_in_range(counts[face], 10000 - 550, 10000 + 550); /* six deviations of 91 */
}

TEST(test_random_below_matches_definition)
{
    static const uint64_t edges[] = {0,         1, UINT32_MAX, (uint64_t)1 << 32, UINT64_MAX - 1,
                                     UINT64_MAX};
    ls_random_stream stream = ls_random_root(7);
    for (uint64_t i = 0; i < 100000; i++) {
        uint64_t bits = i < LS_COUNT_OF(edges) ? edges[i] : ls_random_draw(stream, i);
        uint32_t count = (uint32_t)ls_random_draw(stream, ~i) >> (i & 31);
        assert_int_equal(ls_random_below(bits, count),
                         (uint32_t)((unsigned __int128)bits * count >> 64));
        assert_int_equal(ls_random_below(bits, UINT32_MAX),
                         (uint32_t)((unsigned __int128)bits * UINT32_MAX >> 64));
    }
    assert_int_equal(ls_random_below(UINT64_MAX, 0), 0);
    assert_int_equal(ls_random_below(UINT64_MAX, 1), 0);
}

TEST(test_random_range_reaches_both_ends)
{
    assert_int_equal(ls_random_range(0, -3, 3), -3);
    assert_int_equal(ls_random_range(UINT64_MAX, -3, 3), 3);
    assert_int_equal(ls_random_range(0, INT32_MIN, INT32_MAX), INT32_MIN);
    assert_int_equal(ls_random_range(UINT64_MAX, INT32_MIN, INT32_MAX), INT32_MAX);
    assert_int_equal(ls_random_range((uint64_t)1 << 63, INT32_MIN, INT32_MAX), 0);
    assert_int_equal(ls_random_range(UINT64_MAX, 5, 5), 5);
    assert_int_equal(ls_random_range(UINT64_MAX, 5, 4), 5);
}

TEST(test_random_fix_excludes_the_end)
{
    assert_int_equal(ls_random_fix(0), 0);
    assert_int_equal(ls_random_fix(UINT64_MAX), LS_FIX_ONE - 1);
    assert_int_equal(ls_random_fix((uint64_t)1 << 63), LS_FIX(0.5));
    assert_int_equal(ls_random_fix_range(0, LS_FIX(-2), LS_FIX(2)), LS_FIX(-2));
    assert_int_equal(ls_random_fix_range(UINT64_MAX, LS_FIX(-2), LS_FIX(2)), LS_FIX(2) - 1);
    assert_int_equal(ls_random_fix_range(UINT64_MAX, LS_FIX_MIN, LS_FIX_MAX), LS_FIX_MAX - 1);
    assert_int_equal(ls_random_fix_range(UINT64_MAX, 7, 7), 7);
    assert_int_equal(ls_random_fix_range(UINT64_MAX, 7, LS_FIX_MIN), 7);
}

/* Values from the FNV specification. */
TEST(test_random_name_key_is_fnv1a)
{
    assert_true(ls_name_key("") == 0xcbf29ce484222325);
    assert_true(ls_name_key("a") == 0xaf63dc4c8601ec8c);
    assert_true(ls_name_key("foobar") == 0x85944171f73967e8);
    assert_true(ls_name_key("\xff") == (0xcbf29ce4842223dau * 0x100000001b3u));
}
