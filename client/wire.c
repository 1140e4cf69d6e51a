#include "client/wire.h"

#include "proto/rtt.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LOG_BYTES 512 /* of one line; the rest is cut */

void ls_wire_log(const ls_client *client, const char *format, ...)
{
    if (!client->log)
        return;
    char line[LOG_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    client->log(client->log_context, line);
}

static void log_state(const ls_client *client)
{
    /* The reason may quote the server: it must not look like a key and its value. */
    char reason[LOG_BYTES / 2];
    snprintf(reason, sizeof reason, "%.*s", (int)sizeof reason - 1, client->reason);
    for (char *at = reason; *at; at++)
        if (*at == '"' || *at == '\\' || (unsigned char)*at < 0x20)
            *at = '\'';
    ls_wire_log(client, "state is=%s tick=%llu reason=\"%s\"", ls_client_state_name(client->state),
                (unsigned long long)client->frames.next, reason);
}

static void enter(ls_client *client, ls_client_state state, const char *format, va_list arguments)
    LS_PRINTF(3, 0);

static void enter(ls_client *client, ls_client_state state, const char *format, va_list arguments)
{
    client->state = state;
    vsnprintf(client->reason, sizeof client->reason, format, arguments);
    log_state(client);
    if (ls_client_is_final(client) && client->peer != LS_PEER_NONE)
        ls_link_disconnect(client->link, client->peer);
}

void ls_wire_enter(ls_client *client, ls_client_state state, const char *format, ...)
{
    LS_ASSERT(state != LS_CLIENT_REFUSED);
    if (ls_client_is_final(client))
        return;
    va_list arguments;
    va_start(arguments, format);
    enter(client, state, format, arguments);
    va_end(arguments);
}

void ls_wire_refuse(ls_client *client, ls_status refusal, const char *format, ...)
{
    LS_ASSERT(refusal != LS_OK);
    if (ls_client_is_final(client))
        return;
    client->entry.refusal = refusal;
    va_list arguments;
    va_start(arguments, format);
    enter(client, LS_CLIENT_REFUSED, format, arguments);
    va_end(arguments);
}

void ls_wire_post(ls_client *client, const uint8_t *data, size_t bytes)
{
    ls_link_post(client->link, NULL, data, (uint32_t)bytes);
    client->stats.packets_sent++;
    client->stats.bytes_sent += bytes;
}

void ls_wire_begin(ls_client *client, const ls_seal_keys *keys)
{
    ls_seal_reset(&client->seal);
    ls_seal_init(&client->seal, keys, LS_ROLE_CLIENT);
    client->loss_next = 0;
    client->loss_got = 0;
}

/* False when the keys are used up. */
static bool seal_and_send(ls_client *client, const ls_plain *plain)
{
    uint8_t storage[LS_PACKET_BYTES_MAX];
    ls_packet packet;
    if (ls_seal_close(&client->seal, plain, storage, &packet) != LS_OK)
        return false;
    /* What the link cannot take now is as good as lost on the way; everything is repeated. */
    if (ls_link_send(client->link, client->peer, &packet) == LS_OK) {
        client->stats.packets_sent++;
        client->stats.bytes_sent += packet.bytes;
    }
    return true;
}

void ls_wire_send(ls_client *client, const ls_plain *plain)
{
    if (!seal_and_send(client, plain))
        ls_wire_enter(client, LS_CLIENT_LOST, "this session's keys are used up");
}

void ls_wire_say_bye(ls_client *client, const char *text)
{
    if (client->peer == LS_PEER_NONE || ls_client_is_final(client))
        return;
    ls_bye bye;
    snprintf(bye.text, sizeof bye.text, "%s", text);
    ls_plain plain;
    ls_bye_encode(&bye, &plain);
    (void)seal_and_send(client, &plain);
}

void ls_wire_give_up(ls_client *client, ls_client_state state, const char *format, ...)
{
    char text[sizeof LS_BYE_FAILED + sizeof client->reason] = LS_BYE_FAILED;
    char *reason = text + strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof client->reason, format, arguments);
    va_end(arguments);
    ls_wire_say_bye(client, text);
    ls_wire_enter(client, state, "%s", reason);
}

/* The counters say how many there were: so many that did not come were lost or are late. */
static void note_loss(ls_client *client)
{
    client->loss_got++;
    uint64_t next = client->seal.receive_next[LS_CHANNEL_TICKS];
    uint64_t sent = next - client->loss_next;
    if (sent < LS_CLIENT_LOSS_PACKETS)
        return;
    uint64_t lost = sent > client->loss_got ? sent - client->loss_got : 0;
    uint32_t permille = (uint32_t)(1000 * lost / sent);
    client->stats.loss_permille =
        client->has_loss ? (3 * client->stats.loss_permille + permille) / 4 : permille;
    client->has_loss = true;
    client->loss_next = next;
    client->loss_got = 0;
}

bool ls_wire_open(ls_client *client, const ls_packet *packet, ls_plain *plain)
{
    if (ls_seal_open(&client->seal, packet, plain) != LS_OK) {
        client->stats.packets_dropped++;
        return false;
    }
    client->heard_ns = client->proven_ns = client->now_ns;
    client->ping_ns = 0;
    client->is_proven = true;
    if (plain->channel == LS_CHANNEL_TICKS)
        note_loss(client);
    return true;
}

void ls_wire_sample_rtt(ls_client *client, uint64_t rtt_ns)
{
    /* What is longer is an echo that is none, or a clock that jumped meanwhile. */
    if (rtt_ns <= LS_CLIENT_RTT_MAX_NS)
        ls_rtt_smooth(&client->stats.rtt_ns, &client->stats.jitter_ns, rtt_ns);
}

uint32_t ls_wire_stamp_us(const ls_client *client)
{
    uint32_t stamp_us = (uint32_t)(client->now_ns / 1000);
    return stamp_us ? stamp_us : 1; /* 0 says that there is none yet */
}
