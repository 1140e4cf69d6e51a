/* Log lines of a room, `event key=value ...`. Lines that unauthenticated senders can cause are
 * limited; dropped ones are counted. */
#ifndef LS_EVENT_LOG_H
#define LS_EVENT_LOG_H

#include "server/token_bucket.h"

#define LS_EVENT_LOG_ROOM_BYTES   65
#define LS_EVENT_LOG_QUOTED_BYTES 520

typedef struct ls_event_log {
    void (*log)(void *context, const char *line);
    void *context;
    char room[LS_EVENT_LOG_ROOM_BYTES];
    ls_token_bucket budget;
    uint64_t dropped;
} ls_event_log;

/* A NULL `log` drops every line. A NULL or empty `room` omits the key; a name that is too long is
 * cut. */
void ls_event_log_init(ls_event_log *self, void (*log)(void *context, const char *line),
                       void *context, const char *room);

/* Writes a line without a limit, for events that clients cannot cause often. `format` begins with
 * the event's name. */
void ls_event_log_write(const ls_event_log *self, const char *format, ...) LS_PRINTF(2, 3);
/* Writes a line, unless the room's budget of limited lines is used up. */
void ls_event_log_write_limited(ls_event_log *self, uint64_t now_ns, const char *format, ...)
    LS_PRINTF(3, 4);

/* Writes a limited line that clients of one host cause. It is also charged to the host's own
 * budget: one host that connects and leaves repeatedly can neither fill the disk nor hide the lines
 * about others. */
void ls_event_log_write_of(ls_event_log *self, ls_token_bucket *host, uint64_t now_ns,
                           const char *format, ...) LS_PRINTF(4, 5);

/* Quotes untrusted text: escapes quotes and backslashes, replaces control characters. Returns
 * `quoted`. */
const char *ls_event_log_quote(const char *text, char quoted[LS_EVENT_LOG_QUOTED_BYTES]);
/* Quotes `text` unless it is a plain name: text that consists of letters, digits, '-', '_' and '.'
 * is returned itself. */
const char *ls_event_log_name(const char *text, char quoted[LS_EVENT_LOG_QUOTED_BYTES]);

/* ` client="..."` for a client with a connect token; "" for others. */
#define LS_EVENT_LOG_CLIENT_BYTES 80
const char *ls_event_log_client(const char *client, char text[LS_EVENT_LOG_CLIENT_BYTES]);

#endif
