/* The gate of a link over ENet: which datagrams ENet sees, and what authenticates them. */
#include "proto/link_enet_gate.h"

#include "proto/link_enet_kept.h"

#include <sodium.h>
#include <string.h>

enum { CONNECT_REPEAT_MS = 100 };

/* ENet's checksum callback gets no pointer to its host. */
static _Thread_local ls_enet_link *current;

void ls_enet_enter(ls_enet_link *self, uint64_t now_ns)
{
    current = self;
    self->now_ns = now_ns;
    enet_time_set((enet_uint32)(now_ns / LS_ENET_NS_IN_MS));
}

void ls_enet_leave(void)
{
    current = NULL;
}

ls_address ls_enet_address(const ENetAddress *from)
{
    ls_address address = {.port = {(uint8_t)(from->port >> 8), (uint8_t)from->port}};
    memcpy(address.host, &from->host, sizeof address.host);
    return address;
}

uint32_t ls_enet_id(uint32_t connect_id)
{
    const uint8_t bytes[4] = {(uint8_t)connect_id, (uint8_t)(connect_id >> 8),
                              (uint8_t)(connect_id >> 16), (uint8_t)(connect_id >> 24)};
    uint32_t result;
    memcpy(&result, bytes, sizeof result);
    return result;
}

/* The carrier of a datagram with this connect id in its checksum's place; 0 is a CONNECT. */
static const ls_carrier *find_carrier(const ls_enet_link *self, uint32_t connect_id,
                                      bool is_receiving)
{
    if (self->role == LS_ROLE_CLIENT)
        return connect_id == 0 || connect_id == self->carrier.connect_id ? &self->carrier : NULL;
    if (connect_id == 0)
        return is_receiving ? self->connecting : NULL;
    const ls_carrier_entry *entry = ls_carriers_find(self->carriers, connect_id);
    return entry ? &entry->carrier : NULL;
}

/* The hash needs one buffer: the several buffers of a sent datagram are joined first. */
static void hash_buffers(const ENetBuffer *buffers, size_t count, const uint8_t *key,
                         uint8_t hash[crypto_shorthash_BYTES])
{
    uint8_t whole[ENET_PROTOCOL_MAXIMUM_MTU];
    size_t bytes = 0;
    if (count == 1) {
        crypto_shorthash(hash, buffers->data, buffers->dataLength, key);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        LS_ASSERT(buffers[i].dataLength <= sizeof whole - bytes);
        memcpy(whole + bytes, buffers[i].data, buffers[i].dataLength);
        bytes += buffers[i].dataLength;
    }
    crypto_shorthash(hash, whole, bytes, key);
}

/* Counts the commands of one client per second that make ENet walk and answer. Only authentic ones
 * count: otherwise others could use up its share. */
static bool take_commands(ls_enet_link *self)
{
    ls_enet_slot *slot = &self->slots[self->peer];
    if (self->now_ns - slot->commands_since_ns >= LS_SECOND_NS) {
        slot->commands_since_ns = self->now_ns;
        slot->commands = 0;
    }
    if (slot->commands + self->command_count > LS_LINK_COMMANDS_PER_S)
        return false;
    slot->commands += self->command_count;
    return true;
}

/* ENet receives into one buffer and sends a header and at least one command. */
enet_uint32 ENET_CALLBACK ls_enet_checksum(const ENetBuffer *buffers, size_t count)
{
    ls_enet_link *self = current;
    bool is_receiving = count == 1;
    const uint8_t *head = buffers[0].data;
    uint32_t connect_id, result = 0, expected;
    memcpy(&connect_id, head + ls_enet_checksum_at(head[0]), sizeof connect_id);
    connect_id = ls_enet_id(connect_id);
    memcpy(&expected, self->expected, sizeof expected);
    const ls_carrier *carrier = find_carrier(self, connect_id, is_receiving);
    if (carrier) {
        ls_role sender =
            is_receiving == (self->role == LS_ROLE_SERVER) ? LS_ROLE_CLIENT : LS_ROLE_SERVER;
        uint8_t hash[crypto_shorthash_BYTES];
        hash_buffers(buffers, count, carrier->keys[sender], hash);
        memcpy(&result, hash, sizeof result);
    } else {
        result = ~expected;
    }
    if (is_receiving && result == expected && self->role == LS_ROLE_SERVER && connect_id != 0 &&
        !take_commands(self))
        result = ~expected;
    if (is_receiving && result != expected)
        ++*(connect_id == 0 ? &self->stats.connects_refused : &self->stats.datagrams_refused);
    return result;
}

static void take_handshake(ls_enet_link *self, const ls_address *from)
{
    ls_queued_datagram *datagram = ls_datagram_queue_push(&self->datagrams);
    if (!datagram) {
        self->stats.datagrams_refused++;
        return;
    }
    datagram->from = *from;
    datagram->bytes = (uint32_t)self->host->receivedDataLength;
    memcpy(datagram->data, self->host->receivedData, datagram->bytes);
}

/* Whether ENet has this peer, at the address that the datagram came from and in this session: it
 * would drop the others itself, uncounted. */
static bool has_peer(const ENetHost *host, const ls_enet_datagram *datagram)
{
    if (datagram->peer >= host->peerCount)
        return false;
    const ENetPeer *peer = &host->peers[datagram->peer];
    bool is_known = peer->outgoingPeerID < ENET_PROTOCOL_MAXIMUM_PEER_ID;
    return peer->state != ENET_PEER_STATE_DISCONNECTED && peer->state != ENET_PEER_STATE_ZOMBIE &&
           peer->address.host == host->receivedAddress.host &&
           peer->address.port == host->receivedAddress.port &&
           (!is_known || peer->incomingSessionID == datagram->session);
}

/* Whether each reliable command is as near the one that the channel waits for as our own sender's
 * are: ahead at most its queue, before it repetitions after a lost acknowledgement. ENet would keep
 * up to 28,000 early commands and search them for each new one. */
static bool are_near(const ls_enet_link *self, const ls_enet_datagram *datagram)
{
    const ENetPeer *peer = &self->host->peers[datagram->peer];
    uint32_t most =
        ls_enet_queue_max(self->role == LS_ROLE_SERVER ? LS_ROLE_CLIENT : LS_ROLE_SERVER);
    if (datagram->reliable_count > 0 && peer->channelCount <= LS_CHANNEL_CONTROL)
        return false;
    for (uint32_t i = 0; i < datagram->reliable_count; i++) {
        uint16_t done = peer->channels[LS_CHANNEL_CONTROL].incomingReliableSequenceNumber;
        if ((uint16_t)(datagram->reliable[i] - done + most) > 2 * most)
            return false;
    }
    return true;
}

/* ENet would repeat its CONNECT and the answer after half a second, doubled each time: on a line
 * with 20 % loss one client in twenty would not be connected before its admission expires. */
void ls_enet_repeat_soon(ENetPeer *peer)
{
    peer->roundTripTime = CONNECT_REPEAT_MS;
    peer->roundTripTimeVariance = 0;
}

/* A CONNECT passes as often as it comes while its admission holds: ENet repeats a lost one, and
 * ignores it when it has that connection already. */
static bool is_admitted(ls_enet_link *self, const ls_enet_datagram *datagram,
                        const ls_address *from)
{
    uint32_t connect_id;
    memcpy(&connect_id, datagram->connect_id, sizeof connect_id);
    const ls_carrier_entry *entry =
        self->role == LS_ROLE_SERVER
            ? ls_carriers_find_waiting(self->carriers, from, ls_enet_id(connect_id), self->now_ns)
            : NULL;
    self->connecting = entry ? &entry->carrier : NULL;
    return entry != NULL;
}

/* The peer that ENet is about to use for a new connection: its answer is repeated as quickly as the
 * client's CONNECT. */
static void prepare_free_peer(ENetHost *host)
{
    for (size_t i = 0; i < host->peerCount; i++) {
        if (host->peers[i].state != ENET_PEER_STATE_DISCONNECTED)
            continue;
        ls_enet_repeat_soon(&host->peers[i]);
        return;
    }
}

/* The gate, for every datagram before ENet looks at it: 1 takes it away. */
int ENET_CALLBACK ls_enet_intercept(ENetHost *host, ENetEvent *event)
{
    (void)event;
    ls_enet_link *self = current;
    ls_address from = ls_enet_address(&host->receivedAddress);
    ls_enet_datagram datagram =
        ls_enet_gate_read(host->receivedData, host->receivedDataLength, self->role);
    bool is_stranger =
        self->role == LS_ROLE_CLIENT && (host->receivedAddress.host != self->server.host ||
                                         host->receivedAddress.port != self->server.port);
    self->connecting = NULL;
    memcpy(self->expected, datagram.checksum, sizeof self->expected);
    if (!is_stranger && datagram.kind == LS_ENET_HANDSHAKE) {
        take_handshake(self, &from);
        return 1;
    }
    if (datagram.kind == LS_ENET_CONNECT) {
        if (is_admitted(self, &datagram, &from)) {
            prepare_free_peer(host);
            return 0;
        }
        self->stats.connects_refused++;
        return 1;
    }
    if (!is_stranger && datagram.kind == LS_ENET_PACKET && has_peer(host, &datagram) &&
        are_near(self, &datagram)) {
        if (datagram.has_disconnect)
            ls_enet_keep_messages(self, &host->peers[datagram.peer]);
        self->peer = datagram.peer;
        self->command_count = datagram.command_count;
        self->commands_seen += datagram.command_count;
        return 0;
    }
    self->stats.datagrams_refused++;
    return 1;
}
