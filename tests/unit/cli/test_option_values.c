#include "cli/check/option_values.h"

#include "test.h"

enum { SMALL, LARGE, WIDEST, COUNT };
static const ls_option options[COUNT] = {
    [SMALL] = {"small", "has few values", -1, 2, 0},
    [LARGE] = {"large", "has many values", 1, 1000, 1},
    [WIDEST] = {"widest", "has all values", INT64_MIN, INT64_MAX, 7},
};
static const ls_sim sim = {.options = options, .option_count = COUNT};
static const ls_match standard = {.option_count = COUNT, .options = {0, 1, 7}};

TEST(test_option_values_are_all_of_few_and_five_of_many)
{
    const struct {
        uint32_t option;
        int64_t value;
    } expected[] = {{SMALL, -1},         {SMALL, 1},
                    {SMALL, 2},          {LARGE, 1000},
                    {WIDEST, INT64_MIN}, {WIDEST, INT64_MAX},
                    {LARGE, 250},        {LARGE, 499},
                    {LARGE, 748},        {WIDEST, INT64_MIN / 2 - 1},
                    {WIDEST, -2},        {WIDEST, INT64_MAX / 2 - 2}};
    const ls_option_pins pins = {0};
    assert_int_equal(ls_option_values_count(&sim, &pins, &standard), LS_COUNT_OF(expected));
    for (uint32_t i = 0; i < LS_COUNT_OF(expected); i++) {
        ls_match match = standard;
        ls_option_values_set(&sim, &pins, i, &match);
        for (uint32_t j = 0; j < COUNT; j++)
            assert_int_equal(match.options[j],
                             j == expected[i].option ? expected[i].value : standard.options[j]);
    }
}

TEST(test_option_values_leave_pinned_options)
{
    const ls_option_pins pins = {.is_pinned = {[SMALL] = true, [WIDEST] = true}};
    ls_match match = standard;
    assert_int_equal(ls_option_values_count(&sim, &pins, &match), 4);
    ls_option_values_set(&sim, &pins, 0, &match);
    assert_int_equal(match.options[LARGE], 1000);
    for (uint64_t seed = 0; seed < 100; seed++) {
        ls_option_values_draw(&sim, &pins, seed, &match);
        assert_int_equal(match.options[SMALL], standard.options[SMALL]);
        assert_int_equal(match.options[WIDEST], standard.options[WIDEST]);
    }
}

TEST(test_option_values_that_are_drawn_reach_every_value)
{
    const ls_option_pins pins = {0};
    uint32_t seen[4] = {0}, inside = 0;
    for (uint64_t seed = 0; seed < 400; seed++) {
        ls_match match = standard, again = standard;
        ls_option_values_draw(&sim, &pins, seed, &match);
        ls_option_values_draw(&sim, &pins, seed, &again);
        assert_memory_equal(&match, &again, sizeof match);
        assert_true(match.options[SMALL] >= -1 && match.options[SMALL] <= 2);
        assert_true(match.options[LARGE] >= 1 && match.options[LARGE] <= 1000);
        seen[match.options[SMALL] + 1]++;
        inside += match.options[LARGE] > 1 && match.options[LARGE] < 1000;
    }
    for (uint32_t i = 0; i < LS_COUNT_OF(seen); i++)
        assert_true(seen[i] > 0);
    assert_in_range(inside, 50, 200);
}
