#include "cli/lobby/lobby_entry.h"

#include "core/base/json_writer.h"
#include "proto/text.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

void ls_lobby_entry_reset(ls_lobby_entry *entry)
{
    ls_free(entry->rooms);
    *entry = (ls_lobby_entry){0};
}

void ls_lobby_entry_take(ls_lobby_entry *entry, const ls_metrics *metrics)
{
    entry->is_draining = metrics->is_draining || metrics->is_awaiting;
    entry->room_count = metrics->room_count;
    entry->rooms = ls_realloc(entry->rooms, (metrics->room_count + 1) * sizeof *entry->rooms);
    for (uint32_t i = 0; i < metrics->room_count; i++) {
        const ls_metrics_room *from = &metrics->list[i];
        ls_lobby_room *room = &entry->rooms[i];
        *room = (ls_lobby_room){.players = from->stats.players,
                                .seats = from->seats,
                                .requires_token = from->requires_token};
        memcpy(room->name, from->name, sizeof room->name);
        snprintf(room->state, sizeof room->state, "%s",
                 ls_metrics_state_name(ls_metrics_state_of(&from->stats)));
    }
}

void ls_lobby_entry_print(const ls_lobby_entry *entry, ls_builder *text)
{
    ls_json_open(text, NULL, '{');
    ls_json_string(text, "address", entry->address);
    ls_json_string(text, "sim", entry->sim);
    ls_json_u64(text, "rooms_max", entry->rooms_max);
    ls_json_bool(text, "draining", entry->is_draining);
    ls_json_open(text, "rooms", '[');
    for (uint32_t i = 0; i < entry->room_count; i++) {
        const ls_lobby_room *room = &entry->rooms[i];
        ls_json_open(text, NULL, '{');
        ls_json_string(text, "name", room->name);
        ls_json_string(text, "state", room->state);
        ls_json_u64(text, "players", room->players);
        ls_json_u64(text, "seats", room->seats);
        ls_json_bool(text, "tokens", room->requires_token);
        ls_json_close(text, '}');
    }
    ls_json_close(text, ']');
    ls_json_close(text, '}');
}

static bool read_text(const json_t *object, const char *name, char *text, size_t room)
{
    const json_t *value = json_object_get(object, name);
    size_t bytes = json_string_length(value);
    if (!json_is_string(value) || bytes >= room)
        return false;
    memcpy(text, json_string_value(value), bytes + 1);
    return strlen(text) == bytes && ls_text_is_valid(text);
}

static bool read_number(const json_t *object, const char *name, uint32_t *number)
{
    const json_t *value = json_object_get(object, name);
    json_int_t read = json_integer_value(value);
    if (!json_is_integer(value) || read < 0 || read > UINT32_MAX)
        return false;
    *number = (uint32_t)read;
    return true;
}

static bool read_room(const json_t *object, ls_lobby_room *room)
{
    room->requires_token = json_is_true(json_object_get(object, "tokens"));
    return read_text(object, "name", room->name, sizeof room->name) &&
           read_text(object, "state", room->state, sizeof room->state) &&
           read_number(object, "players", &room->players) &&
           read_number(object, "seats", &room->seats);
}

static bool read_rooms(const json_t *list, ls_lobby_entry *entry)
{
    size_t count = json_array_size(list);
    if (!json_is_array(list) || count > LS_SERVER_ROOMS_MAX)
        return false;
    entry->rooms = ls_alloc((count + 1) * sizeof *entry->rooms);
    for (size_t i = 0; i < count; i++)
        if (!read_room(json_array_get(list, i), &entry->rooms[i]))
            return false;
    entry->room_count = (uint32_t)count;
    return true;
}

static bool read_entry(const json_t *object, ls_lobby_entry *entry)
{
    ls_server_address address;
    entry->is_draining = json_is_true(json_object_get(object, "draining"));
    return read_text(object, "address", entry->address, sizeof entry->address) &&
           ls_server_address_parse(entry->address, &address, NULL) == LS_OK && address.has_key &&
           read_text(object, "sim", entry->sim, sizeof entry->sim) &&
           read_number(object, "rooms_max", &entry->rooms_max) &&
           read_rooms(json_object_get(object, "rooms"), entry);
}

ls_status ls_lobby_entry_read(const char *json, size_t bytes, ls_lobby_entry *entry,
                              ls_error *error)
{
    json_t *object = bytes > LS_LOBBY_ENTRY_BYTES_MAX ? NULL : json_loadb(json, bytes, 0, NULL);
    *entry = (ls_lobby_entry){0};
    bool is_good = read_entry(object, entry);
    json_decref(object);
    if (is_good)
        return LS_OK;
    ls_lobby_entry_reset(entry);
    return ls_error_set(error, LS_ERROR_CORRUPT, "this is no entry of a server");
}

bool ls_lobby_room_is_open(const ls_lobby_room *room)
{
    return room->players < room->seats && strcmp(room->state, "ending") != 0;
}
