#include "server/room_finder.h"

#include "proto/secret.h"
#include "server/capacity.h"
#include "server/room_state.h"
#include "server/room_table.h"

#include <string.h>

/* Refuses the seat if its last session simulated and this client does not, or the reverse.
 * Otherwise a diverged client could return as light, report no roots and avoid the verdict. */
static uint32_t check_kind(const ls_seats *seats, uint32_t seat, const ls_handshake_auth *auth)
{
    bool is_light = (auth->flags & LS_HANDSHAKE_LIGHT) != 0;
    return seat != LS_SEAT_NONE && seats->items[seat].is_light == is_light ? seat : LS_SEAT_NONE;
}

/* Takes the hash of the client's secret, because one hash serves the search of every room. */
static uint32_t find_own_seat(const ls_seats *seats, const ls_handshake_auth *auth,
                              const uint8_t hash[LS_SECRET_HASH_BYTES])
{
    uint32_t seat = auth->has_resume ? ls_seats_find_secret(seats, hash) : LS_SEAT_NONE;
    return check_kind(seats, seat, auth);
}

uint32_t ls_room_finder_client_seat(const ls_seats *seats, const ls_handshake_auth *auth)
{
    const char *client = auth->has_token ? auth->token.client : "";
    return check_kind(seats, ls_seats_find_client(seats, client), auth);
}

uint32_t ls_room_finder_own_seat(const ls_seats *seats, const ls_handshake_auth *auth)
{
    uint8_t hash[LS_SECRET_HASH_BYTES];
    ls_secret_hash(auth->resume_secret, LS_RESUME_BYTES, hash);
    return find_own_seat(seats, auth, hash);
}

ls_room *ls_room_finder_own(const ls_server *server, const ls_handshake_auth *auth)
{
    uint8_t hash[LS_SECRET_HASH_BYTES];
    ls_secret_hash(auth->resume_secret, LS_RESUME_BYTES, hash);
    for (uint32_t i = 0; auth->has_resume && i < server->slot_count; i++) {
        ls_room *room = server->rooms[i];
        if (room && room->state != LS_ROOM_RESTORING &&
            find_own_seat(&room->match.seats, auth, hash) != LS_SEAT_NONE)
            return room;
    }
    return NULL;
}

/* Returns the room where the client of a token last had a seat; NULL: none, or it is being
 * restored. */
static ls_room *find_client_room(const ls_server *server, const ls_handshake_auth *auth)
{
    for (uint32_t i = 0; auth->has_token && i < server->slot_count; i++) {
        ls_room *room = server->rooms[i];
        if (room && room->state != LS_ROOM_RESTORING &&
            ls_room_finder_client_seat(&room->match.seats, auth) != LS_SEAT_NONE)
            return room;
    }
    return NULL;
}

/* True when a room suits a client that asks for `name`, or for any room (""). The seats of a room
 * that is being restored are unknown, so the client waits for that room. */
static bool is_suitable(const ls_room *room, const char *name, const ls_handshake_auth *auth)
{
    if (name[0])
        return strcmp(room->name, name) == 0;
    if (room->requires_token && !auth->has_token)
        return false;
    if (room->state == LS_ROOM_RESTORING || (auth->flags & LS_HANDSHAKE_SPECTATE))
        return true;
    return ls_seats_find_free(&room->match.seats) != LS_SEAT_NONE;
}

ls_status ls_room_finder_find(ls_server *server, ls_room_request *request, ls_room **room,
                              ls_error *error)
{
    const ls_handshake_auth *auth = request->auth;
    const char *name = request->name;
    bool is_spectator = (auth->flags & LS_HANDSHAKE_SPECTATE) != 0;
    if (name[0] || is_spectator)
        *room = NULL;
    else if (!*room)
        *room = find_client_room(server, auth);
    /* An ending room is the last choice: the client is then told that the match is over. */
    for (uint32_t i = 0; !*room && i < 2 * server->slot_count; i++) {
        ls_room *found = server->rooms[i % server->slot_count];
        if (found && (i >= server->slot_count || found->state < LS_ROOM_ENDING) &&
            is_suitable(found, name, auth))
            *room = found;
    }
    if (*room)
        return LS_OK;
    if (!server->make_room && !name[0]) {
        request->may_wait = ls_capacity_may_free_seat(server, NULL);
        return ls_error_set(error, LS_ERROR_LIMIT, "all seats are taken");
    }
    if (!server->make_room)
        return ls_error_set(error, LS_ERROR_NOT_FOUND,
                            "there is no room '%s' here: %u %s open, and clients cannot open one",
                            name, server->room_count,
                            server->room_count == 1 ? "room is" : "rooms are");
    ls_status status = ls_capacity_room(server, request->bucket, request->now_ns, error);
    if (status)
        return status;
    ls_room_config config = ls_room_config_default();
    status = server->make_room(server->room_context, name, &config, error);
    if (status == LS_ERROR_LIMIT)
        ls_capacity_return_room(server, request->bucket);
    if (status)
        return status;
    config.name = name;
    config.end_when_empty = config.is_on_request = true;
    return ls_room_table_open(server, &config, room, error);
}
