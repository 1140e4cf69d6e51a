#include "cli/common/log.h"

#include "cli/common/clock.h"

#include <errno.h>
#include <stdio_ext.h>
#include <string.h>

ls_status ls_log_open(const char *path, ls_log *log, ls_error *error)
{
    *log = (ls_log){.path = path, .stream = path ? stderr : NULL};
    if (!path || strcmp(path, "-") == 0)
        return LS_OK;
    FILE *stream = fopen(path, "ae");
    if (!stream)
        return ls_error_set(error, LS_ERROR_IO,
                            "cannot open the log %s: %s; --log takes a file in a folder that "
                            "is there and can be written",
                            path, strerror(errno));
    setvbuf(stream, NULL, _IOLBF, BUFSIZ);
    *log = (ls_log){.path = path, .stream = stream, .is_owned = true};
    return LS_OK;
}

ls_status ls_log_close(ls_log *log, ls_status status, ls_error *error)
{
    bool is_left, is_whole = ls_async_writer_close(log->writer, &is_left) && !log->has_failed;
    /* If the thread is still writing, the stream stays open: a file that is opened next could get
     * its descriptor, and then the log's lines. */
    if (log->is_owned && !is_left && fclose(log->stream) != 0 && errno != EPIPE)
        is_whole = false;
    const char *name = log->is_owned ? log->path : "on stderr";
    *log = (ls_log){0};
    if (is_whole)
        return status;
    ls_error lost;
    (void)ls_error_set(&lost, LS_ERROR_IO,
                       "the log %.900s is incomplete: it could not be written (is the disk full?); "
                       "free space there, or log elsewhere with --log FILE",
                       name);
    if (status)
        fprintf(stderr, "lockstep: warning: %s\n", lost.text);
    else
        *error = lost;
    return status ? status : LS_ERROR_IO;
}

ls_status ls_log_detach(ls_log *log, ls_error *error)
{
    return log->stream ? ls_async_writer_open(fileno(log->stream), &log->writer, error) : LS_OK;
}

void ls_log_reopen(ls_log *log)
{
    if (log->is_owned && log->writer)
        ls_async_writer_reopen(log->writer, log->path);
}

/* Notes that a line failed. Discards the buffer, so that bytes that a full disk refused do not
 * appear later between other lines. */
static void note_failure(ls_log *log)
{
    log->has_failed |= errno != EPIPE;
    __fpurge(log->stream);
}

void ls_log_line(void *context, const char *line)
{
    ls_log *log = context;
    if (!log->stream)
        return;
    char time[LS_CLOCK_TEXT_BYTES], client[24] = "";
    ls_clock_format_now(time);
    if (log->client)
        snprintf(client, sizeof client, " client=%u", log->client);
    if (log->writer)
        ls_async_writer_print(log->writer, "%s%s time=%s\n", line, client, time);
    else if (fprintf(log->stream, "%s%s time=%s\n", line, client, time) < 0 ||
             fflush(log->stream) != 0)
        note_failure(log);
}
