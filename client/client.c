#include <lockstep/client.h>

#include "client/client_internal.h"
#include "client/follow.h"
#include "client/loading.h"
#include "client/playing.h"
#include "client/receive.h"
#include "client/submit.h"
#include "core/base/bounds.h"
#include "proto/text.h"

#include <stdio.h>
#include <string.h>

ls_client_config ls_client_config_default(void)
{
    return (ls_client_config){.resume_ns = LS_CLIENT_RESUME_TIMEOUT_NS,
                              .memory_max = LS_CLIENT_MEMORY_MAX,
                              .tick_rate_max = LS_TICK_RATE_MAX,
                              .players_max = LS_PLAYERS_MAX,
                              .step_ticks = LS_CLIENT_STEP_TICKS,
                              .evidence_ms = LS_CLIENT_EVIDENCE_MS,
                              .evidence_bytes = LS_CLIENT_EVIDENCE_BYTES,
                              .corrupt_at = LS_TICK_NEVER};
}

static ls_status check_config(const ls_client_config *config, ls_error *error)
{
    if (!memchr(config->name, 0, sizeof config->name) || !ls_text_is_valid(config->name))
        return ls_error_set(error, LS_ERROR_USAGE,
                            "a name is UTF-8 without control characters, at most %d bytes",
                            LS_NAME_BYTES - 1);
    if (!memchr(config->room, 0, sizeof config->room) || !ls_text_is_valid(config->room))
        return ls_error_set(error, LS_ERROR_USAGE,
                            "a room is UTF-8 without control characters, at most %d bytes",
                            LS_ROOM_BYTES - 1);
    if (config->step_ticks < 1 || config->step_ticks > LS_CLIENT_STEP_TICKS)
        return ls_error_set(error, LS_ERROR_USAGE, "a step runs 1 to %d ticks, not %u",
                            LS_CLIENT_STEP_TICKS, config->step_ticks);
    if (config->evidence_ms > LS_CLIENT_EVIDENCE_MS_MAX)
        return ls_error_set(error, LS_ERROR_USAGE, "evidence is kept for at most %d ms, not %u",
                            LS_CLIENT_EVIDENCE_MS_MAX, config->evidence_ms);
    if (config->is_light && (config->is_bot || config->corrupt_at != LS_TICK_NEVER))
        return ls_error_set(error, LS_ERROR_USAGE,
                            "a light client has no world: no bot plays it, and no bit is flipped");
    if (config->password && strlen(config->password) >= LS_PASSWORD_BYTES)
        return ls_error_set(error, LS_ERROR_USAGE, "a password has at most %d bytes",
                            LS_PASSWORD_BYTES - 1);
    return LS_OK;
}

static void init_connection(ls_client *client, const ls_client_config *config)
{
    ls_connection *connection = &client->connection;
    connection->link = config->link;
    connection->log = config->log;
    connection->log_context = config->log_context;
    connection->tick = &client->playback.frames.next;
    connection->peer = LS_PEER_NONE;
    connection->stats.player = LS_HANDSHAKE_PLAYER_NONE;
    connection->stats.slack_us = LS_SLACK_NONE;
    snprintf(connection->reason, sizeof connection->reason, "asking the server");
    ls_seal_reset(&connection->seal);
}

ls_status ls_client_create(const ls_client_config *config, ls_client **result, ls_error *error)
{
    LS_ASSERT(config->program && config->link);
    *result = NULL;
    ls_status status = check_config(config, error);
    if (status)
        return status;
    ls_client *client = ls_alloc(sizeof *client);
    client->resume_ns = config->resume_ns;
    init_connection(client, config);
    ls_connect_init(&client->connect, &client->connection, config);
    ls_outbox_init(&client->outbox, &client->connection,
                   ls_program_sim(config->program)->state_bytes);
    ls_playback_init(&client->playback, &client->connection, &client->outbox, config);
    *result = client;
    return LS_OK;
}

void ls_client_destroy(ls_client *client)
{
    if (!client)
        return;
    ls_playback_reset(&client->playback);
    ls_connect_reset(&client->connect);
    ls_seal_reset(&client->connection.seal);
    ls_wipe(client, sizeof *client);
    ls_free(client);
}

static void count_packet(ls_client *client, const ls_packet *packet)
{
    client->connection.stats.packets_received++;
    client->connection.stats.bytes_received += packet->bytes;
}

static void resume(ls_client *client, const char *why)
{
    client->connection.resumed = ls_connection_session_state(&client->connection);
    ls_connection_enter(&client->connection, LS_CLIENT_RESUMING, "%s", why);
    ls_connect_begin(&client->connect);
}

/* Follows the server to another address, and resumes the session there. A client that never resumes
 * (resume_ns is 0) enters LOST instead. */
static void follow(ls_client *client)
{
    ls_connection *connection = &client->connection;
    if (client->resume_ns == 0)
        ls_connection_enter(connection, LS_CLIENT_LOST, "the match goes on at another address");
    else if (ls_follow(&client->connect))
        resume(client, "the match goes on at another address");
}

/* Accepts packets of the existing session until a new session has replaced it: reconnecting stops
 * as soon as an authentic packet arrives. */
static void receive_packet(ls_client *client, const ls_packet *packet)
{
    ls_connection *connection = &client->connection;
    if (!ls_connection_has_session(connection)) {
        connection->stats.packets_dropped++;
        return;
    }
    bool is_resuming = connection->state == LS_CLIENT_RESUMING;
    if (!ls_receive_packet(&client->playback, packet))
        return;
    if (connection->is_led) {
        follow(client);
        return;
    }
    if (!is_resuming)
        return;
    /* The session was not lost, its packets were only late. */
    ls_connect_cancel(&client->connect);
    client->playback.advanced_ns = connection->now_ns;
    if (connection->state == LS_CLIENT_RESUMING)
        ls_connection_enter(connection, connection->resumed, "the server answers again");
}

/* An ACCEPT that forwards opens no session: the client repeats the handshake at the address in it,
 * or enters REFUSED if ls_follow() does not accept that address. */
static void receive_datagram(ls_client *client, const ls_packet *packet)
{
    ls_connect *connect = &client->connect;
    if (!ls_connect_receive(connect, packet))
        return;
    if (!ls_remote_is_none(&connect->candidate.forward)) {
        client->connection.led_to = connect->candidate.forward;
        if (ls_follow(connect))
            ls_connect_begin(connect);
        else
            ls_connection_refuse(&client->connection, LS_ERROR_REFUSED,
                                 "the server has moved, and cannot be followed");
    } else if (ls_playback_prepare(&client->playback, &connect->candidate)) {
        ls_connect_open_carrier(connect);
    }
}

static void begin_session(ls_client *client, ls_peer peer)
{
    ls_handshake_accept before = client->connection.accept;
    bool had_session = client->connection.has_accept;
    if (ls_connect_connected(&client->connect, peer))
        ls_loading_enter(&client->playback, had_session ? &before : NULL);
    ls_wipe(&before, sizeof before);
}

/* The server has sent END, and the last ticks still have to run here. */
static bool is_ending(const ls_client *client)
{
    return client->playback.has_end && client->connection.state == LS_CLIENT_PLAYING;
}

static void receive_disconnect(ls_client *client, ls_peer peer)
{
    ls_connection *connection = &client->connection;
    if (connection->peer == LS_PEER_NONE) {
        ls_connect_disconnected(&client->connect);
    } else if (peer == connection->peer) {
        connection->peer = LS_PEER_NONE;
        if (is_ending(client))
            return;
        if (client->resume_ns == 0)
            ls_connection_enter(connection, LS_CLIENT_LOST, "the connection is gone");
        else if (connection->state != LS_CLIENT_RESUMING && !ls_client_is_final(client))
            resume(client, "the connection is gone");
    }
}

static void poll_link(ls_client *client)
{
    ls_link_event event;
    while (ls_link_poll(client->connection.link, client->connection.now_ns, &event)) {
        client->connection.arrived_ns = event.arrived_ns;
        switch (event.kind) {
        case LS_LINK_CONNECTED:
            begin_session(client, event.peer);
            break;
        case LS_LINK_DISCONNECTED:
            receive_disconnect(client, event.peer);
            break;
        case LS_LINK_MESSAGE:
            count_packet(client, &event.packet);
            receive_packet(client, &event.packet);
            break;
        case LS_LINK_DATAGRAM:
            count_packet(client, &event.packet);
            receive_datagram(client, &event.packet);
            break;
        case LS_LINK_MOVED: /* only a server's link reports it */
            break;
        }
    }
}

static void watch_silence(ls_client *client)
{
    ls_connection *connection = &client->connection;
    uint64_t silence_ns = connection->now_ns - connection->received_ns;
    uint64_t timeout_ns = client->resume_ns ? client->resume_ns : LS_CLIENT_SILENCE_NS;
    if (connection->now_ns - connection->proven_ns >= timeout_ns)
        ls_connection_enter(connection, LS_CLIENT_LOST, "no packet from the server for %d s",
                            (int)(timeout_ns / LS_SECOND_NS));
    else if (client->resume_ns && connection->state != LS_CLIENT_RESUMING &&
             silence_ns >= LS_CLIENT_RESUME_NS)
        resume(client, "no packet from the server");
}

/* A server does not answer an AUTH with a wrong password, psk or token, so the client can only
 * guess what to advise. */
static const char *secret_remedy(const ls_connect *connect)
{
    const ls_handshake_client_config *shown = &connect->config;
    if (shown->pass)
        return "the server answers, but does not take the connect token: it has expired, came from "
               "another address before, or is for another server";
    if (shown->password || shown->psk)
        return "the server answers, but refuses: the password is wrong, or it has none";
    return "the server answers, but refuses: a password or a connect token is needed";
}

static void watch_handshake(ls_client *client)
{
    const ls_connect *connect = &client->connect;
    ls_connection *connection = &client->connection;
    if (connection->now_ns - connect->first_ns < LS_CLIENT_HANDSHAKE_NS)
        return;
    if (connect->sent_count > 0 && !connect->has_server_key)
        ls_connection_enter(connection, LS_CLIENT_LOST, "the server does not answer");
    else if (connect->refusal)
        return; /* ls_connect_run() soon reports the refusal, which has a better reason */
    else if (ls_connect_put_off(connect))
        ls_connection_refuse(connection, LS_ERROR_REFUSED, "%s", ls_connect_put_off(connect));
    else if (connect->was_accepted)
        ls_connection_refuse(connection, LS_ERROR_REFUSED,
                             "the server lets us in, but answers no connection: all that it takes "
                             "may be in use; try again later");
    else
        ls_connection_refuse(connection, LS_ERROR_REFUSED, "%s", secret_remedy(connect));
}

uint64_t ls_client_step(ls_client *client, uint64_t now_ns)
{
    ls_connection *connection = &client->connection;
    connection->now_ns = now_ns;
    /* The link is polled in a final state too: the last messages must still be sent. */
    poll_link(client);
    if (!client->has_stepped) {
        client->has_stepped = true;
        client->connect.first_ns = now_ns;
        ls_connect_begin(&client->connect);
    }
    if (connection->state <= LS_CLIENT_CONNECTING)
        watch_handshake(client);
    else if (!ls_client_is_final(client) && !is_ending(client))
        watch_silence(client);
    if (!ls_client_is_final(client))
        ls_connect_run(&client->connect);
    if (connection->state == LS_CLIENT_RESUMING && ls_connection_has_session(connection))
        ls_connection_ping(connection, 0);
    ls_playing_run(&client->playback);
    ls_link_flush(connection->link, now_ns);
    return ls_client_is_final(client) ? UINT64_MAX : ls_playing_next_ns(&client->playback);
}

void ls_client_leave(ls_client *client, const char *why, uint64_t now_ns)
{
    ls_connection *connection = &client->connection;
    connection->now_ns = now_ns;
    ls_connection_send_bye(connection, why);
    ls_connection_enter(connection, LS_CLIENT_ENDED, "left%s%s", why[0] ? ": " : "", why);
    ls_link_flush(connection->link, now_ns);
}

void ls_client_set_limit(ls_client *client, uint64_t tick)
{
    client->playback.limit_tick = tick;
}

ls_status ls_client_pause(ls_client *client, bool wants_pause)
{
    /* A player that joins a paused match gets its JOIN only after the pause. So it may end the
     * pause without being in play. */
    bool has_seat = client->connection.stats.player != LS_HANDSHAKE_PLAYER_NONE;
    bool may = wants_pause ? client->playback.is_playing : has_seat;
    if (!may || client->connection.state != LS_CLIENT_PLAYING)
        return LS_ERROR_REFUSED;
    ls_plain plain;
    ls_pause_encode(wants_pause, &plain);
    ls_connection_send(&client->connection, &plain);
    return LS_OK;
}

ls_status ls_client_submit(ls_client *client, const uint8_t *data, uint32_t bytes)
{
    return ls_submit_order(&client->playback, 0, data, bytes);
}

ls_status ls_client_submit_at(ls_client *client, uint64_t tick, const uint8_t *data, uint32_t bytes)
{
    return ls_submit_order(&client->playback, tick, data, bytes);
}

ls_status ls_client_submit_state(ls_client *client, uint64_t tick, const uint8_t *bytes)
{
    return ls_submit_state(&client->playback, tick, bytes);
}

const ls_match *ls_client_match(const ls_client *client)
{
    return client->playback.has_match ? &client->connection.accept.match : NULL;
}

ls_world *ls_client_world(ls_client *client)
{
    return client->playback.has_begun ? client->playback.world : NULL;
}

const ls_public_key *ls_client_server_key(const ls_client *client)
{
    return client->connect.has_server_key ? &client->connect.server_key : NULL;
}

const uint8_t *ls_client_resume_secret(const ls_client *client)
{
    return client->connection.has_accept ? client->connection.accept.resume_secret : NULL;
}

const char *ls_client_server_build(const ls_client *client)
{
    return client->connection.has_accept ? client->connection.accept.build : NULL;
}

ls_client_state ls_client_get_state(const ls_client *client)
{
    return client->connection.state;
}

bool ls_client_is_final(const ls_client *client)
{
    return ls_client_state_is_final(client->connection.state);
}

const char *ls_client_reason(const ls_client *client)
{
    return client->connection.reason;
}

bool ls_client_next_text(ls_client *client, char text[LS_REASON_BYTES])
{
    ls_connection *connection = &client->connection;
    if (!connection->text_count)
        return false;
    memcpy(text, connection->texts[connection->text_first], LS_REASON_BYTES);
    connection->text_first = (connection->text_first + 1) % LS_CONNECTION_TEXTS_MAX;
    connection->text_count--;
    return true;
}

ls_status ls_client_refusal(const ls_client *client)
{
    return client->connection.refusal;
}

ls_client_stats ls_client_get_stats(const ls_client *client)
{
    const ls_connection *connection = &client->connection;
    const ls_playback *playback = &client->playback;
    const ls_outbox *outbox = &client->outbox;
    ls_client_stats stats = connection->stats;
    stats.tick = playback->frames.next;
    stats.head = playback->frames.head;
    stats.delay_ticks = ls_playback_lag(playback);
    const ls_tick_timing *timing = &playback->timing;
    if (ls_connection_session_state(connection) == LS_CLIENT_PLAYING && !playback->is_paused) {
        stats.behind_ns = ls_tick_timing_behind_ns(timing, playback->frames.next, &connection->line,
                                                   connection->now_ns);
        stats.delay_ticks = ls_max(stats.delay_ticks, stats.behind_ns / timing->tick_ns);
    }
    stats.ticks_timed = timing->late.count;
    stats.late_p50_ns = ls_histogram_permille(&timing->late, 500);
    stats.late_p99_ns = ls_histogram_permille(&timing->late, 990);
    stats.late_max_ns = timing->late.max_ns;
    stats.arrived_p99_ns = ls_histogram_permille(&timing->arrived, 990);
    stats.congestion = connection->congestion.level;
    stats.silence_ns = connection->has_accept ? connection->now_ns - connection->proven_ns : 0;
    stats.is_playing = playback->is_playing;
    stats.is_paused = playback->is_paused;
    stats.roots_sent = outbox->roots.sent;
    stats.inputs_submitted = outbox->orders.submitted;
    stats.inputs_acked = outbox->orders.acked;
    stats.inputs_lost = outbox->orders.lost;
    stats.input_delay_ticks = outbox->delay.ticks;
    stats.epoch = connection->accept.epoch;
    stats.frames_received = playback->frames.received;
    stats.frames_duplicate = playback->frames.duplicates;
    return stats;
}
