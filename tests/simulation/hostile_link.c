#include "hostile_link.h"

#include <string.h>

static struct hostile_link *cast(ls_link *link)
{
    return (struct hostile_link *)link;
}

static void keep(struct hostile_link *self, bool is_datagram, const ls_packet *packet)
{
    hostile_link_kept *kept = &self->kept[self->count++ % HOSTILE_LINK_KEPT];
    kept->is_datagram = is_datagram;
    kept->channel = packet->channel;
    kept->bytes = packet->bytes;
    memcpy(kept->data, packet->data, packet->bytes);
}

static ls_address foreign_address(struct hostile_link *self)
{
    return (ls_address)LS_ADDRESS_IPV4(192, 0, 2, (uint8_t)draws_next(&self->draws), 257);
}

static void replay(struct hostile_link *self, ls_peer peer)
{
    uint64_t count = self->count < HOSTILE_LINK_KEPT ? self->count : HOSTILE_LINK_KEPT;
    if (!count || !draws_percent(&self->draws, self->replay_percent))
        return;
    const hostile_link_kept *old = &self->kept[draws_next(&self->draws) % count];
    ls_packet packet = {.channel = old->channel, .bytes = old->bytes, .data = old->data};
    if (old->is_datagram) {
        ls_address from = draws_percent(&self->draws, 50) ? foreign_address(self)
                                                          : ls_network_address(self->over.inner);
        ls_network_inject(self->network, &from, old->data, old->bytes);
    } else if (old->channel == LS_CHANNEL_TICKS) {
        (void)!ls_link_send(self->over.inner, peer, &packet);
    }
}

/* Shows a packet to the attacker on the line. */
static void show(struct hostile_link *self, ls_role sender, bool is_datagram,
                 const ls_packet *packet)
{
    if (self->attacker)
        attacker_see(self->attacker, &(struct attacker_sight){.client = self->over.inner,
                                                              .sender = sender,
                                                              .is_datagram = is_datagram,
                                                              .packet = packet});
}

static ls_status hostile_link_send(ls_link *link, ls_peer peer, const ls_packet *packet)
{
    struct hostile_link *self = cast(link);
    replay(self, peer);
    ls_status status = ls_link_send(self->over.inner, peer, packet);
    if (status != LS_OK)
        return status;
    keep(self, false, packet);
    show(self, LS_ROLE_CLIENT, false, packet);
    return LS_OK;
}

static void hostile_link_post(ls_link *link, const ls_remote *to, const uint8_t *data,
                              uint32_t bytes)
{
    struct hostile_link *self = cast(link);
    uint8_t copy[LS_MTU_BYTES];
    memcpy(copy, data, bytes);
    if (bytes == LS_HELLO_BYTES && self->foreign_byte)
        copy[self->foreign_byte]++;
    ls_link_post(self->over.inner, to, copy, bytes);
    const ls_packet packet = {.bytes = bytes, .data = copy};
    keep(self, true, &packet);
    show(self, LS_ROLE_CLIENT, true, &packet);
}

static bool poll_line(struct hostile_link *self, uint64_t now_ns, ls_link_event *event)
{
    if (!ls_link_poll(self->over.inner, now_ns, event))
        return false;
    if (event->kind == LS_LINK_DATAGRAM || event->kind == LS_LINK_MESSAGE)
        show(self, LS_ROLE_SERVER, event->kind == LS_LINK_DATAGRAM, &event->packet);
    return true;
}

/* Moves packets from the line into the simulated socket. A full socket loses packets that the
 * carrier does not repeat. */
static void fetch(struct hostile_link *self, uint64_t now_ns)
{
    ls_link_event event;
    while (self->unread_count < HOSTILE_LINK_UNREAD && poll_line(self, now_ns, &event)) {
        bool is_loose = event.kind == LS_LINK_DATAGRAM ||
                        (event.kind == LS_LINK_MESSAGE && event.packet.channel == LS_CHANNEL_TICKS);
        if (is_loose && self->unread_count >= HOSTILE_LINK_SOCKET)
            continue;
        uint32_t slot = (self->unread_first + self->unread_count++) % HOSTILE_LINK_UNREAD;
        hostile_link_unread *unread = &self->unread[slot];
        unread->event = event;
        unread->event.packet.data = unread->data;
        if (event.packet.bytes)
            memcpy(unread->data, event.packet.data, event.packet.bytes);
    }
}

static bool hostile_link_poll(ls_link *link, uint64_t now_ns, ls_link_event *event)
{
    struct hostile_link *self = cast(link);
    if (!self->reads_per_s && !self->unread_count)
        return poll_line(self, now_ns, event);
    fetch(self, now_ns);
    if (!self->unread_count || (self->reads_per_s && now_ns < self->read_ns))
        return false;
    *event = self->unread[self->unread_first].event;
    self->unread_first = (self->unread_first + 1) % HOSTILE_LINK_UNREAD;
    self->unread_count--;
    if (self->reads_per_s)
        self->read_ns = now_ns + UINT64_C(1000000000) / self->reads_per_s;
    return true;
}

static void hostile_link_destroy(ls_link *link)
{
    struct hostile_link *self = cast(link);
    ls_link_destroy(self->over.inner);
    self->over.inner = NULL;
}

/* Lacks the functions that only servers use, such as `admit`. */
static const ls_link_vtable vtable = {
    .send = hostile_link_send,
    .poll = hostile_link_poll,
    .flush = link_over_flush,
    .disconnect = link_over_disconnect,
    .wait = link_over_wait,
    .wake = link_over_wake,
    .post = hostile_link_post,
    .connect = link_over_connect,
    .remote = link_over_remote,
    .stats = link_over_stats,
    .is_quiet = link_over_is_quiet,
    .destroy = hostile_link_destroy,
};

void hostile_link_init(struct hostile_link *self, ls_network *network, struct draws draws)
{
    *self = (struct hostile_link){.over.link.vtable = &vtable, .network = network, .draws = draws};
}

ls_link *hostile_link_open(struct hostile_link *self, const ls_impairment_conditions *line)
{
    LS_ASSERT(!self->over.inner);
    self->over.inner = ls_network_open(self->network);
    self->unread_count = 0;
    ls_network_set_conditions(self->over.inner, line);
    return &self->over.link;
}

void hostile_link_slow(struct hostile_link *self, uint32_t reads_per_s)
{
    self->reads_per_s = reads_per_s;
    self->read_ns = 0;
}

bool hostile_link_has_news(struct hostile_link *self, uint64_t now_ns)
{
    if (!self->over.inner)
        return false;
    if (self->reads_per_s)
        fetch(self, now_ns);
    return self->unread_count ? now_ns >= self->read_ns : ls_link_wait(self->over.inner, 0);
}

void hostile_link_kill(struct hostile_link *self)
{
    if (self->over.inner)
        ls_network_kill(self->over.inner);
    self->over.inner = NULL;
}
