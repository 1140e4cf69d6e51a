#include "tests/support/test.h"

#include <lockstep/fix2.h>
#include <lockstep/random.h>

#include <math.h>

enum { SEED = 3, ROUNDS = 300000 };

static const ls_fix edges[] = {LS_FIX_MIN, LS_FIX_MIN + 1, -65536, -1, 0, 1, 2, 65536, LS_FIX_MAX};

static ls_fix2 any_fix2(uint64_t draw)
{
    ls_random_stream stream = ls_random_root(SEED);
    uint64_t bits = ls_random_draw(stream, draw), sizes = ls_random_draw(stream, ~draw);
    return ls_fix2_make((ls_fix)bits >> (sizes & 31), (ls_fix)(bits >> 32) >> (sizes >> 5 & 31));
}

/* Rounds a Q32.32 number as dot and cross do. */
static ls_fix narrow(__int128 wide)
{
    return (ls_fix)(uint32_t)(uint64_t)((wide + 32768) >> 16);
}

static void check_length(ls_fix length, __int128 squared)
{
    __int128 root = length;
    assert_true(root >= 0 && root * root <= squared);
    if (length < LS_FIX_MAX)
        assert_true((root + 1) * (root + 1) > squared);
}

static void check_normalized(ls_fix2 a)
{
    ls_fix2 unit = ls_fix2_normalize(a);
    double length = hypot(a.x, a.y);
    if (length == 0) {
        assert_true(unit.x == 0 && unit.y == 0);
        return;
    }
    assert_true(fabs(unit.x - a.x / length * 65536) < 0.51);
    assert_true(fabs(unit.y - a.y / length * 65536) < 0.51);
}

static void check_vectors(ls_fix2 a, ls_fix2 b)
{
    __int128 ax = a.x, ay = a.y, bx = b.x, by = b.y;
    assert_int_equal(ls_fix2_dot(a, b), narrow(ax * bx + ay * by));
    assert_int_equal(ls_fix2_cross(a, b), narrow(ax * by - ay * bx));
    __int128 squared = (ax - bx) * (ax - bx) + (ay - by) * (ay - by);
    int64_t expected = squared > INT64_MAX ? INT64_MAX : (int64_t)squared;
    assert_true(ls_fix2_distance_squared(a, b) == expected);
    check_length(ls_fix2_distance(a, b), squared);
    check_length(ls_fix2_length(a), ax * ax + ay * ay);
    check_normalized(a);
}

TEST(test_fix2_edges)
{
    enum { COUNT = LS_COUNT_OF(edges) };
    for (int i = 0; i < COUNT * COUNT; i++)
        for (int j = 0; j < COUNT * COUNT; j++)
            check_vectors(ls_fix2_make(edges[i / COUNT], edges[i % COUNT]),
                          ls_fix2_make(edges[j / COUNT], edges[j % COUNT]));
}

TEST(test_fix2_random)
{
    print_message("seed %d\n", SEED);
    for (uint64_t i = 0; i < ROUNDS; i++)
        check_vectors(any_fix2(2 * i), any_fix2(2 * i + 1));
}

TEST(test_fix2_short_vectors_normalize)
{
    for (ls_fix x = -200; x <= 200; x++)
        for (ls_fix y = -200; y <= 200; y++)
            check_normalized(ls_fix2_make(x, y));
}

TEST(test_fix2_lengths)
{
    assert_int_equal(ls_fix2_length(ls_fix2_make(LS_FIX(3), LS_FIX(-4))), LS_FIX(5));
    assert_int_equal(ls_fix2_length(ls_fix2_make(LS_FIX_MIN, LS_FIX_MIN)), LS_FIX_MAX);
    ls_fix2 low = {LS_FIX_MIN, LS_FIX_MIN}, high = {LS_FIX_MAX, LS_FIX_MAX};
    assert_true(ls_fix2_distance_squared(low, high) == INT64_MAX);
    assert_int_equal(ls_fix2_distance(low, high), LS_FIX_MAX);
    assert_true(ls_fix_square_wide(LS_FIX(5)) ==
                ls_fix2_distance_squared(ls_fix2_make(LS_FIX(3), 0), ls_fix2_make(0, LS_FIX(4))));
}

TEST(test_fix2_linear)
{
    ls_fix2 a = {LS_FIX(1.5), LS_FIX(-2)}, b = {LS_FIX(0.5), LS_FIX(4)};
    ls_fix2 sum = ls_fix2_add(a, b), difference = ls_fix2_sub(a, b), opposite = ls_fix2_neg(a);
    ls_fix2 scaled = ls_fix2_scale(a, LS_FIX(-2)), middle = ls_fix2_lerp(a, b, LS_FIX(0.5));
    assert_true(sum.x == LS_FIX(2) && sum.y == LS_FIX(2));
    assert_true(difference.x == LS_FIX(1) && difference.y == LS_FIX(-6));
    assert_true(opposite.x == LS_FIX(-1.5) && opposite.y == LS_FIX(2));
    assert_true(scaled.x == LS_FIX(-3) && scaled.y == LS_FIX(4));
    assert_true(middle.x == LS_FIX(1) && middle.y == LS_FIX(1));
    assert_true(ls_fix2_cross(ls_fix2_make(LS_FIX_ONE, 0), ls_fix2_make(0, LS_FIX_ONE)) > 0);
}

TEST(test_fix2_rotates)
{
    ls_fix2 a = {LS_FIX(3), LS_FIX(1)};
    ls_fix2 quarter = ls_fix2_rotate(a, LS_ANGLE_QUARTER), half = ls_fix2_rotate(a, LS_ANGLE_HALF);
    assert_true(quarter.x == LS_FIX(-1) && quarter.y == LS_FIX(3));
    assert_true(half.x == LS_FIX(-3) && half.y == LS_FIX(-1));
    for (int32_t angle = 0; angle < 65536; angle++) {
        ls_fix2 direction = ls_fix2_from_angle((ls_angle)angle);
        ls_fix2 turned = ls_fix2_rotate(ls_fix2_make(LS_FIX_ONE, 0), (ls_angle)angle);
        assert_true(turned.x == direction.x && turned.y == direction.y);
        assert_int_equal(ls_angle_atan2(direction.y, direction.x), angle);
    }
}
