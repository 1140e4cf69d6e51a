#include "sims/builtin.h"
#include "tests/support/test.h"

#include <lockstep/program.h>

TEST(test_builtin_lists_simulations_by_name)
{
    const ls_sim *before = NULL, *sim;
    uint32_t count = 0;
    for (; (sim = ls_sim_builtin_at(count)); count++) {
        assert_ptr_equal(ls_sim_builtin(sim->name), sim);
        assert_true(!before || strcmp(before->name, sim->name) < 0);
        before = sim;
    }
    assert_true(count >= 2);
    assert_null(ls_sim_builtin_at(count));
    assert_null(ls_sim_builtin("no such simulation"));
    assert_non_null(ls_sim_builtin("cannon"));
    assert_non_null(ls_sim_builtin("colony"));
    assert_non_null(ls_sim_builtin("disjoint"));
    assert_non_null(ls_sim_builtin("fountain"));
    assert_non_null(ls_sim_builtin("regatta"));
    assert_non_null(ls_sim_builtin("skirmish"));
    assert_non_null(ls_sim_builtin("toyphys"));
}

TEST(test_builtin_simulations_all_build)
{
    const ls_sim *sim;
    for (uint32_t i = 0; (sim = ls_sim_builtin_at(i)); i++) {
        ls_program *program;
        ls_error error;
        if (ls_program_create(sim, &program, &error) != LS_OK)
            fail_msg("%s: %s", sim->name, error.text);
        assert_int_equal(strlen(sim->source_hash), 64);
        ls_program_destroy(program);
    }
}
