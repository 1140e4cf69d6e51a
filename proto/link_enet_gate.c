/* The gate of a link over ENet: decides which datagrams ENet sees, and authenticates them. */
#include "proto/link_enet_gate.h"

#include "proto/link_enet_direct.h"
#include "proto/link_enet_kept.h"
#include "proto/link_enet_path.h"
#include "proto/link_enet_post.h"

#include <string.h>

enum { CONNECT_REPEAT_MS = 100 };

/* The link that was entered last. Global, because ENet's checksum callback gets no pointer to its
 * host. */
static _Thread_local ls_enet_link *current;

void ls_enet_enter(ls_enet_link *self, uint64_t now_ns)
{
    current = self;
    ls_enet_socket_use(&self->socket);
    self->now_ns = now_ns;
    enet_time_set((enet_uint32)(now_ns / LS_ENET_NS_IN_MS));
}

void ls_enet_leave(void)
{
    current = NULL;
    ls_enet_socket_use(NULL);
}

uint32_t ls_enet_id(uint32_t connect_id)
{
    const uint8_t bytes[4] = {(uint8_t)connect_id, (uint8_t)(connect_id >> 8),
                              (uint8_t)(connect_id >> 16), (uint8_t)(connect_id >> 24)};
    uint32_t result;
    memcpy(&result, bytes, sizeof result);
    return result;
}

static ls_enet_line line_of(ls_enet_link *self, const ls_carrier_entry *entry)
{
    return entry ? (ls_enet_line){&entry->carrier, ls_carriers_counters(self->carriers, entry),
                                  &entry->remote}
                 : (ls_enet_line){0};
}

ls_enet_line ls_enet_find_line(ls_enet_link *self, enet_uint32 stored_id)
{
    uint32_t connect_id = ls_enet_id(stored_id);
    if (self->role == LS_ROLE_SERVER)
        return line_of(self, connect_id ? ls_carriers_find(self->carriers, connect_id) : NULL);
    bool is_ours = connect_id == 0 || connect_id == self->carrier.connect_id;
    return is_ours ? (ls_enet_line){&self->carrier, &self->counters, &self->server}
                   : (ls_enet_line){0};
}

/* Joins the buffers of a datagram that ENet is about to send, signs it, and makes ENet send this
 * copy. The copy has room for the MAC, for which a full datagram has no free ENet buffer. Returns
 * the counter, which ENet then writes in the place of the checksum. */
static enet_uint32 sign(ls_enet_link *self, size_t count)
{
    ENetBuffer *buffers = self->host->buffers;
    uint8_t *data = self->outgoing;
    size_t bytes = 0, head_bytes = buffers[0].dataLength;
    for (size_t i = 0; i < count; i++) {
        LS_ASSERT(buffers[i].dataLength <= sizeof self->outgoing - LS_CARRIER_MAC_BYTES - bytes);
        memcpy(data + bytes, buffers[i].data, buffers[i].dataLength);
        bytes += buffers[i].dataLength;
    }
    size_t counter_at = ls_enet_checksum_at(data[0]);
    enet_uint32 result;
    memcpy(&result, data + counter_at, sizeof result);
    ls_enet_line line = ls_enet_find_line(self, result);
    self->socket.is_dropped = !line.remote;
    if (line.remote)
        self->socket.to = ls_address_of_remote(line.remote);
    /* Without a key, or without a counter left, the datagram is sent unsigned: the other side drops
     * it. */
    if (!line.carrier || ls_carrier_mac_sign(line.counters, line.carrier->keys[self->role], data,
                                             bytes, counter_at) != LS_OK) {
        self->stats.sends_failed++;
        return 0;
    }
    buffers[1] = (ENetBuffer){.data = data + head_bytes,
                              .dataLength = bytes - head_bytes + LS_CARRIER_MAC_BYTES};
    self->host->bufferCount = 2;
    memcpy(&result, data + counter_at, sizeof result);
    return result;
}

/* Signs a datagram that ENet sends: only then does ENet pass host->buffers. For a received
 * datagram, which has passed the gate, returns the checksum that ENet finds in it. */
enet_uint32 ENET_CALLBACK ls_enet_checksum(const ENetBuffer *buffers, size_t count)
{
    ls_enet_link *self = current;
    return buffers == self->host->buffers ? sign(self, count) : self->expected;
}

static int refuse(ls_enet_link *self, ls_link_refusal reason)
{
    self->stats.datagrams_refused++;
    self->stats.refused[reason]++;
    return 1;
}

/* Authenticates the received datagram, marks its counter as used, and cuts off the MAC: ENet gets
 * the rest.
 *   errors  LS_ERROR_REFUSED: a repetition, or too old; any other: forged, or of no known carrier
 */
static ls_status authenticate(ls_enet_link *self, const ls_enet_line *line,
                              const ls_enet_datagram *datagram)
{
    ENetHost *host = self->host;
    ls_role sender = self->role == LS_ROLE_SERVER ? LS_ROLE_CLIENT : LS_ROLE_SERVER;
    if (!line->carrier)
        return LS_ERROR_NOT_FOUND;
    ls_status status =
        ls_carrier_mac_check(line->counters, line->carrier->keys[sender], host->receivedData,
                             host->receivedDataLength, datagram->counter_at);
    if (status != LS_OK)
        return status;
    memcpy(&self->expected, host->receivedData + datagram->counter_at, sizeof self->expected);
    host->receivedDataLength -= LS_CARRIER_MAC_BYTES;
    return LS_OK;
}

/* Counts a client's commands per second, as ENet searches and answers for each; false when they are
 * over the limit. Only authentic datagrams count, and each once: otherwise another sender could use
 * up the client's share. */
static bool take_commands(ls_enet_link *self, const ls_enet_datagram *datagram)
{
    ls_enet_slot *slot = &self->slots[datagram->peer];
    if (self->role == LS_ROLE_CLIENT)
        return true;
    if (self->now_ns - slot->commands_since_ns >= LS_SECOND_NS) {
        slot->commands_since_ns = self->now_ns;
        slot->commands = 0;
    }
    if (slot->commands + datagram->command_count > LS_LINK_COMMANDS_PER_S)
        return false;
    slot->commands += datagram->command_count;
    return true;
}

static void take_handshake(ls_enet_link *self, const ls_remote *from)
{
    ls_queued_datagram *datagram = ls_datagram_queue_push(&self->datagrams);
    if (!datagram) {
        refuse(self, LS_LINK_LIMITED);
        return;
    }
    datagram->from = *from;
    datagram->bytes = (uint32_t)self->host->receivedDataLength;
    memcpy(datagram->data, self->host->receivedData, datagram->bytes);
}

/* True for a datagram of an open connection that has only unsequenced packets. These bypass ENet,
 * so its peer is not read: with many peers, that would cost more than the rest of the check. */
static bool is_direct(const ls_enet_link *self, const ls_enet_datagram *datagram)
{
    return datagram->command_count == 0 && self->slots[datagram->peer].state == LS_ENET_OPEN;
}

/* True when ENet has this peer in this session. ENet itself would drop the other datagrams without
 * counting them. */
static bool has_peer(const ls_enet_link *self, const ls_enet_datagram *datagram)
{
    if (datagram->peer >= self->host->peerCount)
        return false;
    if (is_direct(self, datagram))
        return datagram->session == self->slots[datagram->peer].session;
    const ENetPeer *peer = &self->host->peers[datagram->peer];
    bool is_known = peer->outgoingPeerID < ENET_PROTOCOL_MAXIMUM_PEER_ID;
    return peer->state != ENET_PEER_STATE_DISCONNECTED && peer->state != ENET_PEER_STATE_ZOMBIE &&
           (!is_known || peer->incomingSessionID == datagram->session);
}

/* True when a datagram of this carrier may come from this address. Other addresses than the peer's
 * current one are allowed only to an open connection of a client that can move. */
static bool is_address(const ls_enet_link *self, uint32_t slot, const ls_enet_line *line,
                       const ls_remote *from)
{
    if (!line->carrier)
        return false;
    bool may_move = self->role == LS_ROLE_SERVER && self->slots[slot].state == LS_ENET_OPEN &&
                    line->carrier->capabilities & LS_CAPABILITY_MOVE;
    return may_move || ls_remote_is_same(line->remote, from);
}

/* True when each reliable command is near the one that the channel waits for. It may be ahead of
 * that one by at most the length of the sender's queue. It may be older by as much, because a
 * command is repeated when its acknowledgement was lost. ENet would keep up to 28,000 early
 * commands and search them for each new one. */
static bool are_near(const ls_enet_link *self, const ls_enet_datagram *datagram)
{
    const ENetPeer *peer = &self->host->peers[datagram->peer];
    uint32_t max =
        ls_enet_queue_max(self->role == LS_ROLE_SERVER ? LS_ROLE_CLIENT : LS_ROLE_SERVER);
    if (datagram->reliable_count > 0 && peer->channelCount <= LS_CHANNEL_CONTROL)
        return false;
    for (uint32_t i = 0; i < datagram->reliable_count; i++) {
        uint16_t done = peer->channels[LS_CHANNEL_CONTROL].incomingReliableSequenceNumber;
        if ((uint16_t)(datagram->reliable[i] - done + max) > 2 * max)
            return false;
    }
    return true;
}

/* Makes ENet repeat a CONNECT or its answer after CONNECT_REPEAT_MS. ENet alone would wait half a
 * second, and double that each time: on a line with 20 % loss, one client in twenty would then not
 * be connected before its admission expires. */
void ls_enet_repeat_soon(ENetPeer *peer)
{
    peer->roundTripTime = CONNECT_REPEAT_MS;
    peer->roundTripTimeVariance = 0;
}

/* Returns the carrier that a CONNECT was admitted for, if the admission has not expired. Repeated
 * CONNECTs pass until ENet reports the connection; later ones are refused. A client admits none. */
static ls_enet_line admitted_line(ls_enet_link *self, const ls_enet_datagram *datagram,
                                  const ls_remote *from)
{
    enet_uint32 connect_id;
    if (self->role == LS_ROLE_CLIENT)
        return (ls_enet_line){0};
    memcpy(&connect_id, datagram->connect_id, sizeof connect_id);
    return line_of(
        self, ls_carriers_find_waiting(self->carriers, from, ls_enet_id(connect_id), self->now_ns));
}

/* Prepares the peer that ENet is about to use for a new connection, so that ENet repeats the answer
 * to a CONNECT as quickly as the client repeats the CONNECT. */
static void prepare_free_peer(ENetHost *host)
{
    for (size_t i = 0; i < host->peerCount; i++) {
        if (host->peers[i].state != ENET_PEER_STATE_DISCONNECTED)
            continue;
        ls_enet_repeat_soon(&host->peers[i]);
        return;
    }
}

/* True when the host of this carrier may connect another peer. ENet's own limit is not enough: it
 * counts the peers of one address, and ENet knows no addresses where the link has its own socket. A
 * repeated CONNECT is allowed, because it already has a peer. */
static bool may_connect(const ls_enet_link *self, const ls_enet_line *line)
{
    uint32_t count = 0;
    const ls_carrier_entry *own = ls_carriers_find(self->carriers, line->carrier->connect_id);
    for (uint32_t i = 0; i < self->slot_count; i++) {
        const ENetPeer *peer = &self->host->peers[i];
        uint32_t connect_id = ls_enet_id(peer->connectID);
        if (peer->state == ENET_PEER_STATE_DISCONNECTED || connect_id == 0)
            continue;
        if (connect_id == line->carrier->connect_id)
            return true;
        const ls_carrier_entry *entry = ls_carriers_find(self->carriers, connect_id);
        count += entry && ls_remote_key_is_same(&entry->host, &own->host);
    }
    return count < self->host->duplicatePeers;
}

static int take_connect(ls_enet_link *self, const ls_enet_datagram *datagram, const ls_remote *from)
{
    ls_enet_line line = admitted_line(self, datagram, from);
    if (authenticate(self, &line, datagram) == LS_OK && may_connect(self, &line)) {
        self->host->receivedAddress = ls_enet_address(self, from, line.carrier->connect_id);
        prepare_free_peer(self->host);
        return 0;
    }
    self->stats.connects_refused++;
    return 1;
}

/* ENet handles several datagrams before it reports their messages. The messages of one peer then
 * all have the arrival time of its last datagram, so none seems to have arrived too early. */
static void note_arrival(ls_enet_link *self, uint32_t peer)
{
    ls_enet_slot *slot = &self->slots[peer];
    if (self->socket.arrived_ns > slot->arrived_ns)
        slot->arrived_ns = self->socket.arrived_ns;
}

/* Returns the carrier of the datagram's peer. For packets of an open connection, the slot has the
 * carrier. */
static ls_enet_line line_of_peer(ls_enet_link *self, const ls_enet_datagram *datagram)
{
    return is_direct(self, datagram)
               ? self->slots[datagram->peer].line
               : ls_enet_find_line(self, self->host->peers[datagram->peer].connectID);
}

/* Checks a datagram of a peer, and marks its counter as used. False for a refused datagram, which
 * is then counted. */
static bool accept_packet(ls_enet_link *self, const ls_enet_datagram *datagram,
                          const ls_remote *from)
{
    size_t bytes = self->host->receivedDataLength;
    if (!has_peer(self, datagram))
        return !refuse(self, LS_LINK_STRANGER);
    ls_enet_line line = line_of_peer(self, datagram);
    uint64_t next = line.carrier ? line.counters->received_next : 0;
    if (!is_address(self, datagram->peer, &line, from))
        return !refuse(self, LS_LINK_STRANGER);
    ls_status status = authenticate(self, &line, datagram);
    if (status != LS_OK)
        return !refuse(self, status == LS_ERROR_REFUSED ? LS_LINK_REPEATED : LS_LINK_FORGED);
    if (!are_near(self, datagram))
        return !refuse(self, LS_LINK_MALFORMED);
    if (!take_commands(self, datagram))
        return !refuse(self, LS_LINK_LIMITED);
    if (line.counters->received_next > next && !ls_remote_is_same(line.remote, from))
        ls_enet_path_ask(self, datagram->peer, from, bytes);
    return true;
}

/* Takes the packets out of an authentic datagram, and passes the rest to ENet. The sender's address
 * proves nothing: only the peer's answer to a CHALLENGE can move the peer (proto/path.h). ENet
 * would drop a datagram from another address, so it is told the peer's known address. */
static int take_packet(ls_enet_link *self, const ls_enet_datagram *datagram, const ls_remote *from)
{
    if (!accept_packet(self, datagram, from))
        return 1;
    note_arrival(self, datagram->peer);
    self->commands_seen += datagram->command_count;
    if (ls_enet_receive_direct(self, datagram))
        return 1;
    ENetPeer *peer = &self->host->peers[datagram->peer];
    self->host->receivedAddress = peer->address;
    if (datagram->has_disconnect)
        ls_enet_keep_messages(self, peer);
    return 0;
}

/* ENet calls this for every received datagram first; 1 hides the datagram from ENet. */
int ENET_CALLBACK ls_enet_intercept(ENetHost *host, ENetEvent *event)
{
    (void)event;
    ls_enet_link *self = current;
    const ls_remote from = ls_enet_sender(self);
    ls_enet_datagram datagram =
        ls_enet_gate_read(host->receivedData, host->receivedDataLength, self->role);
    bool is_foreign = self->role == LS_ROLE_CLIENT && !ls_remote_is_same(&from, &self->server);
    if (datagram.kind == LS_ENET_HANDSHAKE &&
        (!is_foreign || ls_enet_candidates_has(&self->candidates, &from))) {
        take_handshake(self, &from);
        return 1;
    }
    if (!is_foreign && datagram.kind == LS_ENET_PATH &&
        ls_enet_path_receive(self, &from, host->receivedData))
        return 1;
    if (datagram.kind == LS_ENET_CONNECT)
        return take_connect(self, &datagram, &from);
    if (!is_foreign && datagram.kind == LS_ENET_PACKET)
        return take_packet(self, &datagram, &from);
    return refuse(self, datagram.kind == LS_ENET_REFUSED ? LS_LINK_MALFORMED : LS_LINK_STRANGER);
}
