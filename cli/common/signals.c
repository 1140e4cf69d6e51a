#include "cli/common/signals.h"

#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Global, because a signal handler has no argument to find state by. `limit` is set before the
 * first signal; zeroed, it limits nothing. */
static atomic_int asked, hung_up,
    rotated; /* any thread may get a signal; they publish nothing else */
static atomic_llong asked_s;
static ls_signals_limits limit;

static long long now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

/* Sets the alarm that ends the process; once `total_s` are over, keeps the one that is set
 * already. */
static void start_limit(void)
{
    long long left_s = limit.total_s ? asked_s + limit.total_s - now_s() : limit.progress_s;
    if (limit.progress_s && left_s > 0)
        alarm(left_s < limit.progress_s ? (unsigned)left_s : limit.progress_s);
}

static void begin_to_stop(void)
{
    asked_s = now_s();
    start_limit();
}

static void on_stop(int number)
{
    if (atomic_exchange(&asked, 1)) /* another thread may have the first signal */
        _exit(128 + number);        /* the exit code that a shell reports for this signal */
    begin_to_stop();
}

static void on_hangup(int number)
{
    *(number == SIGHUP ? &hung_up : &rotated) = 1;
}

/* Ends the process by _exit(), because threads, buffers or the log may be what hangs. */
static void on_limit(int number)
{
    (void)number;
    if (!asked)
        return; /* an alarm of another process */
    struct pollfd reader = {.fd = STDERR_FILENO, .events = POLLOUT};
    if (poll(&reader, 1, 0) == 1 && (reader.revents & POLLOUT) &&
        write(STDERR_FILENO, limit.line, strlen(limit.line)) < 0)
        _exit(limit.code);
    _exit(limit.code);
}

void ls_signals_install(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    sigemptyset(&action.sa_mask);
    /* No SA_RESTART, so that the signal interrupts the wait for packets. */
    action.sa_handler = on_stop;
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    action.sa_handler = on_hangup;
    /* The match continues after SIGHUP, so writes and syncs must not be interrupted. */
    action.sa_flags = SA_RESTART;
    sigaction(SIGHUP, &action, NULL);
    sigaction(SIGUSR1, &action, NULL);
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, NULL);
    sigaction(SIGUSR2, &action, NULL);
    /* Ignored, so that a recording at the file size limit fails like one on a full disk. */
    sigaction(SIGXFSZ, &action, NULL);
}

void ls_signals_limit(const ls_signals_limits *limits)
{
    limit = *limits;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    sigemptyset(&action.sa_mask);
    action.sa_handler = on_limit;
    sigaction(SIGALRM, &action, NULL);
}

void ls_signals_restart_limit(void)
{
    if (asked)
        start_limit();
}

bool ls_signals_stop_is_requested(void)
{
    return asked != 0;
}

bool ls_signals_request_stop(void)
{
    if (atomic_exchange(&asked, 1))
        return false;
    begin_to_stop();
    return true;
}

bool ls_signals_take_hangup(void)
{
    return atomic_exchange(&hung_up, 0) != 0;
}

bool ls_signals_take_rotation(void)
{
    return atomic_exchange(&rotated, 0) != 0;
}
