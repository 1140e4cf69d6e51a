/* A request of `lockstep admin` to a server: one line, a verb and its arguments with tabs between
 * them.
 *   source  docs/operations.md */
#ifndef LS_ADMIN_REQUEST_H
#define LS_ADMIN_REQUEST_H

#include <lockstep/base.h>

typedef enum ls_admin_verb {
    LS_ADMIN_SERVER,
    LS_ADMIN_ROOMS,
    LS_ADMIN_ROOM,
    LS_ADMIN_PLAYERS,
    LS_ADMIN_METRICS,
    LS_ADMIN_KICK,
    LS_ADMIN_BAN,
    LS_ADMIN_UNBAN,
    LS_ADMIN_BANS,
    LS_ADMIN_PAUSE,
    LS_ADMIN_RESUME,
    LS_ADMIN_SAY,
    LS_ADMIN_OPEN,
    LS_ADMIN_CLOSE,
    LS_ADMIN_CHECKPOINT,
    LS_ADMIN_DRAIN,
    LS_ADMIN_RELOAD,
    LS_ADMIN_LOG_LEVEL,
    LS_ADMIN_VERBS,
} ls_admin_verb;

typedef struct ls_admin_verb_info {
    const char *name, *usage, *summary; /* usage: the arguments, for the help */
    uint32_t min, max;                  /* number of arguments */
    bool changes;                       /* the verb changes the server, so each request is logged */
    bool is_one; /* the answer is about one thing: its table has one row, shown as a list */
} ls_admin_verb_info;
const ls_admin_verb_info *ls_admin_verb_get(ls_admin_verb verb);
/* Returns LS_ADMIN_VERBS if there is no such verb. */
ls_admin_verb ls_admin_verb_find(const char *name);

/* The size of the longest line with its end, in place of which the last argument has its zero. */
#define LS_ADMIN_LINE_BYTES_MAX 1024
#define LS_ADMIN_ARGUMENTS_MAX  2
/* The answer to `drain` begins with this when matches move to another server; the answer to
 * `server` then tells how far they are. */
#define LS_ADMIN_HANDING "handing "

typedef struct ls_admin_request {
    ls_admin_verb verb;
    uint32_t count;
    const char *arguments[LS_ADMIN_ARGUMENTS_MAX]; /* in `text`; none is empty */
    char text[LS_ADMIN_LINE_BYTES_MAX];
} ls_admin_request;

/* Reads a line without its end, from bytes that may be hostile.
 *   errors  USAGE: too long, not UTF-8 without control characters, an unknown verb, or a wrong
 *           number of arguments */
ls_status ls_admin_request_parse(ls_admin_request *request, const char *line, size_t bytes,
                                 ls_error *error) LS_MUST_USE;
/* Writes a line with its end, after the checks of ls_admin_request_parse(). */
ls_status ls_admin_request_format(ls_admin_verb verb, const char *const *arguments, uint32_t count,
                                  char line[LS_ADMIN_LINE_BYTES_MAX], ls_error *error) LS_MUST_USE;

#endif
