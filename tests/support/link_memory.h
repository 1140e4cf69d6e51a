/* A network inside the process: one server link and any number of client links, in virtual time.
 * The conditions of each line are those of `lockstep relay`, drawn from a seed, so a run repeats
 * exactly. The control channel is lossless: a lost or damaged packet costs the time of a
 * retransmission. On a line with a loss of LS_CHANCE_WHOLE nothing leaves, and the control channel
 * waits for better conditions. Connections follow
 * the rules of the real link: admitted by address, id and keys, and bound to the address. */
#ifndef LS_LINK_MEMORY_H
#define LS_LINK_MEMORY_H

#include "cli/network/network_impairment.h"

#include <lockstep/link.h>

#define LS_NETWORK_LINKS_MAX 4096
#define LS_NETWORK_PACKETS_MAX                                                                     \
    65536 /* under way to one link; beyond it the tick channel loses, a                            \
             control send answers LS_ERROR_LIMIT */

typedef struct ls_network ls_network;

/* owns  the caller destroys the network after all its links; asserts that none is left
 * thread  the network and all its links belong to one thread */
ls_network *ls_network_create(uint64_t seed, const ls_impairment_conditions *conditions);
void ls_network_destroy(ls_network *network);

/* From now on the network uses this clock instead of the times passed to its links: their users may
 * have clocks that differ, stop and jump. It outlives the network's links. */
void ls_network_use_clock(ls_network *network, const uint64_t *now_ns);

/* The network's server; at most one at a time. */
ls_link *ls_network_listen(ls_network *network, uint32_t peers_max);

/* A client's link, without a connection: an address of its own, and the network's conditions. After
 * ls_link_connect CONNECTED comes after one round trip, or DISCONNECTED after 5 s without an
 * answer: no server, no admission, or no free slot. */
ls_link *ls_network_open(ls_network *network);

/* Changes one client's line, both ways, from the next flush on. */
void ls_network_set_conditions(ls_link *client, const ls_impairment_conditions *conditions);
/* Changes what `sender` sends on this client's line. */
void ls_network_set_direction(ls_link *client, ls_role sender,
                              const ls_impairment_conditions *conditions);

/* The client's address changes, as when a router forgets a mapping: no packet of its connection
 * passes from now on in either direction, and neither side is notified. Datagrams pass, from the
 * new address. */
void ls_network_rebind(ls_link *client);

/* Moves a client that has sent nothing yet to another host, on a port of its own: several behind
 * one address, as behind a router. */
void ls_network_move(ls_link *client, const uint8_t host[4]);

/* The present source address of a client's datagrams. */
ls_address ls_network_address(const ls_link *client);

/* Arbitrary bytes from an arbitrary address reach the server at its next poll. */
void ls_network_inject(ls_network *network, const ls_address *from, const uint8_t *data,
                       uint32_t bytes);

/* Datagrams that the server posted to unused addresses. */
typedef struct ls_network_stray {
    uint64_t datagrams, bytes;
} ls_network_stray;
ls_network_stray ls_network_get_stray(const ls_network *network);

/* Frees a link the way a killed process does: the other side is told nothing. */
void ls_network_kill(ls_link *link);

/* The earliest moment at which some link has something to poll, UINT64_MAX when nothing is under
 * way: where a virtual clock may jump to. */
uint64_t ls_network_next_ns(const ls_network *network);

#endif
