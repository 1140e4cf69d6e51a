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
static ULONGLONG asked_ms;
static ls_signals_limits limit; /* zeroed, it limits nothing */

enum { MS_PER_S = 1000 };

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
    ULONGLONG spent_ms = GetTickCount64() - asked_ms, ms = limit.progress_s * MS_PER_S;
    ULONGLONG total_ms = limit.total_s ? limit.total_s * MS_PER_S : spent_ms + ms;
    HANDLE old = timer;
    if (!ms || spent_ms >= total_ms) /* the timer that is set already ends the process */
        return;
    if (ms > total_ms - spent_ms)
        ms = total_ms - spent_ms;
    if (old)
        (void)DeleteTimerQueueTimer(NULL, old, NULL);
    timer = NULL;
    (void)CreateTimerQueueTimer(&timer, NULL, on_limit, NULL, (DWORD)ms, 0, WT_EXECUTEONLYONCE);
}

/* Ctrl+C, Ctrl+Break, and the end of the window or of the user's session. For all but the first
 * two, Windows ends the process when the handler returns, so then it never does. */
static BOOL WINAPI on_event(DWORD event)
{
    if (atomic_exchange(&asked, 1))
        _exit(event == CTRL_C_EVENT ? CODE_INTERRUPTED : CODE_TERMINATED);
    asked_ms = GetTickCount64();
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

void ls_signals_limit(const ls_signals_limits *limits)
{
    limit = *limits;
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

/* Windows has neither SIGHUP nor SIGUSR1. */
bool ls_signals_take_hangup(void)
{
    return false;
}

bool ls_signals_take_rotation(void)
{
    return false;
}
