#include "cli/serve/room_allocation.h"

#include "cli/common/number.h"
#include "core/base/bounds.h"
#include "proto/text.h"

#include <string.h>

/* The longest number, with its sign and zero. */
#define NUMBER_BYTES 24
/* As much of a wrong option as an error tells. */
#define ERROR_BYTES 64

static ls_status read_name(const char *text, const char **name, ls_error *error)
{
    *name = text;
    if (!text[0])
        return ls_error_set(error, LS_ERROR_USAGE, "room is missing");
    if (strlen(text) >= LS_ROOM_BYTES || !ls_text_is_valid(text))
        return ls_error_set(error, LS_ERROR_USAGE,
                            "room: a name has at most %u bytes and no control "
                            "characters",
                            LS_ROOM_BYTES - 1);
    return LS_OK;
}

/* Reads NAME=NUMBER. A later value of a name takes effect. */
static bool read_set(const char *text, size_t bytes, ls_match_options *match)
{
    const char *equals = memchr(text, '=', bytes);
    size_t name_bytes = equals ? (size_t)(equals - text) : 0;
    size_t value_bytes = bytes - name_bytes - 1;
    ls_match_set set = {.name = text, .name_bytes = (uint32_t)name_bytes, .is_wish = true};
    char number[NUMBER_BYTES];
    if (!name_bytes || value_bytes >= sizeof number || match->set_count == LS_OPTIONS_MAX)
        return false;
    memcpy(number, equals + 1, value_bytes);
    number[value_bytes] = 0;
    if (!ls_parse_i64(number, &set.value))
        return false;
    match->sets[match->set_count++] = set;
    return true;
}

static ls_status read_options(const char *text, ls_match_options *match, ls_error *error)
{
    for (size_t bytes; text += strspn(text, " "), (bytes = strcspn(text, " ")) > 0; text += bytes)
        if (!read_set(text, bytes, match))
            return ls_error_set(error, LS_ERROR_USAGE,
                                "options: each is NAME=NUMBER, not '%.*s', with blanks between "
                                "them, and at most %d with those of the server",
                                (int)ls_min(bytes, ERROR_BYTES), text, LS_OPTIONS_MAX);
    return LS_OK;
}

static ls_status read_numbers(const ls_agones_allocation *texts, ls_room_allocation *allocation,
                              ls_error *error)
{
    uint64_t players;
    allocation->has_seed = texts->seed[0] != 0;
    if (texts->seed[0] && !ls_parse_u64(texts->seed, 0, UINT64_MAX, &allocation->match.seed))
        return ls_error_set(error, LS_ERROR_USAGE, "seed is no number");
    if (!texts->players[0])
        return LS_OK;
    if (!ls_parse_u64(texts->players, 1, LS_PLAYERS_MAX, &players))
        return ls_error_set(error, LS_ERROR_USAGE, "players: a number from 1 to %d",
                            LS_PLAYERS_MAX);
    allocation->match.players = (uint32_t)players;
    return LS_OK;
}

/* Copies the value of NAME=VALUE. False: it is too long. */
static bool copy_wish(char *to, const char *value, size_t bytes)
{
    if (bytes >= LS_AGONES_TEXT_BYTES)
        return false;
    memcpy(to, value, bytes);
    to[bytes] = 0;
    return true;
}

/* Stores one wish; those without a name of their own are options of the simulation. */
static bool store_wish(const char *wish, size_t bytes, ls_agones_allocation *texts)
{
    const struct {
        const char *name;
        char *text;
    } list[] = {{"seed=", texts->seed}, {"players=", texts->players}, {"tokens=", texts->tokens}};
    for (size_t i = 0; i < LS_COUNT_OF(list); i++) {
        size_t name_bytes = strlen(list[i].name);
        if (bytes > name_bytes && strncmp(wish, list[i].name, name_bytes) == 0)
            return copy_wish(list[i].text, wish + name_bytes, bytes - name_bytes);
    }
    size_t used = strlen(texts->options);
    if (used + 1 + bytes >= LS_AGONES_TEXT_BYTES)
        return false;
    texts->options[used] = ' ';
    return copy_wish(texts->options + used + 1, wish, bytes);
}

ls_status ls_room_allocation_split(const char *room, const char *wishes,
                                   ls_agones_allocation *texts, ls_error *error)
{
    *texts = (ls_agones_allocation){0};
    bool fits = copy_wish(texts->room, room, strlen(room));
    for (size_t bytes; wishes += strspn(wishes, " "), (bytes = strcspn(wishes, " ")) > 0;
         wishes += bytes)
        fits &= store_wish(wishes, bytes, texts);
    return fits ? LS_OK : ls_error_set(error, LS_ERROR_USAGE, "the wishes of a room are too long");
}

ls_status ls_room_allocation_read(const ls_agones_allocation *texts, const ls_match_options *match,
                                  bool has_token_key, ls_room_allocation *allocation,
                                  ls_error *error)
{
    *allocation = (ls_room_allocation){.match = *match};
    if (texts->wrong)
        return ls_error_set(error, LS_ERROR_USAGE, "%s: a text of at most %d bytes", texts->wrong,
                            LS_AGONES_TEXT_BYTES - 1);
    ls_status status = read_name(texts->room, &allocation->name, error);
    if (!status)
        status = read_numbers(texts, allocation, error);
    if (!status)
        status = read_options(texts->options, &allocation->match, error);
    allocation->requires_token = strcmp(texts->tokens, "required") == 0;
    if (!status && texts->tokens[0] && !allocation->requires_token)
        return ls_error_set(error, LS_ERROR_USAGE, "tokens: `required`, or leave it out");
    if (!status && allocation->requires_token && !has_token_key)
        return ls_error_set(error, LS_ERROR_USAGE, "tokens: the server has no --token-key");
    return status;
}
