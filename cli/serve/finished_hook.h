/* Runs the command of `serve --on-finished` for each match that has ended, with the name of its
 * recording as the only argument and without a shell. A thread of its own runs one command at a
 * time, so that neither ticks nor recordings wait. */
#ifndef LS_FINISHED_HOOK_H
#define LS_FINISHED_HOOK_H

#include "cli/common/log.h"

/* Recordings that wait for the command; more are logged and left out. */
#define LS_FINISHED_HOOK_QUEUE_MAX 256
/* A command that runs longer is killed. */
#define LS_FINISHED_HOOK_TIMEOUT_S 300
/* The time that commands have left when the server ends. */
#define LS_FINISHED_HOOK_END_S 3

typedef struct ls_finished_hook ls_finished_hook;

typedef struct ls_finished_hook_config {
    const char *command; /* a path, or a name in PATH; NULL: none. Outlives the hook */
    ls_log *log;
    uint64_t timeout_ns, end_ns; /* 0: LS_FINISHED_HOOK_TIMEOUT_S and LS_FINISHED_HOOK_END_S */
} ls_finished_hook_config;

/* Starts the thread. *hook is NULL without a command.
 *   errors  USAGE: the path is no program, or the system is Windows; IO: no thread
 *   owns    ls_finished_hook_close() by the caller */
ls_status ls_finished_hook_open(const ls_finished_hook_config *config, ls_finished_hook **hook,
                                ls_error *error) LS_MUST_USE;
/* Waits for the commands, but not longer than LS_FINISHED_HOOK_END_S. Commands that have not ended
 * then are killed and logged. NULL is allowed. */
void ls_finished_hook_close(ls_finished_hook *hook);

/* Runs the command for a recording. Never waits. A failure is the line `hook_failed` in the log.
 * NULL is allowed.
 *   thread  any */
void ls_finished_hook_add(ls_finished_hook *hook, const char *recording);

/* How many commands have failed: the lines `hook_failed`.
 *   thread  any */
uint64_t ls_finished_hook_failures(const ls_finished_hook *hook);

#endif
