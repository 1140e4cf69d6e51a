/* Events of ENet that are kept back and reported before its next ones. Private to proto/. */
#ifndef LS_LINK_ENET_KEPT_H
#define LS_LINK_ENET_KEPT_H

#include "proto/enet_link.h"

/* Appends an event. A RECEIVE owns its packet. */
void ls_enet_keep(ls_enet_link *self, const ENetEvent *event);
/* Takes over what a peer has received and ENet has not reported. */
void ls_enet_keep_messages(ls_enet_link *self, ENetPeer *peer);
bool ls_enet_take_kept(ls_enet_link *self, ENetEvent *event);
void ls_enet_forget_kept(ls_enet_link *self);

#endif
