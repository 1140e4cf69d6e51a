#include "cli/common/child_process.h"

#include "cli/common/clock.h"
#include "core/base/platform.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define REPORT_FILE 3 /* descriptor of the report in a program that replaces a child */
#define BYTES_FILE  4
/* A stuck child gets SIGABRT, and SIGKILL this much later. In between it writes a crash report,
 * which takes up to 3 s. */
#define GRACE_NS (5 * LS_SECOND_NS)

static bool open_files(ls_child *child)
{
    child->report_file = memfd_create("report", MFD_CLOEXEC);
    child->bytes_file = memfd_create("bytes", MFD_CLOEXEC);
    child->output_file = memfd_create("output", MFD_CLOEXEC);
    if (child->report_file < 0 || child->bytes_file < 0 || child->output_file < 0 ||
        ftruncate(child->report_file, sizeof *child->report) != 0)
        return false;
    void *memory = mmap(NULL, sizeof *child->report, PROT_READ | PROT_WRITE, MAP_SHARED,
                        child->report_file, 0);
    child->report = memory == MAP_FAILED ? NULL : memory;
    return child->report != NULL;
}

static void close_files(ls_child *child)
{
    if (child->report)
        munmap(child->report, sizeof *child->report);
    int files[] = {child->report_file, child->bytes_file, child->output_file};
    for (size_t i = 0; i < LS_COUNT_OF(files); i++) {
        if (files[i] > 0)
            close(files[i]);
    }
}

/* Prepares a child: it dies with its parent, reads nothing, and its output goes to a file of the
 * parent. */
static void settle(const ls_child *child, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1); /* the parent died before prctl() */
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing >= 0)
        dup2(nothing, STDIN_FILENO);
    dup2(child->output_file, STDOUT_FILENO);
    dup2(child->output_file, STDERR_FILENO);
    ls_crash_watch(&child->report->crash);
}

ls_status ls_child_start(ls_child *child, uint64_t timeout_ns, ls_child_function *run,
                         void *argument, ls_error *error)
{
    *child = (ls_child){.timeout_ns = timeout_ns};
    fflush(stdout);
    pid_t parent = getpid();
    if (!open_files(child) || (child->pid = fork()) < 0) {
        int reason = errno;
        close_files(child);
        *child = (ls_child){0};
        return ls_error_set(error, LS_ERROR_IO, "cannot start a process: %s", strerror(reason));
    }
    if (child->pid == 0) {
        settle(child, parent);
        ls_error trouble = {0};
        ls_status status = run(child, argument, &trouble);
        ls_child_exit(child, status, &trouble);
    }
    child->start_ns = child->progress_ns = ls_monotonic_ns();
    return LS_OK;
}

ls_status ls_child_start_again(ls_child *child, const ls_child_again *again, ls_child_function *run,
                               void *argument, ls_error *error)
{
    return ls_child_start(child, again->timeout_ns, run, argument, error);
}

const char *ls_child_words(void)
{
    return NULL;
}

void ls_child_exit(ls_child *child, ls_status status, const ls_error *error)
{
    fflush(NULL);
    child->report->status = status;
    child->report->error = *error;
    child->report->is_done = true;
    _exit(0);
}

static void kill_stuck(ls_child *child, uint64_t now_ns)
{
    if (!ls_child_is_late(child, now_ns))
        return;
    /* First send a signal, whose handler notes where the child is. That is no crash, so no core is
     * written. */
    if (!child->is_stuck) {
        child->is_stuck = true;
        child->stuck_ns = now_ns;
        (void)prlimit(child->pid, RLIMIT_CORE, &(struct rlimit){0}, NULL);
        kill(child->pid, SIGABRT);
    } else if (now_ns - child->stuck_ns > GRACE_NS) {
        kill(child->pid, SIGKILL);
    }
}

static void note_death(ls_child *child, int how)
{
    ls_crash *crash = &child->report->crash;
    char end[64];
    /* A stuck process that died while it looked for its source line did not crash. */
    if (child->is_stuck)
        crash->signal = 0;
    else if (!crash->signal && WIFSIGNALED(how))
        crash->signal = WTERMSIG(how);
    snprintf(end, sizeof end, "the process ended by itself, exit code %d", WEXITSTATUS(how));
    ls_child_note_death(child, end);
}

bool ls_child_poll(ls_child *child)
{
    if (!child->pid)
        return true;
    int how;
    pid_t ended = waitpid(child->pid, &how, WNOHANG);
    uint64_t now_ns = ls_monotonic_ns();
    if (ended == 0) {
        kill_stuck(child, now_ns);
        return false;
    }
    child->pid = 0;
    child->end_ns = now_ns;
    if (!child->report->is_done)
        note_death(child, how);
    return true;
}

void ls_child_reset(ls_child *child)
{
    if (child->pid) {
        kill(child->pid, SIGKILL);
        waitpid(child->pid, NULL, 0);
    }
    close_files(child);
    *child = (ls_child){0};
}

/* Moves the files to their fixed numbers. All are first duplicated to higher numbers, because
 * dup2() would close a file that already has one of these numbers. */
static bool place_files(const ls_child *child, int extra_file)
{
    int files[] = {child->report_file, child->bytes_file, extra_file};
    int numbers[] = {REPORT_FILE, BYTES_FILE, LS_CHILD_EXTRA};
    for (size_t i = 0; i < LS_COUNT_OF(files); i++) {
        files[i] = fcntl(files[i], F_DUPFD_CLOEXEC, LS_CHILD_EXTRA + 1);
        if (files[i] < 0)
            return false;
    }
    for (size_t i = 0; i < LS_COUNT_OF(files); i++) {
        if (dup2(files[i], numbers[i]) < 0)
            return false;
    }
    return true;
}

ls_status ls_child_become(ls_child *child, int extra_file, char *const *arguments,
                          char *const *environment, ls_error *error)
{
    /* Use the link itself: the file that it points to may have been replaced by a newer build. */
    if (place_files(child, extra_file))
        execve("/proc/self/exe", arguments, environment);
    return ls_error_set(error, LS_ERROR_IO, "cannot start a second process: %s", strerror(errno));
}

ls_status ls_child_attach(ls_child *child, ls_error *error)
{
    *child = (ls_child){
        .report_file = REPORT_FILE, .bytes_file = BYTES_FILE, .extra_file = LS_CHILD_EXTRA};
    struct stat file;
    void *memory = MAP_FAILED;
    if (fstat(REPORT_FILE, &file) == 0 && file.st_size == (off_t)sizeof *child->report &&
        fstat(LS_CHILD_EXTRA, &file) == 0)
        memory =
            mmap(NULL, sizeof *child->report, PROT_READ | PROT_WRITE, MAP_SHARED, REPORT_FILE, 0);
    if (memory == MAP_FAILED)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "--worker is what `lockstep check` starts its own processes with");
    child->report = memory;
    ls_crash_watch(&child->report->crash);
    return LS_OK;
}
