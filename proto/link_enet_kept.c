/* When a connection ends, ENet drops messages that arrived in the same pass, and with them the
 * other side's reason. They are therefore taken out of ENet before it sees the DISCONNECT, and
 * reported before ENet's own events. */
#include "proto/link_enet_kept.h"

struct ls_enet_kept {
    ENetEvent event;
    ls_enet_kept *next;
};

void ls_enet_keep(ls_enet_link *self, const ENetEvent *event)
{
    ls_enet_kept *kept = ls_alloc(sizeof *kept);
    kept->event = *event;
    *(self->kept ? &self->kept_last->next : &self->kept) = kept;
    self->kept_last = kept;
}

void ls_enet_keep_messages(ls_enet_link *self, ENetPeer *peer)
{
    ENetEvent event = {.type = ENET_EVENT_TYPE_RECEIVE, .peer = peer};
    while ((event.packet = enet_peer_receive(peer, &event.channelID)))
        ls_enet_keep(self, &event);
}

bool ls_enet_take_kept(ls_enet_link *self, ENetEvent *event)
{
    ls_enet_kept *kept = self->kept;
    if (!kept)
        return false;
    *event = kept->event;
    self->kept = kept->next;
    ls_free(kept);
    return true;
}

void ls_enet_forget_kept(ls_enet_link *self)
{
    ENetEvent event;
    while (ls_enet_take_kept(self, &event))
        if (event.type == ENET_EVENT_TYPE_RECEIVE)
            enet_packet_destroy(event.packet);
}
