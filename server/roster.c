#include "server/roster.h"

#include "server/room_state.h"
#include "server/sessions.h"
#include <lockstep/link_remote.h>

#include <string.h>

static ls_roster_entry entry_of(const ls_server *server, const ls_server_session *session)
{
    const ls_room *room = session->room;
    const ls_entrant *entrant = &session->entrant;
    uint64_t next = room->match.ring.next;
    ls_roster_entry entry = {
        .peer = session->peer,
        .remote = entrant->remote,
        .seat = ls_sessions_seat_number(session),
        .is_bot = entrant->is_bot,
        .is_light = entrant->is_light,
        .is_playing = session->seat != LS_SEAT_NONE && session->has_asked_join &&
                      room->match.seats.items[session->seat].is_in_stream,
        .has_diverged = session->referee.has_diverged,
        .age_ns =
            server->stepped_ns > session->since_ns ? server->stepped_ns - session->since_ns : 0,
        .ticks_behind = session->wants_ticks && session->ack < next ? next - session->ack : 0,
    };
    ls_link_describe(server->link, &entrant->remote, entry.address);
    memcpy(entry.room, room->name, sizeof entry.room);
    memcpy(entry.name, entrant->name, sizeof entry.name);
    memcpy(entry.client, entrant->client, sizeof entry.client);
    return entry;
}

uint32_t ls_roster_take(const ls_server *server, ls_roster_entry *list)
{
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < server->peers_max; slot++)
        if (server->sessions[slot].phase == LS_SERVER_SESSION_ACTIVE)
            list[count++] = entry_of(server, &server->sessions[slot]);
    return count;
}
