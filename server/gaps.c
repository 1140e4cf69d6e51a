#include "server/gaps.h"

#include "server/room_state.h"
#include "server/sessions.h"

/* Charges the session and the shared budgets. Bytes that a shared budget refuses are not charged to
 * the session. */
static bool pay(ls_server_session *session, const ls_ticks *ticks, uint64_t now_ns)
{
    uint64_t bytes = LS_SERVER_GAP_PACKET_BYTES;
    for (uint32_t i = 0; i < ticks->count; i++)
        bytes += ticks->bodies[i].bytes;
    ls_server *server = session->room->server;
    if (!ls_egress_allows(&server->egress, now_ns, LS_PACKET_BYTES_MAX, 0) ||
        !ls_token_bucket_take(&session->gaps, now_ns, bytes))
        return false;
    if (ls_token_bucket_take(&server->gap_bytes, now_ns, bytes))
        return true;
    ls_token_bucket_give(&session->gaps, bytes);
    return false;
}

void ls_gaps_answer(ls_server_session *session, const ls_update *update, uint64_t now_ns)
{
    ls_room *room = session->room;
    uint64_t first = update->gap_first;
    uint32_t left = update->gap_count;
    while (left) {
        ls_ticks ticks;
        uint32_t count = ls_tick_ring_range(&room->match.ring, first, left, &ticks);
        if (!count || !pay(session, &ticks, now_ns) ||
            !ls_sessions_send_ticks(session, &ticks, now_ns))
            return;
        room->stats.gaps_answered += first == update->gap_first;
        first += count;
        left -= count;
    }
}
