#include "server/room_handover.h"

#include "server/room_end.h"
#include "server/server_state.h"
#include "server/sessions.h"
#include "server/tick_loop.h"
#include <lockstep/link_remote.h>

#include <stdio.h>

ls_status ls_room_handover_begin(ls_room *room, uint64_t now_ns, ls_error *error)
{
    if (room->state >= LS_ROOM_ENDING)
        return ls_error_set(error, LS_ERROR_NOT_FOUND, "the match ends");
    if (room->recording.phase == LS_ROOM_RECORDING_OFF)
        return ls_error_set(error, LS_ERROR_NOT_FOUND, "the match is not recorded");
    if (room->state == LS_ROOM_RESTORING || room->recording.phase == LS_ROOM_RECORDING_OPENING)
        return ls_error_set(error, LS_ERROR_REFUSED, "the match is being opened");
    if (room->recording.phase != LS_ROOM_RECORDING_RUNNING)
        return ls_error_set(error, LS_ERROR_REFUSED, "its recording has failed");
    room->handover = LS_HANDOVER_STOPPED;
    room->stopped_from = room->state;
    ls_room_end(room, LS_CLOSING_DRAINED, "it goes on in another process", now_ns);
    ls_flag_raise(room->flag);
    return LS_OK;
}

ls_release_state ls_room_handover_release(const ls_room *room)
{
    if (room->handover != LS_HANDOVER_STOPPED || !room->has_final_root ||
        room->stats.ended_by == LS_CLOSING_FAILED)
        return LS_RELEASE_UNDER_WAY;
    if (room->recording.release_failed)
        return LS_RELEASE_FAILED;
    return room->recording.phase == LS_ROOM_RECORDING_CLOSED ? LS_RELEASE_DONE
                                                             : LS_RELEASE_UNDER_WAY;
}

void ls_room_handover_cancel(ls_room *room, uint64_t now_ns)
{
    LS_ASSERT(ls_room_handover_release(room) == LS_RELEASE_FAILED);
    room->handover = LS_HANDOVER_NONE;
    room->recording.release_failed = false;
    room->has_final_root = false;
    room->stats.ended_by = 0;
    room->end_reason[0] = 0;
    room->state = room->stopped_from;
    if (room->drained_ns) /* SIGTERM came meanwhile */
        ls_room_end(room, LS_CLOSING_DRAINED, "", now_ns);
    else if (room->state == LS_ROOM_RUNNING)
        ls_tick_loop_start_clock(room, now_ns);
    ls_flag_raise(room->flag);
}

/* A client without the capability only loses its connection. It resumes by itself, and is told the
 * address as the reason why it cannot. */
static void send_away(ls_server_session *session, const ls_remote *to, uint64_t now_ns)
{
    if (to && session->entrant.capabilities & LS_CAPABILITY_FOLLOW &&
        !ls_sessions_notify(session, &(ls_notice){.kind = LS_NOTICE_FOLLOW, .to = *to}, now_ns))
        return;
    ls_sessions_end(session, to ? "its match moves to another address" : "its match is restored",
                    now_ns);
}

void ls_room_handover_end(ls_room *room, const ls_remote *to, uint64_t now_ns)
{
    char address[LS_REMOTE_TEXT_BYTES] = "";
    LS_ASSERT(ls_room_handover_release(room) == LS_RELEASE_DONE);
    room->handover = LS_HANDOVER_OVER;
    if (to)
        ls_link_describe(room->server->link, to, address);
    for (ls_server_session *session = room->sessions, *next; session; session = next) {
        next = session->next;
        send_away(session, to, now_ns);
    }
    if (to)
        ls_event_log_write(&room->log, "handed_over tick=%llu root=%016llx address=%s",
                           (unsigned long long)room->match.ring.next,
                           (unsigned long long)room->final_root, address);
    ls_flag_raise(room->flag);
}

bool ls_room_handover_is_over(const ls_room *room)
{
    return room->handover == LS_HANDOVER_OVER;
}

void ls_room_handover_play_out(ls_room *room)
{
    room->end_when_empty = true;
    room->had_session = true; /* also when no player has come yet */
    ls_flag_raise(room->flag);
}

void ls_room_handover_take(ls_room *room)
{
    LS_ASSERT(room->state == LS_ROOM_RESTORING);
    room->is_taken_over = true;
}

ls_takeover_state ls_room_handover_state(const ls_room *room)
{
    if (room->state == LS_ROOM_RESTORING)
        return LS_TAKEOVER_RESTORING;
    return room->state >= LS_ROOM_ENDING ? LS_TAKEOVER_FAILED : LS_TAKEOVER_DONE;
}
