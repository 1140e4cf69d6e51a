#include "cli/log.h"

#include "cli/clock.h"

#include <errno.h>
#include <string.h>

ls_status ls_log_open(const char *path, ls_log *log, ls_error *error)
{
    *log = (ls_log){.stream = path ? stderr : NULL};
    if (!path || strcmp(path, "-") == 0)
        return LS_OK;
    FILE *stream = fopen(path, "ae");
    if (!stream)
        return ls_error_set(error, LS_ERROR_IO,
                            "cannot open the log %s: %s; --log takes a file in a folder that "
                            "is there and can be written",
                            path, strerror(errno));
    setvbuf(stream, NULL, _IOLBF, BUFSIZ);
    *log = (ls_log){.stream = stream, .is_owned = true};
    return LS_OK;
}

void ls_log_close(ls_log *log)
{
    bool is_left;
    (void)ls_outlet_close(log->outlet, &is_left);
    /* Else what is opened next could have its descriptor, and the log's lines. */
    if (log->is_owned && !is_left)
        fclose(log->stream);
    *log = (ls_log){0};
}

ls_status ls_log_detach(ls_log *log, ls_error *error)
{
    return log->stream ? ls_outlet_open(fileno(log->stream), &log->outlet, error) : LS_OK;
}

void ls_log_line(void *context, const char *line)
{
    const ls_log *log = context;
    if (!log->stream)
        return;
    char time[LS_CLOCK_TEXT_BYTES], client[24] = "";
    ls_clock_format_now(time);
    if (log->client)
        snprintf(client, sizeof client, " client=%u", log->client);
    if (log->outlet)
        ls_outlet_print(log->outlet, "%s%s time=%s\n", line, client, time);
    else
        fprintf(log->stream, "%s%s time=%s\n", line, client, time);
}
