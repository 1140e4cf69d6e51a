#include "tests/support/test.h"

#include <lockstep/fix3.h>
#include <lockstep/random.h>

#include <math.h>

enum { SEED = 3, ROUNDS = 300000 };

static const ls_fix edges[] = {LS_FIX_MIN, -65536, -1, 0, 1, 65536, LS_FIX_MAX};
enum { EDGES = LS_COUNT_OF(edges), CORNERS = EDGES * EDGES * EDGES };

static ls_fix3 any_fix3(uint64_t draw)
{
    ls_random_stream stream = ls_random_root(SEED);
    uint64_t bits = ls_random_draw(stream, draw), sizes = ls_random_draw(stream, ~draw);
    return ls_fix3_make((ls_fix)bits >> (sizes & 31), (ls_fix)(bits >> 32) >> (sizes >> 5 & 31),
                        (ls_fix)(sizes >> 32) >> (sizes >> 10 & 31));
}

static ls_fix3 corner(int i)
{
    return ls_fix3_make(edges[i / EDGES / EDGES], edges[i / EDGES % EDGES], edges[i % EDGES]);
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

static double length_of(ls_fix3 a)
{
    return sqrt((double)a.x * a.x + (double)a.y * a.y + (double)a.z * a.z);
}

static void check_normalized(ls_fix3 a)
{
    ls_fix3 unit = ls_fix3_normalize(a);
    double length = length_of(a);
    if (length == 0) {
        assert_true(unit.x == 0 && unit.y == 0 && unit.z == 0);
        return;
    }
    assert_true(fabs(unit.x - a.x / length * 65536) < 0.51);
    assert_true(fabs(unit.y - a.y / length * 65536) < 0.51);
    assert_true(fabs(unit.z - a.z / length * 65536) < 0.51);
}

static void check_vectors(ls_fix3 a, ls_fix3 b)
{
    __int128 ax = a.x, ay = a.y, az = a.z, bx = b.x, by = b.y, bz = b.z;
    assert_int_equal(ls_fix3_dot(a, b), narrow(ax * bx + ay * by + az * bz));
    ls_fix3 cross = ls_fix3_cross(a, b);
    assert_int_equal(cross.x, narrow(ay * bz - az * by));
    assert_int_equal(cross.y, narrow(az * bx - ax * bz));
    assert_int_equal(cross.z, narrow(ax * by - ay * bx));
    __int128 squared = (ax - bx) * (ax - bx) + (ay - by) * (ay - by) + (az - bz) * (az - bz);
    int64_t expected = squared > INT64_MAX ? INT64_MAX : (int64_t)squared;
    assert_true(ls_fix3_distance_squared(a, b) == expected);
    check_length(ls_fix3_distance(a, b), squared);
    check_length(ls_fix3_length(a), ax * ax + ay * ay + az * az);
    check_normalized(a);
}

TEST(test_fix3_edges)
{
    for (int i = 0; i < CORNERS; i++)
        for (int j = 0; j < CORNERS; j++)
            check_vectors(corner(i), corner(j));
}

TEST(test_fix3_random)
{
    print_message("seed %d\n", SEED);
    for (uint64_t i = 0; i < ROUNDS; i++)
        check_vectors(any_fix3(2 * i), any_fix3(2 * i + 1));
}

TEST(test_fix3_short_vectors_normalize)
{
    for (ls_fix x = -30; x <= 30; x++)
        for (ls_fix y = -30; y <= 30; y++)
            for (ls_fix z = -30; z <= 30; z++)
                check_normalized(ls_fix3_make(x, y, z));
}

TEST(test_fix3_lengths)
{
    assert_int_equal(ls_fix3_length(ls_fix3_make(LS_FIX(2), LS_FIX(-3), LS_FIX(6))), LS_FIX(7));
    ls_fix3 low = {LS_FIX_MIN, LS_FIX_MIN, LS_FIX_MIN}, high = {LS_FIX_MAX, LS_FIX_MAX, LS_FIX_MAX};
    assert_int_equal(ls_fix3_length(low), LS_FIX_MAX);
    assert_true(ls_fix3_distance_squared(low, high) == INT64_MAX);
    assert_int_equal(ls_fix3_distance(low, high), LS_FIX_MAX);
    /* The bound that the header gives. */
    ls_fix3 zero = {0, 0, 0}, far = {LS_FIX(26754), LS_FIX(26754), LS_FIX(26754)};
    assert_true(ls_fix3_distance_squared(zero, far) < INT64_MAX);
    far = ls_fix3_make(LS_FIX(26755), LS_FIX(26755), LS_FIX(26755));
    assert_true(ls_fix3_distance_squared(zero, far) == INT64_MAX);
}

TEST(test_fix3_linear)
{
    ls_fix3 a = {LS_FIX(1.5), LS_FIX(-2), LS_FIX(7)}, b = {LS_FIX(0.5), LS_FIX(4), LS_FIX(-3)};
    ls_fix3 sum = ls_fix3_add(a, b), difference = ls_fix3_sub(a, b), opposite = ls_fix3_neg(a);
    ls_fix3 scaled = ls_fix3_scale(a, LS_FIX(-2)), middle = ls_fix3_lerp(a, b, LS_FIX(0.5));
    assert_true(sum.x == LS_FIX(2) && sum.y == LS_FIX(2) && sum.z == LS_FIX(4));
    assert_true(difference.x == LS_FIX(1) && difference.y == LS_FIX(-6));
    assert_true(difference.z == LS_FIX(10) && opposite.z == LS_FIX(-7));
    assert_true(opposite.x == LS_FIX(-1.5) && opposite.y == LS_FIX(2));
    assert_true(scaled.x == LS_FIX(-3) && scaled.y == LS_FIX(4) && scaled.z == LS_FIX(-14));
    assert_true(middle.x == LS_FIX(1) && middle.y == LS_FIX(1) && middle.z == LS_FIX(2));
}

static double angle_radians(ls_angle angle)
{
    return angle * 6.283185307179586 / 65536;
}

/* Rodrigues' formula in doubles, whose error is far below that of the fixed point. */
static double exact(double a, double axis, double cross, double along, double angle)
{
    return a * cos(angle) + cross * sin(angle) + axis * along * (1 - cos(angle));
}

static void check_rotation(ls_fix3 a, ls_fix3 axis, ls_angle angle)
{
    ls_fix3 turned = ls_fix3_rotate(a, axis, angle);
    double along = ((double)a.x * axis.x + (double)a.y * axis.y + (double)a.z * axis.z) / 65536;
    double cross_x = ((double)axis.y * a.z - (double)axis.z * a.y) / 65536;
    double cross_y = ((double)axis.z * a.x - (double)axis.x * a.z) / 65536;
    double cross_z = ((double)axis.x * a.y - (double)axis.y * a.x) / 65536;
    double radians = angle_radians(angle), bound = 6 * (length_of(a) / 65536 + 1) / 2;
    bound = bound < 6 ? 6 : bound;
    assert_true(fabs(turned.x - exact(a.x, axis.x / 65536.0, cross_x, along, radians)) < bound);
    assert_true(fabs(turned.y - exact(a.y, axis.y / 65536.0, cross_y, along, radians)) < bound);
    assert_true(fabs(turned.z - exact(a.z, axis.z / 65536.0, cross_z, along, radians)) < bound);
}

TEST(test_fix3_rotates)
{
    ls_fix3 a = {LS_FIX(3), LS_FIX(1), LS_FIX(5)}, z = {0, 0, LS_FIX_ONE};
    ls_fix3 quarter = ls_fix3_rotate(a, z, LS_ANGLE_QUARTER);
    assert_true(quarter.x == LS_FIX(-1) && quarter.y == LS_FIX(3) && quarter.z == LS_FIX(5));
    ls_fix3 half = ls_fix3_rotate(a, z, LS_ANGLE_HALF);
    assert_true(half.x == LS_FIX(-3) && half.y == LS_FIX(-1) && half.z == LS_FIX(5));
    for (uint64_t i = 0; i < ROUNDS; i++) {
        ls_fix3 axis = ls_fix3_normalize(any_fix3(2 * i)), turned = any_fix3(2 * i + 1);
        ls_fix3 some = {turned.x % LS_FIX(100), turned.y % LS_FIX(100), turned.z % LS_FIX(100)};
        check_rotation(some, axis, (ls_angle)i);
    }
}
