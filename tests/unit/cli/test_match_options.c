#include "cli/common/match_options.h"

#include "cli/module/sim_load.h"
#include "test.h"

TEST(test_match_options_apply_to_the_usual_match)
{
    ls_loaded_sim loaded;
    ls_match match;
    assert_ok(ls_sim_load("skirmish", &loaded, NULL));
    ls_match usual = ls_program_match(loaded.program, 5);
    ls_match_options options = {.seed = 5};
    assert_ok(ls_match_options_apply(&options, loaded.program, &match, NULL));
    assert_memory_equal(&match, &usual, sizeof match);

    options.players = 3;
    options.tick_rate = 50;
    options.sets[0] = (ls_match_set){"units=300", 5, 300};
    options.sets[1] = (ls_match_set){"units=400", 5, 400}; /* the last one wins */
    options.set_count = 2;
    assert_ok(ls_match_options_apply(&options, loaded.program, &match, NULL));
    assert_int_equal(match.player_count, 3);
    assert_int_equal(match.tick_rate, 50);
    assert_int_equal(match.options[0], 400);
    ls_sim_unload(&loaded);
}

TEST(test_match_options_name_the_error)
{
    ls_loaded_sim loaded;
    ls_match match;
    ls_error error;
    assert_ok(ls_sim_load("skirmish", &loaded, NULL));
    ls_match_options options = {.sets = {{"unit=1", 4, 1}}, .set_count = 1};
    assert_int_equal(ls_match_options_apply(&options, loaded.program, &match, &error),
                     LS_ERROR_NOT_FOUND);
    assert_non_null(strstr(error.text, "'unit'"));
    assert_non_null(strstr(error.text, "units"));
    options.sets[0] = (ls_match_set){"units=0", 5, 0};
    assert_int_equal(ls_match_options_apply(&options, loaded.program, &match, &error),
                     LS_ERROR_USAGE);
    assert_non_null(strstr(error.text, "units=0 is out of range for the simulation skirmish"));
    assert_non_null(strstr(error.text, "--set units=N with N from 200 to 50000"));
    ls_sim_unload(&loaded);
}

TEST(test_match_options_need_no_executor_for_one_thread)
{
    ls_executor *executor;
    ls_match_options options = {.threads = 1};
    assert_ok(ls_match_options_executor(&options, &executor, NULL));
    assert_null(executor);
    options.threads = 2;
    assert_ok(ls_match_options_executor(&options, &executor, NULL));
    assert_non_null(executor);
    ls_executor_destroy(executor);
    options = (ls_match_options){.threads = LS_THREADS_MAX, .is_pinned = true};
    ls_error error;
    if (ls_match_options_executor(&options, &executor, &error) != LS_OK)
        assert_non_null(strstr(error.text, "unpinned"));
    ls_executor_destroy(executor);
}
