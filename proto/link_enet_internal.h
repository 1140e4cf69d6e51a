/* Creating a link over an open socket, for link_enet_open.c. Private to proto/. */
#ifndef LS_LINK_ENET_INTERNAL_H
#define LS_LINK_ENET_INTERNAL_H

#include "proto/enet_link.h"
#include <lockstep/link_enet.h>

extern const ls_link_vtable ls_enet_vtable;

/* Takes over the host. */
ls_link *ls_enet_link_create(ENetHost *host, ls_role role, const ls_link_enet_config *config);

#endif
