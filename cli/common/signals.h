/* Requests to stop. The first SIGTERM or SIGINT asks for an orderly end, the second one ends the
 * process at once. SIGHUP asks to reopen the log. SIGPIPE (a reader that went away), SIGUSR1 and
 * SIGUSR2 are ignored: a match outlives its terminal and its reader. */
#ifndef LS_SIGNALS_H
#define LS_SIGNALS_H

#include <stdbool.h>

/* Once per process, before threads are started. */
void ls_signals_install(void);
/* Limits the time between a request to stop and the end of the process. After that time it prints
 * `line` and ends with `code`, whatever it is doing; the line is omitted when its reader is gone.
 * For processes that run foreign code, which may hang. The text outlives the process. */
void ls_signals_limit(unsigned seconds, const char *line, int code);
/* It was asked, and comes on: the seconds begin again. */
void ls_signals_goes_on(void);
bool ls_signals_is_asked(void);
/* Whether SIGHUP came since the last call. */
bool ls_signals_take_hangup(void);

#endif
