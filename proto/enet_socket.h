/* The sockets of ENet, taken over. The shared libenet calls its own enet_socket_* functions through
 * its symbol table, so the definitions of this file come before the library's in every program that
 * has this code in its executable. ENet then sends and receives over proto/udp.h: in batches, and
 * without knowing an address. Sockets of others go to the library's own functions.
 *
 * Where ENet is linked statically, or was loaded before a plugin with this code, the definitions
 * have no effect: ls_enet_socket_is_effective tells. Private to proto/. */
#ifndef LS_ENET_SOCKET_H
#define LS_ENET_SOCKET_H

#include "proto/udp.h"

/* The socket of one link. */
typedef struct ls_enet_socket {
    ls_udp *udp;          /* NULL: ENet's own socket */
    bool is_given;        /* to the host that was created with it */
    ls_address from;      /* of the datagram that ENet has received last */
    const ls_address *to; /* of the datagram that ENet is about to send; NULL: it is not sent */
} ls_enet_socket;

/* Whether ENet calls the functions of this file. */
bool ls_enet_socket_is_effective(void);

/* The socket that this thread's calls of ENet mean from now on; NULL: none of ours. The first host
 * that is created gets it. */
void ls_enet_socket_use(ls_enet_socket *socket);

#endif
