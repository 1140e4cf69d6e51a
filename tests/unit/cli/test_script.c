#include "test.h"

#include "cli/join/script.h"

#include <unistd.h>

#define STATE_BYTES 2

TESTS_AROUND_ALL(test_file_make, test_file_unlink);

static ls_status read_text(const char *text, ls_script *script, ls_error *error)
{
    test_file_write(test_file, text, strlen(text));
    ls_status status = ls_script_read(test_file, script, error);
    if (status)
        return status;
    status = ls_script_check(script, test_file, STATE_BYTES, error);
    if (status)
        ls_script_reset(script);
    return status;
}

TEST(test_script_reads_orders_and_states)
{
    ls_script script;
    ls_error error;
    assert_ok(read_text("# a script\n"
                        "7 00fF10 # three bytes\r\n"
                        "  \t\n"
                        "state 3 0a0B\n"
                        "7 01\n"
                        "state 9 0000",
                        &script, &error));
    assert_int_equal(script.orders.count, 2);
    assert_int_equal(script.states.count, 2);
    const ls_script_line *order = &script.orders.items[0];
    assert_int_equal(order->tick, 7);
    assert_int_equal(order->number, 2);
    assert_int_equal(order->bytes, 3);
    assert_memory_equal(order->data, "\x00\xff\x10", 3);
    assert_int_equal(script.orders.items[1].number, 5);
    assert_int_equal(script.states.items[0].tick, 3);
    assert_memory_equal(script.states.items[0].data, "\x0a\x0b", 2);
    assert_int_equal(script.states.items[1].tick, 9);
    ls_script_reset(&script);
    assert_ok(read_text("", &script, &error));
    assert_int_equal(script.orders.count + script.states.count, 0);
    ls_script_reset(&script);
}

TEST(test_script_takes_as_many_lines_as_there_are)
{
    ls_script script;
    ls_error error;
    FILE *file = fopen(test_file, "w");
    for (int i = 0; i < 1000; i++)
        fprintf(file, "%d %02x\n", i / 2, i % 256);
    fclose(file);
    assert_ok(ls_script_read(test_file, &script, &error));
    assert_int_equal(script.orders.count, 1000);
    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(script.orders.items[i].tick, i / 2);
        assert_int_equal(script.orders.items[i].data[0], i % 256);
    }
    ls_script_reset(&script);
}

TEST(test_script_names_the_line_that_is_wrong)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"1 0\n", ":1: no bytes"},
        {"1\n", ":1: no bytes"},
        {"1 0g\n", ":1: no bytes"},
        {"-1 00\n", ":1: TICK is missing"},
        {"4294967296 00\n", ":1: TICK is missing"},
        {"state\n", ":1: TICK is missing"},
        {"\n\nstate 5 00\n", ":3: a state of this simulation has 2 bytes, not 1"},
        {"1 00 00\n", ":1: words after the bytes"},
        {"2 00\n1 00\n", ":2: the tick is not after"},
        {"state 2 0000\nstate 2 0000\n", ":2: the tick is not after"},
    };
    for (uint32_t i = 0; i < LS_COUNT_OF(cases); i++) {
        ls_script script;
        ls_error error;
        assert_int_equal(read_text(cases[i].text, &script, &error), LS_ERROR_USAGE);
        assert_non_null(strstr(error.text, cases[i].says));
        assert_null(script.orders.items);
        assert_null(script.states.items);
    }
}

/* A script is read before its simulation is known, and checked against the simulation later. */
TEST(test_script_is_read_before_its_simulation_is_known)
{
    static const char text[] = "state 1 0000\n9 01\nstate 2 000000\n";
    test_file_write(test_file, text, sizeof text - 1);
    ls_script script;
    ls_error error;
    assert_ok(ls_script_read(test_file, &script, &error));
    assert_int_equal(script.states.count, 2);
    assert_int_equal(ls_script_check(&script, test_file, 2, &error), LS_ERROR_USAGE);
    assert_non_null(strstr(error.text, ":3: a state of this simulation has 2 bytes, not 3"));
    assert_int_equal(ls_script_check(&script, test_file, 3, &error), LS_ERROR_USAGE);
    assert_non_null(strstr(error.text, ":1: a state of this simulation has 3 bytes, not 2"));
    assert_int_equal(ls_script_check(&script, "scr", 0, &error), LS_ERROR_USAGE);
    assert_non_null(strstr(error.text, "scr:1: this simulation takes no states; a line is"));
    ls_script_reset(&script);
    assert_ok(ls_script_check(&script, test_file, 0, &error));
}

TEST(test_script_knows_the_longest_order)
{
    char text[2 * LS_INPUT_BYTES_MAX + 16] = "1 ";
    memset(text + 2, 'a', 2 * LS_INPUT_BYTES_MAX);
    ls_script script;
    ls_error error;
    assert_ok(read_text(text, &script, &error));
    assert_int_equal(script.orders.items[0].bytes, LS_INPUT_BYTES_MAX);
    ls_script_reset(&script);
    memset(text + 2 + 2 * LS_INPUT_BYTES_MAX, 'a', 2);
    assert_int_equal(read_text(text, &script, &error), LS_ERROR_USAGE);
    unlink(test_file);
    assert_int_equal(ls_script_read(test_file, &script, &error), LS_ERROR_NOT_FOUND);
}

/* A script is not secret, so it may come from a pipe; an unreadable one is a usage error. */
TEST(test_script_comes_from_any_readable_file)
{
    static char long_text[LS_SCRIPT_BYTES_MAX + 2];
    ls_script script;
    ls_error error;
    int ends[2];
    char name[32];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "7 00ff\n", 7), 7);
    close(ends[1]);
    snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
    assert_ok(ls_script_read(name, &script, &error));
    assert_int_equal(script.orders.count, 1);
    assert_memory_equal(script.orders.items[0].data, "\x00\xff", 2);
    ls_script_reset(&script);
    close(ends[0]);
    assert_int_equal(ls_script_read("/tmp", &script, &error), LS_ERROR_USAGE);
    assert_non_null(strstr(error.text, "/tmp"));
    assert_int_equal(ls_script_read("/dev/zero", &script, &error), LS_ERROR_LIMIT);
    assert_non_null(strstr(error.text, "/dev/zero"));
    memset(long_text, '#', sizeof long_text - 1);
    assert_int_equal(read_text(long_text, &script, &error), LS_ERROR_LIMIT);
    long_text[LS_SCRIPT_BYTES_MAX] = 0;
    assert_ok(read_text(long_text, &script, &error));
    ls_script_reset(&script);
}
