#include "client/connection.h"

#include "proto/rtt.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LOG_BYTES 512 /* a longer line is cut */

void ls_connection_log(const ls_connection *connection, const char *format, ...)
{
    if (!connection->log)
        return;
    char line[LOG_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    connection->log(connection->log_context, line);
}

static void log_state(const ls_connection *connection)
{
    /* The reason may quote the server. Quotes are replaced, so its text cannot forge another
     * `key=value`. */
    char reason[LOG_BYTES / 2];
    snprintf(reason, sizeof reason, "%.*s", (int)sizeof reason - 1, connection->reason);
    for (char *at = reason; *at; at++)
        if (*at == '"' || *at == '\\' || (unsigned char)*at < 0x20)
            *at = '\'';
    ls_connection_log(connection, "state is=%s tick=%llu reason=\"%s\"",
                      ls_client_state_name(connection->state),
                      (unsigned long long)*connection->tick, reason);
}

static void enter(ls_connection *connection, ls_client_state state, const char *format,
                  va_list arguments) LS_PRINTF(3, 0);

static void enter(ls_connection *connection, ls_client_state state, const char *format,
                  va_list arguments)
{
    connection->state = state;
    vsnprintf(connection->reason, sizeof connection->reason, format, arguments);
    log_state(connection);
    if (ls_client_state_is_final(connection->state) && connection->peer != LS_PEER_NONE)
        ls_link_disconnect(connection->link, connection->peer);
}

void ls_connection_enter(ls_connection *connection, ls_client_state state, const char *format, ...)
{
    LS_ASSERT(state != LS_CLIENT_REFUSED);
    if (ls_client_state_is_final(connection->state))
        return;
    va_list arguments;
    va_start(arguments, format);
    enter(connection, state, format, arguments);
    va_end(arguments);
}

void ls_connection_refuse(ls_connection *connection, ls_status refusal, const char *format, ...)
{
    LS_ASSERT(refusal != LS_OK);
    if (ls_client_state_is_final(connection->state))
        return;
    connection->refusal = refusal;
    va_list arguments;
    va_start(arguments, format);
    enter(connection, LS_CLIENT_REFUSED, format, arguments);
    va_end(arguments);
}

ls_client_state ls_connection_session_state(const ls_connection *connection)
{
    return connection->state == LS_CLIENT_RESUMING ? connection->resumed : connection->state;
}

bool ls_connection_has_session(const ls_connection *connection)
{
    return connection->peer != LS_PEER_NONE && !ls_client_state_is_final(connection->state);
}

void ls_connection_post(ls_connection *connection, const uint8_t *data, size_t bytes)
{
    ls_link_post(connection->link, NULL, data, (uint32_t)bytes);
    connection->stats.packets_sent++;
    connection->stats.bytes_sent += bytes;
}

void ls_connection_set_keys(ls_connection *connection, const ls_seal_keys *keys)
{
    ls_seal_reset(&connection->seal);
    ls_seal_init(&connection->seal, keys, LS_ROLE_CLIENT);
    connection->loss_next = 0;
    connection->loss_received = 0;
    connection->line = (ls_queue_delay){0}; /* perhaps another line */
    ls_congestion_init(&connection->congestion);
}

/* Returns false when the keys have reached their packet limit. */
static bool seal_and_send(ls_connection *connection, const ls_plain *plain)
{
    uint8_t storage[LS_PACKET_BYTES_MAX];
    ls_packet packet;
    if (ls_seal_message(&connection->seal, plain, storage, &packet) != LS_OK)
        return false;
    /* A packet that the link refuses counts as lost in transit: UPDATEs and requests are repeated.
     */
    if (ls_link_send(connection->link, connection->peer, &packet) == LS_OK) {
        connection->stats.packets_sent++;
        connection->stats.bytes_sent += packet.bytes;
    }
    return true;
}

void ls_connection_send(ls_connection *connection, const ls_plain *plain)
{
    if (!seal_and_send(connection, plain))
        ls_connection_enter(connection, LS_CLIENT_LOST, "this session's keys are used up");
}

void ls_connection_send_bye(ls_connection *connection, const char *text)
{
    if (!ls_connection_has_session(connection))
        return;
    ls_bye bye;
    snprintf(bye.text, sizeof bye.text, "%s", text);
    ls_plain plain;
    ls_bye_encode(&bye, &plain);
    (void)seal_and_send(connection, &plain);
}

void ls_connection_give_up(ls_connection *connection, ls_client_state state, const char *format,
                           ...)
{
    char text[sizeof LS_BYE_FAILED + sizeof connection->reason] = LS_BYE_FAILED;
    char *reason = text + strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof connection->reason, format, arguments);
    va_end(arguments);
    ls_connection_send_bye(connection, text);
    ls_connection_enter(connection, state, "%s", reason);
}

/* Requests one byte of a snapshot, the smallest request that the server answers. A loading client
 * names the snapshot that it loads: a chunk of a newer one would restart its download. */
void ls_connection_ping(ls_connection *connection, uint64_t snapshot_tick)
{
    uint64_t due_ns = connection->ping_ns ? connection->ping_ns + LS_CLIENT_PING_AGAIN_NS
                                          : connection->received_ns + LS_CLIENT_PING_NS;
    if (connection->now_ns < due_ns)
        return;
    connection->ping_ns = connection->now_ns;
    ls_plain plain;
    ls_snapshot_request_encode(&(ls_snapshot_request){.tick = snapshot_tick, .bytes = 1}, &plain);
    ls_connection_send(connection, &plain);
}

/* Estimates the loss: the packet counters tell how many packets the server sent. Those missing
 * count as lost. */
static void note_loss(ls_connection *connection)
{
    connection->loss_received++;
    uint64_t next = connection->seal.receive_next[LS_CHANNEL_TICKS];
    uint64_t sent = next - connection->loss_next;
    if (sent < LS_CLIENT_LOSS_PACKETS)
        return;
    uint64_t lost = sent > connection->loss_received ? sent - connection->loss_received : 0;
    uint32_t permille = (uint32_t)(1000 * lost / sent);
    connection->stats.loss_permille =
        connection->has_loss ? (3 * connection->stats.loss_permille + permille) / 4 : permille;
    connection->has_loss = true;
    connection->loss_next = next;
    connection->loss_received = 0;
}

bool ls_connection_open(ls_connection *connection, const ls_packet *packet, ls_plain *plain)
{
    if (ls_seal_open_message(&connection->seal, packet, plain) != LS_OK) {
        connection->stats.packets_dropped++;
        return false;
    }
    connection->received_ns = connection->proven_ns = connection->now_ns;
    connection->ping_ns = 0;
    connection->is_proven = true;
    if (plain->channel == LS_CHANNEL_TICKS) {
        note_loss(connection);
        ls_congestion_note_packet(&connection->congestion,
                                  connection->seal.receive_next[LS_CHANNEL_TICKS],
                                  connection->now_ns);
    }
    return true;
}

void ls_connection_sample_rtt(ls_connection *connection, uint64_t rtt_ns)
{
    /* A longer round trip is ignored: its echo is false, or the clock has jumped. */
    if (rtt_ns > LS_CLIENT_RTT_MAX_NS)
        return;
    ls_rtt_smooth(&connection->stats.rtt_ns, &connection->stats.jitter_ns, rtt_ns);
    ls_queue_delay_note(&connection->line, rtt_ns, connection->now_ns);
    ls_congestion_note(&connection->congestion, rtt_ns, connection->now_ns);
}

uint32_t ls_connection_stamp_us(const ls_connection *connection)
{
    uint32_t stamp_us = (uint32_t)(connection->now_ns / 1000);
    return stamp_us ? stamp_us : 1; /* 0 on the wire means: no stamp */
}
