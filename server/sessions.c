#include "server/sessions.h"

#include <string.h>

static void wipe(ls_session *session)
{
    ls_seal_reset(&session->seal);
    ls_wipe(session, sizeof *session);
    session->peer = LS_PEER_NONE;
    session->seat = LS_SEAT_NONE;
}

int ls_sessions_seat_number(const ls_session *session)
{
    return session->seat == LS_SEAT_NONE ? -1 : (int)session->seat;
}

ls_session *ls_sessions_find(ls_server *server, ls_peer peer)
{
    uint32_t slot = ls_peer_slot(peer);
    if (slot >= server->peers_max)
        return NULL;
    ls_session *session = &server->sessions[slot];
    return session->phase != LS_SESSION_FREE && session->peer == peer ? session : NULL;
}

void ls_sessions_open(ls_server *server, ls_peer peer, uint64_t now_ns)
{
    if (ls_peer_slot(peer) >= server->peers_max) {
        ls_link_disconnect(server->link, peer);
        return;
    }
    ls_session *session = &server->sessions[ls_peer_slot(peer)];
    if (session->phase != LS_SESSION_FREE)
        ls_sessions_forget(server, session, "the connection was replaced", now_ns);
    wipe(session);
    session->phase = LS_SESSION_HANDSHAKE;
    session->peer = peer;
    session->since_ns = session->heard_ns = session->opens_since_ns = now_ns;
    uint32_t rate = server->match.tick_rate;
    ls_budget_init(&session->messages, LS_SERVER_MESSAGES_PER_S + rate,
                   LS_SERVER_MESSAGES_PER_S + rate);
    ls_budget_init(&session->inputs, LS_SERVER_INPUTS_PER_S + 2 * rate,
                   2 * (LS_SERVER_INPUTS_PER_S + 2 * rate));
    ls_budget_init(&session->gaps, LS_SERVER_GAP_BYTES_PER_S, LS_SERVER_GAP_BYTES_PER_S);
    ls_budget_init(&session->snapshots, LS_SERVER_SNAPSHOT_BYTES_PER_S,
                   LS_SERVER_SNAPSHOT_BYTES_PER_S / 8);
}

/* Who holds a seat in the handshake or in the match. */
static ls_session *find_holder(ls_server *server, uint32_t seat, const ls_session *except)
{
    for (uint32_t i = 0; i < server->peers_max; i++) {
        ls_session *session = &server->sessions[i];
        if (session->phase != LS_SESSION_FREE && session->seat == seat && session != except &&
            !session->takes_over)
            return session;
    }
    return NULL;
}

/* Only now, since an AUTH alone can be somebody's recording of an earlier one. */
static bool take_over(ls_server *server, ls_session *session, uint64_t now_ns)
{
    if (ls_seats_find_secret(&server->seats, session->old_secret) != session->seat)
        return false;
    ls_session *holder = find_holder(server, session->seat, session);
    if (holder)
        ls_sessions_end(server, holder, "another session has taken its seat over", now_ns);
    ls_seats_take(&server->seats, session->seat);
    session->takes_over = false;
    return true;
}

bool ls_sessions_activate(ls_server *server, ls_session *session, uint64_t now_ns)
{
    if (session->takes_over && !take_over(server, session, now_ns)) {
        ls_sessions_end(server, session, "its seat is no longer its own", now_ns);
        return false;
    }
    if (session->seat != LS_SEAT_NONE)
        ls_seats_set_secret(&server->seats, session->seat, session->new_secret);
    ls_wipe(session->new_secret, sizeof session->new_secret);
    ls_wipe(session->old_secret, sizeof session->old_secret);
    session->phase = LS_SESSION_ACTIVE;
    server->stats.sessions++;
    server->had_session = true;
    char address[LS_ADDRESS_TEXT_BYTES], name[LS_JOURNAL_QUOTED_BYTES];
    ls_link_address(server->link, session->peer, address);
    ls_journal_write_limited(&server->journal, now_ns,
                             "enter tick=%llu peer=%u player=%d name=%s address=%s bot=%d",
                             (unsigned long long)server->ring.next, ls_peer_slot(session->peer),
                             ls_sessions_seat_number(session),
                             ls_journal_quote(session->name, name), address, session->is_bot);
    return true;
}

void ls_sessions_forget(ls_server *server, ls_session *session, const char *why, uint64_t now_ns)
{
    char reason[LS_JOURNAL_QUOTED_BYTES], name[LS_JOURNAL_QUOTED_BYTES];
    bool was_active = session->phase == LS_SESSION_ACTIVE;
    ls_journal_write_limited(
        &server->journal, now_ns, "%s tick=%llu peer=%u player=%d name=%s reason=%s",
        was_active ? "leave" : "handshake_failed", (unsigned long long)server->ring.next,
        ls_peer_slot(session->peer), ls_sessions_seat_number(session),
        ls_journal_quote(session->name, name), ls_journal_quote(why, reason));
    if (session->seat != LS_SEAT_NONE && !session->takes_over)
        ls_seats_release(&server->seats, session->seat);
    server->stats.sessions -= was_active;
    wipe(session);
}

void ls_sessions_end(ls_server *server, ls_session *session, const char *why, uint64_t now_ns)
{
    ls_link_disconnect(server->link, session->peer);
    ls_sessions_forget(server, session, why, now_ns);
}

void ls_sessions_dismiss(ls_server *server, ls_session *session, const ls_notice *notice,
                         uint64_t now_ns)
{
    ls_plain plain;
    ls_notice_encode(notice, &plain);
    if (ls_sessions_send(server, session, &plain, now_ns))
        ls_sessions_end(server, session, notice->text[0] ? notice->text : "the match is over",
                        now_ns);
}

void ls_sessions_kick(ls_server *server, ls_session *session, const char *reason, uint64_t now_ns)
{
    server->stats.kicks++;
    if (session->phase != LS_SESSION_ACTIVE) {
        ls_sessions_end(server, session, reason, now_ns);
        return;
    }
    ls_notice notice = {.kind = LS_NOTICE_KICK};
    strncpy(notice.text, reason, sizeof notice.text - 1);
    ls_sessions_dismiss(server, session, &notice, now_ns);
}

void ls_sessions_expire(ls_server *server, uint64_t now_ns)
{
    for (uint32_t i = 0; i < server->peers_max; i++) {
        ls_session *session = &server->sessions[i];
        if (session->phase == LS_SESSION_FREE)
            continue;
        if (session->phase != LS_SESSION_ACTIVE) {
            if (now_ns - session->since_ns >= LS_SERVER_HANDSHAKE_NS)
                ls_sessions_end(server, session, "the handshake took too long", now_ns);
        } else if (now_ns - session->heard_ns >= LS_SERVER_SILENCE_NS) {
            server->stats.timeouts++;
            ls_sessions_end(server, session, "silent for too long", now_ns);
        }
    }
}

static void send_packet(ls_server *server, const ls_session *session, const ls_packet *packet)
{
    /* A packet that the link cannot take is as good as lost on the way: ticks are repeated, and a
     * control channel that is full belongs to a peer that will time out. */
    if (ls_link_send(server->link, session->peer, packet) != LS_OK)
        return;
    server->stats.packets_sent++;
    server->stats.bytes_sent += packet->bytes;
}

void ls_sessions_send_bytes(ls_server *server, ls_session *session, const uint8_t *data,
                            size_t bytes)
{
    send_packet(
        server, session,
        &(ls_packet){.channel = LS_CHANNEL_CONTROL, .bytes = (uint32_t)bytes, .data = data});
}

bool ls_sessions_send(ls_server *server, ls_session *session, const ls_plain *plain,
                      uint64_t now_ns)
{
    uint8_t storage[LS_PACKET_BYTES_MAX];
    ls_packet packet;
    if (ls_seal_close(&session->seal, plain, storage, &packet) != LS_OK) {
        ls_sessions_end(server, session, "its keys are used up", now_ns);
        return false;
    }
    send_packet(server, session, &packet);
    return true;
}

uint32_t ls_sessions_input_ack(const ls_server *server, const ls_session *session)
{
    return session->seat == LS_SEAT_NONE ? 0 : server->seats.items[session->seat].sequence;
}

bool ls_sessions_send_window(ls_server *server, ls_session *session, uint64_t now_ns)
{
    ls_ticks ticks;
    if (!session->wants_ticks || !ls_tick_ring_window(&server->ring, session->ack, &ticks))
        return true;
    ticks.input_ack = ls_sessions_input_ack(server, session);
    ls_plain plain;
    LS_ASSERT(ls_ticks_encode(&ticks, &plain));
    session->sent_ns = now_ns;
    return ls_sessions_send(server, session, &plain, now_ns);
}
