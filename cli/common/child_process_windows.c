/* A child is another run of this program's command line, because Windows cannot copy a process. A
 * child without words is a thread: ls_child_start() returns when it has ended, the simulation's
 * static variables are those of the parent, and its output goes where the parent's goes. */
#include "cli/common/child_process.h"

#include "core/base/platform.h"
#include "core/base/platform_file_windows.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <windows.h>

#define VARIABLE L"LOCKSTEP_CHILD" /* "REPORT BYTES EXTRA WORDS": handles as numbers, and words */

enum {
    POLL_MS = 5,
    STACK_BYTES = 8 << 20,
    GUARD_BYTES = 64 << 10,
    TEXT_BYTES = 6 * LS_PATH_BYTES_MAX, /* less than the system's 32,767 */
    EXIT_USAGE = 2,
};

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

static HANDLE start_thread(struct start *start)
{
    return CreateThread(NULL, STACK_BYTES, run_child, start, 0, NULL);
}

void ls_child_exit(ls_child *child, ls_status status, const ls_error *error)
{
    fflush(NULL);
    child->report->status = status;
    child->report->error = *error;
    __atomic_store_n(&child->report->is_done, true, __ATOMIC_RELEASE);
    ExitThread(0);
}

/* Whether a child has to be ended: it makes no progress, or one of its threads crashed. */
static bool must_end(ls_child *child)
{
    child->is_stuck = ls_child_is_late(child, ls_monotonic_ns());
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
    child->start_ns = child->progress_ns = ls_monotonic_ns();
    HANDLE thread = child->bytes_file < 0 ? NULL : start_thread(&start);
    if (!thread) {
        ls_child_reset(child);
        return ls_error_set(error, LS_ERROR_IO, "cannot start a thread with a temporary file");
    }
    while (WaitForSingleObject(thread, POLL_MS) == WAIT_TIMEOUT) {
        if (must_end(child))
            (void)TerminateThread(thread, 1);
    }
    CloseHandle(thread);
    child->end_ns = ls_monotonic_ns();
    ls_crash_report("lockstep"); /* the thread's report is freed before this process ends */
    if (!child->report->is_done)
        ls_child_note_death(child, "the thread ended by itself");
    return LS_OK;
}

/* The report as memory that all processes share that have the file. */
static ls_child_report *map_report(int file)
{
    HANDLE mapping = CreateFileMappingW(ls_windows_handle(file), NULL, PAGE_READWRITE, 0,
                                        sizeof(ls_child_report), NULL);
    if (!mapping)
        return NULL;
    void *view = MapViewOfFile(mapping, FILE_MAP_WRITE, 0, 0, sizeof(ls_child_report));
    CloseHandle(mapping);
    return view;
}

static bool open_files(ls_child *child)
{
    child->report_file = memfd_create("report", MFD_CLOEXEC);
    child->bytes_file = memfd_create("bytes", MFD_CLOEXEC);
    child->output_file = memfd_create("output", MFD_CLOEXEC);
    if (child->report_file < 0 || child->bytes_file < 0 || child->output_file < 0)
        return false;
    child->report = map_report(child->report_file);
    return child->report != NULL;
}

/* Puts this process into a job that only it has a handle of, once. Its children belong to the job
 * from their first instruction and end with this process, however that ends. */
static void join_job(void)
{
    static HANDLE job;
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limit = {.BasicLimitInformation.LimitFlags =
                                                      JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE};
    if (job)
        return;
    job = CreateJobObjectW(NULL, NULL);
    (void)SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limit, sizeof limit);
    (void)AssignProcessToJobObject(job, GetCurrentProcess());
}

/* Sets the variable that the next process gets; NULL takes it away. */
static void set_variable(const char *text)
{
    wchar_t wide[TEXT_BYTES];
    if (text && MultiByteToWideChar(CP_UTF8, 0, text, -1, wide, TEXT_BYTES) == 0)
        text = NULL;
    (void)SetEnvironmentVariableW(VARIABLE, text ? wide : NULL);
}

static bool create_process(const HANDLE *files, PROCESS_INFORMATION *made)
{
    enum { PATH_UNITS = 32768 };
    STARTUPINFOW startup = {.cb = sizeof startup,
                            .dwFlags = STARTF_USESTDHANDLES,
                            .hStdInput = files[4],
                            .hStdOutput = files[2],
                            .hStdError = files[2]};
    wchar_t *program = ls_alloc(PATH_UNITS * sizeof *program);
    wchar_t *line = _wcsdup(GetCommandLineW()); /* may be written to */
    DWORD count = GetModuleFileNameW(NULL, program, PATH_UNITS);
    bool is_made = line && count > 0 && count < PATH_UNITS &&
                   CreateProcessW(program, line, NULL, NULL, TRUE, 0, NULL, NULL, &startup, made);
    ls_free(program);
    free(line); /* of the C library */
    return is_made;
}

/* Starts this program again, with the child's files as handles that only the new process
 * inherits. */
static bool start_process(ls_child *child, const ls_child_again *again)
{
    int nothing = _open("NUL", _O_RDONLY | _O_NOINHERIT);
    const HANDLE files[] = {
        ls_windows_handle(child->report_file), ls_windows_handle(child->bytes_file),
        ls_windows_handle(child->output_file), again->file ? ls_windows_handle(again->file) : NULL,
        nothing < 0 ? NULL : ls_windows_handle(nothing)};
    char text[TEXT_BYTES];
    int length =
        snprintf(text, sizeof text, "%" PRIuPTR " %" PRIuPTR " %" PRIuPTR " %s",
                 (uintptr_t)files[0], (uintptr_t)files[1], (uintptr_t)files[3], again->words);
    PROCESS_INFORMATION made;
    bool is_made = length < TEXT_BYTES;
    join_job();
    for (size_t i = 0; i < LS_COUNT_OF(files); i++)
        if (files[i])
            (void)SetHandleInformation(files[i], HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT);
    set_variable(text);
    is_made = is_made && create_process(files, &made);
    set_variable(NULL);
    for (size_t i = 0; i < LS_COUNT_OF(files); i++)
        if (files[i])
            (void)SetHandleInformation(files[i], HANDLE_FLAG_INHERIT, 0);
    if (nothing >= 0)
        _close(nothing);
    if (!is_made)
        return false;
    CloseHandle(made.hThread);
    child->pid = (pid_t)(intptr_t)made.hProcess;
    return true;
}

/* The content of VARIABLE when the process began. */
static struct {
    bool is_read;
    uintptr_t report, bytes, extra;
    char *words; /* in `text`; NULL: it held nothing */
    char text[TEXT_BYTES];
} task;

const char *ls_child_words(void)
{
    wchar_t wide[TEXT_BYTES];
    if (task.is_read)
        return task.words;
    task.is_read = true;
    DWORD count = GetEnvironmentVariableW(VARIABLE, wide, TEXT_BYTES);
    int at = 0;
    if (count > 0 && count < TEXT_BYTES &&
        WideCharToMultiByte(CP_UTF8, 0, wide, -1, task.text, TEXT_BYTES, NULL, NULL) > 0 &&
        sscanf(task.text, "%" SCNuPTR " %" SCNuPTR " %" SCNuPTR " %n", &task.report, &task.bytes,
               &task.extra, &at) == 3 &&
        at > 0)
        task.words = task.text + at;
    set_variable(NULL);
    return task.words;
}

static int open_handle(uintptr_t handle)
{
    return handle ? _open_osfhandle((intptr_t)handle, _O_BINARY | _O_NOINHERIT) : 0;
}

ls_status ls_child_attach(ls_child *child, ls_error *error)
{
    ls_descriptor_kind kind;
    uint64_t bytes;
    *child = (ls_child){.report_file = open_handle(task.report),
                        .bytes_file = open_handle(task.bytes),
                        .extra_file = open_handle(task.extra)};
    if (child->report_file > 0 && child->bytes_file > 0 && child->extra_file >= 0 &&
        ls_descriptor_examine(child->report_file, &kind, &bytes) == 0 &&
        bytes == sizeof *child->report)
        child->report = map_report(child->report_file);
    return child->report
               ? LS_OK
               : ls_error_set(error, LS_ERROR_USAGE,
                              "LOCKSTEP_CHILD is what `lockstep` starts its own processes with");
}

/* Does the work of this process in a thread with a large stack. */
LS_NO_RETURN static void work(ls_child_function *run, void *argument)
{
    ls_child child;
    ls_error error;
    if (ls_child_attach(&child, &error)) {
        fprintf(stderr, "lockstep: %s\n", error.text);
        _exit(EXIT_USAGE);
    }
    struct start start = {&child, run, argument};
    fflush(NULL);
    /* Drop the warnings so far, which the parent has printed too: a crash report shows the last
     * output of the simulation. */
    bool is_empty = ls_descriptor_truncate(1, 0) == 0;
    HANDLE thread = is_empty ? start_thread(&start) : NULL;
    if (thread)
        WaitForSingleObject(thread, INFINITE);
    _exit(thread ? 0 : 1); /* also ends the threads of a simulation that crashed */
}

ls_status ls_child_start_again(ls_child *child, const ls_child_again *again, ls_child_function *run,
                               void *argument, ls_error *error)
{
    const char *words = ls_child_words();
    if (words && strcmp(words, again->words) == 0)
        work(run, argument);
    *child = (ls_child){.timeout_ns = again->timeout_ns};
    fflush(stdout);
    if (!open_files(child)) {
        int reason = errno;
        ls_child_reset(child);
        return ls_error_set(error, LS_ERROR_IO,
                            "cannot make a temporary file: %s (in the folder of TMP)",
                            strerror(reason));
    }
    if (!start_process(child, again)) {
        unsigned long reason = GetLastError();
        ls_child_reset(child);
        return ls_error_set(error, LS_ERROR_IO, "cannot start a process: error %lu", reason);
    }
    child->start_ns = child->progress_ns = ls_monotonic_ns();
    return LS_OK;
}

static HANDLE process_of(const ls_child *child)
{
    return (HANDLE)(intptr_t)child->pid; /* NOLINT(performance-no-int-to-ptr): as it was given */
}

bool ls_child_poll(ls_child *child)
{
    DWORD code = 0;
    char end[64];
    if (!child->pid)
        return true;
    if (WaitForSingleObject(process_of(child), 0) == WAIT_TIMEOUT) {
        if (!child->is_stuck && !__atomic_load_n(&child->report->is_done, __ATOMIC_ACQUIRE) &&
            must_end(child))
            (void)TerminateProcess(process_of(child), 1);
        return false;
    }
    (void)GetExitCodeProcess(process_of(child), &code);
    CloseHandle(process_of(child));
    child->pid = 0;
    child->end_ns = ls_monotonic_ns();
    snprintf(end, sizeof end, "the process ended by itself, exit code %lu", code);
    if (!child->report->is_done)
        ls_child_note_death(child, end);
    return true;
}

void ls_child_reset(ls_child *child)
{
    if (child->pid) {
        (void)TerminateProcess(process_of(child), 1);
        (void)WaitForSingleObject(process_of(child), INFINITE);
        CloseHandle(process_of(child));
    }
    if (child->report_file <= 0)
        ls_free(child->report);
    else if (child->report)
        UnmapViewOfFile(child->report);
    const int files[] = {child->report_file, child->bytes_file, child->output_file};
    for (size_t i = 0; i < LS_COUNT_OF(files); i++)
        if (files[i] > 0)
            close(files[i]);
    *child = (ls_child){0};
}
