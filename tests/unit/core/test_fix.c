#include "tests/support/test.h"

#include <lockstep/fix.h>
#include <lockstep/random.h>

#include <fenv.h>
#include <math.h>

enum { SEED = 1, ROUNDS = 400000 };

static const ls_fix edges[] = {LS_FIX_MIN, LS_FIX_MIN + 1,
                               -65537,     -65536,
                               -65535,     -32769,
                               -32768,     -32767,
                               -3,         -2,
                               -1,         0,
                               1,          2,
                               3,          32767,
                               32768,      32769,
                               65535,      65536,
                               65537,      LS_FIX_MAX - 1,
                               LS_FIX_MAX};

/* Draws a number of any magnitude: the shift makes small ones as frequent as large ones. */
static ls_fix any_fix(uint64_t draw)
{
    uint64_t bits = ls_random_draw(ls_random_root(SEED), draw);
    return (ls_fix)bits >> (bits >> 59);
}

/* floor(n / d) with 128 bits, for d != 0. */
static __int128 floor_div(__int128 n, __int128 d)
{
    __int128 quotient = n / d;
    return n % d != 0 && (n < 0) != (d < 0) ? quotient - 1 : quotient;
}

static ls_fix clamp_wide(__int128 raw)
{
    return raw > LS_FIX_MAX ? LS_FIX_MAX : raw < LS_FIX_MIN ? LS_FIX_MIN : (ls_fix)raw;
}

static ls_fix wrap(__int128 raw)
{
    return (ls_fix)(uint32_t)(uint64_t)raw;
}

static void check_pair(ls_fix a, ls_fix b)
{
    assert_int_equal(ls_fix_add(a, b), wrap((__int128)a + b));
    assert_int_equal(ls_fix_sub(a, b), wrap((__int128)a - b));
    assert_int_equal(ls_fix_mul(a, b), wrap(floor_div(2 * (__int128)a * b + 65536, 131072)));
    if (b != 0) {
        __int128 n = (__int128)a * 65536;
        assert_int_equal(ls_fix_div(a, b), clamp_wide(floor_div(2 * n + b, 2 * (__int128)b)));
    }
    assert_int_equal(ls_fix_min(a, b), a < b ? a : b);
    assert_int_equal(ls_fix_max(a, b), a < b ? b : a);
}

static void check_lerp(ls_fix a, ls_fix b, ls_fix t)
{
    __int128 moved = floor_div(2 * ((__int128)b - a) * t + 65536, 131072);
    assert_int_equal(ls_fix_lerp(a, b, t), clamp_wide(a + moved));
}

TEST(test_fix_pairs_match_definition)
{
    for (size_t i = 0; i < LS_COUNT_OF(edges); i++)
        for (size_t j = 0; j < LS_COUNT_OF(edges); j++)
            check_pair(edges[i], edges[j]);
    print_message("seed %d\n", SEED);
    for (uint64_t i = 0; i < ROUNDS; i++)
        check_pair(any_fix(2 * i), any_fix(2 * i + 1));
}

TEST(test_fix_division_by_zero)
{
    assert_int_equal(ls_fix_div(1, 0), LS_FIX_MAX);
    assert_int_equal(ls_fix_div(-1, 0), LS_FIX_MIN);
    assert_int_equal(ls_fix_div(0, 0), 0);
    assert_int_equal(ls_fix_div(LS_FIX_MIN, -1), LS_FIX_MAX);
}

TEST(test_fix_ties_go_up)
{
    assert_int_equal(ls_fix_mul(1, LS_FIX(0.5)), 1);
    assert_int_equal(ls_fix_mul(-1, LS_FIX(0.5)), 0);
    assert_int_equal(ls_fix_div(1, LS_FIX(2)), 1);
    assert_int_equal(ls_fix_div(-1, LS_FIX(2)), 0);
    assert_int_equal(ls_fix_div(1, LS_FIX(-2)), 0);
}

TEST(test_fix_lerp_matches_definition)
{
    for (size_t i = 0; i < LS_COUNT_OF(edges); i++)
        for (size_t j = 0; j < LS_COUNT_OF(edges); j++)
            for (size_t k = 0; k < LS_COUNT_OF(edges); k++)
                check_lerp(edges[i], edges[j], edges[k]);
    print_message("seed %d\n", SEED);
    for (uint64_t i = 0; i < ROUNDS; i++) {
        ls_fix a = any_fix(3 * i), b = any_fix(3 * i + 1);
        check_lerp(a, b, any_fix(3 * i + 2));
        assert_int_equal(ls_fix_lerp(a, b, 0), a);
        assert_int_equal(ls_fix_lerp(a, b, LS_FIX_ONE), b);
    }
}

TEST(test_fix_single_arguments)
{
    for (size_t i = 0; i < LS_COUNT_OF(edges); i++) {
        ls_fix a = edges[i];
        assert_int_equal(ls_fix_neg(a), wrap(-(__int128)a));
        assert_int_equal(ls_fix_abs(a), clamp_wide(a < 0 ? -(__int128)a : a));
        assert_int_equal(ls_fix_to_int(a), floor_div(a, 65536));
        assert_int_equal(ls_fix_round(a), floor_div((__int128)a + 32768, 65536));
        assert_int_equal(ls_fix_from_int(a), clamp_wide((__int128)a * 65536));
        assert_true(ls_fix_to_double(a) * 65536 == a);
    }
    assert_int_equal(ls_fix_saturate(INT64_MAX), LS_FIX_MAX);
    assert_int_equal(ls_fix_saturate(INT64_MIN), LS_FIX_MIN);
}

TEST(test_fix_clamp)
{
    assert_int_equal(ls_fix_clamp(5, 1, 3), 3);
    assert_int_equal(ls_fix_clamp(-5, 1, 3), 1);
    assert_int_equal(ls_fix_clamp(2, 1, 3), 2);
    assert_int_equal(ls_fix_clamp(2, 3, 1), 3);
}

TEST(test_fix_constants_are_folded)
{
    static const ls_fix folded[] = {
        LS_FIX(0.25),   LS_FIX(-0.25), LS_FIX(7),      LS_FIX(0.3),         LS_FIX(-0.3),
        LS_FIX(-32768), LS_FIX(1e9),   LS_FIX(-32769), LS_FIX(32767.99999), LS_FIX(1.0 / 3)};
    static const ls_fix expected[] = {16384,      -16384,     7 * 65536,  19661,      -19661,
                                      LS_FIX_MIN, LS_FIX_MAX, LS_FIX_MIN, LS_FIX_MAX, 21845};
    for (size_t i = 0; i < LS_COUNT_OF(folded); i++)
        assert_int_equal(folded[i], expected[i]);
}

static void check_root(uint64_t x)
{
    unsigned __int128 root = ls_sqrt_u64(x);
    assert_true(root * root <= x);
    assert_true((root + 1) * (root + 1) > x);
}

TEST(test_fix_sqrt_is_exact)
{
    for (uint64_t x = 0; x < 300000; x++)
        check_root(x);
    /* Around every square with a root near a power of two, and around the largest root. */
    for (int bits = 1; bits <= 32; bits++)
        for (int64_t near = -300; near <= 300; near++) {
            int64_t root = ((int64_t)1 << bits) + near;
            if (root < 1 || root > UINT32_MAX)
                continue;
            uint64_t square = (uint64_t)root * (uint64_t)root;
            check_root(square - 1);
            check_root(square);
            check_root(square + 1);
        }
    for (uint64_t i = 0; i < 1000; i++)
        check_root(UINT64_MAX - i);
    print_message("seed %d\n", SEED);
    for (uint64_t i = 0; i < ROUNDS; i++) {
        uint64_t bits = ls_random_draw(ls_random_root(SEED), i);
        check_root(bits >> (bits & 63));
        uint64_t root = bits >> 32;
        check_root(root * root);
        check_root(root * root - 1);
    }
}

/* The rounding mode may change the estimate, but not the result. */
TEST(test_fix_sqrt_in_any_rounding_mode)
{
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST};
    for (size_t mode = 0; mode < LS_COUNT_OF(modes); mode++) {
        fesetround(modes[mode]);
        for (uint64_t i = 0; i < 50000; i++) {
            uint64_t bits = ls_random_draw(ls_random_root(SEED), i), root = bits >> 32;
            check_root(bits >> (bits & 63));
            check_root(root * root);
            check_root(root * root - 1);
            check_root(UINT64_MAX - i);
        }
    }
}

TEST(test_fix_sqrt_of_fix)
{
    assert_int_equal(ls_fix_sqrt(LS_FIX(4)), LS_FIX(2));
    assert_int_equal(ls_fix_sqrt(LS_FIX(2)), (ls_fix)(sqrt(2) * 65536));
    assert_int_equal(ls_fix_sqrt(0), 0);
    assert_int_equal(ls_fix_sqrt(-1), 0);
    assert_int_equal(ls_fix_sqrt(LS_FIX_MIN), 0);
    for (int64_t x = 0; x <= LS_FIX_MAX; x += x < 200000 ? 1 : 9973) {
        int64_t root = ls_fix_sqrt((ls_fix)x), wide = x * 65536;
        assert_true(root * root <= wide && wide < (root + 1) * (root + 1));
    }
}
