#include "server/session_messages.h"
#include "core/base/fault_injection.h"
#include "server/desync_inquiry.h"
#include "server/gaps.h"
#include "server/ranges.h"
#include "server/room_state.h"
#include "server/session_roots.h"
#include "server/sessions.h"

#include <lockstep/session_limits.h>

/* Counts an input over the budget, and kicks a client that floods for LS_SERVER_FLOOD_NS. True when
 * the session continues. */
static bool limit_inputs(ls_server_session *session, uint64_t now_ns)
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

/* Queues the orders of an update, within the budget. True when the session continues. */
static bool receive_inputs(ls_server_session *session, const ls_update *update, uint64_t now_ns)
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

/* Takes the states of an update. Each state is sent several times, and only the first copy counts.
 */
static void receive_states(ls_server_session *session, const ls_update *update, uint64_t now_ns)
{
    ls_room *room = session->room;
    for (uint32_t i = 0; session->seat != LS_SEAT_NONE && i < update->state_count; i++) {
        uint64_t tick = update->state_first + i;
        bool is_newer = tick >= session->states_next;
        ls_submit_result result =
            ls_seats_submit_state(&room->match.seats, session->seat, room->match.ring.next, tick,
                                  update->states + i * update->state_bytes);
        if (!is_newer)
            continue;
        session->states_next = tick + 1;
        room->stats.states_late += result == LS_SUBMIT_LATE;
        room->stats.states_refused += result == LS_SUBMIT_REFUSED;
        /* LATER counts too: a player that has not joined yet measures its input delay with it. */
        if (result == LS_SUBMIT_TAKEN || result == LS_SUBMIT_LATE || result == LS_SUBMIT_LATER)
            ls_state_slack_note(&session->slack,
                                ls_tick_clock_slack_ns(&room->clock, tick, room->match.ring.next,
                                                       session->arrived_ns),
                                now_ns);
    }
}

/* Tells a client to load a snapshot, because it has ticks that the server never closed. */
static void reload(ls_server_session *session, uint64_t now_ns)
{
    /* A client that is reloading was told already. */
    if (ls_session_roots_is_reloading(session) ||
        (session->reload_sent_ns && now_ns - session->reload_sent_ns < LS_SECOND_NS))
        return;
    ls_session_roots_tell_reload(session, "the server does not know its ticks", now_ns);
}

static void receive_update(ls_server_session *session, const ls_plain *plain, uint64_t now_ns)
{
    ls_room *room = session->room;
    ls_update update;
    uint32_t state_bytes = ls_program_sim(room->host->program)->state_bytes;
    if (!ls_update_decode(plain, state_bytes, &update)) {
        room->server->stats.packets_dropped++;
        return;
    }
    /* The client has ticks that this server never closed: a crash has lost them. */
    if (update.ack > room->match.ring.next) {
        reload(session, now_ns);
        return;
    }
    /* Updates may be reordered, so a lower ACK is outdated. */
    if (update.ack >= session->ack) {
        session->ack = update.ack;
        session->congestion = LS_FAULT(LEVEL_IGNORED) ? 0 : update.congestion;
        ls_resend_timer_acked(&session->resend_timer, update.ack, session->arrived_ns);
        session->stamp_us = update.stamp_us;
        session->stamp_ns = session->arrived_ns;
    }
    /* The client can use ticks from now on. While a tick is held, only a resend brings the missing
     * ones. */
    if (!session->wants_ticks) {
        room->resend_ns = now_ns;
        ls_flag_raise(room->flag);
    }
    session->wants_ticks = true;
    /* This update may release a held tick, or make the session's last message due. */
    if (room->clock.held_since_ns || room->state >= LS_ROOM_ENDING)
        ls_flag_raise(room->flag);
    ls_session_roots_receive(session, &update, now_ns);
    if (!ls_session_roots_check_verdict(session, now_ns) ||
        !ls_session_roots_check_mute(session, now_ns) || !receive_inputs(session, &update, now_ns))
        return;
    receive_states(session, &update, now_ns);
    if (update.gap_count)
        room->server->asked_ns = now_ns;
    ls_gaps_answer(session, &update, now_ns);
}

static void receive_snapshot_request(ls_server_session *session, const ls_plain *plain,
                                     uint64_t now_ns)
{
    ls_snapshot_request request;
    ls_room *room = session->room;
    if (!ls_snapshot_request_decode(plain, &request)) {
        room->server->stats.packets_dropped++;
        return;
    }
    /* More than a ping's one byte: the client loads the snapshot, and reports no more roots of its
     * old world. */
    if (ls_session_roots_is_reloading(session) && request.bytes > 1) {
        session->referee.reload_from = room->match.ring.next;
        session->referee.was_reloaded = true;
    }
    if (!session->load_ns && request.bytes > 1)
        session->load_ns = now_ns;
    if (request.bytes > 1)
        room->server->asked_ns = now_ns;
    ls_ranges_answer(session, &request, now_ns);
}

/* Takes a player's request to pause or resume; the next tick then applies it. */
static void receive_pause(ls_server_session *session, const ls_plain *plain)
{
    ls_room *room = session->room;
    bool wants_pause;
    if (!ls_pause_decode(plain, &wants_pause) || session->seat == LS_SEAT_NONE ||
        !room->players_may_pause) {
        room->server->stats.packets_dropped++;
        return;
    }
    /* A player that has used all its pauses may still end one. */
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

/* Takes a report for the metrics, but not more often than an honest client sends them. */
static void receive_report(ls_server_session *session, const ls_plain *plain, uint64_t now_ns)
{
    ls_room *room = session->room;
    ls_line_report report;
    bool is_known = session->entrant.capabilities & LS_CAPABILITY_REPORT;
    bool is_early = session->report_ns && now_ns - session->report_ns < LS_CLIENT_REPORT_NS / 2;
    if (!is_known || is_early || !ls_line_report_decode(plain, &report)) {
        room->server->stats.packets_dropped++;
        return;
    }
    session->report_ns = now_ns;
    ls_client_times_add(&room->clients, &report, room->match.config.tick_rate);
}

static void receive_bye(ls_server_session *session, const ls_plain *plain, uint64_t now_ns)
{
    ls_bye bye;
    if (ls_bye_decode(plain, &bye))
        ls_sessions_leave(session, &bye, now_ns);
    else
        session->room->server->stats.packets_dropped++;
}

static void receive_message(ls_server_session *session, const ls_plain *plain, uint64_t now_ns)
{
    if (session->phase == LS_SERVER_SESSION_ACCEPTED) {
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
    case LS_MESSAGE_REPORT:
        receive_report(session, plain, now_ns);
        break;
    case LS_MESSAGE_BYE:
        receive_bye(session, plain, now_ns);
        break;
    default:
        session->room->server->stats.packets_dropped++;
        break;
    }
}

/* Ends a session with too many forged packets a minute: each one costs a failed decryption. */
static void limit_forgeries(ls_server_session *session, uint64_t now_ns)
{
    if (now_ns - session->opens_since_ns >= 60 * LS_SECOND_NS) {
        session->opens_since_ns = now_ns;
        session->opens_failed_before = session->seal.opens_failed;
    }
    if (session->seal.opens_failed - session->opens_failed_before >= LS_SERVER_OPENS_FAILED)
        ls_sessions_end(session, "too many packets that fail authentication", now_ns);
}

void ls_session_messages_receive(ls_server_session *session, const ls_packet *packet,
                                 uint64_t now_ns)
{
    ls_plain plain;
    if (ls_seal_open_message(&session->seal, packet, &plain) == LS_OK) {
        receive_message(session, &plain, now_ns);
        return;
    }
    session->room->server->stats.packets_dropped++;
    limit_forgeries(session, now_ns);
}
