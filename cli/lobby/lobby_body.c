#include "cli/lobby/lobby_body.h"

#include "core/base/json_writer.h"
#include "proto/text.h"
#include "server/event_log.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

/* The size of a member's value, a text or a whole number printed as one. */
#define VALUE_BYTES 256

static ls_status fail(ls_error *error, const char *name)
{
    return ls_error_set(error, LS_ERROR_USAGE,
                        "\"%s\" is too long, has control characters, or is of the wrong kind",
                        name);
}

/* Reads a text, or prints a number as one. A member that is missing gives "". */
static ls_status read_text(const json_t *object, const char *name, char *text, size_t room,
                           ls_error *error)
{
    const json_t *value = json_object_get(object, name);
    int bytes = 0;
    text[0] = 0;
    if (!value || json_is_null(value))
        return LS_OK;
    if (json_is_integer(value))
        bytes = snprintf(text, room, "%" PRId64, (int64_t)json_integer_value(value));
    else if (json_is_string(value))
        bytes = snprintf(text, room, "%s", json_string_value(value));
    bool is_good =
        bytes > 0 ? (size_t)bytes < room && ls_text_is_valid(text) : json_is_string(value);
    return is_good ? LS_OK : fail(error, name);
}

/* Adds the wishes that a server knows by these names, then options of the simulation. */
static ls_status read_wishes(const json_t *object, ls_lobby_order *order, ls_error *error)
{
    static const char *const names[] = {"seed", "players", "tokens"};
    char value[VALUE_BYTES];
    size_t used = 0;
    for (size_t i = 0; i < LS_COUNT_OF(names); i++) {
        ls_status status = read_text(object, names[i], value, sizeof value, error);
        if (!status && strchr(value, ' '))
            status = fail(error, names[i]);
        if (status)
            return status;
        if (value[0] && used < sizeof order->wishes)
            used += (size_t)snprintf(order->wishes + used, sizeof order->wishes - used, "%s%s=%s",
                                     used ? " " : "", names[i], value);
    }
    ls_status status = read_text(object, "options", value, sizeof value, error);
    if (!status && value[0] && used < sizeof order->wishes)
        used += (size_t)snprintf(order->wishes + used, sizeof order->wishes - used, "%s%s",
                                 used ? " " : "", value);
    return status || used < sizeof order->wishes ? status : fail(error, "options");
}

/* Refuses a member that nothing reads: a misspelt `tokens` would open the room to all. */
static ls_status check_names(json_t *object, ls_error *error)
{
    static const char *const names[] = {"room", "sim",     "server", "client",
                                        "seed", "players", "tokens", "options"};
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value)
    {
        char quoted[LS_EVENT_LOG_QUOTED_BYTES];
        size_t i = 0;
        while (i < LS_COUNT_OF(names) && strcmp(name, names[i]) != 0)
            i++;
        if (i == LS_COUNT_OF(names))
            return ls_error_set(
                error, LS_ERROR_USAGE,
                "the body has no member %.80s; it may have room, sim, seed, players, "
                "tokens, options, server and client",
                ls_event_log_quote(name, quoted));
    }
    return LS_OK;
}

static ls_status read_body(const json_t *object, ls_lobby_body *body, ls_error *error)
{
    const struct {
        const char *name;
        char *text;
        size_t room;
    } list[] = {{"room", body->order.room, sizeof body->order.room},
                {"sim", body->order.sim, sizeof body->order.sim},
                {"server", body->server, sizeof body->server},
                {"client", body->client, sizeof body->client}};
    for (size_t i = 0; i < LS_COUNT_OF(list); i++) {
        ls_status status = read_text(object, list[i].name, list[i].text, list[i].room, error);
        if (status)
            return status;
    }
    return read_wishes(object, &body->order, error);
}

ls_status ls_lobby_body_read(const char *json, size_t bytes, ls_lobby_body *body, ls_error *error)
{
    json_t *object = json_loadb(json, bytes, 0, NULL);
    *body = (ls_lobby_body){0};
    ls_status status = json_is_object(object)
                           ? check_names(object, error)
                           : ls_error_set(error, LS_ERROR_USAGE,
                                          "the body is a JSON object, such as {\"room\": \"a\"}");
    if (!status)
        status = read_body(object, body, error);
    json_decref(object);
    return status;
}

ls_status ls_lobby_order_read(const char *json, size_t bytes, ls_lobby_order *order,
                              char reply[LS_LOBBY_REPLY_BYTES], ls_error *error)
{
    json_t *object = json_loadb(json, bytes, 0, NULL);
    *order = (ls_lobby_order){0};
    ls_status status = json_is_object(object)
                           ? read_text(object, "room", order->room, sizeof order->room, error)
                           : ls_error_set(error, LS_ERROR_USAGE, "the order is no JSON object");
    if (!status)
        status = read_text(object, "wishes", order->wishes, sizeof order->wishes, error);
    if (!status)
        status = read_text(object, "reply", reply, LS_LOBBY_REPLY_BYTES, error);
    if (!status && (!order->room[0] || !reply[0]))
        status = ls_error_set(error, LS_ERROR_USAGE, "the order has no room or no reply");
    json_decref(object);
    return status;
}

void ls_lobby_order_print(const ls_lobby_order *order, const char *reply, ls_builder *text)
{
    ls_json_open(text, NULL, '{');
    ls_json_string(text, "room", order->room);
    ls_json_string(text, "wishes", order->wishes);
    ls_json_string(text, "reply", reply);
    ls_json_close(text, '}');
}
