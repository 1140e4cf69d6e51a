/* The part of link_enet.c that link_enet_open.c uses. Private to proto/. */
#ifndef LS_LINK_ENET_INTERNAL_H
#define LS_LINK_ENET_INTERNAL_H

#include "proto/enet_link.h"
#include <lockstep/link_enet.h>

extern const ls_link_vtable ls_enet_vtable;

#endif
