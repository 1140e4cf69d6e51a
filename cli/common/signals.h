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
 * processes that run foreign code. The text outlives the process. */
void ls_signals_limit(unsigned seconds, const char *line, int code);
/* A stopping process makes progress: the time limit starts again. */
void ls_signals_restart_limit(void);
bool ls_signals_stop_is_requested(void);
/* Does what the first SIGTERM does; false: the process is stopping already. Not on Windows.
 *   thread  any */
bool ls_signals_request_stop(void);
/* Returns whether SIGHUP arrived since the last call. */
bool ls_signals_take_hangup(void);
/* The same for SIGUSR1. */
bool ls_signals_take_rotation(void);

#endif
