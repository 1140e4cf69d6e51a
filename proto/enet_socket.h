/* Replaces ENet's socket functions. The shared libenet calls its own enet_socket_* functions
 * through its symbol table, and a program's definitions come first. Any program with this code in
 * its executable therefore makes ENet send and receive over proto/udp.h: in batches, and without
 * addresses. Sockets that are not ours go to the library's own functions.
 *
 * Where ENet is linked statically, or was loaded before a plugin with this code, the definitions
 * have no effect: ls_enet_socket_is_effective tells. Private to proto/. */
#ifndef LS_ENET_SOCKET_H
#define LS_ENET_SOCKET_H

#include "proto/udp.h"

/* The socket of one link. */
typedef struct ls_enet_socket {
    ls_udp *udp;         /* NULL: the link uses ENet's own socket */
    bool is_given;       /* an ENet host was created with this socket */
    ls_address from;     /* the sender of the datagram that ENet received last */
    uint64_t arrived_ns; /* when that datagram arrived; 0: unknown */
    bool is_dropped;     /* drop the datagram that ENet is about to send */
    ls_address to;       /* the receiver of that datagram */
} ls_enet_socket;

/* True when ENet calls the functions of this file. */
bool ls_enet_socket_is_effective(void);

/* See ls_udp_set_time; without a socket of ours, nothing is known of arrivals. */
void ls_enet_socket_set_time(ls_enet_socket *socket, uint64_t now_ns);

/* Sets the socket that ENet calls of this thread use from now on; NULL: none of ours. The next host
 * that is created takes this socket, unless a host has taken it before. */
void ls_enet_socket_use(ls_enet_socket *socket);

#endif
