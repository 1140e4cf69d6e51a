#include "cli/common/command.h"

#include "test.h"

/* Scripts rely on these numbers, so they are repeated here as literals. */
TEST(test_command_keeps_its_exit_codes)
{
    assert_int_equal(ls_exit_of(LS_OK), 0);
    assert_int_equal(ls_exit_of(LS_ERROR_DIVERGED), 1);
    assert_int_equal(ls_exit_of(LS_ERROR_USAGE), 2);
    assert_int_equal(ls_exit_of(LS_ERROR_LIMIT), 2);
    assert_int_equal(ls_exit_of(LS_ERROR_NOT_FOUND), 2);
    assert_int_equal(ls_exit_of(LS_ERROR_INCOMPATIBLE), 3);
    assert_int_equal(ls_exit_of(LS_ERROR_CORRUPT), 4);
    assert_int_equal(ls_exit_of(LS_ERROR_IO), 5);
    assert_int_equal(ls_exit_of(LS_ERROR_REFUSED), 6);
}
