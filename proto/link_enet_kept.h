/* A queue of ENet events that are reported before ENet's next ones. Private to proto/. */
#ifndef LS_LINK_ENET_KEPT_H
#define LS_LINK_ENET_KEPT_H

#include "proto/enet_link.h"

/* Appends an event. The queue owns the packet of a RECEIVE. */
void ls_enet_keep(ls_enet_link *self, const ENetEvent *event);
/* Moves the messages that a peer has received, and ENet has not reported, into the queue. */
void ls_enet_keep_messages(ls_enet_link *self, ENetPeer *peer);
bool ls_enet_take_kept(ls_enet_link *self, ENetEvent *event);
void ls_enet_forget_kept(ls_enet_link *self);

#endif
