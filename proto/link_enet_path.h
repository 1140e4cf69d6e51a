/* Moves the peers of an ENet link to new addresses (proto/path.h). Private to proto/. */
#ifndef LS_LINK_ENET_PATH_H
#define LS_LINK_ENET_PATH_H

#include "proto/enet_link.h"

/* Server: call when a datagram of this open connection came from another address. The datagram is
 * authentic, newer than all before it, and `bytes` long. Sends a CHALLENGE to the current and to
 * the new address, unless the last one was too recent or the datagram is shorter than a CHALLENGE.
 */
void ls_enet_path_ask(ls_enet_link *self, uint32_t slot, const ls_remote *from, size_t bytes);

/* Handles a CHALLENGE (client) or a RESPONSE (server). The client sends its RESPONSE and overwrites
 * `data` with it; the server may move the peer. False for a message that is forged, that is
 * repeated, or that answers no open CHALLENGE. */
bool ls_enet_path_receive(ls_enet_link *self, const ls_remote *from, uint8_t data[LS_PATH_BYTES]);

/* Server: reports a peer that has moved, each move once; false when there is none. */
bool ls_enet_path_take_move(ls_enet_link *self, ls_link_event *event);

#endif
