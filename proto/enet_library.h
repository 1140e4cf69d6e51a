/* The one header that includes ENet's. Private to proto/. */
#ifndef LS_ENET_LIBRARY_H
#define LS_ENET_LIBRARY_H

#include <enet/enet.h>

#endif
