/* Log lines of a room, `event key=value ...`, on their way to whoever keeps them. Lines that a
 * stranger can cause are limited, and what was left out is counted. */
#ifndef LS_JOURNAL_H
#define LS_JOURNAL_H

#include "server/budget.h"

#define LS_JOURNAL_ROOM_BYTES   65
#define LS_JOURNAL_QUOTED_BYTES 520

typedef struct ls_journal {
    void (*log)(void *context, const char *line);
    void *context;
    char room[LS_JOURNAL_ROOM_BYTES];
    ls_budget budget;
    uint64_t dropped;
} ls_journal;

/* `log` NULL swallows everything; `room` NULL or "" leaves the room out; a longer one is cut. */
void ls_journal_init(ls_journal *journal, void (*log)(void *context, const char *line),
                     void *context, const char *room);

/* Writes one line that cannot be caused often. `format` begins with the event's name. */
void ls_journal_write(const ls_journal *journal, const char *format, ...) LS_PRINTF(2, 3);
/* Writes one line, unless there were too many lately. */
void ls_journal_write_limited(ls_journal *journal, uint64_t now_ns, const char *format, ...)
    LS_PRINTF(3, 4);

/* `text` between quotes, quotes and backslashes inside escaped, control characters replaced, for a
 * value that a stranger chose. Returns `quoted`. */
const char *ls_journal_quote(const char *text, char quoted[LS_JOURNAL_QUOTED_BYTES]);
/* The same, but `text` itself when it is a word of letters, digits, '-', '_' and '.'. */
const char *ls_journal_name(const char *text, char quoted[LS_JOURNAL_QUOTED_BYTES]);

/* ` client="..."`, for who has a connect token; "" for others. */
#define LS_JOURNAL_CLIENT_BYTES 80
const char *ls_journal_client(const char *client, char text[LS_JOURNAL_CLIENT_BYTES]);

#endif
