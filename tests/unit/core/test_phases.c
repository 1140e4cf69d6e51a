/* Systems that run in no common tick need no order. */
#include "diary_sim.h"

static bool needs_order(ls_condition one, ls_condition other)
{
    const ls_system systems[] = {
        WRITER("a", .labels = "first"),
        WRITER("b", .labels = "second"),
    };
    const ls_set sets[] = {{.name = "first", .when = one}, {.name = "second", .when = other}};
    ls_sim sim = diary_sim(systems, LS_COUNT_OF(systems));
    sim.sets = sets;
    sim.set_count = LS_COUNT_OF(sets);
    ls_program *program;
    ls_error error;
    ls_status status = ls_program_create(&sim, &program, &error);
    ls_program_destroy(program);
    assert_true(status == LS_OK || strstr(error.text, "\"a\" and \"b\" have no order"));
    return status != LS_OK;
}

/* Compares the rule with a search through the ticks until the phases repeat. */
TEST(test_phases_exclude_exactly_what_never_meets)
{
    uint32_t refused = 0, accepted = 0;
    for (uint32_t i = 0; i < 7 * 7 * 7 * 7; i++) {
        uint32_t a = 1 + i % 7, b = 1 + i / 7 % 7, p = i / 49 % 7, q = i / 343;
        if (p >= a || q >= b)
            continue;
        bool do_meet = false;
        for (uint32_t tick = 0; tick < a * b; tick++)
            do_meet |= tick % a == p && tick % b == q;
        if (needs_order((ls_condition){.every = a, .phase = p},
                        (ls_condition){.every = b, .phase = q}) != do_meet)
            fail_msg("every %u at %u and every %u at %u", a, p, b, q);
        refused += do_meet;
        accepted += !do_meet;
    }
    assert_true(refused > 100 && accepted > 100);
}

TEST(test_phases_need_both_sets)
{
    assert_true(needs_order((ls_condition){.every = 2, .phase = 1}, (ls_condition){.every = 0}));
    assert_true(needs_order((ls_condition){.every = 0}, (ls_condition){.every = 3, .phase = 2}));
}

/* All executors write in the order of the ticks. */
TEST(test_phases_run_in_turn)
{
    const ls_system systems[] = {WRITER("a", .labels = "even"), WRITER("b", .labels = "odd")};
    static const ls_set sets[] = {{.name = "even", .when = {.every = 2}},
                                  {.name = "odd", .when = {.every = 2, .phase = 1}}};
    ls_sim sim = diary_sim(systems, LS_COUNT_OF(systems));
    sim.sets = sets;
    sim.set_count = LS_COUNT_OF(sets);
    assert_writes(&sim, 5, "ababa");
}
