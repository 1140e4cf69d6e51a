#include "tap.h"

#include "tests/support/link_over.h"

#include <string.h>

enum { KEPT = 256 };

typedef struct tap {
    link_over over;
    tap_config config;
    uint64_t random;
    uint32_t count;
    uint32_t bytes[KEPT];
    uint8_t packets[KEPT][LS_PACKET_BYTES_MAX];
} tap;

static tap *cast(ls_link *link)
{
    return (tap *)link;
}

static uint64_t draw(tap *self)
{
    self->random = self->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return self->random >> 33;
}

static void send_raw(tap *self, ls_peer peer, uint8_t channel, const uint8_t *data, uint32_t bytes)
{
    ls_packet packet = {.channel = channel, .bytes = bytes, .data = data};
    (void)!ls_link_send(self->over.inner, peer, &packet);
}

static void forge(tap *self, ls_peer peer, const ls_packet *packet)
{
    uint8_t bytes[LS_PACKET_BYTES_MAX];
    uint32_t count = packet->bytes;
    memcpy(bytes, packet->data, count);
    switch (draw(self) % 3) {
    case 0:
        bytes[draw(self) % count] ^= (uint8_t)(1u << draw(self) % 8);
        break;
    case 1:
        count = 1 + (uint32_t)(draw(self) % count);
        bytes[count - 1] ^= 1;
        break;
    default:
        count = 1 + (uint32_t)(draw(self) % sizeof bytes);
        for (uint32_t i = 0; i < count; i++)
            bytes[i] = (uint8_t)draw(self);
        break;
    }
    send_raw(self, peer, (uint8_t)(draw(self) % 8 == 0), bytes, count);
}

static ls_status tap_send(ls_link *link, ls_peer peer, const ls_packet *packet)
{
    tap *self = cast(link);
    ls_status status = ls_link_send(self->over.inner, peer, packet);
    if (packet->channel != LS_CHANNEL_TICKS || packet->bytes > LS_PACKET_BYTES_MAX)
        return status;
    self->bytes[self->count % KEPT] = packet->bytes;
    memcpy(self->packets[self->count % KEPT], packet->data, packet->bytes);
    self->count++;
    for (uint32_t i = 0; i < self->config.replays; i++) {
        uint32_t old = (uint32_t)(draw(self) % (self->count < KEPT ? self->count : KEPT));
        send_raw(self, peer, LS_CHANNEL_TICKS, self->packets[old], self->bytes[old]);
    }
    for (uint32_t i = 0; i < self->config.forgeries; i++)
        forge(self, peer, packet);
    return status;
}

static void tap_post(ls_link *link, const ls_remote *to, const uint8_t *data, uint32_t bytes)
{
    const tap_config *config = &cast(link)->config;
    ls_link_post(cast(link)->over.inner, to, data, bytes);
    if (config->see)
        config->see(config->context, data, bytes);
}

static void tap_destroy(ls_link *link)
{
    ls_link_destroy(cast(link)->over.inner);
    ls_free(link);
}

static const ls_link_vtable vtable = {.send = tap_send,
                                      .poll = link_over_poll,
                                      .flush = link_over_flush,
                                      .disconnect = link_over_disconnect,
                                      .wait = link_over_wait,
                                      .wake = link_over_wake,
                                      .post = tap_post,
                                      .admit = link_over_admit,
                                      .connect = link_over_connect,
                                      .remote = link_over_remote,
                                      .stats = link_over_stats,
                                      .is_quiet = link_over_is_quiet,
                                      .destroy = tap_destroy};

ls_link *tap_create(ls_link *inner, const tap_config *config)
{
    tap *self = ls_alloc(sizeof *self);
    self->over.link.vtable = &vtable;
    self->over.inner = inner;
    self->config = *config;
    self->random = config->seed;
    return &self->over.link;
}
