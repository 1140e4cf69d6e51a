#include "server/session_roots.h"
#include "server/desync_inquiry.h"
#include "server/room_state.h"
#include "server/sessions.h"

#include <stdio.h>
#include <string.h>

/* A client at most this many ticks from the newest one may join. */
static uint64_t near_ticks(const ls_room *room)
{
    return room->match.config.tick_rate < 8 ? 8 : room->match.config.tick_rate;
}

bool ls_session_roots_tell_reload(ls_server_session *session, const char *why, uint64_t now_ns)
{
    session->reload_sent_ns = now_ns;
    session->reload_tick = session->room->match.ring.next;
    ls_notice notice = {.kind = LS_NOTICE_RELOAD, .tick = session->reload_tick};
    strcpy(notice.text, why);
    return ls_sessions_notify(session, &notice, now_ns);
}

/* Makes the client load a snapshot of the server's world; its roots are then judged anew. True when
 * the session continues. */
static bool resync(ls_server_session *session, const char *why, uint64_t now_ns)
{
    ls_room *room = session->room;
    if (session->seat != LS_SEAT_NONE) {
        room->match.seats.items[session->seat].was_resynced = true;
        ls_room_note_seats(room);
    }
    room->stats.resyncs++;
    /* Ignores all roots for now: the client reports roots of its old world until it reads the
     * notice. */
    session->referee = (ls_referee_case){.reload_from = UINT64_MAX};
    session->roots_next = 0;
    return ls_session_roots_tell_reload(session, why, now_ns);
}

/* Applies the desync policy. True when the session continues. */
static bool apply_desync_policy(ls_server_session *session, const char *why, uint64_t now_ns)
{
    const ls_room *room = session->room;
    bool was_resynced =
        session->seat == LS_SEAT_NONE || room->match.seats.items[session->seat].was_resynced;
    if (room->desync == LS_DESYNC_REPORT || room->state >= LS_ROOM_ENDING)
        return true;
    if (room->desync == LS_DESYNC_RESYNC && !was_resynced)
        return resync(session, why, now_ns);
    ls_sessions_kick(session, why, now_ns);
    return false;
}

bool ls_session_roots_is_reloading(const ls_server_session *session)
{
    return session->referee.reload_from == UINT64_MAX;
}

/* Applies the verdict after the inquiry has ended: loading a snapshot or ending the session would
 * destroy the state in question. True when the session continues. */
static bool apply_verdict(ls_server_session *session, uint64_t now_ns)
{
    session->awaits_evidence = ls_desync_inquiry_is_open(session);
    return session->awaits_evidence ||
           apply_desync_policy(session, "its world differs from the server's", now_ns);
}

bool ls_session_roots_check_verdict(ls_server_session *session, uint64_t now_ns)
{
    ls_room *room = session->room;
    ls_referee_case *verdict = &session->referee;
    if (ls_session_roots_is_reloading(session) &&
        now_ns - session->reload_sent_ns >= LS_SERVER_RELOAD_NS) {
        ls_sessions_kick(session, "it was told to load a snapshot and did not", now_ns);
        return false;
    }
    if (session->awaits_evidence)
        return apply_verdict(session, now_ns);
    if (!ls_referee_decide(verdict, LS_SERVER_DESYNC_GRACE_NS, now_ns)) {
        /* A wrong report waits for reports of earlier ticks: check it again soon. */
        if (verdict->is_suspect && !verdict->has_diverged && room->resend_ns == UINT64_MAX)
            room->resend_ns = now_ns + LS_SERVER_RESEND_NS;
        return true;
    }
    ls_sessions_note_desync(session);
    ls_notice notice = {.kind = LS_NOTICE_DESYNC,
                        .tick = verdict->tick,
                        .your_root = verdict->found,
                        .server_root = verdict->expected};
    if (!ls_sessions_notify(session, &notice, now_ns))
        return false;
    session->awaits_evidence = ls_desync_inquiry_begin(session, now_ns);
    return apply_verdict(session, now_ns);
}

/* Tells a client that returns in time that its kept seat continues: no order of its previous
 * session is in the next tick or a later one. */
static void send_kept(ls_server_session *session, uint64_t now_ns)
{
    ls_room *room = session->room;
    room->stats.seats_kept++;
    ls_event_log_write_limited(&room->log, now_ns, "player_kept tick=%llu player=%u",
                               (unsigned long long)room->match.ring.next, session->seat);
    ls_notice notice = {.kind = LS_NOTICE_KEPT, .tick = room->match.ring.next};
    ls_sessions_notify(session, &notice, now_ns);
}

/* Lets a player join when a recent root was right and none was wrong; a light client when it has
 * the newest ticks. */
static void join_when_near(ls_server_session *session, bool is_near, uint64_t now_ns)
{
    if (!is_near || session->seat == LS_SEAT_NONE || session->has_asked_join ||
        session->referee.is_suspect)
        return;
    session->has_asked_join = true;
    if (ls_seats_join(&session->room->match.seats, session->seat))
        send_kept(session, now_ns);
    ls_flag_raise(session->room->flag); /* the match may begin now */
}

static void note_roots(ls_server_session *session, uint64_t right_before, bool is_near,
                       uint64_t now_ns)
{
    uint64_t right = session->referee.right_count - right_before;
    session->room->stats.roots_checked += right;
    session->load_ns = right ? 0 : session->load_ns;
    join_when_near(session, is_near, now_ns);
}

/* Finds the first wrong root: an acknowledgement that falls back requests the roots that a
 * spectator omitted. Where no root was right yet, these are the roots of the wrong batch. */
static void ask_roots(ls_server_session *session, bool was_suspect)
{
    const ls_referee_case *client = &session->referee;
    if (was_suspect || !client->is_suspect)
        return;
    session->roots_next = client->right_next || !client->more ? ls_referee_unreported_from(client)
                                                              : client->tick - client->more;
}

void ls_session_roots_receive(ls_server_session *session, const ls_update *update, uint64_t now_ns)
{
    ls_room *room = session->room;
    if (session->entrant.is_light) {
        join_when_near(session, update->ack + near_ticks(room) >= room->match.ring.next, now_ns);
        return;
    }
    uint64_t before = session->referee.right_count;
    bool is_near = false;
    bool was_suspect = session->referee.is_suspect;
    /* While the roots are wanted one by one, neither a batch nor a jump acknowledges them. */
    bool are_wanted = was_suspect && !session->referee.has_diverged;
    bool is_next = update->root_first <= session->roots_next;
    bool follows = are_wanted ? is_next && !update->batch_count : is_next || update->roots_begin;
    for (uint32_t i = 0; i < update->root_count; i++) {
        ls_referee_held report = {.tick = update->root_first + i, .root = update->roots[i]};
        report.more = update->batch_count ? update->batch_count - 1 : 0;
        uint64_t last = report.tick + report.more;
        ls_report result = ls_referee_report(&room->match.referee, &session->referee, report,
                                             room->match.ring.next, now_ns);
        if (result == LS_REPORT_REFUSED)
            break;
        if (follows && last >= session->roots_next)
            session->roots_next = last + 1;
        is_near |= result == LS_REPORT_RIGHT && last + near_ticks(room) >= room->match.referee.next;
    }
    note_roots(session, before, is_near, now_ns);
    ask_roots(session, was_suspect);
}

/* Applies the desync policy to a client that sends messages but no roots. */
bool ls_session_roots_check_mute(ls_server_session *session, uint64_t now_ns)
{
    ls_room *room = session->room;
    uint64_t rate = room->match.config.tick_rate, next = session->referee.reported_next;
    bool is_bound = session->seat != LS_SEAT_NONE || session->referee.right_count;
    /* A client that loads a snapshot and catches up has no recent roots yet. */
    bool is_loading = session->load_ns && now_ns - session->load_ns < LS_SERVER_LOAD_NS;
    if (session->entrant.is_light || !is_bound || is_loading ||
        !ls_referee_is_mute(&room->match.referee, &session->referee,
                            LS_SERVER_MUTE_NS / LS_SECOND_NS * rate, rate))
        return true;
    room->stats.roots_missed++;
    char name[LS_EVENT_LOG_QUOTED_BYTES];
    ls_event_log_write_limited(
        &room->log, now_ns, "roots_missing tick=%llu peer=%u player=%d name=%s last=%lld",
        (unsigned long long)room->match.ring.next, ls_peer_slot(session->peer),
        ls_sessions_seat_number(session), ls_event_log_quote(session->entrant.name, name),
        (long long)next - 1);
    return apply_desync_policy(session, "it no longer reports roots", now_ns);
}

void ls_session_roots_check_held(ls_server_session *session, uint64_t now_ns)
{
    ls_room *room = session->room;
    bool was_suspect = session->referee.is_suspect;
    uint64_t before = session->referee.right_count, near = near_ticks(room);
    near = room->match.referee.next > near ? room->match.referee.next - near : 0;
    bool is_near = ls_referee_check_held(&room->match.referee, &session->referee, near, now_ns);
    note_roots(session, before, is_near, now_ns);
    ask_roots(session, was_suspect);
    /* A client that sends no UPDATE also withholds its roots. */
    bool is_mute = now_ns - session->stamp_ns >= LS_SERVER_MUTE_NS;
    if (ls_session_roots_check_verdict(session, now_ns) && is_mute)
        (void)ls_session_roots_check_mute(session, now_ns);
}
