#include "tests/support/channels_internal.h"

#include <string.h>

channel *ls_channels_find(ls_channels *channels, uint64_t number)
{
    for (uint32_t i = 0; i < LS_CHANNELS_MAX; i++)
        if (channels->open[i].number == number)
            return &channels->open[i];
    return NULL;
}

/* Appends a frame; false when the link is gone or too many frames wait. */
static bool push(channel_link *to, const frame *head, const void *data)
{
    if (!to || to->frame_count == LS_CHANNELS_FRAMES_MAX)
        return false;
    frame *copy = ls_alloc(sizeof *copy + head->bytes);
    *copy = *head;
    copy->next = NULL;
    if (data)
        memcpy(copy->data, data, head->bytes);
    *to->end = copy;
    to->end = &copy->next;
    to->frame_count++;
    return true;
}

frame *ls_channels_take(channel_link *self)
{
    frame *result = self->first;
    if (!result)
        return NULL;
    self->first = result->next;
    self->end = self->first ? self->end : &self->first;
    self->frame_count--;
    return result;
}

bool ls_channels_send(channel_link *self, const frame *head, const void *data)
{
    if (!self->carriers)
        return push(self->channels->server, head, data);
    const channel *to = head->channel ? ls_channels_find(self->channels, head->channel) : NULL;
    return to && push(to->client, head, data);
}

void ls_channels_show_keys(channel_link *self, frame_kind kind)
{
    frame head = {.channel = self->channel,
                  .kind = kind,
                  .connect_id = self->carrier.connect_id,
                  .bytes = sizeof self->carrier.keys};
    (void)ls_channels_send(self, &head, self->carrier.keys);
}

void ls_channels_connect(channel_link *self)
{
    channel *opened = ls_channels_find(self->channels, 0);
    LS_ASSERT(opened);
    *opened =
        (channel){.number = self->channels->number_next++, .client = self, .origin = self->origin};
    self->channel = opened->number;
}

void ls_channels_close(channel_link *self)
{
    if (!self->channel)
        return;
    (void)push(self->channels->server, &(frame){.channel = self->channel, .kind = FRAME_CLOSE},
               NULL);
    *ls_channels_find(self->channels, self->channel) = (channel){0};
    self->channel = 0;
}

static channel_link *create_link(ls_channels *channels, uint32_t slot_count)
{
    channel_link *self = ls_alloc(sizeof *self + slot_count * sizeof self->slots[0]);
    self->link.vtable = &ls_channels_vtable;
    self->channels = channels;
    self->end = &self->first;
    self->slot_count = slot_count;
    channels->link_count++;
    return self;
}

ls_channels *ls_channels_create(void)
{
    ls_channels *channels = ls_alloc(sizeof *channels);
    channels->number_next = 1001;
    return channels;
}

void ls_channels_destroy(ls_channels *channels)
{
    LS_ASSERT(channels->link_count == 0);
    ls_free(channels);
}

ls_link *ls_channels_listen(ls_channels *channels, uint32_t peers_max)
{
    LS_ASSERT(!channels->server);
    channels->server = create_link(channels, peers_max);
    channels->server->carriers = ls_carriers_create(peers_max);
    return &channels->server->link;
}

ls_link *ls_channels_open(ls_channels *channels, const ls_channel_origin *origin)
{
    channel_link *self = create_link(channels, 1);
    self->origin = *origin;
    return &self->link;
}

uint64_t ls_channels_number(const ls_link *client)
{
    return ((const channel_link *)client)->channel;
}

ls_remote ls_channels_remote(uint64_t number)
{
    ls_remote remote = {0};
    memcpy(remote.bytes, &number, sizeof number);
    return remote;
}

void ls_channels_cut(ls_link *client)
{
    channel_link *self = ls_channels_cast(client);
    ls_channels_close(self);
    (void)push(self, &(frame){.kind = FRAME_CLOSE}, NULL);
}

void ls_channels_move(ls_link *client, const ls_channel_origin *origin)
{
    channel_link *self = ls_channels_cast(client);
    uint64_t former = self->channel;
    self->origin = *origin;
    ls_channels_connect(self);
    self->slots[0].channel = self->channel;
    ls_channels_show_keys(self, FRAME_MOVE);
    uint64_t present = self->channel;
    self->channel = former;
    ls_channels_close(self);
    self->channel = present;
}
