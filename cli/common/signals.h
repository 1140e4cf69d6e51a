/* Requests to stop. The first SIGTERM or SIGINT asks for an orderly end, the second one ends the
 * process at once. SIGHUP asks to read files again, and SIGUSR1 to reopen the log. SIGPIPE (the
 * reader of a pipe is gone) and SIGUSR2 are ignored, because a match must outlive its terminal and
 * its reader. */
#ifndef LS_SIGNALS_H
#define LS_SIGNALS_H

#include <stdbool.h>

/* Installs the handlers; called once per process, before threads are started. */
void ls_signals_install(void);
/* Limits the time between a request to stop and the end of the process. After that time the process
 * prints `line` and ends with `code`, even if it hangs; without a reader the line is left out. For
 * processes that run foreign code. */
typedef struct ls_signals_limits {
    unsigned progress_s; /* without ls_signals_restart_limit() */
    unsigned total_s;    /* in all, whatever the progress; 0: no limit */
    const char *line;    /* outlives the process */
    int code;
} ls_signals_limits;
void ls_signals_limit(const ls_signals_limits *limits);
/* A stopping process makes progress: `progress_s` starts again. */
void ls_signals_restart_limit(void);
bool ls_signals_stop_is_requested(void);
/* Does what the first SIGTERM does; false: the process is stopping already. Not on Windows.
 *   thread  any */
bool ls_signals_request_stop(void);
/* Returns whether SIGHUP arrived since the last call. */
bool ls_signals_take_hangup(void);
/* Returns whether SIGUSR1 arrived since the last call. */
bool ls_signals_take_rotation(void);

#endif
