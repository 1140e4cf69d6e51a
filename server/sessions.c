#include "server/sessions.h"

#include "core/base/bounds.h"
#include "core/base/fault_injection.h"
#include "proto/congestion_level.h"
#include "server/admission_rights.h"
#include "server/desync_log.h"
#include "server/host_bucket.h"
#include "server/room_state.h"
#include <lockstep/link_remote.h>

#include <stdio.h>
#include <string.h>

static void wipe(ls_server_session *session)
{
    ls_seal_reset(&session->seal);
    ls_wipe(session, sizeof *session);
    session->peer = LS_PEER_NONE;
    session->seat = LS_SEAT_NONE;
}

int ls_sessions_seat_number(const ls_server_session *session)
{
    return session->seat == LS_SEAT_NONE ? -1 : (int)session->seat;
}

ls_server_session *ls_sessions_find(ls_server *server, ls_peer peer)
{
    uint32_t slot = ls_peer_slot(peer);
    if (slot >= server->peers_max)
        return NULL;
    ls_server_session *session = &server->sessions[slot];
    return session->phase != LS_SERVER_SESSION_FREE && session->peer == peer ? session : NULL;
}

static void set_budgets(ls_server_session *session, uint32_t rate)
{
    ls_token_bucket_init(&session->messages, LS_SERVER_MESSAGES_PER_S + rate,
                         LS_SERVER_MESSAGES_PER_S + rate);
    ls_token_bucket_init(&session->inputs, LS_SERVER_INPUTS_PER_S + 2 * rate,
                         2 * (LS_SERVER_INPUTS_PER_S + 2 * rate));
    ls_token_bucket_init(&session->gaps, LS_SERVER_GAP_BYTES_PER_S, LS_SERVER_GAP_BYTES_BURST);
    ls_load_budget_init_session(&session->loads, session->room->server->egress.per_s);
}

bool ls_sessions_open(ls_server *server, ls_peer peer, const ls_pending *pending, uint64_t now_ns)
{
    if (ls_peer_slot(peer) >= server->peers_max)
        return false;
    ls_server_session *session = &server->sessions[ls_peer_slot(peer)];
    if (session->phase != LS_SERVER_SESSION_FREE)
        ls_sessions_remove(session, "the connection was replaced", now_ns);
    wipe(session);
    session->phase = LS_SERVER_SESSION_ACCEPTED;
    session->peer = peer;
    session->room = pending->room;
    session->entrant = pending->entrant;
    session->seat = pending->entrant.seat;
    session->since_ns = session->received_ns = session->opens_since_ns = now_ns;
    session->stamp_ns = now_ns;
    ls_state_slack_init(&session->slack, now_ns);
    ls_seal_init(&session->seal, &pending->keys, LS_ROLE_SERVER);
    set_budgets(session, pending->room->match.config.tick_rate);
    return true;
}

/* Returns the budget of log lines about clients of the session's host. */
static ls_token_bucket *log_budget(const ls_server_session *session)
{
    return &session->room->server->host_log_lines[session->entrant.bucket];
}

void ls_sessions_leave_seat(ls_room *room, const ls_entrant *entrant)
{
    if (entrant->seat != LS_SEAT_NONE && !entrant->takes_over && !LS_FAULT(SEAT_KEPT))
        ls_seats_lose(&room->match.seats, entrant->seat, 0);
}

/* Releases the seat of a session that ends. If the player has only lost its session, the room's
 * keep_seats_ns may keep the seat for its return. */
static void leave_seat(const ls_server_session *session, uint64_t now_ns)
{
    ls_room *room = session->room;
    bool was_player = session->phase == LS_SERVER_SESSION_ACTIVE && session->seat != LS_SEAT_NONE;
    if (!was_player || LS_FAULT(SEAT_KEPT))
        ls_sessions_leave_seat(room, &session->entrant);
    else if (session->gives_up_seat || !room->keep_seats_ns || room->state >= LS_ROOM_ENDING)
        ls_seats_release(&room->match.seats, session->seat);
    else
        ls_seats_lose(&room->match.seats, session->seat, now_ns + room->keep_seats_ns);
}

/* Dismisses with a reason. The notice tells the client not to reconnect, as it would after a lost
 * connection. */
static void dismiss_with_reason(ls_server_session *session, const char *reason, uint64_t now_ns)
{
    ls_notice notice = {.kind = LS_NOTICE_KICK};
    strncpy(notice.text, reason, sizeof notice.text - 1);
    ls_sessions_dismiss(session, &notice, now_ns);
}

/* Turns the reservation of a client that has not confirmed into a claim that fails. */
static void withdraw(ls_entrant *entrant)
{
    entrant->takes_over = true;
    ls_wipe(entrant->old_secret, sizeof entrant->old_secret);
}

/* Withdraws the reservation of a seat when its own player has come back. The owner and the client
 * that reserved the seat may be in the same position: after a crash that lost the newest secrets of
 * several players, each shows its newest and its previous one in turn, and all would reserve each
 * other's seats without end. */
static void withdraw_reservation(const ls_server_session *owner)
{
    ls_room *room = owner->room;
    ls_server *server = room->server;
    for (uint32_t i = 0; i < LS_SERVER_PENDING; i++) {
        ls_pending *pending = &server->pending.items[i];
        if (server->pending.keys[i] && pending->connect_id && pending->room == room &&
            pending->entrant.seat == owner->seat)
            withdraw(&pending->entrant);
    }
    for (uint32_t i = 0; i < server->peers_max; i++) {
        ls_server_session *session = &server->sessions[i];
        if (session != owner && session->phase == LS_SERVER_SESSION_ACCEPTED &&
            session->room == room && session->seat == owner->seat)
            withdraw(&session->entrant);
    }
    ls_seats_lose(&room->match.seats, owner->seat, 0);
}

/* Takes over the seat of another session, or one that a client has reserved. Called only at
 * CONFIRM, because an AUTH may be a replay of an earlier one. */
static bool take_over(ls_server_session *session, uint64_t now_ns)
{
    ls_room *room = session->room;
    ls_seat *seat = &room->match.seats.items[session->seat];
    if (!seat->has_secret ||
        memcmp(seat->secret, session->entrant.old_secret, LS_RESUME_BYTES) != 0)
        return false;
    ls_server_session *holder = room->sessions;
    while (holder && holder->seat != session->seat)
        holder = holder->next;
    if (holder)
        dismiss_with_reason(holder, "another session has taken its seat", now_ns);
    else if (seat->is_taken)
        withdraw_reservation(session);
    ls_seats_take(&room->match.seats, session->seat);
    session->entrant.takes_over = false;
    return true;
}

static void give_up(ls_server_session *session, const char *reason, uint64_t now_ns)
{
    session->gives_up_seat = true;
    dismiss_with_reason(session, reason, now_ns);
}

static bool is_of_client(const ls_server_session *session, const char *client)
{
    return session->phase == LS_SERVER_SESSION_ACTIVE && client[0] &&
           strcmp(session->entrant.client, client) == 0;
}

/* Ends the other session of the same client id: each id has one. */
static void end_same_client(ls_server_session *session, uint64_t now_ns)
{
    ls_server *server = session->room->server;
    for (uint32_t i = 0; i < server->peers_max; i++) {
        ls_server_session *other = &server->sessions[i];
        if (other != session && is_of_client(other, session->entrant.client))
            give_up(other, "the same client has connected again", now_ns);
    }
}

bool ls_sessions_have_client(const ls_server *server, const char *client,
                             const ls_server_session *except)
{
    for (uint32_t i = 0; i < server->peers_max; i++)
        if (&server->sessions[i] != except && is_of_client(&server->sessions[i], client))
            return true;
    return false;
}

static void link_in(ls_server_session *session)
{
    ls_room *room = session->room;
    session->next = room->sessions;
    if (room->sessions)
        room->sessions->previous = session;
    room->sessions = session;
}

static void link_out(ls_server_session *session)
{
    if (session->previous)
        session->previous->next = session->next;
    else
        session->room->sessions = session->next;
    if (session->next)
        session->next->previous = session->previous;
}

static void store_secret(ls_server_session *session)
{
    if (session->seat == LS_SEAT_NONE)
        return;
    ls_seat *seat = &session->room->match.seats.items[session->seat];
    ls_seats_set_secret(&session->room->match.seats, session->seat, session->entrant.new_secret);
    memcpy(seat->client, session->entrant.client, sizeof seat->client);
    memcpy(seat->name, session->entrant.name, sizeof seat->name);
    seat->is_light = session->entrant.is_light;
    seat->bucket = session->entrant.bucket;
    ls_room_note_seats(session->room);
}

/* A ban may have come between ACCEPT and CONFIRM. A client that returns to its seat without a token
 * still counts as the player that the seat names. */
static bool is_banned(const ls_server_session *session)
{
    const ls_server *server = session->room->server;
    const ls_entrant *entrant = &session->entrant;
    const char *client = entrant->client;
    if (!client[0] && session->seat != LS_SEAT_NONE && !entrant->is_newcomer)
        client = session->room->match.seats.items[session->seat].client;
    return ls_admission_rights_is_banned(server, &entrant->remote, client);
}

bool ls_sessions_activate(ls_server_session *session, uint64_t now_ns)
{
    ls_room *room = session->room;
    if (is_banned(session)) {
        ls_sessions_end(session, "banned by the one who runs the server", now_ns);
        return false;
    }
    if (room->handover) {
        ls_sessions_end(session, "its match moves to another address", now_ns);
        return false;
    }
    if (session->entrant.takes_over && !take_over(session, now_ns)) {
        ls_sessions_end(session, "its seat now belongs to another session", now_ns);
        return false;
    }
    if (room->server->login == LS_LOGIN_REPLACE) {
        end_same_client(session, now_ns);
    } else if (ls_sessions_have_client(room->server, session->entrant.client, session)) {
        /* Two sessions of one client id were let in at once; the first to confirm stays. */
        ls_sessions_end(session, "the same client is connected already", now_ns);
        return false;
    }
    store_secret(session);
    session->phase = LS_SERVER_SESSION_ACTIVE;
    link_in(session);
    room->stats.sessions++;
    room->server->stats.sessions++;
    room->server->stats.light += session->entrant.is_light;
    room->had_session = true;
    char address[LS_REMOTE_TEXT_BYTES], name[LS_EVENT_LOG_QUOTED_BYTES];
    char client[LS_EVENT_LOG_CLIENT_BYTES];
    ls_link_describe(session->room->server->link, &session->entrant.remote, address);
    ls_event_log_write_of(&room->log, log_budget(session), now_ns,
                          "enter tick=%llu peer=%u player=%d name=%s%s address=%s bot=%d%s",
                          (unsigned long long)room->match.ring.next, ls_peer_slot(session->peer),
                          ls_sessions_seat_number(session),
                          ls_event_log_quote(session->entrant.name, name),
                          ls_event_log_client(session->entrant.client, client), address,
                          session->entrant.is_bot, session->entrant.is_light ? " light=1" : "");
    return true;
}

void ls_sessions_end_pause(ls_room *room)
{
    room->pause.is_wanted = false;
    room->pause.player = room->match.config.player_count;
    ls_flag_raise(room->flag);
}

/* Ends the pause of a player that leaves, so that the others need not wait for it to expire. */
static void end_own_pause(const ls_server_session *session)
{
    ls_room *room = session->room;
    if (room->pause.is_wanted && room->pause.player == session->seat && !LS_FAULT(PAUSE_OUTLIVES))
        ls_sessions_end_pause(room);
}

void ls_sessions_note_desync(ls_server_session *session)
{
    session->room->stats.desyncs++;
    const ls_referee_case *verdict = &session->referee;
    char name[LS_EVENT_LOG_QUOTED_BYTES], client[LS_EVENT_LOG_CLIENT_BYTES];
    char unreported[40] = "", batch[24] = "";
    uint64_t unreported_from = ls_referee_unreported_from(verdict);
    if (unreported_from < verdict->tick)
        snprintf(unreported, sizeof unreported, " unreported_from=%llu",
                 (unsigned long long)unreported_from);
    if (verdict->more)
        snprintf(batch, sizeof batch, " batch=%u", verdict->more + 1);
    ls_event_log_write(
        &session->room->log,
        "desync tick=%llu peer=%u player=%d name=%s%s expected=%016llx found=%016llx%s%s",
        (unsigned long long)verdict->tick, ls_peer_slot(session->peer),
        ls_sessions_seat_number(session), ls_event_log_quote(session->entrant.name, name),
        ls_event_log_client(session->entrant.client, client), (unsigned long long)verdict->expected,
        (unsigned long long)verdict->found, batch, unreported);
}

void ls_sessions_note_unexplained(ls_server_session *session, const char *why)
{
    const ls_desync_subject subject = {.tick = session->referee.tick,
                                       .peer = session->peer,
                                       .seat = ls_sessions_seat_number(session),
                                       .name = session->entrant.name};
    ls_desync_log_unexplained(session->room, &subject, why);
}

void ls_sessions_remove(ls_server_session *session, const char *why, uint64_t now_ns)
{
    char reason[LS_EVENT_LOG_QUOTED_BYTES], name[LS_EVENT_LOG_QUOTED_BYTES];
    char client[LS_EVENT_LOG_CLIENT_BYTES];
    ls_room *room = session->room;
    bool was_active = session->phase == LS_SERVER_SESSION_ACTIVE;
    /* A wrong root counts even if its verdict still waited for reports of earlier ticks. */
    if (session->referee.is_suspect && !session->referee.has_diverged) {
        ls_sessions_note_desync(session);
        ls_sessions_note_unexplained(session, "it left before it was asked");
    }
    ls_event_log_write_of(
        &room->log, log_budget(session), now_ns,
        "%s tick=%llu peer=%u player=%d name=%s%s reason=%s",
        was_active ? "leave" : "handshake_failed", (unsigned long long)room->match.ring.next,
        ls_peer_slot(session->peer), ls_sessions_seat_number(session),
        ls_event_log_quote(session->entrant.name, name),
        ls_event_log_client(session->entrant.client, client), ls_event_log_quote(why, reason));
    leave_seat(session, now_ns);
    ls_flag_raise(room->flag); /* the room may have to end without sessions */
    if (was_active) {
        end_own_pause(session);
        link_out(session);
        room->stats.sessions--;
        room->server->stats.sessions--;
        room->server->stats.light -= session->entrant.is_light;
    }
    wipe(session);
}

void ls_sessions_end(ls_server_session *session, const char *why, uint64_t now_ns)
{
    ls_link_disconnect(session->room->server->link, session->peer);
    ls_sessions_remove(session, why, now_ns);
}

static void note_failure(const ls_server_session *session, const char *why, uint64_t now_ns)
{
    char reason[LS_EVENT_LOG_QUOTED_BYTES], name[LS_EVENT_LOG_QUOTED_BYTES];
    ls_room *room = session->room;
    room->stats.clients_failed++;
    ls_event_log_write_of(&room->log, log_budget(session), now_ns,
                          "client_failed tick=%llu peer=%u player=%d name=%s reason=%s",
                          (unsigned long long)room->match.ring.next, ls_peer_slot(session->peer),
                          ls_sessions_seat_number(session),
                          ls_event_log_quote(session->entrant.name, name),
                          ls_event_log_quote(why, reason));
}

void ls_sessions_leave(ls_server_session *session, const ls_bye *bye, uint64_t now_ns)
{
    const char *failure = ls_bye_failure(bye);
    session->gives_up_seat = true;
    if (failure)
        note_failure(session, failure, now_ns);
    ls_sessions_end(session, bye->text[0] ? bye->text : "the client has left", now_ns);
}

void ls_sessions_dismiss(ls_server_session *session, const ls_notice *notice, uint64_t now_ns)
{
    if (ls_sessions_notify(session, notice, now_ns))
        ls_sessions_end(session, notice->text[0] ? notice->text : "the match is over", now_ns);
}

void ls_sessions_kick(ls_server_session *session, const char *reason, uint64_t now_ns)
{
    session->room->stats.kicks++;
    if (session->phase != LS_SERVER_SESSION_ACTIVE) {
        ls_sessions_end(session, reason, now_ns);
        return;
    }
    give_up(session, reason, now_ns);
}

void ls_sessions_extend(ls_server *server, uint64_t time_ns)
{
    for (uint32_t i = 0; i < server->peers_max; i++) {
        ls_server_session *session = &server->sessions[i];
        if (session->phase != LS_SERVER_SESSION_FREE)
            session->received_ns += time_ns;
        if (session->reload_sent_ns)
            session->reload_sent_ns += time_ns;
    }
}

void ls_sessions_expire(ls_server *server, uint64_t now_ns)
{
    for (uint32_t i = 0; i < server->peers_max; i++) {
        ls_server_session *session = &server->sessions[i];
        if (session->phase == LS_SERVER_SESSION_ACCEPTED &&
            now_ns - session->since_ns >= LS_SERVER_HANDSHAKE_NS) {
            server->stats.handshakes_expired++;
            ls_sessions_end(session, "the handshake took too long", now_ns);
        } else if (session->phase == LS_SERVER_SESSION_ACTIVE &&
                   now_ns - session->received_ns >= LS_SERVER_SILENCE_NS) {
            session->room->stats.timeouts++;
            ls_sessions_end(session, "silent for too long", now_ns);
        }
    }
}

bool ls_sessions_send(ls_server_session *session, const ls_plain *plain, uint64_t now_ns)
{
    ls_server *server = session->room->server;
    uint8_t storage[LS_PACKET_BYTES_MAX];
    ls_packet packet;
    if (ls_seal_message(&session->seal, plain, storage, &packet) != LS_OK) {
        ls_sessions_end(session, "its keys are used up", now_ns);
        return false;
    }
    /* A packet that the link cannot send counts as lost: ticks are sent again, and a peer with a
     * full control channel times out. */
    if (ls_link_send(server->link, session->peer, &packet) == LS_OK) {
        server->stats.packets_sent++;
        server->stats.bytes_sent += packet.bytes;
        ls_egress_charge(&server->egress, now_ns, packet.bytes + LS_SERVER_EGRESS_PACKET_BYTES);
    }
    return true;
}

bool ls_sessions_notify(ls_server_session *session, const ls_notice *notice, uint64_t now_ns)
{
    ls_plain plain;
    ls_notice_encode(notice, &plain);
    return ls_sessions_send(session, &plain, now_ns);
}

static uint32_t micros_since(uint64_t then_ns, uint64_t now_ns)
{
    uint64_t us = (now_ns - then_ns) / 1000;
    return us < UINT32_MAX ? (uint32_t)us : UINT32_MAX;
}

bool ls_sessions_send_ticks(ls_server_session *session, ls_ticks *ticks, uint64_t now_ns)
{
    const ls_seats *seats = &session->room->match.seats;
    ticks->input_ack = session->seat == LS_SEAT_NONE ? 0 : seats->items[session->seat].sequence;
    ticks->root_ack = (uint32_t)session->roots_next;
    ticks->echo_us = session->stamp_us;
    ticks->held_us = session->stamp_us ? micros_since(session->stamp_ns, now_ns) : 0;
    ticks->slack_us = ls_state_slack_us(&session->slack, now_ns);
    ticks->is_packed = ticks->count > 1;
    ls_plain plain;
    LS_ASSERT(ls_ticks_encode(ticks, &plain));
    return ls_sessions_send(session, &plain, now_ns);
}

/* A spectator acknowledges seldom: while there are new ticks, each tick is in two packets. A client
 * with a congested line gets fewer repeats, but always the ticks that were not sent yet, and again
 * all that were new in the latest packet while no newer tick is there. */
static uint64_t first_in_window(const ls_server_session *session)
{
    uint64_t next = session->room->match.ring.next, first = session->ack;
    bool has_new = session->sent_next < next;
    if (session->seat == LS_SEAT_NONE && has_new && session->sent_before > first)
        first = session->sent_before;
    uint64_t window = ls_congestion_level_window(session->congestion, LS_TICKS_WINDOW);
    uint64_t oldest = next > window ? next - window : 0;
    uint64_t new_from = has_new ? session->sent_next : session->sent_before;
    oldest = ls_min(oldest, new_from);
    return session->congestion && oldest > first ? oldest : first;
}

bool ls_sessions_send_window(ls_server_session *session, uint64_t now_ns)
{
    const ls_tick_ring *ring = &session->room->match.ring;
    ls_ticks ticks;
    if (!session->wants_ticks || !ls_tick_ring_window(ring, first_in_window(session), &ticks))
        return true;
    session->sent_ns = now_ns;
    if (session->sent_next < ring->next)
        session->sent_before = session->sent_next;
    session->sent_next = ring->next;
    ls_resend_timer_sent(&session->resend_timer, session->room->match.ring.next, now_ns);
    return ls_sessions_send_ticks(session, &ticks, now_ns);
}
