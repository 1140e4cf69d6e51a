#include "client/client.h"

#include "client/entry.h"
#include "client/playing.h"
#include "client/wire.h"

#include "proto/text.h"

#include <stdio.h>
#include <string.h>

ls_client_config ls_client_config_default(void)
{
    return (ls_client_config){.snapshot_bytes_max = LS_SNAPSHOT_BYTES_MAX,
                              .corrupt_at = LS_TICK_NEVER};
}

static void init_handshake(ls_client *client, const ls_client_config *config)
{
    const ls_sim *sim = ls_program_sim(config->program);
    ls_handshake_client_config handshake = {
        .local.engine_version = LS_ENGINE_RULES,
        .entropy = config->entropy,
        .psk = config->psk,
        .pin = config->pin,
        .flags = (uint8_t)((config->is_spectator ? LS_HANDSHAKE_SPECTATE : 0) |
                           (config->is_bot ? LS_HANDSHAKE_BOT : 0)),
        .resume_secret = config->resume_secret,
    };
    memcpy(handshake.local.fingerprint, ls_program_fingerprint(config->program),
           LS_FINGERPRINT_BYTES);
    snprintf(handshake.local.simulation, sizeof handshake.local.simulation, "%s %s", sim->name,
             sim->version);
    snprintf(handshake.local.build, sizeof handshake.local.build, "%s",
             config->build ? config->build : "");
    memcpy(handshake.name, config->name, sizeof handshake.name);
    ls_handshake_client_init(&client->handshake, &handshake);
    ls_wipe(&handshake, sizeof handshake);
}

ls_status ls_client_create(const ls_client_config *config, ls_client **result, ls_error *error)
{
    LS_ASSERT(config->program && config->link);
    *result = NULL;
    if (!memchr(config->name, 0, sizeof config->name) || !ls_text_is_valid(config->name))
        return ls_error_set(error, LS_ERROR_USAGE,
                            "a name is UTF-8 without control characters, at most %d bytes",
                            LS_NAME_BYTES - 1);
    ls_client *client = ls_alloc(sizeof *client);
    client->program = config->program;
    client->link = config->link;
    client->executor = config->executor;
    client->trust = config->trust;
    client->trust_context = config->trust_context;
    client->has_pin = config->pin != NULL;
    client->is_bot = config->is_bot;
    client->is_spectator = config->is_spectator;
    client->unix_s = config->unix_s;
    client->corrupt_at = config->corrupt_at;
    client->corrupt_pick = config->corrupt_pick;
    client->log = config->log;
    client->log_context = config->log_context;
    client->peer = LS_PEER_NONE;
    client->stats.player = LS_HANDSHAKE_PLAYER_NONE;
    snprintf(client->reason, sizeof client->reason, "connecting");
    init_handshake(client, config);
    ls_loader_init(&client->loader, config->snapshot_bytes_max);
    ls_frames_init(&client->frames);
    ls_outbox_init(&client->outbox);
    *result = client;
    return LS_OK;
}

void ls_client_destroy(ls_client *client)
{
    if (!client)
        return;
    ls_loader_reset(&client->loader);
    ls_frames_reset(&client->frames);
    ls_world_destroy(client->world);
    ls_handshake_client_reset(&client->handshake);
    ls_seal_reset(&client->seal);
    ls_wipe(client, sizeof *client);
    ls_free(client);
}

static void hear_packet(ls_client *client, const ls_packet *packet)
{
    client->stats.packets_received++;
    client->stats.bytes_received += packet->bytes;
    if (client->state == LS_CLIENT_HANDSHAKE)
        ls_entry_hear(client, packet);
    else if (client->state == LS_CLIENT_LOADING || client->state == LS_CLIENT_PLAYING)
        ls_playing_hear(client, packet);
    else
        client->stats.packets_dropped++;
}

static void hear_disconnect(ls_client *client)
{
    bool was_there = client->peer != LS_PEER_NONE;
    client->peer = LS_PEER_NONE;
    ls_wire_enter(client, LS_CLIENT_LOST, "%s",
                  was_there ? "the connection is gone" : "the server cannot be reached");
}

static void hear_link(ls_client *client)
{
    ls_link_event event;
    while (ls_link_poll(client->link, client->now_ns, &event)) {
        if (event.kind == LS_LINK_CONNECTED && client->state == LS_CLIENT_CONNECTING) {
            client->peer = event.peer;
            ls_entry_begin(client);
        } else if (event.kind == LS_LINK_DISCONNECTED) {
            hear_disconnect(client);
        } else if (event.kind == LS_LINK_MESSAGE) {
            hear_packet(client, &event.packet);
        }
    }
}

static void watch_time(ls_client *client)
{
    if (!client->has_accept) {
        if (client->now_ns - client->first_ns >= LS_CLIENT_HANDSHAKE_NS)
            ls_wire_enter(client, LS_CLIENT_LOST, "the server does not answer");
    } else if (client->now_ns - client->heard_ns >= LS_CLIENT_SILENCE_NS) {
        ls_wire_enter(client, LS_CLIENT_LOST, "no word from the server for %d s",
                      (int)(LS_CLIENT_SILENCE_NS / LS_CLIENT_SECOND_NS));
    }
}

uint64_t ls_client_step(ls_client *client, uint64_t now_ns)
{
    client->now_ns = now_ns;
    if (!client->has_stepped) {
        client->has_stepped = true;
        client->first_ns = now_ns;
    }
    /* Also when all is over, so that the last words leave. */
    hear_link(client);
    watch_time(client);
    if (client->state == LS_CLIENT_HANDSHAKE)
        ls_entry_repeat(client);
    ls_playing_step(client);
    ls_link_flush(client->link, now_ns);
    return ls_client_is_final(client) ? UINT64_MAX : ls_playing_next_ns(client);
}

void ls_client_leave(ls_client *client, const char *why, uint64_t now_ns)
{
    client->now_ns = now_ns;
    if (!ls_client_is_final(client) && client->has_accept) {
        ls_bye bye = {.text = ""};
        strncpy(bye.text, why, sizeof bye.text - 1);
        ls_plain plain;
        ls_bye_encode(&bye, &plain);
        ls_wire_send(client, &plain);
    }
    ls_wire_enter(client, LS_CLIENT_ENDED, "left%s%s", why[0] ? ": " : "", why);
    ls_link_flush(client->link, now_ns);
}

ls_status ls_client_submit(ls_client *client, const uint8_t *data, uint32_t bytes)
{
    return ls_playing_submit(client, data, bytes);
}

ls_world *ls_client_world(ls_client *client)
{
    return client->has_world ? client->world : NULL;
}

const ls_public_key *ls_client_server_key(const ls_client *client)
{
    return client->has_cookie ? &client->handshake.server_key : NULL;
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
    stats.silence_ns = client->has_accept ? client->now_ns - client->heard_ns : 0;
    stats.roots_sent = client->outbox.roots_sent;
    stats.inputs_submitted = client->outbox.submitted;
    stats.inputs_acked = client->outbox.acked;
    return stats;
}
