#include "cli/serve/finished_hook.h"

#include "cli/common/clock.h"
#include "core/base/builder.h"
#include "core/base/platform.h"
#include "server/event_log.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define POLL_NS      (20 * LS_NS_PER_MS)
#define REASON_BYTES 128

struct ls_finished_hook {
    ls_finished_hook_config config;
    ls_thread thread;
    ls_mutex mutex;
    ls_wake work;
    uint64_t stop_ns; /* everything ends then; UINT64_MAX: the server runs */
    uint32_t first, count;
    char *recordings[LS_FINISHED_HOOK_QUEUE_MAX]; /* a ring; owned */
    uint64_t failures;                            /* written by any thread */
};

/* Logs and counts a failure. Relaxed: the count publishes nothing else. */
static void log_failure(ls_finished_hook *self, const char *recording, const char *reason)
{
    char quoted[2][LS_EVENT_LOG_QUOTED_BYTES];
    ls_log_print(self->config.log, "hook_failed recording=%s reason=%s",
                 ls_event_log_quote(recording, quoted[0]), ls_event_log_quote(reason, quoted[1]));
    __atomic_add_fetch(&self->failures, 1, __ATOMIC_RELAXED);
}

uint64_t ls_finished_hook_failures(const ls_finished_hook *hook)
{
    return hook ? __atomic_load_n(&hook->failures, __ATOMIC_RELAXED) : 0;
}

/* Starts the command in a process group of its own, with default signals, without the server's
 * files. Its output goes nowhere: the server's stdout and stderr have a fixed line format. Returns
 * 0 or a code of errno. */
static int start(const ls_finished_hook *self, char *recording, pid_t *process)
{
    char *arguments[] = {(char *)(uintptr_t)self->config.command, recording, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    int code = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    for (int file = STDOUT_FILENO; !code && file <= STDERR_FILENO; file++)
        code = posix_spawn_file_actions_addopen(&files, file, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK |
                                              POSIX_SPAWN_SETPGROUP);
    if (!code)
        code = posix_spawnp(process, arguments[0], &files, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return code;
}

static uint64_t stop_ns(ls_finished_hook *self)
{
    ls_mutex_lock(&self->mutex);
    uint64_t until_ns = self->stop_ns;
    ls_mutex_unlock(&self->mutex);
    return until_ns;
}

/* Waits for the command, and kills it and its children when its time is over. */
static void finish(ls_finished_hook *self, pid_t process, char reason[REASON_BYTES])
{
    uint64_t end_ns = ls_monotonic_ns() + self->config.timeout_ns;
    int result = 0;
    pid_t ended;
    while ((ended = waitpid(process, &result, WNOHANG)) == 0) {
        uint64_t now_ns = ls_monotonic_ns();
        bool is_late = now_ns >= end_ns;
        if (is_late || now_ns >= stop_ns(self)) {
            kill(-process, SIGKILL);
            (void)waitpid(process, &result, 0);
            snprintf(reason, REASON_BYTES, "%s", is_late ? "it ran too long" : "the server ends");
            return;
        }
        ls_clock_sleep_until(now_ns + POLL_NS);
    }
    if (ended < 0)
        snprintf(reason, REASON_BYTES, "%s", strerror(errno));
    else if (WIFSIGNALED(result))
        snprintf(reason, REASON_BYTES, "it died of signal %d", WTERMSIG(result));
    else if (WEXITSTATUS(result) != 0)
        snprintf(reason, REASON_BYTES, "it ended with exit code %d", WEXITSTATUS(result));
}

static void run(ls_finished_hook *self, char *recording)
{
    char reason[REASON_BYTES] = "";
    pid_t process;
    int code = 0;
    if (ls_monotonic_ns() >= stop_ns(self))
        snprintf(reason, sizeof reason, "the server ends");
    else if ((code = start(self, recording, &process)) != 0)
        snprintf(reason, sizeof reason, "%s", strerror(code));
    else
        finish(self, process, reason);
    if (reason[0])
        log_failure(self, recording, reason);
}

static void work(void *argument)
{
    ls_finished_hook *self = argument;
    ls_mutex_lock(&self->mutex);
    for (;;) {
        while (!self->count && self->stop_ns == UINT64_MAX)
            ls_wake_wait(&self->work, &self->mutex);
        if (!self->count)
            break;
        char *recording = self->recordings[self->first];
        self->first = (self->first + 1) % LS_FINISHED_HOOK_QUEUE_MAX;
        self->count--;
        ls_mutex_unlock(&self->mutex);
        run(self, recording);
        ls_free(recording);
        ls_mutex_lock(&self->mutex);
    }
    ls_mutex_unlock(&self->mutex);
}

static void destroy(ls_finished_hook *self)
{
    ls_wake_destroy(&self->work);
    ls_mutex_destroy(&self->mutex);
    ls_free(self);
}

ls_status ls_finished_hook_open(const ls_finished_hook_config *config, ls_finished_hook **hook,
                                ls_error *error)
{
    *hook = NULL;
    if (!config->command)
        return LS_OK;
    if (strchr(config->command, '/') && access(config->command, X_OK) != 0)
        return ls_error_set(error, LS_ERROR_USAGE, "--on-finished: cannot run %.900s: %s",
                            config->command, strerror(errno));
    ls_finished_hook *self = ls_alloc(sizeof *self);
    self->config = *config;
    if (!config->timeout_ns)
        self->config.timeout_ns = LS_FINISHED_HOOK_TIMEOUT_S * LS_SECOND_NS;
    if (!config->end_ns)
        self->config.end_ns = LS_FINISHED_HOOK_END_S * LS_SECOND_NS;
    self->stop_ns = UINT64_MAX;
    ls_mutex_init(&self->mutex);
    ls_wake_init(&self->work);
    if (!ls_thread_start(&self->thread, work, self)) {
        destroy(self);
        return ls_error_set(error, LS_ERROR_IO, "cannot start a thread");
    }
    *hook = self;
    return LS_OK;
}

void ls_finished_hook_close(ls_finished_hook *hook)
{
    if (!hook)
        return;
    ls_mutex_lock(&hook->mutex);
    hook->stop_ns = ls_monotonic_ns() + hook->config.end_ns;
    ls_wake_one(&hook->work);
    ls_mutex_unlock(&hook->mutex);
    ls_thread_join(&hook->thread);
    destroy(hook);
}

void ls_finished_hook_add(ls_finished_hook *hook, const char *recording)
{
    if (!hook)
        return;
    char *copy = ls_text_duplicate(recording);
    ls_mutex_lock(&hook->mutex);
    bool fits = hook->count < LS_FINISHED_HOOK_QUEUE_MAX;
    if (fits)
        hook->recordings[(hook->first + hook->count++) % LS_FINISHED_HOOK_QUEUE_MAX] = copy;
    ls_wake_one(&hook->work);
    ls_mutex_unlock(&hook->mutex);
    if (fits)
        return;
    log_failure(hook, recording, "too many recordings wait for the command");
    ls_free(copy);
}
