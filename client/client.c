#include <lockstep/client.h>

#include "client/connect.h"
#include "client/evidence_reply.h"
#include "client/playing.h"
#include "client/receive.h"
#include "client/submit.h"
#include "client/wire.h"

#include "proto/text.h"
#include <lockstep/evidence_limits.h>

#include <stdio.h>
#include <string.h>

ls_client_config ls_client_config_default(void)
{
    return (ls_client_config){.resume_ns = LS_CLIENT_RESUME_PATIENCE_NS,
                              .snapshot_bytes_max = LS_SNAPSHOT_BYTES_MAX,
                              .step_ticks = LS_CLIENT_STEP_TICKS,
                              .evidence_ms = LS_CLIENT_EVIDENCE_MS,
                              .evidence_bytes = LS_CLIENT_EVIDENCE_BYTES,
                              .corrupt_at = LS_TICK_NEVER};
}

/* What cannot be sent as it is, or be done. */
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
    if (config->password && strlen(config->password) >= LS_PASSWORD_BYTES)
        return ls_error_set(error, LS_ERROR_USAGE, "a password has at most %d bytes",
                            LS_PASSWORD_BYTES - 1);
    return LS_OK;
}

static void copy_config(ls_client *client, const ls_client_config *config)
{
    client->program = config->program;
    client->link = config->link;
    client->executor = config->executor;
    client->trust = config->trust;
    client->trust_context = config->trust_context;
    client->has_pin = config->pin != NULL;
    client->is_bot = config->is_bot;
    client->is_spectator = config->is_spectator;
    client->unix_s = config->unix_s;
    client->resume_ns = config->resume_ns;
    client->evidence.ms = config->evidence_ms;
    client->evidence.bytes_max = config->evidence_bytes;
    client->corrupt_at = config->corrupt_at;
    client->corrupt_pick = config->corrupt_pick;
    client->step_ticks = config->step_ticks;
    client->ran = config->ran;
    client->loaded = config->loaded;
    client->hook_context = config->hook_context;
    client->log = config->log;
    client->log_context = config->log_context;
}

ls_status ls_client_create(const ls_client_config *config, ls_client **result, ls_error *error)
{
    LS_ASSERT(config->program && config->link);
    *result = NULL;
    ls_status status = check_config(config, error);
    if (status)
        return status;
    ls_client *client = ls_alloc(sizeof *client);
    copy_config(client, config);
    client->peer = LS_PEER_NONE;
    client->limit_tick = LS_TICK_NEVER;
    client->stats.player = LS_HANDSHAKE_PLAYER_NONE;
    client->stats.slack_us = LS_SLACK_NONE;
    snprintf(client->reason, sizeof client->reason, "asking the server");
    ls_connect_init(client, config);
    ls_seal_reset(&client->seal);
    ls_loader_init(&client->loader, config->snapshot_bytes_max);
    ls_frames_init(&client->frames);
    ls_outbox_init(&client->outbox);
    ls_state_inputs_init(&client->states, ls_program_sim(config->program)->state_bytes);
    ls_input_delay_init(&client->lead, 1); /* the match says its rate */
    *result = client;
    return LS_OK;
}

void ls_client_destroy(ls_client *client)
{
    if (!client)
        return;
    ls_loader_reset(&client->loader);
    ls_frames_reset(&client->frames);
    ls_evidence_reply_reset(client);
    ls_world_destroy(client->world);
    ls_connect_reset(client);
    ls_seal_reset(&client->seal);
    ls_wipe(client, sizeof *client);
    ls_free(client);
}

/* The session that is there: its packets come also while the client is about to replace it. */
static bool has_session(const ls_client *client)
{
    return client->peer != LS_PEER_NONE && !ls_client_is_final(client);
}

static void hear_packet(ls_client *client, const ls_packet *packet)
{
    client->stats.packets_received++;
    client->stats.bytes_received += packet->bytes;
    if (!has_session(client)) {
        client->stats.packets_dropped++;
        return;
    }
    bool is_resuming = client->state == LS_CLIENT_RESUMING;
    if (!ls_receive_packet(client, packet) || !is_resuming)
        return;
    /* It was only late. */
    ls_connect_cancel(client);
    client->advanced_ns = client->now_ns;
    if (client->state == LS_CLIENT_RESUMING)
        ls_wire_enter(client, client->resumed, "the server is heard again");
}

static void hear_datagram(ls_client *client, const ls_packet *packet)
{
    client->stats.packets_received++;
    client->stats.bytes_received += packet->bytes;
    ls_connect_hear(client, packet);
}

static void resume(ls_client *client, const char *why)
{
    client->resumed = client->state;
    ls_wire_enter(client, LS_CLIENT_RESUMING, "%s", why);
    ls_connect_begin(client);
}

static void hear_disconnect(ls_client *client, ls_peer peer)
{
    if (client->peer == LS_PEER_NONE) {
        ls_connect_disconnected(client);
    } else if (peer == client->peer) {
        client->peer = LS_PEER_NONE;
        if (client->resume_ns == 0)
            ls_wire_enter(client, LS_CLIENT_LOST, "the connection is gone");
        else if (client->state != LS_CLIENT_RESUMING && !ls_client_is_final(client))
            resume(client, "the connection is gone");
    }
}

static void hear_link(ls_client *client)
{
    ls_link_event event;
    while (ls_link_poll(client->link, client->now_ns, &event)) {
        if (event.kind == LS_LINK_CONNECTED)
            ls_connect_connected(client, event.peer);
        else if (event.kind == LS_LINK_DISCONNECTED)
            hear_disconnect(client, event.peer);
        else if (event.kind == LS_LINK_MESSAGE)
            hear_packet(client, &event.packet);
        else if (event.kind == LS_LINK_DATAGRAM)
            hear_datagram(client, &event.packet);
    }
}

static void watch_silence(ls_client *client)
{
    uint64_t silence_ns = client->now_ns - client->heard_ns;
    uint64_t patience_ns = client->resume_ns ? client->resume_ns : LS_CLIENT_SILENCE_NS;
    if (client->now_ns - client->proven_ns >= patience_ns)
        ls_wire_enter(client, LS_CLIENT_LOST, "no word from the server for %d s",
                      (int)(patience_ns / LS_SECOND_NS));
    else if (client->resume_ns && client->state != LS_CLIENT_RESUMING &&
             silence_ns >= LS_CLIENT_RESUME_NS)
        resume(client, "no word from the server");
}

/* A server is silent on purpose to whoever does not know its secret, and for a while to all when it
 * takes up a match. */
static const char *secret_remedy(const ls_client *client)
{
    const ls_handshake_client_config *shown = &client->entry.config;
    if (shown->pass)
        return "the server answers, but does not take the connect token: it has expired, came from "
               "another address before, or is for another server";
    if (shown->password || shown->psk)
        return "the server answers, but does not let us in: the password is wrong, "
               "or it has none, or it is busy: try again later";
    return "the server answers, but does not let us in: a password is needed (join "
           "--password-file), or it is busy: try again later";
}

static void watch_time(ls_client *client)
{
    if (ls_client_is_final(client))
        return;
    if (client->state > LS_CLIENT_CONNECTING)
        watch_silence(client);
    else if (client->now_ns - client->first_ns < LS_CLIENT_HANDSHAKE_NS)
        return;
    else if (client->entry.said > 0 && !client->entry.has_server_key)
        ls_wire_enter(client, LS_CLIENT_LOST, "the server does not answer");
    else if (client->entry.refusal)
        return; /* which counts soon, and says more */
    else if (client->entry.was_let_in)
        ls_wire_refuse(client, LS_ERROR_REFUSED,
                       "the server lets us in, but answers no connection: all that it takes may be "
                       "in use; try again later");
    else
        ls_wire_refuse(client, LS_ERROR_REFUSED, "%s", secret_remedy(client));
}

uint64_t ls_client_step(ls_client *client, uint64_t now_ns)
{
    client->now_ns = now_ns;
    /* Also when all is over, so that the last words leave. */
    hear_link(client);
    if (!client->has_stepped) {
        client->has_stepped = true;
        client->first_ns = now_ns;
        ls_connect_begin(client);
    }
    watch_time(client);
    if (!ls_client_is_final(client))
        ls_connect_run(client);
    if (client->state == LS_CLIENT_RESUMING && has_session(client))
        ls_playing_ping(client);
    ls_playing_run(client);
    ls_link_flush(client->link, now_ns);
    return ls_client_is_final(client) ? UINT64_MAX : ls_playing_next_ns(client);
}

void ls_client_leave(ls_client *client, const char *why, uint64_t now_ns)
{
    client->now_ns = now_ns;
    ls_wire_say_bye(client, why);
    ls_wire_enter(client, LS_CLIENT_ENDED, "left%s%s", why[0] ? ": " : "", why);
    ls_link_flush(client->link, now_ns);
}

void ls_client_set_limit(ls_client *client, uint64_t tick)
{
    client->limit_tick = tick;
}

ls_status ls_client_pause(ls_client *client, bool wants_pause)
{
    /* Whoever comes into a match that stands cannot play before it goes on. */
    bool has_seat = client->stats.player != LS_HANDSHAKE_PLAYER_NONE;
    bool may = wants_pause ? client->stats.is_playing : has_seat;
    if (!may || client->state != LS_CLIENT_PLAYING)
        return LS_ERROR_REFUSED;
    ls_plain plain;
    ls_pause_encode(wants_pause, &plain);
    ls_wire_send(client, &plain);
    return LS_OK;
}

ls_status ls_client_submit(ls_client *client, const uint8_t *data, uint32_t bytes)
{
    return ls_submit_order(client, 0, data, bytes);
}

ls_status ls_client_submit_at(ls_client *client, uint64_t tick, const uint8_t *data, uint32_t bytes)
{
    return ls_submit_order(client, tick, data, bytes);
}

ls_status ls_client_submit_state(ls_client *client, uint64_t tick, const uint8_t *bytes)
{
    return ls_submit_state(client, tick, bytes);
}

ls_world *ls_client_world(ls_client *client)
{
    return client->has_world ? client->world : NULL;
}

const ls_public_key *ls_client_server_key(const ls_client *client)
{
    return client->entry.has_server_key ? &client->entry.server_key : NULL;
}

const uint8_t *ls_client_resume_secret(const ls_client *client)
{
    return client->has_accept ? client->accept.resume_secret : NULL;
}

const char *ls_client_server_build(const ls_client *client)
{
    return client->has_accept ? client->accept.build : NULL;
}

ls_client_stats ls_client_get_stats(const ls_client *client)
{
    ls_client_stats stats = client->stats;
    stats.tick = client->frames.next;
    stats.head = client->frames.head;
    stats.delay_ticks = client->frames.head - client->frames.next;
    stats.silence_ns = client->has_accept ? client->now_ns - client->proven_ns : 0;
    stats.roots_sent = client->outbox.roots_sent;
    stats.inputs_submitted = client->outbox.submitted;
    stats.inputs_acked = client->outbox.acked;
    stats.inputs_lost = client->outbox.lost;
    stats.lead_ticks = client->lead.ticks;
    stats.epoch = client->accept.epoch;
    stats.frames_received = client->frames.received;
    stats.frames_duplicate = client->frames.duplicates;
    return stats;
}
