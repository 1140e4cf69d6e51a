#include "cli/serve/agones_gameserver.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

/* Returns a member by either of its names: gateways print those of the protocol or those of JSON.
 * NULL: there is none. */
static const json_t *member(const json_t *object, const char *name, const char *other)
{
    const json_t *found = json_object_get(object, name);
    return found ? found : json_object_get(object, other);
}

/* Copies a text with its zero. False: it is no text, has a zero in it, or does not fit. */
static bool copy_text(const json_t *value, char *text, size_t room)
{
    text[0] = 0;
    if (!value)
        return true;
    size_t bytes = json_string_length(value);
    if (!json_is_string(value) || bytes >= room || strlen(json_string_value(value)) != bytes)
        return false;
    memcpy(text, json_string_value(value), bytes + 1);
    return true;
}

static void read_allocation(const json_t *annotations, ls_agones_allocation *allocation)
{
    const struct {
        const char *name;
        char *text;
    } list[] = {{"lockstep.dev/room", allocation->room},
                {"lockstep.dev/seed", allocation->seed},
                {"lockstep.dev/players", allocation->players},
                {"lockstep.dev/options", allocation->options},
                {"lockstep.dev/tokens", allocation->tokens}};
    for (size_t i = 0; i < LS_COUNT_OF(list); i++)
        if (!copy_text(json_object_get(annotations, list[i].name), list[i].text,
                       LS_AGONES_TEXT_BYTES) &&
            !allocation->wrong)
            allocation->wrong = list[i].name + strlen("lockstep.dev/");
    (void)copy_text(json_object_get(annotations, "agones.dev/last-allocated"), allocation->id,
                    sizeof allocation->id);
}

static uint64_t read_number(const json_t *value, uint64_t max)
{
    json_int_t number = json_integer_value(value); /* 0 for anything else */
    return number > 0 && (uint64_t)number <= max ? (uint64_t)number : 0;
}

static void read_port(const json_t *ports, ls_agones_gameserver *gameserver)
{
    for (size_t i = 0; i < json_array_size(ports); i++) {
        const json_t *port = json_array_get(ports, i);
        const char *name = json_string_value(json_object_get(port, "name"));
        bool is_named = name && strcmp(name, "lockstep") == 0;
        if (i == 0 || is_named)
            gameserver->port = (uint16_t)read_number(json_object_get(port, "port"), UINT16_MAX);
        if (is_named)
            return;
    }
}

static void read_status(const json_t *status, ls_agones_gameserver *gameserver)
{
    (void)copy_text(json_object_get(status, "state"), gameserver->state, sizeof gameserver->state);
    (void)copy_text(json_object_get(status, "address"), gameserver->address,
                    sizeof gameserver->address);
    read_port(json_object_get(status, "ports"), gameserver);
    static const struct {
        const char *kind, *name;
    } tallies[LS_AGONES_TALLIES] = {[LS_AGONES_COUNTER_ROOMS] = {"counters", "rooms"},
                                    [LS_AGONES_COUNTER_PLAYERS] = {"counters", "players"},
                                    [LS_AGONES_LIST_ROOMS] = {"lists", "rooms"},
                                    [LS_AGONES_LIST_PLAYERS] = {"lists", "players"}};
    for (uint32_t i = 0; i < LS_AGONES_TALLIES; i++)
        gameserver->has_tally[i] =
            json_object_get(json_object_get(status, tallies[i].kind), tallies[i].name) != NULL;
}

bool ls_agones_gameserver_is_allocated(const ls_agones_gameserver *gameserver)
{
    const ls_agones_allocation *allocation = &gameserver->allocation;
    return strcmp(gameserver->state, "Allocated") == 0 &&
           (allocation->room[0] || allocation->seed[0] || allocation->players[0] ||
            allocation->options[0] || allocation->tokens[0] || allocation->wrong);
}

ls_status ls_agones_gameserver_read(const char *json, size_t bytes,
                                    ls_agones_gameserver *gameserver, ls_error *error)
{
    json_error_t why;
    *gameserver = (ls_agones_gameserver){0};
    json_t *root = json_loadb(json, bytes, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &why);
    const json_t *result = json_object_get(root, "result");
    const json_t *object = result ? result : root;
    const json_t *meta = member(object, "object_meta", "objectMeta");
    const json_t *status = json_object_get(object, "status");
    bool is_good = json_is_object(meta) && json_is_object(status);
    if (is_good) {
        const json_t *health = json_object_get(json_object_get(object, "spec"), "health");
        gameserver->health_s =
            (uint32_t)read_number(member(health, "period_seconds", "periodSeconds"), 3600);
        read_status(status, gameserver);
        read_allocation(json_object_get(meta, "annotations"), &gameserver->allocation);
    }
    json_decref(root);
    return is_good ? LS_OK : ls_error_set(error, LS_ERROR_CORRUPT, "the JSON is no GameServer");
}

bool ls_agones_gameserver_split(ls_builder *rest, const char *data, size_t bytes,
                                bool (*take)(void *context, const char *line, size_t bytes),
                                void *context)
{
    while (bytes) {
        const char *end = memchr(data, '\n', bytes);
        size_t part = end ? (size_t)(end - data) : bytes;
        if (rest->count + part > LS_AGONES_LINE_BYTES_MAX)
            return false;
        ls_builder_put(rest, data, part);
        data += end ? part + 1 : part;
        bytes -= end ? part + 1 : part;
        if (!end)
            break;
        bool is_good = rest->count == 0 || take(context, rest->data, rest->count);
        rest->count = 0;
        if (!is_good)
            return false;
    }
    return true;
}
