#include "cli/common/admin_request.h"

#include "cli/common/suggest.h"
#include "core/base/builder.h"
#include "proto/text.h"

#include <string.h>

static const ls_admin_verb_info verbs[] = {
    [LS_ADMIN_SERVER] = {"server", "", "print what the server does", 0, 0, false, true},
    [LS_ADMIN_ROOMS] = {"rooms", "", "list the rooms", 0, 0, false, false},
    [LS_ADMIN_ROOM] = {"room", "[ROOM]", "print all about one room", 0, 1, false, true},
    [LS_ADMIN_PLAYERS] = {"players", "[ROOM]", "list players and spectators", 0, 1, false, false},
    [LS_ADMIN_METRICS] = {"metrics", "", "print the metrics as Prometheus reads them", 0, 0, false,
                          false},
    [LS_ADMIN_KICK] = {"kick", "PEER [REASON]", "end a session, by its number in `players`", 1, 2,
                       true, false},
    [LS_ADMIN_BAN] = {"ban", "ADDRESS[/BITS]|client:ID",
                      "refuse an address or a player of connect tokens", 1, 1, true, true},
    [LS_ADMIN_UNBAN] = {"unban", "ADDRESS[/BITS]|client:ID", "take a ban back", 1, 1, true, true},
    [LS_ADMIN_BANS] = {"bans", "", "list the bans", 0, 0, false, false},
    [LS_ADMIN_PAUSE] = {"pause", "[ROOM]", "pause a match until `resume`", 0, 1, true, false},
    [LS_ADMIN_RESUME] = {"resume", "[ROOM]", "continue a match that is paused", 0, 1, true, false},
    [LS_ADMIN_SAY] = {"say", "[ROOM] TEXT", "show a text to the players of a room, or of all", 1, 2,
                      true, false},
    [LS_ADMIN_OPEN] = {"open", "ROOM [WISHES]",
                       "open a room, with wishes such as \"seed=7 players=4 units=200\"", 1, 2,
                       true, false},
    [LS_ADMIN_CLOSE] = {"close", "[ROOM]", "end a match in order", 0, 1, true, false},
    [LS_ADMIN_CHECKPOINT] = {"checkpoint", "[ROOM]",
                             "sign and sync the recording of a match now, and name it", 0, 1, true,
                             true},
    [LS_ADMIN_DRAIN] = {"drain", "[--successor HOST:PORT]",
                        "end all matches in order, or hand them over; then the server ends", 0, 1,
                        true, false},
    [LS_ADMIN_RELOAD] = {"reload", "",
                         "read keys, bans, limits of --config and the HTTP token again", 0, 0, true,
                         true},
    [LS_ADMIN_LOG_LEVEL] = {"log-level", "all|problems", "choose the lines of the log", 1, 1, true,
                            false},
};

const ls_admin_verb_info *ls_admin_verb_get(ls_admin_verb verb)
{
    LS_ASSERT(verb < LS_ADMIN_VERBS);
    return &verbs[verb];
}

ls_admin_verb ls_admin_verb_find(const char *name)
{
    uint32_t verb = 0;
    while (verb < LS_ADMIN_VERBS && strcmp(name, verbs[verb].name) != 0)
        verb++;
    return verb;
}

static ls_status fail_text(ls_error *error)
{
    return ls_error_set(error, LS_ERROR_USAGE, "the line is not UTF-8, or has control characters");
}

static ls_status fail_unknown(const char *name, ls_error *error)
{
    const char *names[LS_ADMIN_VERBS];
    for (uint32_t i = 0; i < LS_ADMIN_VERBS; i++)
        names[i] = verbs[i].name;
    const char *nearest = ls_suggest(name, names, LS_ADMIN_VERBS);
    return ls_error_set(error, LS_ERROR_USAGE, "unknown action '%.40s'%s%s%s", name,
                        nearest ? ", did you mean '" : "", nearest ? nearest : "",
                        nearest ? "'?" : "");
}

/* Splits the text at its tabs. */
static ls_status split(ls_admin_request *request, ls_error *error)
{
    char *next = strchr(request->text, '\t');
    if (next)
        *next++ = 0;
    if (!ls_text_is_valid(request->text))
        return fail_text(error);
    request->verb = ls_admin_verb_find(request->text);
    if (request->verb == LS_ADMIN_VERBS)
        return fail_unknown(request->text, error);
    const ls_admin_verb_info *verb = &verbs[request->verb];
    while (next && request->count < LS_ADMIN_ARGUMENTS_MAX) {
        char *argument = next;
        next = strchr(argument, '\t');
        if (next)
            *next++ = 0;
        if (!argument[0])
            return ls_error_set(error, LS_ERROR_USAGE, "%s: an empty argument", verb->name);
        if (!ls_text_is_valid(argument))
            return fail_text(error);
        request->arguments[request->count++] = argument;
    }
    if (next || request->count < verb->min || request->count > verb->max)
        return ls_error_set(error, LS_ERROR_USAGE, "give `%s%s%s`", verb->name,
                            verb->usage[0] ? " " : "", verb->usage);
    return LS_OK;
}

ls_status ls_admin_request_parse(ls_admin_request *request, const char *line, size_t bytes,
                                 ls_error *error)
{
    request->count = 0;
    if (bytes >= LS_ADMIN_LINE_BYTES_MAX)
        return ls_error_set(error, LS_ERROR_USAGE, "the line is longer than %d bytes",
                            LS_ADMIN_LINE_BYTES_MAX - 1);
    memcpy(request->text, line, bytes);
    request->text[bytes] = 0;
    return memchr(line, 0, bytes) ? fail_text(error) : split(request, error);
}

ls_status ls_admin_request_format(ls_admin_verb verb, const char *const *arguments, uint32_t count,
                                  char line[LS_ADMIN_LINE_BYTES_MAX], ls_error *error)
{
    ls_builder text = {0};
    ls_admin_request read;
    ls_builder_add(&text, "%s", ls_admin_verb_get(verb)->name);
    for (uint32_t i = 0; i < count; i++)
        ls_builder_add(&text, "\t%s", arguments[i]);
    ls_status status = ls_admin_request_parse(&read, text.data, text.count, error);
    if (!status) {
        memcpy(line, text.data, text.count);
        memcpy(line + text.count, "\n", sizeof "\n");
    }
    ls_free(text.data);
    return status;
}
