#include "client/connect.h"

#include "core/base/fault_injection.h"

#include <stdio.h>
#include <string.h>

void ls_connect_init(ls_connect *connect, ls_connection *connection, const ls_client_config *config)
{
    *connect = (ls_connect){.connection = connection, .unix_s = config->unix_s};
    const ls_sim *sim = ls_program_sim(config->program);
    ls_handshake_client_config *own = &connect->config;
    *own = (ls_handshake_client_config){
        .local.engine_version = LS_ENGINE_RULES,
        .entropy = config->entropy,
        .trust = config->trust,
        .trust_context = config->trust_context,
        .flags = (uint8_t)((config->is_spectator ? LS_HANDSHAKE_SPECTATE : 0) |
                           (config->is_light ? LS_HANDSHAKE_LIGHT : 0) |
                           (config->is_bot || config->is_machine ? LS_HANDSHAKE_BOT : 0)),
    };
    memcpy(own->local.fingerprint, ls_program_fingerprint(config->program), LS_FINGERPRINT_BYTES);
    snprintf(own->local.simulation, sizeof own->local.simulation, "%s %s", sim->name, sim->version);
    snprintf(own->local.build, sizeof own->local.build, "%s", config->build ? config->build : "");
    memcpy(own->name, config->name, sizeof own->name);
    memcpy(own->room, config->room, sizeof own->room);
    if (config->password) {
        snprintf(connect->password, sizeof connect->password, "%s", config->password);
        own->password = connect->password;
    }
    if (config->psk) {
        memcpy(connect->psk, config->psk, sizeof connect->psk);
        own->psk = connect->psk;
    }
    if (config->pass) {
        connect->pass = *config->pass;
        own->pass = &connect->pass;
    }
    if (config->pin) {
        connect->pin = *config->pin;
        own->pin = &connect->pin;
    }
    if (config->resume_secret) {
        memcpy(connect->secrets[0], config->resume_secret, LS_RESUME_BYTES);
        connect->secret_count = 1;
    }
}

void ls_connect_reset(ls_connect *connect)
{
    ls_handshake_client_reset(&connect->handshake);
    ls_wipe(connect, sizeof *connect);
}

static void send_hello(ls_connect *connect)
{
    uint8_t bytes[LS_MTU_BYTES];
    ls_writer writer;
    ls_writer_init(&writer, bytes, sizeof bytes);
    ls_handshake_client_hello(&connect->handshake, &writer);
    LS_ASSERT(!writer.failed);
    ls_connection_post(connect->connection, bytes, writer.count);
}

/* Sends an AUTH for one of the kept cookies; `age` 0 is the newest. */
static void send_auth(ls_connect *connect, uint32_t age)
{
    uint8_t bytes[LS_MTU_BYTES];
    ls_writer writer;
    ls_writer_init(&writer, bytes, sizeof bytes);
    ls_handshake_client_auth(&connect->handshake, age, &writer);
    LS_ASSERT(!writer.failed);
    connect->auth_ns = connect->connection->now_ns;
    ls_connection_post(connect->connection, bytes, writer.count);
}

/* Sends the datagrams of the present step. A repeated AUTH goes with another HELLO, because all
 * COOKIEs that came may be forged. */
static void send(ls_connect *connect)
{
    bool is_auth = connect->step == LS_CONNECT_AUTH;
    if (!is_auth || connect->sent_count > 0)
        send_hello(connect);
    for (uint32_t age = 0; is_auth && age < ls_handshake_client_kept(&connect->handshake); age++)
        send_auth(connect, age);
    connect->sent_ns = connect->connection->now_ns;
    connect->repeat_ns = connect->sent_count ? 2 * connect->repeat_ns : LS_CLIENT_REPEAT_NS;
    if (connect->repeat_ns > LS_CLIENT_REPEAT_MAX_NS)
        connect->repeat_ns = LS_CLIENT_REPEAT_MAX_NS;
    connect->sent_count++;
}

/* Begins an attempt with fresh keys. If the server may know either of two resume secrets, attempts
 * alternate between them. */
static void prepare(ls_connect *connect)
{
    /* With a link that cannot change to another address, the client does not offer to follow. */
    connect->config.local.capabilities = LS_SESSION_CAPABILITIES;
    if (!connect->connection->link->vtable->redirect)
        connect->config.local.capabilities &= ~(uint32_t)LS_CAPABILITY_FOLLOW;
    connect->secret_index = connect->secret_count > 1 ? 1 - connect->secret_index : 0;
    connect->config.resume_secret =
        connect->secret_count ? connect->secrets[connect->secret_index] : NULL;
    ls_handshake_client_reset(&connect->handshake);
    ls_handshake_client_init(&connect->handshake, &connect->config);
    connect->step = LS_CONNECT_HELLO;
    connect->sent_count = 0;
    connect->repeat_ns = LS_CLIENT_REPEAT_NS;
    connect->auths = 0;
}

static void forget_refusal(ls_connect *connect)
{
    connect->refusal = LS_OK;
}

static void remember_refusal(ls_connect *connect, ls_status status, const char *why)
{
    if (!connect->refusal)
        connect->refused_ns = connect->connection->now_ns;
    connect->refusal = status;
    snprintf(connect->refused, sizeof connect->refused, "%.500s", why);
}

/* Remembers that the server put this client off. AUTH is then repeated without a growing timeout,
 * because the server may have capacity again at any moment. */
static void remember_put_off(ls_connect *connect, const char *why)
{
    connect->put_off_ns = connect->connection->now_ns;
    snprintf(connect->put_off, sizeof connect->put_off, "%.500s", why);
    if (connect->step == LS_CONNECT_AUTH)
        connect->repeat_ns = LS_CLIENT_REPEAT_NS;
}

const char *ls_connect_put_off(const ls_connect *connect)
{
    bool is_last = connect->auth_ns < connect->put_off_ns + 2 * LS_CLIENT_REPEAT_MAX_NS;
    return connect->put_off[0] && is_last ? connect->put_off : NULL;
}

void ls_connect_begin(ls_connect *connect)
{
    if (connect->connection->is_proven)
        connect->secret_count = 1;
    connect->secret_index = 1; /* the newest first */
    forget_refusal(connect);
    prepare(connect);
    send(connect);
}

void ls_connect_name_room(ls_connect *connect)
{
    const ls_handshake_accept *accept = &connect->connection->accept;
    memcpy(connect->config.room, accept->room, sizeof connect->config.room);
}

void ls_connect_cancel(ls_connect *connect)
{
    ls_handshake_client_reset(&connect->handshake);
    forget_refusal(connect);
    connect->step = LS_CONNECT_NONE;
}

/* Measures a round trip from an AUTH that was sent once, for the only cookie. Otherwise the ACCEPT
 * does not tell which AUTH it answers. */
static void sample(ls_connect *connect)
{
    if (connect->sent_count == 1 && connect->handshake.cookie_count == 1)
        ls_connection_sample_rtt(connect->connection,
                                 connect->connection->now_ns - connect->sent_ns);
}

/* Whether the handshake may go on with this answer. Counts a corrupt answer as dropped, remembers a
 * refusal or that the server put the client off, and enters LOST for any other error. */
static bool is_answer(ls_connect *connect, ls_status status, const ls_error *error)
{
    if (status == LS_ERROR_CORRUPT)
        connect->connection->stats.packets_dropped++;
    else if (status == LS_ERROR_INCOMPATIBLE || status == LS_ERROR_REFUSED)
        remember_refusal(connect, status, error->text);
    else if (status == LS_ERROR_LIMIT)
        remember_put_off(connect, error->text);
    else if (status != LS_OK)
        ls_connection_enter(connect->connection, LS_CLIENT_LOST, "%s", error->text);
    return status == LS_OK;
}

/* Tries another COOKIE that came while an ACCEPT is awaited: only the server can tell which one it
 * issued. The limit per second bounds the AUTHs that injected COOKIEs cause. */
static void try_cookie(ls_connect *connect)
{
    uint64_t now_ns = connect->connection->now_ns;
    if (now_ns - connect->auths_ns >= LS_SECOND_NS) {
        connect->auths_ns = now_ns;
        connect->auths = 0;
    }
    if (connect->auths < LS_CLIENT_AUTHS_PER_S) {
        connect->auths++;
        send_auth(connect, 0);
    }
}

static void receive_cookie(ls_connect *connect, const ls_handshake_message *message)
{
    ls_error error = {""};
    const ls_handshake_client *handshake = &connect->handshake;
    bool is_first_all = LS_FAULT(FIRST_COOKIE_WINS) || LS_FAULT(COOKIE_OF_ANY_HELLO);
    if (is_first_all && connect->step == LS_CONNECT_AUTH)
        return;
    uint64_t unix_s =
        connect->unix_s + (connect->connection->now_ns - connect->first_ns) / LS_SECOND_NS;
    uint32_t count = handshake->cookie_count;
    ls_status status = ls_handshake_client_cookie(&connect->handshake, message, unix_s, &error);
    if (connect->step == LS_CONNECT_AUTH) {
        /* A COOKIE with another server's key only counts as dropped: a trusted one has come
         * already. */
        connect->connection->stats.packets_dropped += status != LS_OK;
        if (handshake->cookie_count > count)
            try_cookie(connect);
        return;
    }
    if (status == LS_ERROR_REFUSED && !error.text[0])
        ls_error_set(&error, status, "the server's key is not trusted");
    bool is_ours = is_answer(connect, status, &error);
    if (handshake->has_server_key) {
        connect->server_key = handshake->server_key;
        connect->has_server_key = true;
    }
    if (LS_FAULT(FOREIGN_COOKIE_DRAWS) && status == LS_ERROR_REFUSED)
        prepare(connect);
    if (!is_ours)
        return;
    forget_refusal(connect);
    connect->step = LS_CONNECT_AUTH;
    connect->sent_count = 0;
    send(connect);
}

/* Whether the candidate is another seat than the client's own. A server that did not receive our
 * last CONFIRM knows only the previous secret. It gives another seat to a client that shows the
 * newer one, so the next attempt shows the previous one. */
static bool is_other_seat(const ls_connect *connect)
{
    return connect->connection->has_accept && connect->secret_count > 1 &&
           connect->secret_index == 0 &&
           connect->candidate.player != connect->connection->accept.player;
}

void ls_connect_open_carrier(ls_connect *connect)
{
    ls_connection *connection = connect->connection;
    /* ls_link_connect() replaces the old carrier, so its peer is no longer valid. */
    connection->peer = LS_PEER_NONE;
    connection->capabilities = connect->handshake.carrier.capabilities;
    ls_connection_set_keys(connection, &connect->handshake.keys);
    if (!connection->has_accept) {
        connection->accept = connect->candidate; /* the world is created for this match */
        ls_connection_enter(connection, LS_CLIENT_CONNECTING, "let in");
    }
    connect->step = LS_CONNECT_CARRIER;
    connect->was_accepted = true;
    connect->sent_ns = connection->now_ns;
    ls_status status =
        ls_link_connect(connection->link, connection->now_ns, &connect->handshake.carrier);
    ls_handshake_client_reset(&connect->handshake);
    if (status != LS_OK)
        ls_connect_disconnected(connect);
}

static bool receive_accept(ls_connect *connect, const ls_handshake_message *message)
{
    ls_error error = {""};
    ls_status status =
        ls_handshake_client_accept(&connect->handshake, message, &connect->candidate, &error);
    if (!is_answer(connect, status, &error))
        return false;
    sample(connect);
    forget_refusal(connect);
    connect->server_key = connect->handshake.server_key;
    if (!is_other_seat(connect))
        return true;
    prepare(connect);
    send(connect);
    return false;
}

bool ls_connect_receive(ls_connect *connect, const ls_packet *packet)
{
    ls_handshake_message message = {
        .data = packet->data, .bytes = packet->bytes, .now_ns = connect->connection->now_ns};
    bool is_cookie = ls_handshake_is_cookie(&message);
    if (connect->step == LS_CONNECT_AUTH && !is_cookie)
        return receive_accept(connect, &message);
    if (connect->step == LS_CONNECT_HELLO || connect->step == LS_CONNECT_AUTH)
        receive_cookie(connect, &message);
    else
        connect->connection->stats.packets_dropped++;
    return false;
}

/* Keeps the new secret and the one that was shown: until a packet of this session arrives, the
 * server may know either. */
static void keep_secrets(ls_connect *connect)
{
    connect->secret_count = connect->config.resume_secret ? 2 : 1;
    memmove(connect->secrets[1], connect->secrets[connect->secret_index], LS_RESUME_BYTES);
    memcpy(connect->secrets[0], connect->candidate.resume_secret, LS_RESUME_BYTES);
}

/* Pins the server's key: only the server that was trusted first may resume the session. */
static void pin_server(ls_connect *connect)
{
    connect->pin = connect->server_key;
    connect->config.pin = &connect->pin;
}

bool ls_connect_connected(ls_connect *connect, ls_peer peer)
{
    ls_connection *connection = connect->connection;
    if (connect->step != LS_CONNECT_CARRIER)
        return false;
    connection->peer = peer;
    ls_congestion_note_base(&connection->congestion, connection->now_ns - connect->sent_ns,
                            connection->now_ns);
    connection->received_ns = connection->now_ns;
    if (!connection->has_accept)
        connection->proven_ns = connection->now_ns;
    connection->ping_ns = 0;
    connection->is_proven = false;
    keep_secrets(connect);
    connection->accept = connect->candidate;
    connection->stats.resumes += connection->has_accept;
    connection->has_accept = true;
    pin_server(connect);
    connect->step = LS_CONNECT_NONE;
    ls_plain plain;
    ls_confirm_encode(&plain);
    ls_connection_send(connection, &plain);
    ls_wipe(connect->candidate.resume_secret, LS_RESUME_BYTES);
    return true;
}

void ls_connect_disconnected(ls_connect *connect)
{
    ls_connection *connection = connect->connection;
    if (connect->step != LS_CONNECT_CARRIER)
        return;
    ls_seal_reset(&connection->seal);
    prepare(connect);
    connect->sent_ns = connection->now_ns;
    if (!connection->has_accept)
        ls_connection_enter(connection, LS_CLIENT_HANDSHAKE,
                            "asking again: no connection was established");
}

void ls_connect_run(ls_connect *connect)
{
    ls_connection *connection = connect->connection;
    uint64_t waited_ns = connection->now_ns - connect->sent_ns;
    if (connect->step == LS_CONNECT_NONE)
        return;
    uint64_t timeout_ns = LS_FAULT(REJECT_AT_ONCE) ? 0 : LS_CLIENT_REJECT_NS;
    if (connect->refusal && connection->now_ns - connect->refused_ns >= timeout_ns) {
        ls_connection_refuse(connection, connect->refusal, "%s", connect->refused);
    } else if (connect->step == LS_CONNECT_CARRIER) {
        if (waited_ns >= LS_CLIENT_CARRIER_NS)
            ls_connect_disconnected(connect);
    } else if (waited_ns >= connect->repeat_ns) {
        if (connect->step == LS_CONNECT_AUTH && connect->sent_count >= LS_CLIENT_AUTH_TRIES)
            prepare(connect);
        send(connect);
    }
}
