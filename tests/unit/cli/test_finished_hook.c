#include "cli/serve/finished_hook.h"
#include "test.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <time.h>

static test_folder folder;
static ls_log events;

static const char *const names[] = {"log", "command", "seen"};

/* Writes the command, a script, and opens the log. */
static void begin(const char *script)
{
    char path[128];
    test_folder_make(&folder);
    strcpy(path, test_path(&folder, "command"));
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\n: >>%s/seen\n%s\n", folder.path, script);
    fclose(file);
    assert_int_equal(chmod(path, 0700), 0);
    strcpy(path, test_path(&folder, "log"));
    assert_ok(ls_log_open(path, &events, NULL));
    events.path = "log";
    assert_ok(ls_log_detach(&events, NULL));
}

static ls_finished_hook *open_hook(uint64_t timeout_ms, uint64_t end_ms)
{
    static char command[128];
    ls_finished_hook *hook;
    strcpy(command, test_path(&folder, "command"));
    assert_ok(ls_finished_hook_open(&(ls_finished_hook_config){.command = command,
                                                               .log = &events,
                                                               .timeout_ns = timeout_ms * 1000000,
                                                               .end_ns = end_ms * 1000000},
                                    &hook, NULL));
    return hook;
}

static const char *content(const char *name)
{
    static char text[65536];
    FILE *file = fopen(test_path(&folder, name), "r");
    size_t got = file ? fread(text, 1, sizeof text - 1, file) : 0;
    text[got] = 0;
    if (file)
        fclose(file);
    return text;
}

/* Closes hook and log, and returns the log's lines. */
static const char *end(ls_finished_hook *hook)
{
    ls_finished_hook_close(hook);
    assert_ok(ls_log_close(&events, LS_OK, NULL));
    return content("log");
}

static uint32_t count(const char *text, const char *what)
{
    uint32_t found = 0;
    for (const char *at = text; (at = strstr(at, what)) != NULL; at++)
        found++;
    return found;
}

TEST(test_finished_hook_runs_for_each_recording)
{
    begin("echo \"$#:$1\" >>\"$(dirname \"$0\")\"/seen; echo noise; echo noise >&2");
    ls_finished_hook *hook = open_hook(0, 240000);
    ls_finished_hook_add(hook, "a b.lsr");
    ls_finished_hook_add(hook, "$(c)'.lsr");
    assert_string_equal(end(hook), "");
    assert_string_equal(content("seen"), "1:a b.lsr\n1:$(c)'.lsr\n");
    test_folder_remove(&folder, names, LS_COUNT_OF(names));
}

TEST(test_finished_hook_logs_a_failure)
{
    begin("case $1 in a) exit 3;; b) kill -9 $$;; esac");
    ls_finished_hook *hook = open_hook(0, 240000);
    ls_finished_hook_add(hook, "a");
    ls_finished_hook_add(hook, "b");
    ls_finished_hook_add(hook, "c");
    const char *log = end(hook);
    assert_int_equal(count(log, "hook_failed "), 2);
    assert_non_null(
        strstr(log, "hook_failed recording=\"a\" reason=\"it ended with exit code 3\""));
    assert_non_null(strstr(log, "hook_failed recording=\"b\" reason=\"it died of signal 9\""));
    test_folder_remove(&folder, names, LS_COUNT_OF(names));
}

/* A command that hangs is killed with its children; the next one runs. A pipe shows when the last
 * process that has it open is gone: a number of one may stay as a zombie's. */
TEST(test_finished_hook_kills_a_command_that_hangs)
{
    char text[16] = "";
    begin("test $1 = b && exit; exec 3>\"$(dirname \"$0\")\"/pipe; sleep 600 & echo $1 >&3; wait");
    assert_int_equal(mkfifo(test_path(&folder, "pipe"), 0600), 0);
    int pipe = open(test_path(&folder, "pipe"), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    assert_true(pipe >= 0);
    ls_finished_hook *hook = open_hook(12000, 240000);
    ls_finished_hook_add(hook, "a");
    ls_finished_hook_add(hook, "b");
    const char *log = end(hook);
    assert_int_equal(count(log, "hook_failed "), 1);
    assert_non_null(strstr(log, "recording=\"a\" reason=\"it ran too long\""));
    assert_int_equal(read(pipe, text, sizeof text), 2);
    assert_string_equal(text, "a\n");
    struct pollfd closed = {.fd = pipe};
    if (poll(&closed, 1, 240000) != 1 || !(closed.revents & POLLHUP))
        fail_msg("a child of the command still runs");
    close(pipe);
    assert_int_equal(unlink(test_path(&folder, "pipe")), 0);
    test_folder_remove(&folder, names, LS_COUNT_OF(names));
}

/* The end of the server is bounded, and so is the queue; adding never waits. */
TEST(test_finished_hook_ends_with_the_server)
{
    begin("sleep 600");
    time_t start = time(NULL);
    ls_finished_hook *hook = open_hook(0, 300);
    ls_finished_hook_add(hook, "first");
    for (struct stat file; stat(test_path(&folder, "seen"), &file) != 0;) {
        if (time(NULL) - start > 240)
            fail_msg("the command has not started within 240 s");
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    for (uint32_t i = 0; i < LS_FINISHED_HOOK_QUEUE_MAX + 1; i++)
        ls_finished_hook_add(hook, "next");
    assert_int_equal(ls_finished_hook_failures(hook), 1); /* that for which there is no room */
    start = time(NULL);
    const char *log = end(hook);
    assert_true(time(NULL) - start < 240); /* the commands would sleep for longer */
    assert_int_equal(count(log, "recording=\"first\" reason=\"the server ends\""), 1);
    assert_int_equal(count(log, "reason=\"too many recordings wait for the command\""), 1);
    assert_int_equal(count(log, "hook_failed "), LS_FINISHED_HOOK_QUEUE_MAX + 2);
    test_folder_remove(&folder, names, LS_COUNT_OF(names));
}

TEST(test_finished_hook_refuses_what_is_no_program)
{
    ls_finished_hook *hook;
    ls_error error;
    assert_int_equal(
        ls_finished_hook_open(&(ls_finished_hook_config){.command = "/no/such"}, &hook, &error),
        LS_ERROR_USAGE);
    assert_null(hook);
    assert_string_equal(error.text,
                        "--on-finished: cannot run /no/such: No such file or directory");
    assert_ok(ls_finished_hook_open(&(ls_finished_hook_config){0}, &hook, &error));
    ls_finished_hook_add(hook, "a");
    ls_finished_hook_close(hook);
}
