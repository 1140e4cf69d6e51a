#include "cli/common/log.h"

#include "cli/common/clock.h"
#include "cli/common/log_json.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio_ext.h>
#include <string.h>
#include <sys/stat.h>

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

static bool can_rotate(const ls_log *log)
{
    struct stat facts;
    return log->is_owned && fstat(fileno(log->stream), &facts) == 0 && S_ISREG(facts.st_mode);
}

ls_status ls_log_detach(ls_log *log, ls_error *error)
{
    if (!log->stream)
        return LS_OK;
    if (log->bytes_max && !can_rotate(log))
        return ls_error_set(error, LS_ERROR_USAGE,
                            "--log-max rotates a file, but the log is %.900s; give --log FILE",
                            log->is_owned ? log->path : "on stderr");
    ls_status status = ls_async_writer_open(fileno(log->stream), &log->writer, error);
    if (!status && log->is_json)
        ls_async_writer_use_json(log->writer);
    if (!status)
        ls_async_writer_rotate(log->writer, log->path, log->bytes_max);
    return status;
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

/* Whether the line is about clients that come and go, or about a match that runs. */
static bool is_routine(const char *line)
{
    static const char *const events[] = {"start",        "pause",          "resume",
                                         "end",          "enter",          "move",
                                         "leave",        "player_join",    "player_leave",
                                         "player_kept",  "auth_put_off",   "auth_rejected",
                                         "auth_dropped", "hello_rejected", "handshake_failed"};
    size_t bytes = strcspn(line, " ");
    for (size_t i = 0; i < LS_COUNT_OF(events); i++)
        if (strlen(events[i]) == bytes && strncmp(line, events[i], bytes) == 0)
            return true;
    return false;
}

const char *const ls_log_levels[] = {"all", "problems", NULL};

bool ls_log_level_parse(const char *name, ls_log_level *level)
{
    for (uint32_t i = 0; ls_log_levels[i]; i++) {
        *level = (ls_log_level)i;
        if (strcmp(ls_log_levels[i], name) == 0)
            return true;
    }
    return false;
}

/* Relaxed: the level publishes nothing else. */
ls_log_level ls_log_set_level(ls_log *log, ls_log_level level)
{
    return (ls_log_level)__atomic_exchange_n(&log->level, level, __ATOMIC_RELAXED);
}

static bool is_written(const ls_log *log, const char *line)
{
    return log->stream &&
           (__atomic_load_n(&log->level, __ATOMIC_RELAXED) == LS_LOG_ALL || !is_routine(line));
}

static void write_line(ls_log *log, const char *line)
{
    if (log->writer)
        ls_async_writer_print(log->writer, "%s\n", line);
    else if (fprintf(log->stream, "%s\n", line) < 0 || fflush(log->stream) != 0)
        note_failure(log);
}

uint64_t ls_log_lines_lost(const ls_log *log)
{
    return ls_async_writer_lost(log->writer);
}

void ls_log_line(void *context, const char *line)
{
    ls_log *log = context;
    if (!is_written(log, line))
        return;
    char time[LS_CLOCK_TEXT_BYTES], client[24] = "";
    ls_clock_format_now(time);
    if (log->client)
        snprintf(client, sizeof client, " client=%u", log->client);
    char whole[LS_ASYNC_WRITER_LINE_BYTES];
    snprintf(whole, sizeof whole, "%s%s time=%s", line, client, time);
    ls_builder json = {0};
    if (log->is_json)
        ls_log_json_add(&json, whole);
    write_line(log, json.data ? json.data : whole);
    ls_free(json.data);
}

void ls_log_print(ls_log *log, const char *format, ...)
{
    char line[LS_ASYNC_WRITER_LINE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    ls_log_line(log, line);
}
