#include "cli/common/signals.h"

#include <io.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

enum { CODE_INTERRUPTED = 130, CODE_TERMINATED = 143 };

/* Global, because Windows calls the handler on a thread of its own without an argument. `limit` is
 * set before the first request. */
static atomic_int asked;
static HANDLE timer;
static struct {
    unsigned seconds; /* 0: no limit */
    const char *line;
    int code;
} limit;

/* Ends the process by _exit(), because threads, buffers or the log may be what hangs. */
static void CALLBACK on_limit(void *unused, BOOLEAN is_timeout)
{
    (void)unused;
    (void)is_timeout;
    if (_write(2, limit.line, (unsigned)strlen(limit.line)) < 0)
        _exit(limit.code);
    _exit(limit.code);
}

static void start_limit(void)
{
    enum { MS_PER_S = 1000 };
    HANDLE old = timer;
    if (old)
        (void)DeleteTimerQueueTimer(NULL, old, NULL);
    timer = NULL;
    if (limit.seconds)
        (void)CreateTimerQueueTimer(&timer, NULL, on_limit, NULL, limit.seconds * MS_PER_S, 0,
                                    WT_EXECUTEONLYONCE);
}

/* Ctrl+C, Ctrl+Break, and the end of the window or of the user's session. Windows ends the process
 * when the handler of the last three returns, so this one stays. */
static BOOL WINAPI on_event(DWORD event)
{
    if (atomic_exchange(&asked, 1))
        _exit(event == CTRL_C_EVENT ? CODE_INTERRUPTED : CODE_TERMINATED);
    start_limit();
    while (event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT)
        Sleep(INFINITE);
    return TRUE;
}

void ls_signals_install(void)
{
    (void)SetConsoleCtrlHandler(NULL, FALSE); /* a parent may have turned Ctrl+C off */
    (void)SetConsoleCtrlHandler(on_event, TRUE);
}

void ls_signals_limit(unsigned seconds, const char *line, int code)
{
    limit.seconds = seconds;
    limit.line = line;
    limit.code = code;
}

void ls_signals_restart_limit(void)
{
    if (asked && limit.seconds)
        start_limit();
}

bool ls_signals_stop_is_requested(void)
{
    return asked != 0;
}

/* Windows has neither of these signals. */
bool ls_signals_take_hangup(void)
{
    return false;
}

bool ls_signals_take_rotation(void)
{
    return false;
}
