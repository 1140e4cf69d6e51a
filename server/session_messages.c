#include "server/session_messages.h"
#include "server/desync_inquiry.h"
#include "server/gaps.h"
#include "server/room_state.h"
#include "server/sessions.h"

#include <lockstep/conduct_limits.h>

#include <stdio.h>
#include <string.h>

/* A client within this distance of the newest tick is fit to play. */
static uint64_t near_ticks(const ls_room *room)
{
    return room->match.config.tick_rate < 8 ? 8 : room->match.config.tick_rate;
}

/* The client replaces its world by a snapshot of the server's, and is judged anew. */
static bool resync(ls_session *session, const char *why, uint64_t now_ns)
{
    ls_room *room = session->room;
    if (session->seat != LS_SEAT_NONE)
        room->match.seats.items[session->seat].resyncs++;
    room->stats.resyncs++;
    /* It reports roots of its old world until it reads this notice. */
    session->referee = (ls_referee_case){.reload_from = UINT64_MAX};
    session->roots_next = 0;
    session->reload_sent_ns = now_ns;
    session->reload_tick = room->match.ring.next;
    ls_notice notice = {.kind = LS_NOTICE_RELOAD, .tick = room->match.ring.next};
    strcpy(notice.text, why);
    ls_plain plain;
    ls_notice_encode(&notice, &plain);
    return ls_sessions_send(session, &plain, now_ns);
}

/* Applies the desync policy. True when the session continues. */
static bool apply_desync_policy(ls_session *session, const char *why, uint64_t now_ns)
{
    const ls_room *room = session->room;
    uint32_t resyncs =
        session->seat == LS_SEAT_NONE ? 1 : room->match.seats.items[session->seat].resyncs;
    if (room->desync == LS_DESYNC_REPORT || room->state >= LS_ROOM_ENDING)
        return true;
    if (room->desync == LS_DESYNC_RESYNC && resyncs == 0)
        return resync(session, why, now_ns);
    ls_sessions_kick(session, why, now_ns);
    return false;
}

static bool is_reloading(const ls_session *session)
{
    return session->referee.reload_from == UINT64_MAX;
}

/* The inquiry comes first: a snapshot or the end of the session would destroy the state in
 * question. */
static bool apply_verdict(ls_session *session, uint64_t now_ns)
{
    session->awaits_evidence = ls_desync_inquiry_is_open(session);
    return session->awaits_evidence ||
           apply_desync_policy(session, "its world differs from the server's", now_ns);
}

static void note_desync(const ls_session *session)
{
    const ls_referee_case *verdict = &session->referee;
    char name[LS_EVENT_LOG_QUOTED_BYTES], client[LS_EVENT_LOG_CLIENT_BYTES], unheard[40] = "";
    uint64_t unheard_from = ls_referee_unreported_from(verdict);
    if (unheard_from < verdict->tick)
        snprintf(unheard, sizeof unheard, " unheard_from=%llu", (unsigned long long)unheard_from);
    ls_event_log_write(
        &session->room->log,
        "desync tick=%llu peer=%u player=%d name=%s%s expected=%016llx found=%016llx%s",
        (unsigned long long)verdict->tick, ls_peer_slot(session->peer),
        ls_sessions_seat_number(session), ls_event_log_quote(session->entrant.name, name),
        ls_event_log_client(session->entrant.client, client), (unsigned long long)verdict->expected,
        (unsigned long long)verdict->found, unheard);
}

bool ls_session_messages_check_verdict(ls_session *session, uint64_t now_ns)
{
    ls_room *room = session->room;
    ls_referee_case *verdict = &session->referee;
    if (is_reloading(session) && now_ns - session->reload_sent_ns >= LS_SERVER_RELOAD_NS) {
        ls_sessions_kick(session, "it was told to load a snapshot and did not", now_ns);
        return false;
    }
    if (session->awaits_evidence)
        return apply_verdict(session, now_ns);
    if (!ls_referee_decide(verdict, now_ns)) {
        /* A report that waits for those of earlier ticks is checked again. */
        if (verdict->is_suspect && !verdict->has_diverged && room->resend_ns == UINT64_MAX)
            room->resend_ns = now_ns + LS_SERVER_RESEND_NS;
        return true;
    }
    room->stats.desyncs++;
    note_desync(session);
    ls_notice notice = {.kind = LS_NOTICE_DESYNC,
                        .tick = verdict->tick,
                        .your_root = verdict->found,
                        .server_root = verdict->expected};
    ls_plain plain;
    ls_notice_encode(&notice, &plain);
    if (!ls_sessions_send(session, &plain, now_ns))
        return false;
    session->awaits_evidence = ls_desync_inquiry_begin(session, now_ns);
    return apply_verdict(session, now_ns);
}

/* A player joins when a recent root of its world was right and none was wrong. */
static void join_when_near(ls_session *session, bool is_near)
{
    if (!is_near || session->seat == LS_SEAT_NONE || session->has_asked_join ||
        session->referee.is_suspect)
        return;
    session->has_asked_join = true;
    ls_seats_join(&session->room->match.seats, session->seat);
    ls_flag_raise(session->room->flag); /* the match may begin */
}

static void note_roots(ls_session *session, uint64_t right_before, bool is_near)
{
    uint64_t right = session->referee.right_count - right_before;
    session->room->stats.roots_checked += right;
    session->load_ns = right ? 0 : session->load_ns;
    join_when_near(session, is_near);
}

static void receive_roots(ls_session *session, const ls_update *update, uint64_t now_ns)
{
    ls_room *room = session->room;
    uint64_t before = session->referee.right_count;
    bool is_near = false;
    bool follows = update->roots_begin || update->root_first <= session->roots_next;
    for (uint32_t i = 0; i < update->root_count; i++) {
        ls_referee_held report = {.tick = update->root_first + i, .root = update->roots[i]};
        ls_report result = ls_referee_report(&room->match.referee, &session->referee, report,
                                             room->match.ring.next, now_ns);
        if (result == LS_REPORT_REFUSED)
            break;
        if (follows && report.tick >= session->roots_next)
            session->roots_next = report.tick + 1;
        is_near |=
            result == LS_REPORT_RIGHT && report.tick + near_ticks(room) >= room->match.referee.next;
    }
    note_roots(session, before, is_near);
}

/* A player must report roots while it sends anything: a diverged client could hide by omitting
 * them. False when the session has ended. */
static bool check_mute(ls_session *session, uint64_t now_ns)
{
    ls_room *room = session->room;
    uint64_t rate = room->match.config.tick_rate, next = session->referee.reported_next;
    bool is_bound = session->seat != LS_SEAT_NONE || session->referee.right_count;
    /* While it loads a snapshot and catches up, it is too far back to compare. */
    bool is_loading = session->load_ns && now_ns - session->load_ns < LS_SERVER_LOAD_NS;
    if (!is_bound || is_loading ||
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
    return apply_desync_policy(session, "it does not say any more what its world is", now_ns);
}

bool ls_session_messages_check_held(ls_session *session, uint64_t now_ns)
{
    ls_room *room = session->room;
    uint64_t before = session->referee.right_count, near = near_ticks(room);
    near = room->match.referee.next > near ? room->match.referee.next - near : 0;
    bool is_near = ls_referee_check_held(&room->match.referee, &session->referee, near, now_ns);
    note_roots(session, before, is_near);
    /* A client that sends no UPDATE withholds its roots, too. */
    bool is_mute = now_ns - session->stamp_ns >= LS_SERVER_MUTE_NS;
    return ls_session_messages_check_verdict(session, now_ns) &&
           (!is_mute || check_mute(session, now_ns));
}

/* True when the session continues. */
static bool limit_inputs(ls_session *session, uint64_t now_ns)
{
    session->room->stats.inputs_limited++;
    if (session->flood_last_ns == 0 || now_ns - session->flood_last_ns > LS_SECOND_NS)
        session->flood_since_ns = now_ns;
    session->flood_last_ns = now_ns;
    if (now_ns - session->flood_since_ns < LS_SERVER_FLOOD_NS)
        return true;
    ls_sessions_kick(session, "input flood", now_ns);
    return false;
}

/* True when the session continues. */
static bool receive_inputs(ls_session *session, const ls_update *update, uint64_t now_ns)
{
    ls_room *room = session->room;
    for (uint32_t i = 0; session->seat != LS_SEAT_NONE && i < update->input_count; i++) {
        const ls_update_input *input = &update->inputs[i];
        if (!ls_seats_is_open(&room->match.seats, session->seat, input->sequence))
            continue;
        if (!ls_token_bucket_take(&session->inputs, now_ns, 1))
            return limit_inputs(session, now_ns);
        ls_seat_input taken = {.tick = room->match.ring.next,
                               .wanted_tick = input->tick,
                               .sequence = input->sequence,
                               .bytes = input->bytes,
                               .data = input->data};
        if (ls_seats_submit(&room->match.seats, session->seat, &taken) == LS_SUBMIT_REFUSED)
            room->stats.inputs_refused++;
    }
    return true;
}

/* Each state is sent several times: only the first copy counts. */
static void receive_states(ls_session *session, const ls_update *update, uint64_t now_ns)
{
    ls_room *room = session->room;
    for (uint32_t i = 0; session->seat != LS_SEAT_NONE && i < update->state_count; i++) {
        uint64_t tick = update->state_first + i;
        bool is_news = tick >= session->states_next;
        ls_submit_result result =
            ls_seats_submit_state(&room->match.seats, session->seat, room->match.ring.next, tick,
                                  update->states + i * update->state_bytes);
        if (!is_news)
            continue;
        session->states_next = tick + 1;
        room->stats.states_late += result == LS_SUBMIT_LATE;
        room->stats.states_refused += result == LS_SUBMIT_REFUSED;
        /* A player that joins later measures its input delay meanwhile. */
        if (result == LS_SUBMIT_TAKEN || result == LS_SUBMIT_LATE || result == LS_SUBMIT_LATER)
            ls_sessions_note_slack(
                session, ls_tick_clock_slack_ns(&room->clock, tick, room->match.ring.next, now_ns),
                now_ns);
    }
}

static void receive_update(ls_session *session, const ls_plain *plain, uint64_t now_ns)
{
    ls_room *room = session->room;
    ls_update update;
    uint32_t state_bytes = ls_program_sim(room->host->program)->state_bytes;
    if (!ls_update_decode(plain, state_bytes, &update)) {
        room->server->stats.packets_dropped++;
        return;
    }
    /* It has ticks that this server never closed: a crash has lost them. */
    if (update.ack > room->match.ring.next) {
        ls_session_messages_reload(session, now_ns);
        return;
    }
    /* Updates may be reordered: an ACK never falls. */
    if (update.ack >= session->ack) {
        session->ack = update.ack;
        ls_resend_timer_acked(&session->resend_timer, update.ack, now_ns);
        session->stamp_us = update.stamp_us;
        session->stamp_ns = now_ns;
    }
    /* While a tick is held, nothing else would send the missing ones. */
    if (!session->wants_ticks) {
        room->resend_ns = now_ns;
        ls_flag_raise(room->flag);
    }
    session->wants_ticks = true;
    /* The tick that waits for this player, or its last message, may be due now. */
    if (room->clock.held_since_ns || room->state >= LS_ROOM_ENDING)
        ls_flag_raise(room->flag);
    receive_roots(session, &update, now_ns);
    if (!ls_session_messages_check_verdict(session, now_ns) || !check_mute(session, now_ns) ||
        !receive_inputs(session, &update, now_ns))
        return;
    receive_states(session, &update, now_ns);
    ls_gaps_answer(session, &update, now_ns);
}

void ls_session_messages_reload(ls_session *session, uint64_t now_ns)
{
    /* A client that is reloading knows it already. */
    if (is_reloading(session) ||
        (session->reload_sent_ns && now_ns - session->reload_sent_ns < LS_SECOND_NS))
        return;
    session->reload_sent_ns = now_ns;
    session->reload_tick = session->room->match.ring.next;
    ls_notice notice = {.kind = LS_NOTICE_RELOAD, .tick = session->reload_tick};
    strcpy(notice.text, "the server does not know its ticks");
    ls_plain plain;
    ls_notice_encode(&notice, &plain);
    ls_sessions_send(session, &plain, now_ns);
}

/* False when the blob is damaged; it is then discarded. */
static bool chunk_is_sound(ls_room *room, const ls_snapshot_blob *blob, uint32_t offset,
                           uint32_t bytes)
{
    uint64_t tick = blob->tick;
    if (ls_snapshot_cache_is_sound(&room->snapshots, blob, offset, bytes))
        return true;
    ls_event_log_write(&room->log, "snapshot_damaged tick=%llu byte=%u remedy=memory",
                       (unsigned long long)tick, offset);
    ls_flag_raise(room->flag);
    return false;
}

static bool send_chunk(ls_session *session, const ls_snapshot_blob *blob, uint32_t offset,
                       uint64_t now_ns)
{
    ls_room *room = session->room;
    uint32_t left = blob->count - offset;
    ls_snapshot_chunk chunk = {.tick = blob->tick,
                               .total_bytes = blob->count,
                               .raw_bytes = blob->raw_count,
                               .offset = offset,
                               .bytes = left < LS_CHUNK_BYTES_MAX ? left : LS_CHUNK_BYTES_MAX,
                               .data = blob->bytes + offset};
    if (!ls_token_bucket_take(&session->snapshots, now_ns, chunk.bytes) ||
        !ls_token_bucket_take(&room->server->snapshot_bytes, now_ns, chunk.bytes) ||
        !chunk_is_sound(room, blob, offset, chunk.bytes))
        return false;
    ls_plain plain;
    ls_snapshot_chunk_encode(&chunk, &plain);
    room->stats.snapshot_bytes_sent += chunk.bytes;
    return ls_sessions_send(session, &plain, now_ns);
}

static void send_range(ls_session *session, const ls_snapshot_blob *blob,
                       ls_snapshot_request request, uint64_t now_ns)
{
    /* That snapshot is gone: the first chunk tells the client which one there is. */
    if ((request.tick != 0 && request.tick != blob->tick) || request.offset >= blob->count)
        request = (ls_snapshot_request){.bytes = 1};
    uint64_t end = (uint64_t)request.offset + request.bytes;
    for (uint64_t at = request.offset; at < end && at < blob->count; at += LS_CHUNK_BYTES_MAX)
        if (!send_chunk(session, blob, (uint32_t)at, now_ns))
            return;
}

/* The oldest tick whose snapshot still serves this request. A ping asks for one byte, and any
 * snapshot answers it. A client that was told to reload takes no snapshot from before that. */
static uint64_t oldest_tick(const ls_session *session, const ls_snapshot_request *request)
{
    const ls_room *room = session->room;
    uint64_t age = (uint64_t)room->match.config.tick_rate * LS_SERVER_SNAPSHOT_AGE_MS / 1000 + 1;
    uint64_t world = room->match.referee.next - 1;
    uint64_t oldest = world < age ? 0 : world - age;
    oldest = oldest < session->reload_tick ? session->reload_tick : oldest;
    return request->bytes == 1 ? 0 : oldest;
}

static const ls_snapshot_blob *find_blob(ls_session *session, const ls_snapshot_request *request,
                                         uint64_t now_ns)
{
    ls_room *room = session->room;
    const ls_snapshot_blob *blob = ls_snapshot_cache_get(&room->snapshots, request->tick,
                                                         oldest_tick(session, request), now_ns);
    /* That tick is gone: the newest snapshot tells the client so. */
    return blob || !request->tick ? blob : ls_snapshot_cache_newest(&room->snapshots);
}

static void receive_snapshot_request(ls_session *session, const ls_plain *plain, uint64_t now_ns)
{
    ls_snapshot_request request;
    ls_room *room = session->room;
    if (!ls_snapshot_request_decode(plain, &request)) {
        room->server->stats.packets_dropped++;
        return;
    }
    /* Not a ping: the client has given its old world up, and reports no later root of it. */
    if (is_reloading(session) && request.bytes > 1) {
        session->referee.reload_from = room->match.ring.next;
        session->referee.was_reloaded = true;
    }
    if (!session->load_ns && request.bytes > 1)
        session->load_ns = now_ns;
    const ls_snapshot_blob *blob = find_blob(session, &request, now_ns);
    if (blob) {
        send_range(session, blob, request, now_ns);
        return;
    }
    session->wants_snapshot = true;
    session->request = request;
    ls_flag_raise(room->flag);
}

bool ls_session_messages_serve_snapshot(ls_session *session, uint64_t now_ns)
{
    if (!session->wants_snapshot)
        return true;
    ls_room *room = session->room;
    if (room->snapshots.is_too_large) {
        ls_sessions_kick(session, "the world is too large to send", now_ns);
        return false;
    }
    const ls_snapshot_blob *blob = ls_snapshot_cache_newest(&room->snapshots);
    if (!blob)
        return true;
    session->wants_snapshot = false;
    send_range(session, blob, session->request, now_ns);
    return session->phase == LS_SESSION_ACTIVE;
}

/* The room decides about a pause; the session only asks. */
static void receive_pause(ls_session *session, const ls_plain *plain)
{
    ls_room *room = session->room;
    bool wants_pause;
    if (!ls_pause_decode(plain, &wants_pause) || session->seat == LS_SEAT_NONE ||
        !room->players_may_pause) {
        room->server->stats.packets_dropped++;
        return;
    }
    /* A player without pauses left may still end one. */
    bool is_spent = wants_pause && room->pause.used[session->seat] >= LS_SERVER_PAUSES;
    if (is_spent || wants_pause == room->pause.is_wanted) {
        room->server->stats.packets_dropped += is_spent;
        return;
    }
    room->pause.used[session->seat] += wants_pause;
    room->pause.is_wanted = wants_pause;
    room->pause.player = session->seat;
    ls_flag_raise(room->flag);
}

static void receive_bye(ls_session *session, const ls_plain *plain, uint64_t now_ns)
{
    ls_bye bye;
    if (ls_bye_decode(plain, &bye))
        ls_sessions_leave(session, &bye, now_ns);
    else
        session->room->server->stats.packets_dropped++;
}

static void receive_message(ls_session *session, const ls_plain *plain, uint64_t now_ns)
{
    if (session->phase == LS_SESSION_ACCEPTED) {
        if (!ls_confirm_decode(plain))
            session->room->server->stats.packets_dropped++;
        else if (ls_sessions_activate(session, now_ns))
            session->received_ns = now_ns;
        return;
    }
    session->received_ns = now_ns;
    if (!ls_token_bucket_take(&session->messages, now_ns, 1)) {
        session->room->server->stats.packets_dropped++;
        return;
    }
    switch (plain->type) {
    case LS_MESSAGE_UPDATE:
        receive_update(session, plain, now_ns);
        break;
    case LS_MESSAGE_SNAPSHOT_REQUEST:
        receive_snapshot_request(session, plain, now_ns);
        break;
    case LS_MESSAGE_EVIDENCE:
        session->room->server->stats.packets_dropped += !ls_desync_inquiry_receive(session, plain);
        break;
    case LS_MESSAGE_PAUSE:
        receive_pause(session, plain);
        break;
    case LS_MESSAGE_BYE:
        receive_bye(session, plain, now_ns);
        break;
    default:
        session->room->server->stats.packets_dropped++;
        break;
    }
}

/* Forged packets cost time: ends the session over the limit, and returns true. */
static bool limit_forgeries(ls_session *session, uint64_t now_ns)
{
    if (now_ns - session->opens_since_ns >= 60 * LS_SECOND_NS) {
        session->opens_since_ns = now_ns;
        session->opens_failed_before = session->seal.opens_failed;
    }
    if (session->seal.opens_failed - session->opens_failed_before < LS_SERVER_OPENS_FAILED)
        return false;
    ls_sessions_end(session, "too many packets that do not open", now_ns);
    return true;
}

void ls_session_messages_receive(ls_session *session, const ls_packet *packet, uint64_t now_ns)
{
    ls_plain plain;
    if (ls_seal_open(&session->seal, packet, &plain) == LS_OK) {
        receive_message(session, &plain, now_ns);
        return;
    }
    session->room->server->stats.packets_dropped++;
    limit_forgeries(session, now_ns);
}
