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
    if (log->is_owned)
        fclose(log->stream);
    *log = (ls_log){0};
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
    fprintf(log->stream, "%s%s time=%s\n", line, client, time);
}
