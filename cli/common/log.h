/* The destination of log lines of server and client. Each line gets the time at its end, so that it
 * still begins with its event. */
#ifndef LS_LOG_H
#define LS_LOG_H

#include "cli/common/async_writer.h"

#include <stdio.h>

typedef struct ls_log {
    const char *path; /* the caller's, for messages */
    FILE *stream;
    bool is_owned, has_failed; /* the second: a line was not written, though there was a reader */
    ls_async_writer *writer;   /* NULL: lines are written by whoever says them */
    uint32_t client;           /* several clients share one stream: which of them speaks; 0: none */
} ls_log;

/* "-": stderr; NULL: no log; else a file that is appended to.
 *   errors  IO names the file    owns  ls_log_close; `path` outlives it */
ls_status ls_log_open(const char *path, ls_log *log, ls_error *error) LS_MUST_USE;
/* Closes the log. Returns `status`, the result of the process so far. If `status` is good but log
 * lines were lost, returns LS_ERROR_IO; if it is not, the loss is reported on stderr. A zeroed log
 * is allowed. */
ls_status ls_log_close(ls_log *log, ls_status status, ls_error *error) LS_MUST_USE;

/* From now on a separate thread writes, so that logging never waits for a reader or a disk.
 *   errors  IO: no thread */
ls_status ls_log_detach(ls_log *log, ls_error *error) LS_MUST_USE;

/* For log rotation: opens the file of that name again, in place of the one that was moved away. A
 * log on stderr stays as it is. Only after ls_log_detach(): its thread opens the file.
 *   thread  main */
void ls_log_reopen(ls_log *log);

/* Writes one line at once; `context` is an ls_log. A line that the disk refuses is lost: a match
 * does not end because of its log, but ls_log_close() reports it. */
void ls_log_line(void *context, const char *line);

#endif
