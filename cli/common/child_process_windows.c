/* A child is a thread here, because Windows cannot copy a process: ls_child_start() returns when it
 * has ended. The simulation's static variables are those of the parent, and its output goes where
 * the parent's goes. */
#include "cli/common/child_process.h"

#include "cli/common/clock.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <windows.h>

enum { POLL_MS = 5, STACK_BYTES = 8 << 20, GUARD_BYTES = 64 << 10 };

struct start {
    ls_child *child;
    ls_child_function *run;
    void *argument;
};

static DWORD WINAPI run_child(void *argument)
{
    const struct start *start = argument;
    ULONG guard = GUARD_BYTES; /* room to note a stack overflow */
    (void)SetThreadStackGuarantee(&guard);
    ls_error trouble = {0};
    ls_crash_watch(&start->child->report->crash);
    ls_status status = start->run(start->child, start->argument, &trouble);
    ls_child_exit(start->child, status, &trouble);
}

void ls_child_exit(ls_child *child, ls_status status, const ls_error *error)
{
    fflush(NULL);
    child->report->status = status;
    child->report->error = *error;
    child->report->is_done = true;
    ExitThread(0);
}

/* Ends a thread that makes no progress, or one whose helper crashed. */
static bool must_end(ls_child *child)
{
    child->is_stuck = ls_child_is_late(child, ls_clock_now_ns());
    return child->is_stuck || __atomic_load_n(&child->report->crash.signal, __ATOMIC_RELAXED);
}

ls_status ls_child_start(ls_child *child, uint64_t timeout_ns, ls_child_function *run,
                         void *argument, ls_error *error)
{
    *child = (ls_child){.timeout_ns = timeout_ns};
    child->report = ls_alloc(sizeof *child->report);
    memset(child->report, 0, sizeof *child->report);
    child->bytes_file = memfd_create("bytes", MFD_CLOEXEC);
    struct start start = {child, run, argument};
    child->start_ns = child->progress_ns = ls_clock_now_ns();
    HANDLE thread =
        child->bytes_file < 0 ? NULL : CreateThread(NULL, STACK_BYTES, run_child, &start, 0, NULL);
    if (!thread) {
        ls_child_reset(child);
        return ls_error_set(error, LS_ERROR_IO, "cannot start a thread with a temporary file");
    }
    while (WaitForSingleObject(thread, POLL_MS) == WAIT_TIMEOUT) {
        if (must_end(child))
            (void)TerminateThread(thread, 1);
    }
    CloseHandle(thread);
    child->end_ns = ls_clock_now_ns();
    if (!child->report->is_done)
        ls_child_note_death(child, "the thread ended by itself");
    return LS_OK;
}

bool ls_child_poll(ls_child *child)
{
    (void)child;
    return true;
}

void ls_child_wait(ls_child *child)
{
    (void)child;
}

ls_status ls_child_status(const ls_child *child, ls_error *error)
{
    *error = child->report->error;
    error->text[sizeof error->text - 1] = 0;
    return child->report->status;
}

void ls_child_reset(ls_child *child)
{
    if (child->bytes_file > 0)
        close(child->bytes_file);
    ls_free(child->report);
    *child = (ls_child){0};
}
