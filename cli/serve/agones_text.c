#include "cli/serve/agones_text.h"

#include "core/base/bounds.h"
#include "core/base/json_writer.h"

#include <string.h>

static const struct {
    const char *method, *path;
} requests[LS_AGONES_REQUESTS] = {
    [LS_AGONES_SHUTDOWN] = {"POST", "/shutdown"},
    [LS_AGONES_READY] = {"POST", "/ready"},
    [LS_AGONES_ALLOCATE] = {"POST", "/allocate"},
    [LS_AGONES_ADDRESS] = {"PUT", "/metadata/annotation"},
    [LS_AGONES_KEY] = {"PUT", "/metadata/annotation"},
    [LS_AGONES_REQUEST_OF(LS_AGONES_COUNTER_ROOMS)] = {"PATCH", "/v1beta1/counters/rooms"},
    [LS_AGONES_REQUEST_OF(LS_AGONES_COUNTER_PLAYERS)] = {"PATCH", "/v1beta1/counters/players"},
    [LS_AGONES_REQUEST_OF(LS_AGONES_LIST_ROOMS)] = {"PATCH", "/v1beta1/lists/rooms"},
    [LS_AGONES_REQUEST_OF(LS_AGONES_LIST_PLAYERS)] = {"PATCH", "/v1beta1/lists/players"},
    [LS_AGONES_HEALTH] = {"POST", "/health"},
    [LS_AGONES_WATCH] = {"GET", "/watch/gameserver"},
};

const char *ls_agones_text_method(ls_agones_request request)
{
    return requests[request].method;
}

const char *ls_agones_text_path(ls_agones_request request)
{
    return requests[request].path;
}

static char *annotation(const char *key, const char *value)
{
    ls_builder text = {0};
    ls_json_open(&text, NULL, '{');
    ls_json_string(&text, "key", key);
    ls_json_string(&text, "value", value);
    ls_json_close(&text, '}');
    return text.data;
}

char *ls_agones_text_body(ls_agones_request request, const char *address, const ls_public_key *key)
{
    char text[LS_PUBLIC_KEY_TEXT_BYTES];
    switch (request) {
    case LS_AGONES_ADDRESS:
        return annotation("lockstep-address", address);
    case LS_AGONES_KEY:
        ls_public_key_format(key, text);
        return annotation("lockstep-key", text);
    case LS_AGONES_WATCH:
        return NULL;
    default:
        return ls_text_duplicate("{}");
    }
}

static void add_counter(ls_builder *text, uint32_t count, uint32_t capacity)
{
    ls_json_u64_string(text, "count", count);
    ls_json_u64_string(text, "capacity", ls_max(count, capacity));
}

/* Whether an earlier name equals name `i`: a player may be there twice, and Agones refuses repeated
 * names. */
static bool is_repeated(const char *names, size_t name_bytes, uint32_t i)
{
    for (uint32_t j = 0; j < i; j++)
        if (strcmp(names + j * name_bytes, names + i * name_bytes) == 0)
            return true;
    return false;
}

static void add_list(ls_builder *text, const char *names, size_t name_bytes, uint32_t count,
                     uint32_t capacity)
{
    uint32_t most = capacity < LS_AGONES_NAMES_MAX ? capacity : LS_AGONES_NAMES_MAX;
    ls_json_u64_string(text, "capacity", ls_max(count, most));
    ls_json_open(text, "values", '[');
    for (uint32_t i = 0; i < count; i++)
        if (!is_repeated(names, name_bytes, i))
            ls_json_string(text, NULL, names + i * name_bytes);
    ls_json_close(text, ']');
}

char *ls_agones_text_tally(const ls_agones_facts *facts, ls_agones_tally tally)
{
    ls_builder text = {0};
    ls_json_open(&text, NULL, '{');
    switch (tally) {
    case LS_AGONES_COUNTER_ROOMS:
        add_counter(&text, facts->rooms, facts->rooms_max);
        break;
    case LS_AGONES_COUNTER_PLAYERS:
        add_counter(&text, facts->players, facts->players_max);
        break;
    case LS_AGONES_LIST_ROOMS:
        add_list(&text, facts->names[0], LS_ROOM_BYTES, facts->name_count, facts->rooms_max);
        break;
    case LS_AGONES_LIST_PLAYERS:
    case LS_AGONES_TALLIES:
        add_list(&text, facts->clients[0], LS_CLIENT_ID_BYTES, facts->client_count,
                 facts->players_max);
        break;
    }
    ls_json_close(&text, '}');
    return text.data;
}
