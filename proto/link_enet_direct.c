#include "proto/link_enet_direct.h"

#include <string.h>

/* A datagram without a time: header, counter, one command with its data, MAC. */
enum { COUNTER_AT = 2, COMMAND_AT = 6, DATA_AT = 14 };
enum { INBOX_BYTES_FIRST = 2048 };

/* A packet in the inbox; its bytes follow. */
typedef struct kept_packet {
    ls_peer peer;
    uint32_t bytes;
    uint64_t arrived_ns;
} kept_packet;

_Static_assert(DATA_AT + LS_PACKET_BYTES_MAX + LS_CARRIER_MAC_BYTES <= LS_DATAGRAM_BYTES_MAX,
               "the largest packet fits");

void ls_enet_begin_direct(ls_enet_link *self, uint32_t slot, ls_enet_line line)
{
    const ENetPeer *peer = &self->host->peers[slot];
    uint32_t session = (uint32_t)peer->outgoingSessionID << ENET_PROTOCOL_HEADER_SESSION_SHIFT;
    self->slots[slot].line = line;
    self->slots[slot].header = (uint16_t)(peer->outgoingPeerID | session);
    self->slots[slot].session = peer->incomingSessionID;
    self->slots[slot].group = 0;
}

static void write_16(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

ls_status ls_enet_send_direct(ls_enet_link *self, uint32_t slot, const ls_packet *packet)
{
    ls_enet_slot *to = &self->slots[slot];
    uint8_t *data = self->outgoing;
    uint32_t bytes = DATA_AT + packet->bytes;
    LS_ASSERT(packet->channel == LS_CHANNEL_TICKS && to->line.carrier);
    memset(data, 0, DATA_AT);
    write_16(data, to->header);
    data[COMMAND_AT] =
        (int)ENET_PROTOCOL_COMMAND_SEND_UNSEQUENCED | (int)ENET_PROTOCOL_COMMAND_FLAG_UNSEQUENCED;
    data[COMMAND_AT + 1] = packet->channel;
    write_16(data + COMMAND_AT + 4, ++to->group);
    write_16(data + COMMAND_AT + 6, packet->bytes);
    memcpy(data + DATA_AT, packet->data, packet->bytes);
    if (ls_carrier_mac_sign(to->line.counters, to->line.carrier->keys[self->role], data, bytes,
                            COUNTER_AT) != LS_OK) {
        self->stats.sends_failed++;
        return LS_ERROR_LIMIT;
    }
    const ls_address receiver = ls_address_of_remote(to->line.remote);
    ls_udp_send(self->socket.udp, &receiver, data, bytes + LS_CARRIER_MAC_BYTES);
    return LS_OK;
}

/* Returns room for a packet at the end of the inbox. ENet receives at most 256 datagrams before the
 * inbox is emptied, which bounds its size. */
static uint8_t *reserve(ls_enet_inbox *inbox, uint32_t bytes)
{
    if (inbox->next == inbox->end)
        inbox->next = inbox->end = 0;
    if (inbox->capacity - inbox->end < bytes) {
        uint32_t capacity = inbox->capacity ? 2 * inbox->capacity : INBOX_BYTES_FIRST;
        uint8_t *grown = ls_alloc(capacity);
        if (inbox->end)
            memcpy(grown, inbox->bytes, inbox->end);
        ls_free(inbox->bytes);
        inbox->bytes = grown;
        inbox->capacity = capacity;
    }
    inbox->end += bytes;
    return inbox->bytes + inbox->end - bytes;
}

static void keep(ls_enet_link *self, uint32_t slot, const uint8_t *data, uint32_t bytes)
{
    const kept_packet kept = {ls_enet_peer_id(self, slot), bytes, self->slots[slot].arrived_ns};
    uint8_t *at = reserve(&self->inbox, (uint32_t)sizeof kept + bytes);
    memcpy(at, &kept, sizeof kept);
    memcpy(at + sizeof kept, data, bytes);
}

bool ls_enet_receive_direct(ls_enet_link *self, const ls_enet_datagram *datagram)
{
    ENetHost *host = self->host;
    if (self->slots[datagram->peer].state != LS_ENET_OPEN)
        return false;
    uint8_t *at = host->receivedData + datagram->counter_at + sizeof(uint32_t), *left = at;
    const uint8_t *end = host->receivedData + host->receivedDataLength;
    uint8_t *begin = at;
    for (uint32_t bytes; at < end; at += bytes) {
        uint32_t data_at = ls_enet_gate_command(at, &bytes);
        if (data_at) {
            keep(self, datagram->peer, at + data_at, bytes - data_at);
            continue;
        }
        memmove(left, at, bytes);
        left += bytes;
    }
    host->receivedDataLength = (size_t)(left - host->receivedData);
    return left == begin;
}

bool ls_enet_take_direct(ls_enet_link *self, ls_link_event *event)
{
    ls_enet_inbox *inbox = &self->inbox;
    while (inbox->next != inbox->end) {
        kept_packet kept;
        memcpy(&kept, inbox->bytes + inbox->next, sizeof kept);
        const uint8_t *data = inbox->bytes + inbox->next + sizeof kept;
        inbox->next += (uint32_t)sizeof kept + kept.bytes;
        uint32_t slot = ls_peer_slot(kept.peer);
        /* The owner may have ended the connection meanwhile. */
        if (self->slots[slot].state != LS_ENET_OPEN || ls_enet_peer_id(self, slot) != kept.peer)
            continue;
        self->work++;
        *event = (ls_link_event){
            .kind = LS_LINK_MESSAGE,
            .peer = kept.peer,
            .arrived_ns = kept.arrived_ns,
            .packet = {.channel = LS_CHANNEL_TICKS, .bytes = kept.bytes, .data = data}};
        return true;
    }
    return false;
}
