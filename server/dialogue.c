#include "server/dialogue.h"

#include "server/sessions.h"

#include <string.h>

/* A client within so many ticks of the head is fit to play. */
static uint64_t near_ticks(const ls_server *server)
{
    return server->match.tick_rate < 8 ? 8 : server->match.tick_rate;
}

bool ls_dialogue_judge(ls_server *server, ls_session *session, uint64_t now_ns)
{
    ls_referee_case *verdict = &session->referee;
    if (!ls_referee_decide(verdict, now_ns))
        return true;
    server->stats.desyncs++;
    char name[LS_JOURNAL_QUOTED_BYTES];
    ls_journal_write(&server->journal,
                     "desync tick=%llu peer=%u player=%d name=%s expected=%016llx found=%016llx",
                     (unsigned long long)verdict->tick, ls_peer_slot(session->peer),
                     ls_sessions_seat_number(session), ls_journal_quote(session->name, name),
                     (unsigned long long)verdict->expected, (unsigned long long)verdict->found);
    ls_notice notice = {.kind = LS_NOTICE_DESYNC,
                        .tick = verdict->tick,
                        .your_root = verdict->found,
                        .server_root = verdict->expected};
    ls_plain plain;
    ls_notice_encode(&notice, &plain);
    return ls_sessions_send(server, session, &plain, now_ns);
}

static void hear_roots(ls_server *server, ls_session *session, const ls_update *update,
                       uint64_t now_ns)
{
    ls_referee_case *verdict = &session->referee;
    uint64_t before = verdict->right_count;
    bool is_near = false;
    for (uint32_t i = 0; i < update->root_count; i++) {
        uint64_t tick = update->roots[i].tick;
        ls_report report =
            ls_referee_hear(&server->referee, verdict, tick, update->roots[i].root, now_ns);
        is_near |=
            report == LS_REPORT_RIGHT && tick + near_ticks(server) >= ls_world_tick(server->world);
    }
    server->stats.roots_checked += verdict->right_count - before;
    if (is_near && session->seat != LS_SEAT_NONE && !session->has_asked_join &&
        !verdict->is_suspect) {
        session->has_asked_join = true;
        ls_seats_join(&server->seats, session->seat);
    }
}

/* True when the session goes on. */
static bool limit_inputs(ls_server *server, ls_session *session, uint64_t now_ns)
{
    server->stats.inputs_limited++;
    if (session->flood_last_ns == 0 || now_ns - session->flood_last_ns > LS_SECOND_NS)
        session->flood_since_ns = now_ns;
    session->flood_last_ns = now_ns;
    if (now_ns - session->flood_since_ns < LS_SERVER_FLOOD_NS)
        return true;
    ls_sessions_kick(server, session, "input flood", now_ns);
    return false;
}

/* True when the session goes on. */
static bool hear_inputs(ls_server *server, ls_session *session, const ls_update *update,
                        uint64_t now_ns)
{
    if (session->seat == LS_SEAT_NONE)
        return true;
    for (uint32_t i = 0; i < update->input_count; i++) {
        const ls_update_input *input = &update->inputs[i];
        if (!ls_seats_is_open(&server->seats, session->seat, input->sequence))
            continue;
        if (!ls_budget_take(&session->inputs, now_ns, 1))
            return limit_inputs(server, session, now_ns);
        ls_seat_offer offer = {.tick = server->ring.next,
                               .wish = input->tick,
                               .sequence = input->sequence,
                               .bytes = input->bytes,
                               .data = input->data};
        if (ls_seats_offer(&server->seats, session->seat, &offer) == LS_OFFER_REFUSED)
            server->stats.inputs_refused++;
    }
    return true;
}

/* True when the session goes on. */
static bool answer_gap(ls_server *server, ls_session *session, const ls_update *update,
                       uint64_t now_ns)
{
    uint64_t first = update->gap_first;
    uint32_t left = update->gap_count;
    if (left)
        server->stats.gaps_answered++;
    while (left) {
        ls_ticks ticks;
        uint32_t count = ls_tick_ring_range(&server->ring, first, left, &ticks);
        if (!count || !ls_budget_take(&session->gaps, now_ns, LS_MESSAGE_BYTES_MAX))
            return true;
        ticks.input_ack = ls_sessions_input_ack(server, session);
        ls_plain plain;
        LS_ASSERT(ls_ticks_encode(&ticks, &plain));
        if (!ls_sessions_send(server, session, &plain, now_ns))
            return false;
        first += count;
        left -= count;
    }
    return true;
}

static void hear_update(ls_server *server, ls_session *session, const ls_plain *plain,
                        uint64_t now_ns)
{
    ls_update update;
    if (!ls_update_decode(plain, &update) || update.ack > server->ring.next) {
        server->stats.packets_dropped++;
        return;
    }
    /* Updates overtake each other; what was acknowledged stays so. */
    if (update.ack > session->ack)
        session->ack = update.ack;
    session->wants_ticks = true;
    hear_roots(server, session, &update, now_ns);
    if (ls_dialogue_judge(server, session, now_ns) && hear_inputs(server, session, &update, now_ns))
        answer_gap(server, session, &update, now_ns);
}

static bool send_chunk(ls_server *server, ls_session *session, const ls_snapshot_blob *blob,
                       uint32_t offset, uint64_t now_ns)
{
    uint32_t left = blob->count - offset;
    ls_snapshot_chunk chunk = {.tick = blob->tick,
                               .total_bytes = blob->count,
                               .offset = offset,
                               .bytes = left < LS_CHUNK_BYTES_MAX ? left : LS_CHUNK_BYTES_MAX,
                               .data = blob->bytes + offset};
    if (!ls_budget_take(&session->snapshots, now_ns, chunk.bytes) ||
        !ls_budget_take(&server->snapshot_bytes, now_ns, chunk.bytes))
        return false;
    ls_plain plain;
    ls_snapshot_chunk_encode(&chunk, &plain);
    server->stats.snapshot_bytes_sent += chunk.bytes;
    return ls_sessions_send(server, session, &plain, now_ns);
}

static void hear_snapshot_request(ls_server *server, ls_session *session, const ls_plain *plain,
                                  uint64_t now_ns)
{
    ls_snapshot_request request;
    if (!ls_snapshot_request_decode(plain, &request)) {
        server->stats.packets_dropped++;
        return;
    }
    const ls_snapshot_blob *blob =
        ls_snapshot_cache_get(&server->snapshots, server->world, request.tick);
    server->stats.snapshots_encoded = server->snapshots.encoded;
    if (!blob) {
        ls_sessions_kick(server, session, "the world is too large to send", now_ns);
        return;
    }
    /* Not the one that was asked for: its first chunk tells the client which there is. */
    if ((request.tick != 0 && request.tick != blob->tick) || request.offset >= blob->count)
        request = (ls_snapshot_request){.bytes = 1};
    uint64_t end = (uint64_t)request.offset + request.bytes;
    for (uint64_t at = request.offset; at < end && at < blob->count; at += LS_CHUNK_BYTES_MAX)
        if (!send_chunk(server, session, blob, (uint32_t)at, now_ns))
            return;
}

static void hear_bye(ls_server *server, ls_session *session, const ls_plain *plain, uint64_t now_ns)
{
    ls_bye bye;
    if (ls_bye_decode(plain, &bye))
        ls_sessions_end(server, session, bye.text[0] ? bye.text : "the client has left", now_ns);
    else
        server->stats.packets_dropped++;
}

static void hear_message(ls_server *server, ls_session *session, const ls_plain *plain,
                         uint64_t now_ns)
{
    if (session->phase == LS_SESSION_ACCEPTED) {
        if (!ls_confirm_decode(plain))
            server->stats.packets_dropped++;
        else if (ls_sessions_activate(server, session, now_ns))
            session->heard_ns = now_ns;
        return;
    }
    session->heard_ns = now_ns;
    if (!ls_budget_take(&session->messages, now_ns, 1)) {
        server->stats.packets_dropped++;
        return;
    }
    switch (plain->type) {
    case LS_MESSAGE_UPDATE:
        hear_update(server, session, plain, now_ns);
        break;
    case LS_MESSAGE_SNAPSHOT_REQUEST:
        hear_snapshot_request(server, session, plain, now_ns);
        break;
    case LS_MESSAGE_BYE:
        hear_bye(server, session, plain, now_ns);
        break;
    default:
        server->stats.packets_dropped++;
        break;
    }
}

/* Somebody who keeps sending what does not open gains nothing, but costs; true: it has ended. */
static bool drop_forger(ls_server *server, ls_session *session, uint64_t now_ns)
{
    if (now_ns - session->opens_since_ns >= 60 * LS_SECOND_NS) {
        session->opens_since_ns = now_ns;
        session->opens_failed_before = session->seal.opens_failed;
    }
    if (session->seal.opens_failed - session->opens_failed_before < LS_SERVER_OPENS_FAILED)
        return false;
    ls_sessions_end(server, session, "too many packets that do not open", now_ns);
    return true;
}

void ls_dialogue_hear(ls_server *server, ls_session *session, const ls_packet *packet,
                      uint64_t now_ns)
{
    ls_plain plain;
    if (ls_seal_open(&session->seal, packet, &plain) == LS_OK) {
        hear_message(server, session, &plain, now_ns);
        return;
    }
    server->stats.packets_dropped++;
    drop_forger(server, session, now_ns);
}
