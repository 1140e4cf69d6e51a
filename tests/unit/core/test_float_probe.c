/* The probe that floats compile to the same bits everywhere: it passes for this program, and the
 * messages for other programs are right. tests/package compiles modules that fail it. */
#include "harness.h"

#include <lockstep/float_probe.h>

TEST(test_float_probe_finds_this_program_exact)
{
    assert_true(&__start_ls_float_probes[0] < &__stop_ls_float_probes[0]);
    assert_int_equal(ls_sim_float_faults(), 0);
    assert_int_equal(ls_float_check(0, "x", NULL), LS_OK);
}

TEST(test_float_probe_names_the_flag)
{
    ls_error error;
    assert_int_equal(ls_float_check(LS_FLOAT_CONTRACTED, "game.so", &error), LS_ERROR_INCOMPATIBLE);
    assert_non_null(strstr(error.text, "game.so "));
    assert_non_null(strstr(error.text, "-ffp-contract=off"));
    assert_int_equal(ls_float_check(LS_FLOAT_REASSOCIATED, "game.so", &error),
                     LS_ERROR_INCOMPATIBLE);
    assert_non_null(strstr(error.text, "-fno-associative-math"));
    assert_int_equal(ls_float_check(LS_FLOAT_RECIPROCAL, "game.so", &error), LS_ERROR_INCOMPATIBLE);
    assert_non_null(strstr(error.text, "-fno-reciprocal-math"));
}
