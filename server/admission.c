#include "server/admission.h"

#include "server/sessions.h"

#include <string.h>

/* proto/handshake.h: bit 6 of the first byte is set in handshake messages alone. */
bool ls_admission_is_handshake(const ls_packet *packet)
{
    return packet->bytes > 0 && (packet->data[0] & 0x40) != 0;
}

static void reject(ls_server *server, ls_session *session, ls_reject_code code, const char *reason,
                   uint64_t now_ns)
{
    uint8_t bytes[LS_CONTROL_BYTES_MAX];
    ls_writer reply;
    ls_writer_init(&reply, bytes, sizeof bytes);
    ls_handshake_reject(code, reason, &reply);
    ls_sessions_send_bytes(server, session, bytes, reply.count);
    server->stats.rejects++;
    ls_sessions_end(server, session, reason, now_ns);
}

static void hear_hello(ls_server *server, ls_session *session, const ls_handshake_message *message)
{
    uint8_t bytes[LS_CONTROL_BYTES_MAX];
    ls_writer reply;
    ls_writer_init(&reply, bytes, sizeof bytes);
    ls_error error;
    ls_status status = ls_handshake_server_hello(&server->handshake, message, &reply, &error);
    if (reply.count)
        ls_sessions_send_bytes(server, session, bytes, reply.count);
    if (status == LS_ERROR_INCOMPATIBLE) {
        server->stats.rejects++;
        ls_sessions_end(server, session, error.text, message->now_ns);
    } else if (status != LS_OK) {
        server->stats.packets_dropped++;
    }
}

/* Chooses the seat and holds it, except one that another session still sits on: that one changes
 * hands with the CONFIRM. False when there is none left. */
static bool choose_seat(ls_server *server, ls_session *session, const ls_handshake_auth *auth)
{
    session->seat = LS_SEAT_NONE;
    if (auth->flags & LS_HANDSHAKE_SPECTATE)
        return true;
    if (auth->has_resume)
        session->seat = ls_seats_find_secret(&server->seats, auth->resume_secret);
    if (session->seat != LS_SEAT_NONE && server->seats.items[session->seat].is_taken) {
        session->takes_over = true;
        memcpy(session->old_secret, auth->resume_secret, LS_RESUME_BYTES);
        return true;
    }
    if (session->seat == LS_SEAT_NONE)
        session->seat = ls_seats_find_free(&server->seats);
    if (session->seat == LS_SEAT_NONE)
        return false;
    ls_seats_take(&server->seats, session->seat);
    return true;
}

static void admit(ls_server *server, ls_session *session, ls_handshake_auth *auth, uint64_t now_ns)
{
    memcpy(session->name, auth->name, sizeof session->name);
    session->is_bot = (auth->flags & LS_HANDSHAKE_BOT) != 0;
    if (server->state >= LS_SERVER_ENDING) {
        reject(server, session, LS_REJECT_POLICY, "the match is over", now_ns);
        return;
    }
    if (!choose_seat(server, session, auth)) {
        reject(server, session, LS_REJECT_FULL, "all seats are taken", now_ns);
        return;
    }
    ls_handshake_accept accept = {.player = session->seat == LS_SEAT_NONE ? LS_HANDSHAKE_PLAYER_NONE
                                                                          : (uint8_t)session->seat,
                                  .tick = server->ring.next,
                                  .match = server->match};
    ls_writer reply;
    ls_writer_init(&reply, session->accept, sizeof session->accept);
    ls_handshake_server_accept(&server->handshake, auth, &accept, &reply);
    LS_ASSERT(!reply.failed);
    session->accept_bytes = (uint32_t)reply.count;
    memcpy(session->new_secret, accept.resume_secret, LS_RESUME_BYTES);
    ls_wipe(&accept, sizeof accept);
    ls_seal_init(&session->seal, &auth->keys, LS_ROLE_SERVER);
    session->phase = LS_SESSION_ACCEPTED;
    ls_sessions_send_bytes(server, session, session->accept, session->accept_bytes);
}

static void hear_auth(ls_server *server, ls_session *session, const ls_handshake_message *message)
{
    if (!ls_budget_take(&server->auths, message->now_ns, 1)) {
        server->stats.packets_dropped++;
        return;
    }
    ls_handshake_auth auth;
    ls_error error;
    if (ls_handshake_server_auth(&server->handshake, message, &auth, &error) == LS_OK) {
        admit(server, session, &auth, message->now_ns);
    } else {
        server->stats.packets_dropped++;
        char reason[LS_JOURNAL_QUOTED_BYTES];
        ls_journal_write_limited(&server->journal, message->now_ns,
                                 "auth_dropped peer=%u reason=%s", ls_peer_slot(session->peer),
                                 ls_journal_quote(error.text, reason));
    }
    ls_handshake_auth_reset(&auth);
}

void ls_admission_hear(ls_server *server, ls_session *session, const ls_packet *packet,
                       uint64_t now_ns)
{
    char address[LS_ADDRESS_TEXT_BYTES];
    if (++session->attempts > LS_SERVER_HELLOS_MAX) {
        ls_sessions_end(server, session, "too many handshake messages", now_ns);
        return;
    }
    ls_link_address(server->link, session->peer, address);
    ls_handshake_message message = {
        .data = packet->data, .bytes = packet->bytes, .address = address, .now_ns = now_ns};
    if (packet->channel != LS_CHANNEL_CONTROL)
        server->stats.packets_dropped++;
    else if (session->phase == LS_SESSION_ACCEPTED && packet->bytes == LS_AUTH_BYTES)
        ls_sessions_send_bytes(server, session, session->accept, session->accept_bytes);
    else if (session->phase == LS_SESSION_HANDSHAKE && packet->bytes == LS_HELLO_BYTES)
        hear_hello(server, session, &message);
    else if (session->phase == LS_SESSION_HANDSHAKE && packet->bytes == LS_AUTH_BYTES)
        hear_auth(server, session, &message);
    else
        server->stats.packets_dropped++;
}
