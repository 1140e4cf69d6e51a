/* An in-process network in virtual time: one server link and any number of client links. Each line
 * has the conditions of `lockstep relay`, drawn from a seed, so a run repeats exactly.
 * The control channel is lossless: a lost or damaged packet costs the time of a retransmission. A
 * line with a loss of LS_PROBABILITY_ONE is cut: the control channel waits until conditions
 * improve. Connections follow the rules of the ENet link: admitted by address, id and keys, and
 * bound to the address. */
#ifndef LS_LINK_MEMORY_H
#define LS_LINK_MEMORY_H

#include "cli/network/network_impairment.h"

#include <lockstep/address.h>
#include <lockstep/link.h>

#define LS_NETWORK_LINKS_MAX 4096
/* The ENet link adds this to a packet of the tick channel: ENet's two headers (10 bytes), the
 * datagram counter (4) and the carrier's code (8). It uses part of a line's rate. */
#define LS_NETWORK_CARRIER_BYTES 22
/* The most packets in flight to one link. Beyond that, tick packets are lost; control sends return
 * LS_ERROR_LIMIT from half of it on. */
#define LS_NETWORK_PACKETS_MAX 65536

typedef struct ls_network ls_network;

/* owns  the caller destroys the network after all its links; asserts that none is left
 * thread  the network and all its links belong to one thread */
ls_network *ls_network_create(uint64_t seed, const ls_impairment_conditions *conditions);
void ls_network_destroy(ls_network *network);

/* From now on the network uses this clock instead of the times passed to its links, because the
 * users of the links may have clocks that differ, stop or jump. `now_ns` outlives the network's
 * links. */
void ls_network_use_clock(ls_network *network, const uint64_t *now_ns);

/* Creates the link of the network's server; at most one exists at a time. */
ls_link *ls_network_listen(ls_network *network, uint32_t peers_max);

/* Creates a client's link without a connection, with its own address and the network's conditions.
 * After ls_link_connect, CONNECTED arrives after one round trip. DISCONNECTED arrives after 5 s
 * without an answer: no server, no admission, or no free slot. */
ls_link *ls_network_open(ls_network *network);

/* Changes one client's line in both directions, from the next flush on. */
void ls_network_set_conditions(ls_link *client, const ls_impairment_conditions *conditions);
/* Changes one direction of this client's line: the packets that `sender` sends. */
void ls_network_set_direction(ls_link *client, ls_role sender,
                              const ls_impairment_conditions *conditions);

/* Makes this client's line share one line of limited rate, in each direction, with those of all
 * other clients that were passed here. All must have the same rate. */
void ls_network_share(ls_link *client);

/* Changes the client's address, as when a router drops a mapping; neither side is notified. Packets
 * to the former address are lost until the client has proved the new one to the server. */
void ls_network_rebind(ls_link *client);

/* Moves a client to another host address, with its own port. Several clients may share one host, as
 * behind a router. */
void ls_network_move(ls_link *client, const uint8_t host[4]);

/* Returns the current source address of a client's datagrams, and its remote at the server. */
ls_address ls_network_address(const ls_link *client);
ls_remote ls_network_remote(const ls_link *client);

/* Delivers arbitrary bytes from an arbitrary address to the server at its next poll. */
void ls_network_inject(ls_network *network, const ls_address *from, const uint8_t *data,
                       uint32_t bytes);

/* A packet that an attacker puts into a client's line; the line's conditions do not apply to it. */
typedef struct ls_network_injection {
    ls_role receiver;
    bool is_datagram;  /* sent outside of the connection; otherwise inside the client's current one,
                          as if the carrier did not authenticate */
    ls_packet packet;  /* at least one byte */
    ls_address from;   /* the sender of a datagram to the server */
    uint64_t delay_ns; /* from now */
} ls_network_injection;
void ls_network_put(ls_link *client, const ls_network_injection *injection);

/* Counts datagrams that the server sent to unused addresses. */
typedef struct ls_network_stray {
    uint64_t datagrams, bytes;
} ls_network_stray;
ls_network_stray ls_network_get_stray(const ls_network *network);

/* Frees a link as if its process was killed: the other side is not notified. */
void ls_network_kill(ls_link *link);

/* Returns the earliest time at which any link has something to poll, UINT64_MAX if nothing is in
 * flight. A virtual clock may jump to it. */
uint64_t ls_network_next_ns(const ls_network *network);

#endif
