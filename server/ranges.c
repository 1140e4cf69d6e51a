#include "server/ranges.h"

#include "server/room_state.h"
#include "server/sessions.h"

void ls_ranges_init(ls_server *server)
{
    ls_egress_init(&server->snapshots, LS_SERVER_SNAPSHOT_BYTES_ALL);
    for (uint32_t i = 0; i < LS_SERVER_BUCKETS; i++)
        ls_load_budget_init_host(&server->host_loads[i],
                                 (ls_load_limits){.snapshots = server->snapshots_per_host,
                                                  .bytes_per_s = server->snapshot_bytes_per_host},
                                 server->egress.per_s);
}

/* Checks a chunk's checksum. When it is wrong, discards the blob, logs the damage and returns
 * false. */
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

/* Charges a chunk to the session, the host and the server. If one budget refuses it, none is
 * charged. */
static bool pay(ls_server_session *session, const ls_snapshot_blob *blob, uint32_t bytes,
                uint64_t now_ns)
{
    ls_server *server = session->room->server;
    uint32_t rank = ls_load_budget_rank(&session->loads, now_ns);
    if (!ls_egress_allows(&server->egress, now_ns, LS_PACKET_BYTES_MAX, rank) ||
        !ls_egress_allows(&server->snapshots, now_ns, bytes, rank) ||
        !ls_load_budget_take(&session->loads, now_ns, bytes, blob->count))
        return false;
    if (!ls_load_budget_take(&server->host_loads[session->entrant.bucket], now_ns, bytes,
                             blob->count)) {
        ls_load_budget_give(&session->loads, bytes, blob->count);
        return false;
    }
    ls_egress_charge(&server->snapshots, now_ns, bytes);
    return true;
}

static bool send_chunk(ls_server_session *session, const ls_snapshot_blob *blob, uint32_t offset,
                       uint32_t left, uint64_t now_ns)
{
    ls_room *room = session->room;
    ls_snapshot_chunk chunk = {.tick = blob->tick,
                               .total_bytes = blob->count,
                               .raw_bytes = blob->raw_count,
                               .offset = offset,
                               .bytes = left < LS_CHUNK_BYTES_MAX ? left : LS_CHUNK_BYTES_MAX,
                               .data = blob->bytes + offset};
    if (!pay(session, blob, chunk.bytes, now_ns)) {
        room->stats.ranges_limited++;
        return false;
    }
    if (!chunk_is_sound(room, blob, offset, chunk.bytes))
        return false;
    ls_plain plain;
    ls_snapshot_chunk_encode(&chunk, &plain);
    room->stats.snapshot_bytes_sent += chunk.bytes;
    return ls_sessions_send(session, &plain, now_ns);
}

static void send_range(ls_server_session *session, const ls_snapshot_blob *blob,
                       ls_snapshot_request request, uint64_t now_ns)
{
    /* The requested snapshot is gone: the first chunk tells the client which one exists. */
    if ((request.tick != 0 && request.tick != blob->tick) || request.offset >= blob->count)
        request = (ls_snapshot_request){.bytes = 1};
    uint32_t blocks = (request.bytes - 1) / LS_SNAPSHOT_BLOCK_BYTES + 1;
    uint32_t left = blob->count - request.offset;
    if (left > blocks * LS_SNAPSHOT_BLOCK_BYTES)
        left = blocks * LS_SNAPSHOT_BLOCK_BYTES;
    uint32_t end = request.offset + left;
    for (uint32_t at = request.offset; at < end; at += LS_CHUNK_BYTES_MAX)
        if (!send_chunk(session, blob, at, end - at, now_ns))
            return;
}

/* Returns the oldest tick with a snapshot that may answer this request. A ping asks for one byte,
 * and any snapshot answers it. A client that was told to reload needs a snapshot from after that
 * notice. */
static uint64_t oldest_tick(const ls_server_session *session, const ls_snapshot_request *request)
{
    const ls_room *room = session->room;
    uint64_t age = (uint64_t)room->match.config.tick_rate * LS_SERVER_SNAPSHOT_AGE_MS / 1000 + 1;
    uint64_t world = room->match.referee.next - 1;
    uint64_t oldest = world < age ? 0 : world - age;
    oldest = oldest < session->reload_tick ? session->reload_tick : oldest;
    return request->bytes == 1 ? 0 : oldest;
}

static const ls_snapshot_blob *find_blob(ls_server_session *session,
                                         const ls_snapshot_request *request, uint64_t now_ns)
{
    ls_room *room = session->room;
    const ls_snapshot_blob *blob = ls_snapshot_cache_get(&room->snapshots, request->tick,
                                                         oldest_tick(session, request), now_ns);
    /* If the snapshot of the requested tick is gone, a chunk of the newest one tells the client. */
    return blob || !request->tick ? blob : ls_snapshot_cache_newest(&room->snapshots);
}

/* Whether a budget is used up. A request over a budget must not make the server pack or keep a
 * snapshot. */
static bool is_spent(ls_server_session *session, uint64_t now_ns)
{
    ls_load_budget *host = &session->room->server->host_loads[session->entrant.bucket];
    return ls_load_budget_is_spent(&session->loads, now_ns) ||
           ls_load_budget_is_spent(host, now_ns);
}

void ls_ranges_answer(ls_server_session *session, const ls_snapshot_request *request,
                      uint64_t now_ns)
{
    ls_room *room = session->room;
    if (is_spent(session, now_ns)) {
        room->stats.ranges_limited++;
        return;
    }
    const ls_snapshot_blob *blob = find_blob(session, request, now_ns);
    if (blob) {
        send_range(session, blob, *request, now_ns);
        return;
    }
    session->wants_snapshot = true;
    session->request = *request;
    ls_flag_raise(room->flag);
}

void ls_ranges_serve(ls_server_session *session, uint64_t now_ns)
{
    if (!session->wants_snapshot)
        return;
    ls_room *room = session->room;
    if (room->snapshots.is_too_large) {
        ls_sessions_kick(session, "the world is too large to send", now_ns);
        return;
    }
    const ls_snapshot_blob *blob = ls_snapshot_cache_newest(&room->snapshots);
    if (!blob)
        return;
    session->wants_snapshot = false;
    send_range(session, blob, session->request, now_ns);
}
