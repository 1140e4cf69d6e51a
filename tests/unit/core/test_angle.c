#include "tests/support/test.h"

#include <lockstep/angle.h>
#include <lockstep/random.h>

#include <math.h>

enum { SEED = 2, TURN = 65536 };

static const double pi = 3.14159265358979323846;

/* No exact sine is closer than 5e-6 of a unit to a rounding tie, so the double decides the
 * rounding. */
TEST(test_angle_sine_is_the_nearest)
{
    for (int32_t angle = 0; angle < TURN; angle++) {
        double radians = angle * (2 * pi / TURN);
        assert_int_equal(ls_angle_sin((ls_angle)angle), lround(sin(radians) * 65536));
        assert_int_equal(ls_angle_cos((ls_angle)angle), lround(cos(radians) * 65536));
    }
}

TEST(test_angle_sine_is_symmetric)
{
    assert_int_equal(ls_angle_sin(0), 0);
    assert_int_equal(ls_angle_sin(LS_ANGLE_QUARTER), LS_FIX_ONE);
    assert_int_equal(ls_angle_cos(LS_ANGLE_HALF), -LS_FIX_ONE);
    for (int32_t angle = 0; angle < TURN; angle++) {
        ls_fix sine = ls_angle_sin((ls_angle)angle);
        assert_int_equal(ls_angle_sin((ls_angle)-angle), -sine);
        assert_int_equal(ls_angle_sin((ls_angle)(LS_ANGLE_HALF - angle)), sine);
        assert_int_equal(ls_angle_cos((ls_angle)(LS_ANGLE_QUARTER - angle)), sine);
    }
}

static void check_atan2(ls_fix y, ls_fix x)
{
    double exact = atan2(y, x) * (TURN / (2 * pi));
    double error = remainder(ls_angle_atan2(y, x) - exact, TURN);
    if (fabs(error) >= 0.51)
        fail_msg("atan2(%d, %d) is %f units off", y, x, error);
}

TEST(test_angle_atan2_over_grid)
{
    for (ls_fix y = -400; y <= 400; y++)
        for (ls_fix x = -400; x <= 400; x++)
            if (x || y)
                check_atan2(y, x);
    for (int32_t y = -300; y <= 300; y++)
        for (int32_t x = -300; x <= 300; x++)
            if (x || y)
                check_atan2(y * 7158278, x * 7158278);
}

TEST(test_angle_atan2_at_random)
{
    print_message("seed %d\n", SEED);
    ls_random_stream stream = ls_random_root(SEED);
    for (uint64_t i = 0; i < 1000000; i++) {
        uint64_t bits = ls_random_draw(stream, i), sizes = ls_random_draw(stream, ~i);
        ls_fix y = (ls_fix)(bits >> 32) >> (sizes & 31);
        ls_fix x = (ls_fix)bits >> (sizes >> 5 & 31);
        if (x || y)
            check_atan2(y, x);
    }
}

TEST(test_angle_atan2_special_directions)
{
    static const ls_fix lengths[] = {1, 2, 65536, LS_FIX_MAX - 1, LS_FIX_MAX};
    static const ls_fix xs[8] = {1, 1, 0, -1, -1, -1, 0, 1}, ys[8] = {0, 1, 1, 1, 0, -1, -1, -1};
    assert_int_equal(ls_angle_atan2(0, 0), 0);
    for (size_t i = 0; i < LS_COUNT_OF(lengths); i++)
        for (int32_t eighth = 0; eighth < 8; eighth++)
            assert_int_equal(ls_angle_atan2(ys[eighth] * lengths[i], xs[eighth] * lengths[i]),
                             eighth * (TURN / 8));
    assert_int_equal(ls_angle_atan2(LS_FIX_MIN, LS_FIX_MIN), 5 * (TURN / 8));
    assert_int_equal(ls_angle_atan2(0, LS_FIX_MIN), LS_ANGLE_HALF);
    assert_int_equal(ls_angle_atan2(LS_FIX_MIN, 0), 3 * (TURN / 4));
}

TEST(test_angle_atan2_mirrors)
{
    ls_random_stream stream = ls_random_root(SEED);
    for (uint64_t i = 0; i < 100000; i++) {
        uint64_t bits = ls_random_draw(stream, i);
        ls_fix x = ls_fix_max((ls_fix)bits, -LS_FIX_MAX);
        ls_fix y = ls_fix_max((ls_fix)(bits >> 32), -LS_FIX_MAX);
        ls_angle angle = ls_angle_atan2(y, x);
        assert_int_equal(ls_angle_atan2(-y, x), (ls_angle)-angle);
        assert_int_equal(ls_angle_atan2(y, -x), (ls_angle)(LS_ANGLE_HALF - angle));
        if (x != y && x != -y)
            assert_int_equal(ls_angle_atan2(x, y), (ls_angle)(LS_ANGLE_QUARTER - angle));
    }
}

TEST(test_angle_atan2_inverts_sine)
{
    for (int32_t angle = 0; angle < TURN; angle++) {
        ls_angle back =
            ls_angle_atan2(ls_angle_sin((ls_angle)angle), ls_angle_cos((ls_angle)angle));
        assert_int_equal(back, angle);
    }
}

TEST(test_angle_turns_wrap)
{
    assert_int_equal(ls_angle_add(65535, 2), 1);
    assert_int_equal(ls_angle_add(1, -2), 65535);
    assert_int_equal(ls_angle_add(0, INT32_MIN), 0);
    assert_int_equal(ls_angle_turn(65535, 1), 2);
    assert_int_equal(ls_angle_turn(1, 65535), -2);
    assert_int_equal(ls_angle_turn(0, LS_ANGLE_HALF), -32768);
    assert_int_equal(LS_DEGREES(90), LS_ANGLE_QUARTER);
    assert_int_equal(LS_DEGREES(-90), 3 * LS_ANGLE_QUARTER);
    assert_int_equal(LS_DEGREES(720 + 45), 8192);
}
