#include "server/room_table.h"

#include "server/room_config_internal.h"
#include "server/room_internal.h"
#include "server/room_state.h"

#include <string.h>

static uint32_t find_slot(const ls_server *server)
{
    uint32_t slot = 0;
    while (slot < server->slot_count && server->rooms[slot])
        slot++;
    return slot;
}

ls_status ls_room_table_open(ls_server *server, const ls_room_config *config, ls_room **result,
                             ls_error *error)
{
    ls_room *room = NULL;
    ls_status status = LS_OK;
    const char *name = config->name ? config->name : "";
    if (server->room_count == server->rooms_max)
        status = ls_error_set(error, LS_ERROR_LIMIT, "all %u rooms are open", server->rooms_max);
    else if (name[0] && ls_room_table_find(server, name))
        status = ls_error_set(error, LS_ERROR_REFUSED, "the room '%s' is open already", name);
    if (status)
        ls_room_config_close(config);
    else
        status = ls_room_create(server, config, find_slot(server), &room, error);
    if (room) {
        server->rooms[room->slot] = room;
        server->slot_count += room->slot == server->slot_count;
        server->room_count++;
        server->has_opened_room = true;
        server->stats.rooms_opened++;
    }
    if (result)
        *result = room;
    return status;
}

/* Returns the match time by which the simulation lags. Only a running room closes ticks, so others
 * have no lag. */
static uint64_t lag_ns(const ls_room *room)
{
    if (room->state != LS_ROOM_RUNNING)
        return 0;
    return ls_room_match_lag(&room->match) * LS_SECOND_NS / room->match.config.tick_rate;
}

uint64_t ls_room_table_lag_ns(const ls_server *server)
{
    uint64_t max = 0;
    for (uint32_t i = 0; i < server->slot_count; i++) {
        uint64_t lag = server->rooms[i] ? lag_ns(server->rooms[i]) : 0;
        max = lag > max ? lag : max;
    }
    return max;
}

bool ls_room_table_is_stalled(const ls_server *server)
{
    bool has_match = false;
    for (uint32_t i = 0; i < server->slot_count; i++) {
        const ls_room *room = server->rooms[i];
        bool has_failed =
            room && room->state >= LS_ROOM_ENDING && room->stats.ended_by == LS_CLOSING_FAILED;
        if (!room || (room->state != LS_ROOM_RUNNING && !has_failed))
            continue;
        has_match = true;
        if (!has_failed && 2 * ls_room_match_lag(&room->match) < room->lag_ticks_max)
            return false;
    }
    return has_match;
}

ls_room *ls_room_table_at(const ls_server *server, uint32_t index)
{
    for (uint32_t slot = 0; slot < server->slot_count; slot++)
        if (server->rooms[slot] && index-- == 0)
            return server->rooms[slot];
    return NULL;
}

ls_room *ls_room_table_find(const ls_server *server, const char *name)
{
    for (uint32_t i = 0; i < server->slot_count; i++)
        if (server->rooms[i] && strcmp(server->rooms[i]->name, name) == 0)
            return server->rooms[i];
    return NULL;
}

void ls_room_table_close(ls_server *server, ls_room *room)
{
    server->rooms[room->slot] = NULL;
    server->room_count--;
    ls_room_destroy(room);
}
