/* The differences between the versions of ENet that links run on. Private to proto/. */
#ifndef LS_LINK_ENET_VERSIONS_H
#define LS_LINK_ENET_VERSIONS_H

#include "proto/enet_link.h"

/* Whether a program that was compiled for one ENet may run on the other.
 *   errors  LS_ERROR_INCOMPATIBLE, naming both and what to install */
ls_status ls_enet_check_versions(ENetVersion compiled, ENetVersion loaded, ls_error *error);

/* The distance on the control channel from the oldest command without an acknowledgement, sent or
 * not, to the newest. */
uint32_t ls_enet_control_span(ENetPeer *peer);
/* Sets the id that a peer of enet_host_connect() connects with, before anything is sent; false when
 * its CONNECT is not found. */
bool ls_enet_set_connect_id(ENetPeer *peer, uint32_t connect_id);

#endif
