#include "server/event_log.h"

#include <lockstep/limits.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void ls_event_log_init(ls_event_log *self, void (*log)(void *context, const char *line),
                       void *context, const char *room)
{
    *self = (ls_event_log){.log = log, .context = context};
    snprintf(self->room, sizeof self->room, "%s", room ? room : "");
    ls_token_bucket_init(&self->budget, LS_SERVER_LOG_LINES_PER_S, LS_SERVER_LOG_BURST);
}

static void write_line(const ls_event_log *self, const char *format, va_list arguments)
{
    char line[LS_SERVER_LOG_BYTES], room[LS_EVENT_LOG_QUOTED_BYTES];
    vsnprintf(line, sizeof line, format, arguments);
    size_t used = strlen(line);
    if (self->room[0])
        snprintf(line + used, sizeof line - used, " room=%s", ls_event_log_name(self->room, room));
    self->log(self->context, line);
}

void ls_event_log_write(const ls_event_log *self, const char *format, ...)
{
    if (!self->log)
        return;
    va_list arguments;
    va_start(arguments, format);
    write_line(self, format, arguments);
    va_end(arguments);
}

/* Whether the budgets admit a line: the host's budget, unless `host` is NULL, and the log's. Counts
 * a line that they do not admit. */
static bool may_write(ls_event_log *self, ls_token_bucket *host, uint64_t now_ns)
{
    if (!self->log)
        return false;
    bool is_admitted = (!host || ls_token_bucket_take(host, now_ns, 1)) &&
                       ls_token_bucket_take(&self->budget, now_ns, 1);
    self->dropped += !is_admitted;
    return is_admitted;
}

void ls_event_log_write_limited(ls_event_log *self, uint64_t now_ns, const char *format, ...)
{
    if (!may_write(self, NULL, now_ns))
        return;
    va_list arguments;
    va_start(arguments, format);
    write_line(self, format, arguments);
    va_end(arguments);
}

void ls_event_log_write_of(ls_event_log *self, ls_token_bucket *host, uint64_t now_ns,
                           const char *format, ...)
{
    if (!may_write(self, host, now_ns))
        return;
    va_list arguments;
    va_start(arguments, format);
    write_line(self, format, arguments);
    va_end(arguments);
}

const char *ls_event_log_name(const char *text, char quoted[LS_EVENT_LOG_QUOTED_BYTES])
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    return text[0] && strspn(text, plain) == strlen(text) ? text : ls_event_log_quote(text, quoted);
}

const char *ls_event_log_quote(const char *text, char quoted[LS_EVENT_LOG_QUOTED_BYTES])
{
    size_t used = 0;
    quoted[used++] = '"';
    for (; *text && used + 4 <= LS_EVENT_LOG_QUOTED_BYTES; text++) {
        if (*text == '"' || *text == '\\')
            quoted[used++] = '\\';
        quoted[used++] = (unsigned char)*text < 0x20 || *text == 0x7f ? '?' : *text;
    }
    quoted[used++] = '"';
    quoted[used] = 0;
    return quoted;
}

const char *ls_event_log_client(const char *client, char text[LS_EVENT_LOG_CLIENT_BYTES])
{
    char quoted[LS_EVENT_LOG_QUOTED_BYTES];
    text[0] = 0;
    if (client[0])
        snprintf(text, LS_EVENT_LOG_CLIENT_BYTES, " client=%s", ls_event_log_quote(client, quoted));
    return text;
}
