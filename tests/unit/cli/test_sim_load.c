#include "cli/module/sim_load.h"

#include "test.h"

/* tests/integration/cli tests shared objects and their faults with whole processes. */

TEST(test_sim_load_finds_all_built_in)
{
    const char *names[LS_SIM_NAMES_MAX];
    uint32_t count = ls_sim_names(names);
    assert_true(count > 0);
    for (uint32_t i = 0; i < count; i++) {
        ls_loaded_sim loaded;
        assert_ok(ls_sim_load(names[i], &loaded, NULL));
        assert_string_equal(loaded.sim->name, names[i]);
        assert_null(loaded.library);
        ls_sim_unload(&loaded);
        assert_null(loaded.program);
    }
}

TEST(test_sim_load_names_the_missing_part)
{
    ls_loaded_sim loaded;
    ls_error error;
    assert_int_equal(ls_sim_load("toyfys", &loaded, &error), LS_ERROR_NOT_FOUND);
    assert_non_null(strstr(error.text, "did you mean 'toyphys'"));
    assert_int_equal(ls_sim_load("", &loaded, &error), LS_ERROR_NOT_FOUND);
    assert_int_equal(ls_sim_load("/no/such/file.so", &loaded, &error), LS_ERROR_NOT_FOUND);
    assert_non_null(strstr(error.text, "/no/such/file.so"));
    assert_null(loaded.program);
    char longest[5000];
    memset(longest, '/', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    assert_int_equal(ls_sim_load(longest, &loaded, &error), LS_ERROR_USAGE);
    ls_sim_unload(&loaded);
}
