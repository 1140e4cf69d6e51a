#include "cli/common/signals.h"
#include "test.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

static const char line[] = "it hung\n";

enum { LIMIT_S = 1, LIVE_LIMIT_S = 8, LIVE_STEPS = 5, TOTAL_S = 3 };

/* Runs a child that hangs after it was asked to stop, or lives for longer than its limit, in steps
 * of a fourth of that: a busy machine may delay each. Collects its output in `text`. */
static int run_stuck(bool goes_on, bool has_reader, unsigned total_s, char text[64])
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        if (!has_reader) {
            char filling[4096] = {0};
            fcntl(STDERR_FILENO, F_SETFL, O_NONBLOCK);
            while (write(STDERR_FILENO, filling, sizeof filling) > 0)
                continue;
            fcntl(STDERR_FILENO, F_SETFL, 0);
        }
        ls_signals_install();
        ls_signals_limit(&(ls_signals_limits){.progress_s = goes_on ? LIVE_LIMIT_S : LIMIT_S,
                                              .total_s = total_s,
                                              .line = line,
                                              .code = 7});
        raise(SIGTERM);
        if (!ls_signals_stop_is_requested())
            _exit(1);
        for (int i = 0; goes_on && i < LIVE_STEPS; i++) {
            sleep(LIVE_LIMIT_S / (LIVE_STEPS - 1));
            ls_signals_restart_limit();
        }
        if (goes_on)
            _exit(0);
        for (volatile unsigned forever = 0;; forever++)
            continue;
    }
    int how;
    assert_int_equal(waitpid(child, &how, 0), child);
    memset(text, 0, 64);
    if (has_reader) {
        close(ends[1]);
        assert_true(read(ends[0], text, 63) >= 0);
    } else {
        close(ends[1]);
    }
    close(ends[0]);
    assert_true(WIFEXITED(how));
    return WEXITSTATUS(how);
}

TEST(test_signals_stop_limit_ends_a_hung_process)
{
    char text[64];
    assert_int_equal(run_stuck(false, true, 0, text), 7);
    assert_string_equal(text, line);
    assert_int_equal(run_stuck(false, false, 0, text), 7);
}

TEST(test_signals_stop_limit_waits_for_a_live_process)
{
    char text[64];
    assert_int_equal(run_stuck(true, true, 0, text), 0);
    assert_string_equal(text, "");
}

TEST(test_signals_stop_limit_in_all_ends_a_live_process)
{
    char text[64];
    assert_int_equal(run_stuck(true, true, TOTAL_S, text), 7);
    assert_string_equal(text, line);
}

enum { HANGUPS = 2000 };

/* Answers each SIGHUP with a byte; ends when its parent ends. */
static void answer_hangups(int in, int out)
{
    char byte = 0;
    ls_signals_install();
    raise(SIGUSR1);
    raise(SIGUSR2);
    /* The handlers do not interrupt a blocking call. */
    if (write(out, &byte, 1) != 1 || read(in, &byte, 1) != 1 || !ls_signals_take_hangup())
        _exit(1);
    for (int i = 0; i < HANGUPS; i++) {
        if (write(out, &byte, 1) != 1)
            _exit(2);
        while (!ls_signals_take_hangup())
            continue;
    }
    _exit(ls_signals_take_hangup() || ls_signals_stop_is_requested() ? 3 : 0);
}

static bool hear(int in)
{
    struct pollfd reader = {.fd = in, .events = POLLIN};
    char byte;
    return poll(&reader, 1, 240000) == 1 && read(in, &byte, 1) == 1;
}

TEST(test_signals_hangups_are_neither_lost_nor_an_end)
{
    int to[2], from[2], how, heard = 0;
    assert_int_equal(pipe(to), 0);
    assert_int_equal(pipe(from), 0);
    pid_t child = fork();
    if (child == 0)
        answer_hangups(to[0], from[1]);
    close(from[1]);
    assert_true(hear(from[0]));
    for (int i = 0; i < 50; i++) {
        kill(child, SIGHUP);
        usleep(200);
    }
    assert_int_equal(write(to[1], "", 1), 1);
    while (heard < HANGUPS && hear(from[0])) {
        heard++;
        kill(child, SIGHUP);
    }
    if (heard < HANGUPS)
        kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &how, 0), child);
    close(to[0]);
    close(to[1]);
    close(from[0]);
    assert_int_equal(heard, HANGUPS);
    assert_true(WIFEXITED(how));
    assert_int_equal(WEXITSTATUS(how), 0);
}
