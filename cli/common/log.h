/* Writes the log lines of server and client. The time goes to the end of a line, so that the line
 * begins with its event. */
#ifndef LS_LOG_H
#define LS_LOG_H

#include "cli/common/async_writer.h"

#include <stdio.h>

/* The lines that are written. */
typedef enum ls_log_level {
    LS_LOG_ALL,
    LS_LOG_PROBLEMS, /* without those of a server in which nothing goes wrong */
} ls_log_level;
/* Their names, by level, for options; NULL ends the list. */
extern const char *const ls_log_levels[];
bool ls_log_level_parse(const char *name, ls_log_level *level) LS_MUST_USE;

typedef struct ls_log {
    const char *path; /* the caller's text, for messages */
    FILE *stream;
    /* `has_failed`: a line was not written although there was a reader. */
    bool is_owned, has_failed;
    ls_async_writer *writer; /* NULL: the thread that logs writes the line itself */
    uint32_t client;         /* number of the client, if several share a stream; 0: none */
    bool is_json;            /* set before ls_log_detach() */
    uint64_t bytes_max;      /* rotated at this size; 0: never; set before ls_log_detach() */
    uint32_t level;          /* ls_log_level; another thread may change it: ls_log_set_level() */
} ls_log;

/* Opens the log: "-" is stderr, NULL no log, everything else a file that is appended to.
 *   errors  IO names the file
 *   owns    ls_log_close; `path` outlives it */
ls_status ls_log_open(const char *path, ls_log *log, ls_error *error) LS_MUST_USE;
/* Closes the log. Returns `status`, the result of the process so far. If `status` is good but log
 * lines were lost, returns LS_ERROR_IO; if it is not, the loss is reported on stderr. A zeroed log
 * is allowed. */
ls_status ls_log_close(ls_log *log, ls_status status, ls_error *error) LS_MUST_USE;

/* From now on a separate thread writes, so that logging never waits for a reader or a disk.
 *   errors  IO: no thread could be started; USAGE: a limit of bytes for a log that is no file */
ls_status ls_log_detach(ls_log *log, ls_error *error) LS_MUST_USE;

/* Opens the log's path again, after log rotation has moved the old file away. A log on stderr stays
 * as it is. Only after ls_log_detach(): its thread opens the file.
 *   thread  main */
void ls_log_reopen(ls_log *log);

/* Chooses the lines that are written from now on. Returns the level before.
 *   thread  any */
ls_log_level ls_log_set_level(ls_log *log, ls_log_level level);

/* Writes one line at once; `context` is an ls_log. A full disk ends no match: the line is lost, and
 * ls_log_close() reports it. */
void ls_log_line(void *context, const char *line);
void ls_log_print(ls_log *log, const char *format, ...) LS_PRINTF(2, 3);

/* How many lines the log's thread has lost, as `lines_dropped` tells; 0 before ls_log_detach().
 *   thread  any */
uint64_t ls_log_lines_lost(const ls_log *log);

#endif
