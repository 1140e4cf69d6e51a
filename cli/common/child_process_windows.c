/* A child is a thread here, because Windows cannot copy a process: ls_child_start() returns when it
 * has ended. The simulation's static variables are those of the parent, and its output goes where
 * the parent's goes. */
#include "cli/common/child_process.h"

#include "cli/common/clock.h"
#include "core/base/platform_file.h"

#include <errno.h>
#include <inttypes.h>
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

static uint64_t timeout_of(const ls_child *child)
{
    bool is_search = child->report->has_no_steps && child->timeout_ns < LS_CHILD_SEARCH_NS;
    return is_search ? LS_CHILD_SEARCH_NS : child->timeout_ns;
}

/* Ends a thread that makes no progress, or one whose helper crashed. */
static bool must_end(ls_child *child)
{
    uint64_t now_ns = ls_clock_now_ns();
    uint64_t ticks = __atomic_load_n(&child->report->ticks, __ATOMIC_RELAXED);
    if (ticks != child->progress) {
        child->progress = ticks;
        child->progress_ns = now_ns;
    }
    child->is_stuck = now_ns - child->progress_ns > timeout_of(child);
    return child->is_stuck || __atomic_load_n(&child->report->crash.signal, __ATOMIC_RELAXED);
}

static void note_death(ls_child *child)
{
    ls_child_report *report = child->report;
    char end[96], place[400] = "";
    if (child->is_stuck)
        snprintf(end, sizeof end, "no progress in %.3g s",
                 (double)timeout_of(child) / (double)LS_NS_PER_S);
    else
        snprintf(end, sizeof end, "killed by signal %d (%s)", report->crash.signal,
                 ls_crash_signal_text(report->crash.signal));
    if (report->crash.is_in_system)
        ls_crash_print_place(&report->crash, place, sizeof place);
    else if (report->doing[0])
        snprintf(place, sizeof place, " at: %.150s", report->doing);
    report->status = LS_ERROR_DIVERGED;
    ls_error_set(&report->error, LS_ERROR_DIVERGED, "%s%s", end, place);
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
        note_death(child);
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

ls_status ls_child_give(ls_child *child, const void *bytes, size_t count, ls_error *error)
{
    size_t done = 0;
    while (done < count) {
        int64_t written =
            pwrite(child->bytes_file, (const char *)bytes + done, count - done, (int64_t)done);
        if (written <= 0)
            return ls_error_set(error, LS_ERROR_IO, "cannot hand over %zu bytes: %s", count,
                                strerror(errno));
        done += (size_t)written;
    }
    return LS_OK;
}

ls_status ls_file_take(int file, uint8_t **bytes, size_t *count, ls_error *error)
{
    ls_descriptor_kind kind;
    uint64_t length;
    int code = ls_descriptor_examine(file, &kind, &length);
    if (code != 0)
        return ls_error_set(error, LS_ERROR_IO, "cannot read what was handed over: %s",
                            strerror(-code));
    *count = (size_t)length;
    *bytes = ls_alloc(*count + 1);
    size_t done = 0;
    while (done < *count) {
        int64_t got = pread(file, *bytes + done, *count - done, (int64_t)done);
        if (got <= 0) {
            ls_free(*bytes);
            *bytes = NULL;
            return ls_error_set(error, LS_ERROR_IO, "cannot read what was handed over");
        }
        done += (size_t)got;
    }
    return LS_OK;
}

ls_status ls_child_take(const ls_child *child, uint8_t **bytes, size_t *count, ls_error *error)
{
    return ls_file_take(child->bytes_file, bytes, count, error);
}
