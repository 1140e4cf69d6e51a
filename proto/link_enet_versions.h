/* Hides the differences between the supported ENet versions. Private to proto/. */
#ifndef LS_LINK_ENET_VERSIONS_H
#define LS_LINK_ENET_VERSIONS_H

#include "proto/enet_link.h"

/* Checks that a program compiled for one ENet version can run on the loaded one.
 *   errors  LS_ERROR_INCOMPATIBLE: the text names both versions and what to install */
ls_status ls_enet_check_versions(ENetVersion compiled, ENetVersion loaded, ls_error *error);

/* Returns how many sequence numbers the control channel spans: from its oldest command without an
 * acknowledgement, sent or not, to its newest. */
uint32_t ls_enet_queued_control_sequences(ENetPeer *peer);
/* Sets the connect id of a peer that enet_host_connect() returned, before anything is sent. False
 * when its CONNECT is not found. */
bool ls_enet_set_connect_id(ENetPeer *peer, uint32_t connect_id);

#endif
