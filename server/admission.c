#include "server/admission.h"

#include "core/base/fault_injection.h"
#include "proto/secret.h"
#include "server/admission_rights.h"
#include "server/capacity.h"
#include "server/entrance.h"
#include "server/host_bucket.h"
#include "server/room_finder.h"
#include "server/room_state.h"
#include "server/room_table.h"
#include "server/sessions.h"
#include <lockstep/hash.h>
#include <lockstep/link_remote.h>
#include <lockstep/session_limits.h>

#include <stdio.h>
#include <string.h>

#define TEXT_OF(number_) #number_
#define TEXT(number_)    TEXT_OF(number_)
/* Reasons to put a client off when a table is full. */
#define ANSWERED TEXT(LS_SERVER_PENDING) " clients were answered within seconds"
#define AWAITED  TEXT(LS_LINK_ADMISSIONS_MAX) " clients were let in and have not connected yet"

void ls_admission_init(ls_server *server)
{
    /* A server that allows more AUTHs per host, because many players share one, allows more HELLOs
     * in proportion. */
    uint32_t auths = server->auths_per_host;
    uint32_t hellos = LS_SERVER_HELLOS_PER_NETWORK_S;
    if (auths > LS_SERVER_AUTHS_PER_HOST_S)
        hellos = hellos * auths / LS_SERVER_AUTHS_PER_HOST_S;
    uint32_t burst = auths > LS_SERVER_AUTHS_PER_HOST ? auths : LS_SERVER_AUTHS_PER_HOST;
    uint32_t rooms = server->rooms_per_host;
    uint32_t first_rooms = rooms > LS_SERVER_ROOMS_PER_HOST ? rooms : LS_SERVER_ROOMS_PER_HOST;
    ls_pending_init(&server->pending);
    ls_used_tokens_init(&server->tokens);
    ls_entropy_fill(&server->host.entropy, server->bucket_key, sizeof server->bucket_key);
    ls_spent_keys_init(&server->spent, server->bucket_key);
    ls_token_bucket_init(&server->hellos, LS_SERVER_HELLOS_PER_S, LS_SERVER_HELLOS_PER_S / 4);
    ls_token_bucket_init(&server->local_hellos, hellos, hellos);
    ls_token_bucket_init(&server->auths, LS_SERVER_AUTHS_PER_S, LS_SERVER_AUTHS_PER_S / 4);
    for (uint32_t i = 0; i < LS_SERVER_BUCKETS; i++) {
        ls_token_bucket_init(&server->network_hellos[i], hellos, hellos);
        ls_token_bucket_init(&server->host_auths[i], auths, burst);
        ls_token_bucket_init(&server->host_log_lines[i], LS_SERVER_LOG_LINES_PER_HOST_S,
                             LS_SERVER_LOG_LINES_PER_HOST);
        ls_token_bucket_init(&server->host_rooms[i], rooms, 60 * first_rooms);
    }
}

void ls_admission_reset(ls_server *server)
{
    ls_pending_reset(&server->pending);
    ls_used_tokens_reset(&server->tokens);
    ls_spent_keys_reset(&server->spent);
}

/* Logs a handshake that did not lead to a session. */
static void log_handshake(ls_server *server, const ls_handshake_message *message, const char *event,
                          const char *client, const char *why)
{
    char address[LS_REMOTE_TEXT_BYTES], reason[LS_EVENT_LOG_QUOTED_BYTES];
    char named[LS_EVENT_LOG_CLIENT_BYTES];
    ls_link_describe(server->link, &message->remote, address);
    const ls_remote_origin origin = ls_link_locate(server->link, &message->remote);
    ls_token_bucket *host = &server->host_log_lines[ls_host_bucket(server, &origin.host)];
    ls_event_log_write_of(&server->log, host, message->now_ns, "%s address=%s%s reason=%s", event,
                          address, ls_event_log_client(client, named),
                          ls_event_log_quote(why, reason));
}

/* Charges a HELLO. Local clients have a separate bucket: a flood from outside must not make the
 * server look dead to a local supervisor, which would restart it. */
static bool may_say_hello(ls_server *server, const ls_handshake_message *message)
{
    const ls_remote_origin origin = ls_link_locate(server->link, &message->remote);
    if (origin.is_local)
        return ls_token_bucket_take(&server->local_hellos, message->now_ns, 1);
    uint32_t network = ls_host_bucket(server, &origin.network);
    return ls_token_bucket_take(&server->network_hellos[network], message->now_ns, 1) &&
           ls_token_bucket_take(&server->hellos, message->now_ns, 1);
}

static void receive_hello(ls_server *server, const ls_handshake_message *message)
{
    server->stats.hellos++;
    if (!may_say_hello(server, message)) {
        server->stats.hellos_limited++;
        server->handshakes_refused[LS_REFUSED_LIMITED]++;
        return;
    }
    uint8_t bytes[LS_MTU_BYTES];
    ls_writer reply;
    ls_writer_init(&reply, bytes, sizeof bytes);
    ls_error error = {""};
    ls_status status = ls_handshake_server_hello(&server->handshake, message, &reply, &error);
    if (status == LS_ERROR_INCOMPATIBLE || status == LS_ERROR_REFUSED) {
        server->stats.rejects++;
        server->handshakes_refused[LS_REFUSED_INCOMPATIBLE]++;
        log_handshake(server, message, "hello_rejected", "", error.text);
    }
    /* NOT_FOUND: the HELLO names no simulation, as from a health check or a client that asks what
     * runs here. The reply is written already; if all matches are stalled, a refusal replaces it.
     */
    if (status == LS_ERROR_NOT_FOUND && ls_room_table_is_stalled(server)) {
        ls_writer_init(&reply, bytes, sizeof bytes);
        ls_handshake_reject(LS_REJECT_POLICY, "all its matches are stalled: the simulation hangs",
                            &reply);
    }
    if (reply.count)
        ls_link_post(server->link, &message->remote, bytes, (uint32_t)reply.count);
}

static void fill_entrant(const ls_handshake_auth *auth, ls_entrant *entrant)
{
    entrant->seat = LS_SEAT_NONE;
    entrant->is_bot = (auth->flags & LS_HANDSHAKE_BOT) != 0;
    entrant->is_light = (auth->flags & LS_HANDSHAKE_LIGHT) != 0;
    entrant->capabilities = auth->carrier.capabilities;
    memcpy(entrant->name, auth->name, sizeof entrant->name);
    memcpy(entrant->build, auth->build, sizeof entrant->build);
    if (auth->has_token)
        memcpy(entrant->client, auth->token.client, sizeof entrant->client);
}

static uint32_t draw_connect_id(ls_server *server)
{
    uint32_t id;
    do
        ls_entropy_fill(&server->host.entropy, &id, sizeof id);
    while (id == 0 || ls_pending_find_id(&server->pending, id));
    return id;
}

/* Writes the ACCEPT and admits the connection to the link. */
static ls_status accept(ls_server *server, ls_handshake_auth *auth, ls_pending *pending,
                        ls_writer *reply)
{
    const ls_room *room = pending->room;
    uint32_t seat = pending->entrant.seat;
    ls_handshake_accept granted = {.player = seat == LS_SEAT_NONE ? LS_HANDSHAKE_PLAYER_NONE
                                                                  : (uint8_t)seat,
                                   .connect_id = draw_connect_id(server),
                                   .epoch = LS_FAULT(EPOCH_NOT_SENT) ? 0 : room->epoch,
                                   .tick = room->match.ring.next,
                                   .match = room->match.config};
    memcpy(granted.room, room->name, sizeof granted.room);
    ls_handshake_server_accept(&server->handshake, auth, &granted, reply);
    LS_ASSERT(!reply->failed);
    ls_secret_hash(granted.resume_secret, LS_RESUME_BYTES, pending->entrant.new_secret);
    ls_wipe(&granted, sizeof granted);
    pending->connect_id = auth->carrier.connect_id;
    pending->keys = auth->keys;
    pending->carrier = auth->carrier;
    return ls_link_admit(server->link, &pending->entrant.remote, &auth->carrier, pending->until_ns);
}

/* Tells a client that the server is busy, so that it asks again. Called only after a cookie has
 * proved the address; the answer is shorter than an AUTH. */
static void put_off(ls_server *server, const ls_handshake_message *message, const char *why)
{
    uint8_t bytes[LS_ACCEPT_BYTES_MAX];
    ls_writer reply;
    ls_writer_init(&reply, bytes, sizeof bytes);
    ls_handshake_reject(LS_REJECT_BUSY, why, &reply);
    server->stats.auths_refused++;
    server->stats.rejects++;
    server->handshakes_refused[LS_REFUSED_PUT_OFF]++;
    log_handshake(server, message, "auth_put_off", "", why);
    ls_link_post(server->link, &message->remote, bytes, (uint32_t)reply.count);
}

/* Counts an AUTH that gets no answer. */
static void refuse_silently(ls_server *server, ls_handshake_refusal refusal)
{
    server->stats.auths_refused++;
    server->handshakes_refused[refusal]++;
}

static ls_reject_code code_of(const ls_pending *pending, ls_status status)
{
    if (pending->put_off)
        return LS_REJECT_BUSY;
    return status == LS_ERROR_LIMIT ? LS_REJECT_FULL : LS_REJECT_POLICY;
}

/* A player with the resume secret of a seat is put off while all connections of the server or of
 * its host are in use, because one of them may be its own former connection. Others are refused. */
static ls_status check_connections(ls_server *server, const ls_handshake_auth *auth,
                                   ls_pending *pending, ls_error *error)
{
    const ls_remote_key *host = &pending->entrant.host;
    if (auth->flags & LS_HANDSHAKE_SPECTATE)
        return ls_capacity_spectator(server, host, error);
    ls_status status = ls_capacity_connection(server, host, error);
    if (status == LS_ERROR_LIMIT && pending->room)
        pending->put_off = LS_PUT_OFF_CONNECTION;
    return status;
}

/* Whether the room admits this client. It is refused without a required token and when the match is
 * over, and put off while the room is restored or its match moves to another address. */
static ls_status check_room(const ls_handshake_auth *auth, ls_pending *pending, ls_error *error)
{
    const ls_room *room = pending->room;
    if (room->requires_token && !auth->has_token)
        return ls_error_set(error, LS_ERROR_REFUSED,
                            "this match admits only clients with a connect token");
    if (room->state == LS_ROOM_RESTORING) {
        pending->put_off = LS_PUT_OFF_OPENING;
        return ls_error_set(error, LS_ERROR_LIMIT, "its room is being opened");
    }
    if (room->state < LS_ROOM_ENDING)
        return LS_OK;
    if (room->handover == LS_HANDOVER_STOPPED) {
        pending->put_off = LS_PUT_OFF_OPENING;
        return ls_error_set(error, LS_ERROR_LIMIT, "its match moves to another address");
    }
    bool has_failed = room->stats.ended_by == LS_CLOSING_FAILED;
    return ls_error_set(error, LS_ERROR_REFUSED, "the match is over%s%.180s",
                        has_failed ? ": " : "", has_failed ? room->end_reason : "");
}

/* Finds the room and the seat of an authenticated client, or a reason against it. */
static ls_status find_place(ls_server *server, ls_handshake_auth *auth, ls_pending *pending,
                            const ls_handshake_message *message, ls_error *error)
{
    ls_room_request request = {
        .auth = auth, .bucket = pending->entrant.bucket, .now_ns = message->now_ns};
    ls_status status =
        ls_admission_rights_check(server, auth, &message->remote, &request.name, error);
    if (status)
        return status;
    if ((status = ls_admission_rights_check_process(server, pending, error)))
        return status;
    if ((status = check_connections(server, auth, pending, error)))
        return status;
    if ((status = ls_room_finder_find(server, &request, &pending->room, error))) {
        if (request.may_wait)
            pending->put_off = LS_PUT_OFF_SEAT;
        return status;
    }
    if ((status = check_room(auth, pending, error)))
        return status;
    return ls_entrance_choose_seat(pending, auth, message->now_ns, error);
}

/* Answers an authenticated client with ACCEPT or a reason. */
static void admit(ls_server *server, ls_handshake_auth *auth, ls_pending *pending,
                  const ls_handshake_message *message)
{
    ls_error error = {""};
    ls_writer reply;
    ls_writer_init(&reply, pending->answer, sizeof pending->answer);
    ls_status status = find_place(server, auth, pending, message, &error);
    if (!status && (status = accept(server, auth, pending, &reply))) {
        ls_sessions_leave_seat(pending->room, &pending->entrant);
        pending->connect_id = 0;
        pending->put_off = LS_PUT_OFF_ADMISSIONS;
        ls_error_set(&error, LS_ERROR_LIMIT, AWAITED);
        ls_writer_init(&reply, pending->answer, sizeof pending->answer);
    }
    if (status && !ls_admission_rights_forward(server, auth, pending, &reply)) {
        ls_handshake_reject(code_of(pending, status), error.text, &reply);
        server->stats.rejects++;
        server->handshakes_refused[pending->put_off ? LS_REFUSED_PUT_OFF : LS_REFUSED_DENIED]++;
        log_handshake(server, message, pending->put_off ? "auth_put_off" : "auth_rejected",
                      pending->entrant.client, error.text);
    }
    pending->answer_bytes = (uint32_t)reply.count;
    ls_link_post(server->link, &message->remote, pending->answer, pending->answer_bytes);
}

static void release(ls_server *server, ls_pending *pending, uint64_t now_ns)
{
    if (pending->connect_id) {
        ls_sessions_leave_seat(pending->room, &pending->entrant);
        ls_spent_keys_add(&server->spent, pending->ephemeral, now_ns);
    }
    ls_pending_release(&server->pending, pending);
}

/* Releases the grants of the remote of `kept` that are not younger than `kept` and at least
 * `age_ns` old. */
static void release_grants(ls_server *server, const ls_pending *kept, uint64_t age_ns,
                           uint64_t now_ns)
{
    const ls_remote *remote = &kept->entrant.remote;
    ls_pending_table *table = &server->pending;
    for (uint32_t i = 0; i < LS_SERVER_PENDING; i++) {
        ls_pending *former = &table->items[i];
        if (table->keys[i] && former != kept && former->connect_id &&
            former->since_ns <= kept->since_ns && now_ns - former->since_ns >= age_ns &&
            ls_remote_is_same(&former->entrant.remote, remote))
            release(server, former, now_ns);
    }
}

/* Releases the grants and unconfirmed sessions of a remote that begins a new handshake; otherwise
 * the client would find its own seat taken. Those younger than a second stay: they may belong to
 * the newer attempt, overtaken by an AUTH of the older one. When the remote has a session, the AUTH
 * may be an old one that an attacker repeats: its grant is then not extended. */
static void release_former(ls_server *server, ls_pending *pending, uint64_t now_ns)
{
    const ls_remote *remote = &pending->entrant.remote;
    release_grants(server, pending, LS_SECOND_NS, now_ns);
    for (uint32_t i = 0; i < server->peers_max; i++) {
        ls_server_session *session = &server->sessions[i];
        if (session->phase == LS_SERVER_SESSION_FREE ||
            !ls_remote_is_same(&session->entrant.remote, remote))
            continue;
        pending->is_brief |= session->phase == LS_SERVER_SESSION_ACTIVE;
        if (session->phase == LS_SERVER_SESSION_ACCEPTED &&
            now_ns - session->since_ns >= LS_SECOND_NS)
            ls_sessions_end(session, "its client has begun a new handshake", now_ns);
    }
}

/* Answers a new AUTH and stores the answer in the entry. Frees the entry if there is no answer. */
static void answer_auth(ls_server *server, const ls_handshake_message *message, ls_pending *pending)
{
    ls_handshake_auth auth;
    ls_error error = {""};
    ls_status status = ls_handshake_server_auth(&server->handshake, message, &auth, &error);
    bool is_token = auth.failed == LS_HANDSHAKE_CHECK_TOKEN;
    if (status == LS_OK)
        pending->room = ls_room_finder_own(server, &auth);
    if (status == LS_OK && auth.has_token)
        is_token = (status = ls_entrance_check_token(server, &auth, pending, &error)) != LS_OK;
    if (status == LS_OK) {
        release_former(server, pending, message->now_ns);
        fill_entrant(&auth, &pending->entrant);
        admit(server, &auth, pending, message);
    } else {
        refuse_silently(server, is_token ? LS_REFUSED_TOKEN : LS_REFUSED_INVALID);
        server->stats.tokens_refused += is_token;
        log_handshake(server, message, "auth_dropped", auth.token.client, error.text);
    }
    if (!pending->answer_bytes)
        ls_pending_release(&server->pending, pending);
    ls_handshake_auth_reset(&auth);
}

/* Repeats a stored answer. Each repetition extends the grant, up to a limit, because the answers
 * may be lost on a bad line. */
static void answer_again(ls_server *server, ls_pending *pending, uint64_t now_ns)
{
    server->stats.auths_repeated++;
    uint64_t until_ns = now_ns + LS_SERVER_HANDSHAKE_NS;
    if (until_ns > pending->since_ns + LS_SERVER_HANDSHAKE_MAX_NS)
        until_ns = pending->since_ns + LS_SERVER_HANDSHAKE_MAX_NS;
    if (pending->connect_id && !pending->is_brief && until_ns > pending->until_ns &&
        ls_link_admit(server->link, &pending->entrant.remote, &pending->carrier, until_ns) == LS_OK)
        pending->until_ns = until_ns;
    ls_link_post(server->link, &pending->entrant.remote, pending->answer, pending->answer_bytes);
}

/* Charges the budgets of a new AUTH. When one is used up, puts the client off and returns false. */
static bool may_authenticate(ls_server *server, const ls_handshake_message *message, uint32_t host)
{
    char why[LS_REASON_BYTES];
    if (!ls_token_bucket_take(&server->host_auths[host], message->now_ns, 1)) {
        snprintf(why, sizeof why, "over %u clients a second ask from this address%s%s%s",
                 server->auths_per_host, LS_REMEDY(server->auths_per_host_remedy));
        put_off(server, message, why);
        return false;
    }
    if (!ls_token_bucket_take(&server->auths, message->now_ns, 1)) {
        snprintf(why, sizeof why, "over %d clients a second ask the server", LS_SERVER_AUTHS_PER_S);
        put_off(server, message, why);
        return false;
    }
    return true;
}

/* Handles an AUTH that was not answered before. */
static void receive_new_auth(ls_server *server, const ls_handshake_message *message,
                             const uint8_t *ephemeral)
{
    const ls_remote_key host = ls_link_locate(server->link, &message->remote).host;
    uint32_t bucket = ls_host_bucket(server, &host);
    if (!may_authenticate(server, message, bucket))
        return;
    server->auths_judged++;
    ls_pending *pending =
        ls_pending_add(&server->pending, &message->remote, ephemeral, message->now_ns);
    if (!pending) {
        put_off(server, message, ANSWERED);
        return;
    }
    pending->entrant.host = host;
    pending->entrant.bucket = bucket;
    answer_auth(server, message, pending);
}

/* Whether a client that was put off is to be judged again, because what it waits for may have come.
 * The check reads all sessions, so it is done seldom, however often the client asks. */
static bool may_enter_now(ls_server *server, ls_pending *pending, uint64_t now_ns)
{
    if (!pending->put_off || now_ns - pending->judged_ns < LS_SERVER_JUDGE_AGAIN_NS)
        return false;
    pending->judged_ns = now_ns;
    switch (pending->put_off) {
    case LS_PUT_OFF_SHARE:
        return ls_entrance_check_newcomer(server, pending, now_ns, NULL) == LS_OK;
    case LS_PUT_OFF_SEAT: /* the reserved seat may be its own, by an earlier AUTH */
        release_grants(server, pending, LS_SECOND_NS, now_ns);
        return ls_capacity_has_seat(server, pending->room);
    case LS_PUT_OFF_CONNECTION:
        return ls_capacity_connection(server, &pending->entrant.host, NULL) == LS_OK;
    case LS_PUT_OFF_OPENING:
        return pending->room->state != LS_ROOM_RESTORING && !pending->room->handover;
    default:
        return now_ns - pending->since_ns >= LS_SECOND_NS;
    }
}

static void receive_auth(ls_server *server, const ls_handshake_message *message)
{
    const uint8_t *ephemeral;
    server->stats.auths++;
    if (!ls_handshake_server_knows(&server->handshake, message, &ephemeral)) {
        refuse_silently(server, LS_REFUSED_INVALID);
        return;
    }
    ls_pending *pending = ls_pending_find(&server->pending, &message->remote, ephemeral);
    if (pending && may_enter_now(server, pending, message->now_ns)) {
        ls_pending_release(&server->pending, pending);
        pending = NULL;
    }
    if (pending) {
        answer_again(server, pending, message->now_ns);
    } else if (ls_spent_keys_has(&server->spent, ephemeral, message->now_ns)) {
        refuse_silently(server, LS_REFUSED_INVALID);
    } else {
        receive_new_auth(server, message, ephemeral);
    }
}

void ls_admission_receive(ls_server *server, const ls_remote *from, const ls_packet *packet,
                          uint64_t now_ns)
{
    ls_handshake_message message = {.data = packet->data,
                                    .bytes = packet->bytes,
                                    .remote = *from,
                                    .now_ns = now_ns,
                                    .unix_s = server->host.now_unix_s};
    if (packet->bytes == LS_HELLO_BYTES)
        receive_hello(server, &message);
    else if (packet->bytes == LS_AUTH_BYTES)
        receive_auth(server, &message);
    else
        server->stats.packets_dropped++;
}

void ls_admission_connected(ls_server *server, ls_peer peer, uint32_t connect_id, uint64_t now_ns)
{
    ls_pending *pending = ls_pending_find_id(&server->pending, connect_id);
    bool is_wanted =
        pending && ls_capacity_keeps(server, pending->entrant.seat, &pending->entrant.host);
    if (!is_wanted || !ls_sessions_open(server, peer, pending, now_ns)) {
        ls_link_disconnect(server->link, peer);
        if (pending)
            release(server, pending, now_ns);
        return;
    }
    /* A late copy of the AUTH may still arrive, so the entry keeps its answer. The seat now belongs
     * to the session. */
    ls_spent_keys_add(&server->spent, pending->ephemeral, now_ns);
    ls_wipe(&pending->keys, sizeof pending->keys);
    ls_wipe(&pending->carrier, sizeof pending->carrier);
    pending->connect_id = 0;
    /* An earlier attempt has failed; repeats of its AUTH would keep a second seat taken. */
    release_grants(server, pending, 0, now_ns);
}

void ls_admission_expire(ls_server *server, const ls_room *room, uint64_t now_ns)
{
    ls_pending_table *table = &server->pending;
    for (uint32_t i = 0; i < LS_SERVER_PENDING; i++) {
        ls_pending *pending = &table->items[i];
        if (!table->keys[i] || !(room ? pending->room == room : pending->until_ns <= now_ns))
            continue;
        server->stats.handshakes_expired += pending->connect_id != 0;
        release(server, pending, now_ns);
    }
}
