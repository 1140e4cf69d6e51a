#include "proto/link_pair.h"

#include <lockstep/link_remote.h>

enum { FIRST = 0, SECOND, SIDES };

#define SLOT_NONE UINT32_MAX

typedef struct slot {
    ls_peer inner; /* LS_PEER_NONE: the slot is free */
    uint16_t generation;
    uint8_t side;
} slot;

typedef struct pair_link {
    ls_link link;
    ls_link *sides[SIDES];
    bool (*is_seconds)(const ls_remote *remote);
    uint32_t turn;             /* the side that is polled */
    uint32_t *slots_of[SIDES]; /* by the slot in the side's own id: the pair's slot */
    uint32_t counts[SIDES];    /* lengths of the arrays in slots_of */
    uint32_t slot_count;
    slot slots[];
} pair_link;

static pair_link *pair_of(ls_link *link)
{
    return (pair_link *)(void *)link;
}

static const pair_link *pair_of_const(const ls_link *link)
{
    return (const pair_link *)(const void *)link;
}

static ls_link *side_of(const pair_link *self, const ls_remote *remote)
{
    return self->sides[self->is_seconds(remote) ? SECOND : FIRST];
}

/* Returns the slot of a connection; NULL: the id is unknown or stale. */
static const slot *find(const pair_link *self, ls_peer peer)
{
    uint32_t index = ls_peer_slot(peer);
    if (index >= self->slot_count || self->slots[index].inner == LS_PEER_NONE ||
        self->slots[index].generation != peer >> 16)
        return NULL;
    return &self->slots[index];
}

/* Returns where the pair's slot of a side's connection is kept. The ids of a side have slots below
 * 2^16, most of which are never used, so the table grows only when needed. */
static uint32_t *place_of(pair_link *self, uint32_t side, ls_peer inner)
{
    uint32_t index = ls_peer_slot(inner);
    if (index >= self->counts[side]) {
        uint32_t count = (index + 64) & ~63u;
        self->slots_of[side] = ls_realloc(self->slots_of[side], count * sizeof(uint32_t));
        for (uint32_t i = self->counts[side]; i < count; i++)
            self->slots_of[side][i] = SLOT_NONE;
        self->counts[side] = count;
    }
    return &self->slots_of[side][index];
}

static void free_slot(pair_link *self, uint32_t index)
{
    slot *which = &self->slots[index];
    *place_of(self, which->side, which->inner) = SLOT_NONE;
    which->inner = LS_PEER_NONE;
    which->generation++;
}

static bool take_connected(pair_link *self, uint32_t side, ls_link_event *event)
{
    for (uint32_t i = 0; i < self->slot_count; i++) {
        if (self->slots[i].inner != LS_PEER_NONE)
            continue;
        self->slots[i].inner = event->peer;
        self->slots[i].side = (uint8_t)side;
        *place_of(self, side, event->peer) = i;
        event->peer = (uint32_t)self->slots[i].generation << 16 | i;
        return true;
    }
    ls_link_disconnect(self->sides[side], event->peer); /* no free slot: does not happen while the
                                                           owner admits no more than peers_max */
    return false;
}

/* Gives the event the pair's id; false when the owner need not know of it. */
static bool translate(pair_link *self, uint32_t side, ls_link_event *event)
{
    if (event->kind == LS_LINK_DATAGRAM)
        return true;
    if (event->kind == LS_LINK_CONNECTED)
        return take_connected(self, side, event);
    uint32_t index = *place_of(self, side, event->peer);
    if (index == SLOT_NONE || self->slots[index].inner != event->peer)
        return false;
    event->peer = (uint32_t)self->slots[index].generation << 16 | index;
    if (event->kind == LS_LINK_DISCONNECTED)
        free_slot(self, index);
    return true;
}

static bool pair_poll(ls_link *link, uint64_t now_ns, ls_link_event *event)
{
    pair_link *self = pair_of(link);
    for (; self->turn < SIDES; self->turn++)
        while (ls_link_poll(self->sides[self->turn], now_ns, event))
            if (translate(self, self->turn, event))
                return true;
    self->turn = FIRST;
    return false;
}

static ls_status pair_send(ls_link *link, ls_peer peer, const ls_packet *packet)
{
    const pair_link *self = pair_of(link);
    const slot *to = find(self, peer);
    return to ? ls_link_send(self->sides[to->side], to->inner, packet) : LS_ERROR_NOT_FOUND;
}

static void pair_flush(ls_link *link, uint64_t now_ns)
{
    for (uint32_t side = 0; side < SIDES; side++)
        ls_link_flush(pair_of(link)->sides[side], now_ns);
}

static void pair_disconnect(ls_link *link, ls_peer peer)
{
    pair_link *self = pair_of(link);
    const slot *which = find(self, peer);
    if (!which)
        return;
    ls_link_disconnect(self->sides[which->side], which->inner);
    free_slot(self, ls_peer_slot(peer));
}

static bool pair_is_quiet(const ls_link *link)
{
    const pair_link *self = pair_of_const(link);
    return ls_link_is_quiet(self->sides[FIRST]) && ls_link_is_quiet(self->sides[SECOND]);
}

static bool pair_wait(ls_link *link, uint32_t timeout_ms)
{
    const pair_link *self = pair_of(link);
    bool has_second = ls_link_wait(self->sides[SECOND], 0);
    return ls_link_wait(self->sides[FIRST], has_second ? 0 : timeout_ms) || has_second;
}

static void pair_wake(ls_link *link)
{
    ls_link_wake(pair_of(link)->sides[FIRST]);
}

static void pair_post(ls_link *link, const ls_remote *to, const uint8_t *data, uint32_t bytes)
{
    ls_link_post(side_of(pair_of(link), to), to, data, bytes);
}

static ls_status pair_admit(ls_link *link, const ls_remote *remote, const ls_carrier *carrier,
                            uint64_t until_ns)
{
    return ls_link_admit(side_of(pair_of(link), remote), remote, carrier, until_ns);
}

static uint32_t pair_connections(const ls_link *link, const ls_remote_key *host)
{
    const pair_link *self = pair_of_const(link);
    return ls_link_connections(self->sides[FIRST], host) +
           ls_link_connections(self->sides[SECOND], host);
}

static ls_status pair_connect(ls_link *link, uint64_t now_ns, const ls_carrier *carrier)
{
    (void)link;
    (void)now_ns;
    (void)carrier;
    return LS_ERROR_IO; /* a server's link never connects */
}

static ls_remote pair_remote(const ls_link *link, ls_peer peer)
{
    const pair_link *self = pair_of_const(link);
    const slot *which = find(self, peer);
    return which ? ls_link_remote(self->sides[which->side], which->inner) : (ls_remote){0};
}

static ls_remote_origin pair_origin(const ls_link *link, const ls_remote *remote)
{
    return ls_link_locate(side_of(pair_of_const(link), remote), remote);
}

static void pair_describe(const ls_link *link, const ls_remote *remote,
                          char text[LS_REMOTE_TEXT_BYTES])
{
    ls_link_describe(side_of(pair_of_const(link), remote), remote, text);
}

static ls_link_stats pair_stats(const ls_link *link)
{
    const pair_link *self = pair_of_const(link);
    ls_link_stats sum = ls_link_get_stats(self->sides[FIRST]);
    const ls_link_stats other = ls_link_get_stats(self->sides[SECOND]);
    sum.receive_errors += other.receive_errors;
    sum.packets_refused += other.packets_refused;
    sum.sends_failed += other.sends_failed;
    sum.rounds_exhausted += other.rounds_exhausted;
    sum.datagrams_refused += other.datagrams_refused;
    for (uint32_t i = 0; i < LS_LINK_REFUSALS; i++)
        sum.refused[i] += other.refused[i];
    sum.connects_refused += other.connects_refused;
    sum.paths_asked += other.paths_asked;
    sum.peers_moved += other.peers_moved;
    return sum;
}

static void pair_destroy(ls_link *link)
{
    pair_link *self = pair_of(link);
    for (uint32_t side = 0; side < SIDES; side++) {
        ls_link_destroy(self->sides[side]);
        ls_free(self->slots_of[side]);
    }
    ls_free(self);
}

static const ls_link_vtable vtable = {
    .send = pair_send,
    .poll = pair_poll,
    .flush = pair_flush,
    .disconnect = pair_disconnect,
    .is_quiet = pair_is_quiet,
    .wait = pair_wait,
    .wake = pair_wake,
    .post = pair_post,
    .admit = pair_admit,
    .connections = pair_connections,
    .connect = pair_connect,
    .remote = pair_remote,
    .origin = pair_origin,
    .describe = pair_describe,
    .stats = pair_stats,
    .destroy = pair_destroy,
};

ls_link *ls_link_pair_create(const ls_link_pair_config *config)
{
    pair_link *self = ls_alloc(sizeof *self + config->peers_max * sizeof self->slots[0]);
    self->link.vtable = &vtable;
    self->sides[FIRST] = config->first;
    self->sides[SECOND] = config->second;
    self->is_seconds = config->is_seconds;
    self->slot_count = config->peers_max;
    for (uint32_t i = 0; i < config->peers_max; i++)
        self->slots[i].inner = LS_PEER_NONE;
    return &self->link;
}
