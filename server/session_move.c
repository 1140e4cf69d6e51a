#include "server/session_move.h"

#include "server/capacity.h"
#include "server/host_bucket.h"
#include "server/room_state.h"
#include "server/sessions.h"
#include <lockstep/link_remote.h>

static void log_move(ls_server_session *session, uint64_t now_ns)
{
    char address[LS_REMOTE_TEXT_BYTES], name[LS_EVENT_LOG_QUOTED_BYTES];
    ls_room *room = session->room;
    ls_link_describe(room->server->link, &session->entrant.remote, address);
    ls_event_log_write_of(&room->log, &room->server->host_log_lines[session->entrant.bucket],
                          now_ns, "move tick=%llu peer=%u player=%d name=%s address=%s",
                          (unsigned long long)room->match.ring.next, ls_peer_slot(session->peer),
                          ls_sessions_seat_number(session),
                          ls_event_log_quote(session->entrant.name, name), address);
}

void ls_session_move(ls_server_session *session, const ls_remote *remote, uint64_t now_ns)
{
    ls_server *server = session->room->server;
    ls_entrant *entrant = &session->entrant;
    const ls_remote_key host = ls_link_locate(server->link, remote).host;
    bool is_other_host = !ls_remote_key_is_same(&entrant->host, &host);
    entrant->remote = *remote;
    entrant->host = host;
    entrant->bucket = ls_host_bucket(server, &host);
    if (session->phase == LS_SERVER_SESSION_ACTIVE && session->seat != LS_SEAT_NONE)
        session->room->match.seats.items[session->seat].bucket = entrant->bucket;
    server->stats.sessions_moved++;
    if (is_other_host) {
        bool keeps = ls_capacity_keeps(server, session->seat, &host);
        if (keeps || !session->moved_ns)
            session->moved_ns = keeps ? 0 : now_ns;
    }
    log_move(session, now_ns);
    /* The ticks sent since the move went to the former address, so they are sent again. */
    if (session->phase == LS_SERVER_SESSION_ACTIVE)
        (void)!ls_sessions_send_window(session, now_ns);
}

void ls_session_move_expire(ls_server *server, uint64_t now_ns)
{
    for (uint32_t i = 0; i < server->peers_max; i++) {
        ls_server_session *session = &server->sessions[i];
        if (!session->moved_ns || now_ns - session->moved_ns < LS_LINK_PATH_NS)
            continue;
        session->moved_ns = 0;
        if (!ls_capacity_keeps(server, session->seat, &session->entrant.host))
            ls_sessions_end(session, "its new address keeps its connections for seats", now_ns);
    }
}
