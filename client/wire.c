#include "client/wire.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void ls_wire_log(const ls_client *client, const char *format, ...)
{
    if (!client->log)
        return;
    char line[LS_CLIENT_LOG_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    client->log(client->log_context, line);
}

static void log_state(const ls_client *client)
{
    /* The reason may quote the server: it must not look like a key and its value. */
    char reason[LS_CLIENT_LOG_BYTES / 2];
    snprintf(reason, sizeof reason, "%.*s", (int)sizeof reason - 1, client->reason);
    for (char *at = reason; *at; at++)
        if (*at == '"' || *at == '\\' || (unsigned char)*at < 0x20)
            *at = '\'';
    ls_wire_log(client, "state is=%s tick=%llu reason=\"%s\"", ls_client_state_name(client->state),
                (unsigned long long)client->frames.next, reason);
}

void ls_wire_enter(ls_client *client, ls_client_state state, const char *format, ...)
{
    if (ls_client_is_final(client))
        return;
    client->state = state;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(client->reason, sizeof client->reason, format, arguments);
    va_end(arguments);
    log_state(client);
    if (ls_client_is_final(client) && client->peer != LS_PEER_NONE)
        ls_link_disconnect(client->link, client->peer);
}

static void send_packet(ls_client *client, const ls_packet *packet)
{
    /* What the link cannot take now is as good as lost on the way; everything is repeated. */
    if (ls_link_send(client->link, client->peer, packet) != LS_OK)
        return;
    client->stats.packets_sent++;
    client->stats.bytes_sent += packet->bytes;
}

void ls_wire_send_bytes(ls_client *client, const uint8_t *data, size_t bytes)
{
    send_packet(client, &(ls_packet){
                            .channel = LS_CHANNEL_CONTROL, .bytes = (uint32_t)bytes, .data = data});
}

void ls_wire_send(ls_client *client, const ls_plain *plain)
{
    uint8_t storage[LS_PACKET_BYTES_MAX];
    ls_packet packet;
    if (ls_seal_close(&client->seal, plain, storage, &packet) == LS_OK)
        send_packet(client, &packet);
    else
        ls_wire_enter(client, LS_CLIENT_LOST, "this session's keys are used up");
}

void ls_wire_sample_rtt(ls_client *client, uint64_t rtt_ns)
{
    uint64_t old = client->stats.rtt_ns;
    client->stats.rtt_ns = old ? (7 * old + rtt_ns) / 8 : rtt_ns;
}
