#include "cli/network/relay_options.h"

#include "test.h"

static ls_relay_options parse(const ls_arguments *table, const char *const *words)
{
    char text[16][32] = {"relay"}, *arguments[17] = {text[0]};
    int count = 1;
    for (; words[count - 1]; count++) {
        snprintf(text[count], sizeof text[count], "%s", words[count - 1]);
        arguments[count] = text[count];
    }
    ls_relay_options options = {0};
    arguments[count] = NULL;
    ls_arguments_parse(table, count, arguments, &options);
    return options;
}

TEST(test_relay_options_units)
{
    const char *const words[] = {"--loss=2.5",  "--delay=100", "--jitter=0.5",
                                 "--rate=12.5", "--seed=9",    "--rebind-after=3",
                                 NULL};
    ls_relay_options options = parse(&ls_relay_arguments, words);
    ls_impairment_conditions conditions = ls_relay_options_conditions(&options);
    assert_int_equal(conditions.loss, 25000);
    assert_int_equal(conditions.delay_ns, 100 * MS);
    assert_int_equal(conditions.jitter_ns, MS / 2);
    assert_int_equal(conditions.rate, 12500);
    ls_relay_config config = ls_relay_config_default();
    ls_relay_options_apply(&options, &config);
    assert_int_equal(config.seed, 9);
    assert_int_equal(config.rebind_after_ns, 3000 * MS);
    assert_true(options.is_any);
    assert_memory_equal(&config.up, &conditions, sizeof conditions);
    assert_memory_equal(&config.down, &conditions, sizeof conditions);
}

/* Options override the profile, whether they come before or after it. */
TEST(test_relay_options_profile)
{
    const char *const words[] = {"--loss=0", "--profile=terrible", "--delay=7", NULL};
    ls_relay_options options = parse(&ls_relay_arguments, words);
    ls_impairment_conditions conditions = ls_relay_options_conditions(&options);
    assert_int_equal(conditions.loss, 0);
    assert_int_equal(conditions.delay_ns, 7 * MS);
    assert_int_equal(conditions.reorder, 40000);
    assert_int_equal(conditions.reorder_delay_ns, 50 * MS);
}

TEST(test_relay_options_one_side)
{
    const char *const words[] = {"--relay-loss=10", "--relay-only=up", "--relay-reorder=1", NULL};
    ls_relay_options options = parse(&ls_join_relay_arguments, words);
    ls_relay_config config = ls_relay_config_default();
    ls_relay_options_apply(&options, &config);
    assert_false(config.is_shared);
    assert_int_equal(config.up.loss, 100000);
    assert_int_equal(config.up.reorder_delay_ns, 40 * MS); /* the default */
    assert_int_equal(config.down.loss + config.down.reorder, 0);
    const char *const down[] = {"--relay-loss=10", "--relay-only=down", NULL};
    options = parse(&ls_join_relay_arguments, down);
    ls_relay_options_apply(&options, &config);
    assert_int_equal(config.up.loss, 0);
    assert_int_equal(config.down.loss, 100000);
}

TEST(test_relay_options_text)
{
    char text[LS_CONDITIONS_TEXT_BYTES];
    ls_conditions_format(&(ls_impairment_conditions){.loss = 25000, .delay_ns = 100 * MS}, text);
    assert_string_equal(text, "loss 2.5 %, delay 100 ms");
    ls_conditions_format(&(ls_impairment_conditions){.reorder_delay_ns = 1}, text);
    assert_string_equal(text, "nothing");
    const ls_impairment_conditions max = {1000000, 10000 * MS,  10000 * MS, 10000 * MS,
                                          1000000, 10000 * MS,  1000000,    1000000,
                                          1000000, 1000000 * MS};
    ls_conditions_format(&max, text);
    assert_non_null(strstr(text, "rate 1e+09 kB/s"));
}

TEST(test_relay_options_without_any)
{
    const char *const words[] = {NULL};
    assert_false(parse(&ls_join_relay_arguments, words).is_any);
}
