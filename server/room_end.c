#include "server/room_end.h"

#include "server/desync_inquiry.h"
#include "server/server_state.h"
#include "server/sessions.h"

#include <stdio.h>

/* How long a drained room waits for its last root at most. It leaves the disk most of the time that
 * a stop has: docs/operations.md, "Life of a server". */
static const uint64_t drain_ns = 6 * LS_SECOND_NS;

static void set_reason(ls_room *room, const char *why)
{
    snprintf(room->end_reason, sizeof room->end_reason, "%.*s", LS_REASON_BYTES - 1, why);
}

static void note_failure(ls_room *room)
{
    char reason[LS_EVENT_LOG_QUOTED_BYTES];
    room->stats.ended_by = LS_CLOSING_FAILED;
    room->server->stats.rooms_failed++;
    ls_event_log_write(&room->log, "room_failed tick=%llu simulated=%llu reason=%s",
                       (unsigned long long)room->match.ring.next,
                       (unsigned long long)ls_room_match_simulated(&room->match),
                       ls_event_log_quote(room->end_reason, reason));
}

/* Whether the room still waits for its last root. A failed room waits LS_SERVER_LINGER_NS; any
 * other waits while the simulation makes progress, a drained one at most `drain_ns`. */
static bool is_waited_for(const ls_room *room, uint64_t now_ns)
{
    uint64_t since_ns = room->drained_ns > room->end_ns ? room->drained_ns : room->end_ns;
    uint64_t progress_ns = room->simulated_ns > since_ns ? room->simulated_ns : since_ns;
    if (room->stats.ended_by == LS_CLOSING_FAILED)
        return now_ns - since_ns < LS_SERVER_LINGER_NS;
    if (room->drained_ns)
        return now_ns - progress_ns < LS_SERVER_LINGER_NS && now_ns - since_ns < drain_ns;
    return now_ns - progress_ns < LS_SERVER_LAG_NS;
}

/* Abandons the driver's job, so the match ends without its last state. The data of a job that hangs
 * stays allocated: see leave() in room.c. */
static void give_up_world(ls_room *room)
{
    ls_job_fate fate = ls_job_abandon(room->host->jobs, &room->match.driver.job);
    if (fate == LS_JOB_HAS_RUN)
        return;
    room->is_lost = fate == LS_JOB_LOST;
    ls_event_log_write(&room->log, "world_abandoned simulated=%llu thread=%s",
                       (unsigned long long)ls_room_match_simulated(&room->match),
                       room->is_lost ? "lost" : "free");
    if (room->has_final_root || room->stats.ended_by == LS_CLOSING_FAILED)
        return;
    snprintf(room->end_reason, sizeof room->end_reason,
             "the simulation is %llu ticks behind and does not end",
             (unsigned long long)(ls_room_match_lag(&room->match)));
    note_failure(room);
}

/* A match that fails before it is handed over ends here. */
static bool is_handed_over(const ls_room *room)
{
    return room->handover != LS_HANDOVER_NONE && room->stats.ended_by != LS_CLOSING_FAILED;
}

void ls_room_end_finish(ls_room *room, uint64_t now_ns)
{
    if (!room->is_lost && ls_job_is_busy(&room->match.driver.job) && !is_waited_for(room, now_ns))
        give_up_world(room);
    bool is_simulated = ls_room_match_lag(&room->match) == 0;
    if (room->has_final_root || (!room->is_lost && ls_job_is_busy(&room->match.driver.job)) ||
        (!is_simulated && room->stats.ended_by != LS_CLOSING_FAILED &&
         room->match.driver.status == LS_OK))
        return;
    room->has_final_root = true;
    room->final_root = ls_room_match_last_root(&room->match);
    if (is_handed_over(room)) {
        ls_room_recording_release(&room->recording);
        return;
    }
    ls_room_recording_finish(&room->recording, room->stats.ended_by);
    ls_event_log_write(&room->log, "end tick=%llu root=%016llx reason=%s",
                       (unsigned long long)room->match.ring.next,
                       (unsigned long long)room->final_root,
                       ls_closing_reason_name((uint8_t)room->stats.ended_by));
}

void ls_room_end(ls_room *room, ls_closing_reason reason, const char *why, uint64_t now_ns)
{
    if (room->state >= LS_ROOM_ENDING)
        return;
    room->state = LS_ROOM_ENDING;
    room->end_ns = room->last_session_ns = now_ns;
    ls_room_resend_soon(room, now_ns);
    room->stats.ended_by = reason;
    set_reason(room, why[0] ? why : ls_closing_reason_name((uint8_t)reason));
    if (reason == LS_CLOSING_FAILED)
        note_failure(room);
}

void ls_room_end_fail(ls_room *room, const char *why, uint64_t now_ns)
{
    bool is_ending = room->state >= LS_ROOM_ENDING && !room->has_final_root &&
                     room->stats.ended_by != LS_CLOSING_FAILED;
    ls_room_end(room, LS_CLOSING_FAILED, why, now_ns);
    if (!is_ending)
        return;
    set_reason(room, why);
    note_failure(room);
}

/* True when the session may end early: its client has diverged, or has every tick and reported the
 * right final root. A right final root does not replace the verdict on an earlier wrong one. */
static bool has_everything(const ls_room *room, const ls_server_session *session)
{
    if (session->awaits_evidence)
        return false;
    return session->referee.has_diverged ||
           (!session->referee.is_suspect && session->ack == room->match.ring.next &&
            session->referee.right_next == room->match.ring.next + 1);
}

/* Sends the last message to one session. A failed match has no final root to compare. */
static void dismiss(ls_server_session *session, uint64_t now_ns)
{
    const ls_room *room = session->room;
    ls_notice notice = {
        .kind = LS_NOTICE_END, .tick = room->match.ring.next, .server_root = room->final_root};
    if (room->stats.ended_by == LS_CLOSING_FAILED) {
        notice = (ls_notice){.kind = LS_NOTICE_GOODBYE};
        snprintf(notice.text, sizeof notice.text, "the match cannot continue: %.180s",
                 room->end_reason);
    }
    ls_sessions_dismiss(session, &notice, now_ns);
}

/* Whether the room can be destroyed without waiting for a job. Such a wait would stop all rooms. */
static bool is_idle(const ls_room *room)
{
    return room->recording.phase == LS_ROOM_RECORDING_CLOSED && ls_desync_inquiry_is_over(room) &&
           !ls_job_is_busy(&room->snapshots.job) &&
           !ls_job_is_busy(&room->recording.keyframes.job) &&
           (room->is_lost || !ls_job_is_busy(&room->match.driver.job));
}

void ls_room_end_dismiss(ls_room *room, uint64_t now_ns)
{
    /* A failed match does not wait for its final root: it may have failed because the job never
     * ends. */
    bool has_failed = room->stats.ended_by == LS_CLOSING_FAILED;
    if (room->state != LS_ROOM_ENDING || (!room->has_final_root && !has_failed))
        return;
    if (is_handed_over(room)) {
        if (room->handover == LS_HANDOVER_OVER && is_idle(room))
            room->state = LS_ROOM_ENDED;
        return;
    }
    bool is_late = has_failed || now_ns - room->end_ns >= LS_SERVER_LINGER_NS;
    if (room->sessions)
        room->last_session_ns = now_ns;
    for (ls_server_session *session = room->sessions, *next; session; session = next) {
        next = session->next;
        if (is_late || has_everything(room, session))
            dismiss(session, now_ns);
    }
    /* A requested room that could not begin lingers, so that its client gets the reason when it
     * asks again. */
    uint64_t linger_ns = room->had_session                   ? LS_SERVER_FAREWELL_NS
                         : has_failed && room->is_on_request ? LS_SERVER_LINGER_NS
                                                             : 0;
    if (room->has_final_root && !room->sessions && is_idle(room) &&
        now_ns - room->last_session_ns >= linger_ns)
        room->state = LS_ROOM_ENDED;
}
