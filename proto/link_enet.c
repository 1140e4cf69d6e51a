/* A link over ENet. These rules avoid ENet's traps:
 *   - ENet receives only datagrams that passed the gate (proto/enet_gate.h): known commands of
 *     known peers, and CONNECTs of admitted addresses. Each is authentic, and each passes once.
 *   - ENet never waits, and its clock is set from the caller's before every call. Steps of the wall
 *     clock therefore neither disconnect nor block.
 *   - ENet's service call may return 0 although datagrams wait (after an empty one, or after 256),
 *     and -1 for a single bad datagram. A round therefore continues until the socket is empty or
 *     the budget is used.
 *   - No packet is fragmented or "unreliable"; unsequenced ones bypass ENet (link_enet_direct.h).
 *   - ENet searches all early reliable commands for each new one, and acknowledges any command that
 *     asks. The link therefore bounds how far ahead a command may be, and the commands per second.
 *   - A DISCONNECT drops messages that ENet has received and not reported. The link takes them out
 *     first.
 *   - ENet's timeouts and its throttle are off: the owner of the session has better ones. */
#include "proto/link_enet_internal.h"

#include "proto/link_enet_direct.h"
#include "proto/link_enet_gate.h"
#include "proto/link_enet_kept.h"
#include "proto/link_enet_path.h"
#include "proto/link_enet_post.h"
#include "proto/link_enet_versions.h"

#include <sodium.h>
#include <string.h>

/* The work that one round may do, in units of about 1.2 us on a slow machine. Each event, each
 * datagram, each command except SEND_UNSEQUENCED, and each service call that reads the socket
 * (system calls, two walks over all peers) costs work. A flood therefore blocks the caller for 2.5
 * to 3 ms at most. */
#define ROUND_BUDGET  2048
#define DATAGRAM_WORK 2
#define CALL_WORK     3
#define WALK_PEERS    64 /* The peers that one unit of work may touch. */
/* The most datagrams that ENet receives in one pass. */
#define PASS_DATAGRAMS 256
/* How often unfinished connections are removed, and how long one may take to end. */
#define SWEEP_NS   (100 * LS_ENET_NS_IN_MS)
#define CLOSING_NS (5000 * LS_ENET_NS_IN_MS)

enum { DISCONNECT_MINIMUM_MS = 1000, DISCONNECT_MAXIMUM_MS = 3000, CONNECT_TIMEOUT_MS = 5000 };
enum { PING_INTERVAL_MS = 5000 };

/* Returns the ENet peer of an id, NULL when the id is unknown or stale. */
static ENetPeer *find_peer(const ls_enet_link *self, ls_peer peer)
{
    uint32_t slot = ls_peer_slot(peer);
    if (slot >= self->slot_count || self->slots[slot].state != LS_ENET_OPEN ||
        ls_enet_peer_id(self, slot) != peer)
        return NULL;
    return &self->host->peers[slot];
}

/* True when the control channel may take no further command. The other side's gate accepts only
 * commands near the one that it waits for. The limit is therefore on the distance from the oldest
 * unacknowledged command to the newest, not on their number. After one lost acknowledgement the
 * oldest is repeated while later ones complete, and it must stay within the gate's range. */
static bool control_queue_is_full(const ls_enet_link *self, ENetPeer *peer)
{
    return ls_enet_queued_control_sequences(peer) >= ls_enet_queue_max(self->role);
}

static ls_status link_send(ls_link *link, ls_peer peer, const ls_packet *packet)
{
    ls_enet_link *self = ls_enet_link_of(link);
    LS_ASSERT(packet->channel < LS_CHANNEL_COUNT);
    if (!ls_enet_is_sealed_length(packet->bytes))
        return LS_ERROR_LIMIT;
    ENetPeer *target = find_peer(self, peer);
    if (!target)
        return LS_ERROR_NOT_FOUND;
    bool is_control = packet->channel == LS_CHANNEL_CONTROL;
    if (!is_control && self->socket.udp)
        return ls_enet_send_direct(self, ls_peer_slot(peer), packet);
    if (is_control && control_queue_is_full(self, target)) {
        self->stats.sends_failed++;
        return LS_ERROR_LIMIT;
    }
    ENetPacket *copy =
        enet_packet_create(packet->data, packet->bytes,
                           is_control ? ENET_PACKET_FLAG_RELIABLE : ENET_PACKET_FLAG_UNSEQUENCED);
    if (copy && enet_peer_send(target, packet->channel, copy) == 0) {
        self->is_unsent = true;
        return LS_OK;
    }
    /* After a failed send, the packet still belongs to us. */
    if (copy && copy->referenceCount == 0)
        enet_packet_destroy(copy);
    self->stats.sends_failed++;
    return LS_ERROR_LIMIT;
}

static void configure_peer(ENetPeer *peer)
{
    /* No timeout: ENet's pings are reliable packets, so loss alone would disconnect an active
     * peer. */
    enet_peer_timeout(peer, 1u << 20, 600000, 600000);
    /* Ping rarely: each ping and its acknowledgement is a datagram of its own, and our messages are
     * more frequent and say more. */
    enet_peer_ping_interval(peer, PING_INTERVAL_MS);
    /* No throttle: it would drop unreliable packets at the sender after a longer round trip. */
    enet_peer_throttle_configure(peer, 5000, ENET_PEER_PACKET_THROTTLE_SCALE, 0);
    /* Not the MTU that the peer offers: with a smaller one, ENet would cut our packets into
     * reliable fragments. */
    peer->mtu = LS_ENET_MTU_BYTES;
}

static bool translate_message(ls_enet_link *self, const ENetEvent *from, ls_link_event *event)
{
    uint32_t slot = (uint32_t)(from->peer - self->host->peers);
    bool is_fit =
        from->channelID < LS_CHANNEL_COUNT && ls_enet_is_sealed_length(from->packet->dataLength);
    if (!is_fit || self->slots[slot].state != LS_ENET_OPEN) {
        self->stats.packets_refused += !is_fit;
        enet_packet_destroy(from->packet);
        return false;
    }
    self->delivered = from->packet;
    *event = (ls_link_event){.kind = LS_LINK_MESSAGE,
                             .peer = ls_enet_peer_id(self, slot),
                             .arrived_ns = self->slots[slot].arrived_ns,
                             .packet = {.channel = from->channelID,
                                        .bytes = (uint32_t)from->packet->dataLength,
                                        .data = from->packet->data}};
    return true;
}

/* Frees a slot after its connection has ended, and forgets the carrier with its keys. */
static void free_slot(ls_enet_link *self, uint32_t slot)
{
    ls_enet_slot *which = &self->slots[slot];
    if (self->role == LS_ROLE_CLIENT)
        sodium_memzero(&self->carrier, sizeof self->carrier);
    else if (which->connect_id != 0)
        ls_carriers_remove(self->carriers, which->connect_id);
    if (which->state == LS_ENET_OPEN || which->state == LS_ENET_CONNECTING)
        which->generation++;
    which->state = LS_ENET_CLOSED;
    which->connect_id = 0;
    which->line = (ls_enet_line){0};
    which->commands = 0;
    which->has_moved = false;
}

static bool translate_connect(ls_enet_link *self, ENetPeer *peer, ls_link_event *event)
{
    uint32_t slot = (uint32_t)(peer - self->host->peers);
    if (self->role == LS_ROLE_SERVER) {
        ls_carrier_entry *entry = ls_carriers_find(self->carriers, ls_enet_id(peer->connectID));
        if (!entry || entry->is_held) { /* the admission has expired in the meantime */
            enet_peer_reset(peer);
            return false;
        }
        free_slot(self, slot);
        ls_carriers_hold(self->carriers, entry, slot);
    }
    configure_peer(peer);
    self->slots[slot].state = LS_ENET_OPEN;
    self->slots[slot].connect_id = ls_enet_id(peer->connectID);
    ls_enet_begin_direct(self, slot, ls_enet_find_line(self, peer->connectID));
    *event = (ls_link_event){.kind = LS_LINK_CONNECTED,
                             .peer = ls_enet_peer_id(self, slot),
                             .connect_id = ls_enet_id(peer->connectID)};
    return true;
}

static bool translate_disconnect(ls_enet_link *self, uint32_t slot, ls_link_event *event)
{
    uint8_t state = self->slots[slot].state;
    *event = (ls_link_event){.kind = LS_LINK_DISCONNECTED, .peer = ls_enet_peer_id(self, slot)};
    free_slot(self, slot);
    return state == LS_ENET_OPEN || state == LS_ENET_CONNECTING;
}

/* Converts an ENet event; false for one that the owner need not know. */
static bool translate(ls_enet_link *self, const ENetEvent *from, ls_link_event *event)
{
    switch (from->type) {
    case ENET_EVENT_TYPE_CONNECT:
        return translate_connect(self, from->peer, event);
    case ENET_EVENT_TYPE_DISCONNECT:
        return translate_disconnect(self, (uint32_t)(from->peer - self->host->peers), event);
    case ENET_EVENT_TYPE_RECEIVE:
        return translate_message(self, from, event);
    case ENET_EVENT_TYPE_NONE:
    default:
        return false;
    }
}

/* Adds the work since the last call to the round's work, and returns the number of datagrams since
 * then. */
static uint32_t count_work(ls_enet_link *self, bool has_event)
{
    uint32_t taken = self->socket.udp ? (uint32_t)ls_udp_taken(self->socket.udp)
                                      : self->host->totalReceivedPackets;
    uint32_t datagrams = taken - self->datagrams_seen;
    self->datagrams_seen = taken;
    self->work += has_event + DATAGRAM_WORK * datagrams + self->commands_seen;
    self->commands_seen = 0;
    /* An event that ENet had already queued is returned without a look at the socket. */
    if (!has_event || datagrams > 0)
        self->work += CALL_WORK + self->slot_count / WALK_PEERS;
    return datagrams;
}

/* True when a pass has emptied the socket. Empty datagrams, errors and ENet's limit end a pass
 * earlier. Where the kernel filters empty datagrams, the result of the pass tells whether the
 * socket is empty, which saves a system call. */
static bool has_drained(const ls_enet_link *self, int result, uint32_t datagrams)
{
    if (self->socket.udp)
        return ls_udp_is_drained(self->socket.udp);
    if (self->is_filtered && result >= 0 && datagrams < PASS_DATAGRAMS)
        return true;
    return !ls_socket_wait((int)self->host->socket, -1, 0);
}

/* Fetches the next event; its type is NONE after a pass without one. False when there is no more
 * work. A pass costs two walks over all peers, so it runs only while the socket has datagrams. */
static bool service(ls_enet_link *self, ENetEvent *event)
{
    /* After an error, ENet would leave an old event here. */
    event->type = ENET_EVENT_TYPE_NONE;
    if (ls_enet_take_kept(self, event) || enet_host_check_events(self->host, event) > 0) {
        (void)count_work(self, true);
        return true;
    }
    if (self->is_drained)
        return false;
    int result = enet_host_service(self->host, event, 0);
    self->is_drained = has_drained(self, result, count_work(self, result > 0));
    self->stats.receive_errors += result < 0;
    if (result > 0 && (self->kept || ls_enet_has_direct(self))) {
        ls_enet_keep(self, event);
        event->type = ENET_EVENT_TYPE_NONE;
    }
    return result > 0 || result < 0 || !self->is_drained;
}

/* Ends connections that ENet would keep: half-open ones with an expired admission, and those that
 * the owner has ended but the other side keeps alive. */
static void sweep(ls_enet_link *self)
{
    if (self->role == LS_ROLE_CLIENT || self->now_ns < self->sweep_ns)
        return;
    self->sweep_ns = self->now_ns + SWEEP_NS;
    ls_carriers_expire(self->carriers, self->now_ns);
    for (uint32_t slot = 0; slot < self->slot_count; slot++) {
        ENetPeer *peer = &self->host->peers[slot];
        bool is_half_open = peer->state == ENET_PEER_STATE_ACKNOWLEDGING_CONNECT &&
                            !ls_carriers_find(self->carriers, ls_enet_id(peer->connectID));
        bool is_overdue = self->slots[slot].state == LS_ENET_CLOSING &&
                          self->now_ns >= self->slots[slot].closing_until_ns;
        if (is_half_open || is_overdue)
            enet_peer_reset(peer);
        if (is_overdue)
            free_slot(self, slot);
    }
}

static bool take_datagram(ls_enet_link *self, ls_link_event *event)
{
    const ls_queued_datagram *datagram = ls_datagram_queue_take(&self->datagrams);
    if (!datagram)
        return false;
    self->work++;
    ls_enet_candidates_hear(&self->candidates, &datagram->from);
    *event = (ls_link_event){.kind = LS_LINK_DATAGRAM,
                             .peer = LS_PEER_NONE,
                             .remote = datagram->from,
                             .packet = {.bytes = datagram->bytes, .data = datagram->data}};
    return true;
}

static void begin_round(ls_enet_link *self)
{
    self->has_more = self->is_drained = false;
    ls_enet_socket_set_time(&self->socket, self->now_ns);
    ls_datagram_queue_begin_round(&self->datagrams);
    sweep(self);
}

/* Ends a round: sends the datagrams that ENet made in it, mostly acknowledgements. */
static bool end_round(ls_enet_link *self)
{
    self->work = 0;
    if (self->socket.udp)
        ls_udp_flush(self->socket.udp);
    return false;
}

static bool link_poll(ls_link *link, uint64_t now_ns, ls_link_event *event)
{
    ls_enet_link *self = ls_enet_link_of(link);
    if (self->delivered)
        enet_packet_destroy(self->delivered);
    self->delivered = NULL;
    ls_enet_enter(self, now_ns);
    if (self->work == 0)
        begin_round(self);
    while (self->work < ROUND_BUDGET) {
        ENetEvent from;
        if (take_datagram(self, event) || ls_enet_path_take_move(self, event) ||
            ls_enet_take_direct(self, event))
            return true;
        bool has_more = service(self, &from);
        if (translate(self, &from, event))
            return true;
        if (!has_more && !self->has_moves && !ls_enet_has_direct(self) &&
            self->datagrams.next == self->datagrams.count)
            return end_round(self);
    }
    self->stats.rounds_exhausted++;
    self->has_more = true;
    return end_round(self);
}

static void link_flush(ls_link *link, uint64_t now_ns)
{
    ls_enet_link *self = ls_enet_link_of(link);
    /* ENet's flush walks over all peers, so it is called only after something was queued.
     * Acknowledgements and pings go out with the next round. */
    if (self->is_unsent) {
        self->is_unsent = false;
        ls_enet_enter(self, now_ns);
        enet_host_flush(self->host);
    }
    if (self->socket.udp)
        ls_udp_flush(self->socket.udp);
}

static void link_disconnect(ls_link *link, ls_peer peer)
{
    ls_enet_link *self = ls_enet_link_of(link);
    ENetPeer *target = find_peer(self, peer);
    if (!target)
        return;
    ls_enet_slot *slot = &self->slots[ls_peer_slot(peer)];
    ls_enet_enter(self, self->now_ns);
    /* Set a timeout of seconds: otherwise a vanished peer would keep its slot for ten minutes. */
    enet_peer_timeout(target, 8, DISCONNECT_MINIMUM_MS, DISCONNECT_MAXIMUM_MS);
    enet_peer_disconnect_later(target, 0);
    self->is_unsent = true;
    slot->state = LS_ENET_CLOSING;
    slot->generation++; /* the id is stale from now on */
    slot->closing_until_ns = self->now_ns + CLOSING_NS;
}

static ls_status link_admit(ls_link *link, const ls_remote *remote, const ls_carrier *carrier,
                            uint64_t until_ns)
{
    ls_enet_link *self = ls_enet_link_of(link);
    LS_ASSERT(self->role == LS_ROLE_SERVER);
    const ls_admission_request request = {carrier, *remote, ls_enet_host(remote), until_ns};
    return ls_carriers_admit(self->carriers, &request, self->now_ns);
}

static uint32_t link_connections(const ls_link *link, const ls_remote_key *host)
{
    const ls_enet_link *self = ls_enet_link_of_const(link);
    LS_ASSERT(self->role == LS_ROLE_SERVER);
    return ls_carriers_count_held(self->carriers, host);
}

static ls_status link_connect(ls_link *link, uint64_t now_ns, const ls_carrier *carrier)
{
    ls_enet_link *self = ls_enet_link_of(link);
    LS_ASSERT(self->role == LS_ROLE_CLIENT && carrier->connect_id != 0);
    ls_enet_enter(self, now_ns);
    free_slot(self, 0);
    enet_peer_reset(&self->host->peers[0]); /* also copies the host's MTU to the peer */
    self->server = ls_enet_candidates_settle(&self->candidates);
    const ENetAddress server = ls_enet_address(self, &self->server, carrier->connect_id);
    ENetPeer *peer = enet_host_connect(self->host, &server, LS_CHANNEL_COUNT, 0);
    if (!peer)
        return LS_ERROR_IO;
    /* Nothing was sent yet, so the CONNECT is still in the queue. */
    LS_ASSERT(ls_enet_set_connect_id(peer, ls_enet_id(carrier->connect_id)));
    enet_peer_timeout(peer, ENET_PEER_TIMEOUT_LIMIT, CONNECT_TIMEOUT_MS, CONNECT_TIMEOUT_MS);
    ls_enet_repeat_soon(peer);
    self->carrier = *carrier;
    self->counters = (ls_carrier_counters){0};
    self->is_unsent = true;
    self->slots[0].state = LS_ENET_CONNECTING;
    return LS_OK;
}

/* Directs the client to another server address. The server at the former address learns at once
 * that the connection is over. */
static ls_status link_redirect(ls_link *link, const ls_remote *to)
{
    ls_enet_link *self = ls_enet_link_of(link);
    LS_ASSERT(self->role == LS_ROLE_CLIENT);
    const ls_address next = ls_address_of_remote(to);
    if (!ls_enet_candidates_may_lead_to(&self->candidates, &next))
        return LS_ERROR_REFUSED;
    ls_enet_enter(self, self->now_ns);
    enet_host_flush(self->host); /* acknowledges what has come */
    enet_peer_disconnect_now(&self->host->peers[0], 0);
    free_slot(self, 0);
    ls_enet_candidates_init(&self->candidates, &next, 1);
    self->server = *to;
    return LS_OK;
}

static bool link_wait(ls_link *link, uint32_t timeout_ms)
{
    ls_enet_link *self = ls_enet_link_of(link);
    if (self->has_more)
        return true;
    bool is_woken = ls_socket_wait((int)self->host->socket, self->bell, timeout_ms);
    /* A ring after this exchange ends the next wait. For earlier rings the exchange acquires, so
     * the caller sees why they rang. A store would not do, not even a seq_cst one: a weakly ordered
     * CPU may look for a reason before others see the store; they then do not ring, and the reason
     * is missed (tests/models/weak_jobs.pml). */
    (void)atomic_exchange_explicit(&self->is_wake_pending, false, memory_order_acquire);
    return is_woken;
}

static void link_wake(ls_link *link)
{
    ls_enet_link *self = ls_enet_link_of(link);
    /* Ring once only: a second ring before the wait would cost a system call for nothing. Release:
     * even without a ring, the caller of link_wait() sees what the caller of this did before. */
    if (!atomic_exchange_explicit(&self->is_wake_pending, true, memory_order_release))
        ls_bell_ring(self->bell);
}

static ls_remote link_remote(const ls_link *link, ls_peer peer)
{
    const ls_enet_link *self = ls_enet_link_of_const(link);
    return find_peer(self, peer) ? *ls_enet_peer_remote(self, ls_peer_slot(peer)) : (ls_remote){0};
}

static ls_link_stats link_stats(const ls_link *link)
{
    const ls_enet_link *self = ls_enet_link_of_const(link);
    ls_link_stats stats = self->stats;
    if (self->socket.udp) {
        ls_udp_troubles troubles = ls_udp_get_troubles(self->socket.udp);
        stats.receive_errors += troubles.unread;
        stats.sends_failed += troubles.unsent;
    }
    return stats;
}

static bool link_is_quiet(const ls_link *link)
{
    const ls_enet_link *self = ls_enet_link_of_const(link);
    for (uint32_t slot = 0; slot < self->slot_count; slot++)
        if (self->slots[slot].state == LS_ENET_CLOSING)
            return false;
    return true;
}

static void link_destroy(ls_link *link)
{
    ls_enet_link *self = ls_enet_link_of(link);
    if (self->delivered)
        enet_packet_destroy(self->delivered);
    /* Flush, so that queued packets leave first. The disconnect is a single datagram and may be
     * lost. */
    ls_enet_enter(self, self->now_ns);
    enet_host_flush(self->host);
    for (uint32_t slot = 0; slot < self->slot_count; slot++)
        if (self->slots[slot].state != LS_ENET_CLOSED)
            enet_peer_disconnect_now(&self->host->peers[slot], 0);
    ls_enet_forget_kept(self);
    enet_host_destroy(self->host);
    ls_enet_leave();
    ls_udp_close(self->socket.udp);
    if (self->carriers)
        ls_carriers_destroy(self->carriers);
    sodium_memzero(&self->carrier, sizeof self->carrier);
    ls_datagram_queue_reset(&self->datagrams);
    ls_free(self->inbox.bytes);
    ls_bell_close(self->bell);
    ls_free(self);
}

const ls_link_vtable ls_enet_vtable = {
    .send = link_send,
    .poll = link_poll,
    .flush = link_flush,
    .disconnect = link_disconnect,
    .wait = link_wait,
    .wake = link_wake,
    .post = ls_enet_link_post,
    .admit = link_admit,
    .connections = link_connections,
    .connect = link_connect,
    .remote = link_remote,
    .origin = ls_enet_origin,
    .describe = ls_enet_describe,
    .stats = link_stats,
    .is_quiet = link_is_quiet,
    .destroy = link_destroy,
    .redirect = link_redirect,
};
