/* Replaces the sockets of a link (proto/udp.h), and the clock and the random seed of the shipped
 * libenet. The library calls the latter two through its symbol table, so it finds those of the
 * test. ENet then runs over a network inside the process, in virtual time. A seed decides which
 * datagrams are lost or delayed. */
#ifndef LS_SIMULATION_ENET_SOCKETS_H
#define LS_SIMULATION_ENET_SOCKETS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct enet_sockets_config {
    uint64_t seed;
    uint64_t delay_ns, jitter_ns; /* in one direction */
    uint32_t loss;                /* lost datagrams per million */
    /* How many datagrams in a million cause an attack. The attacker on all lines then sends a
     * datagram that it has seen, possibly one of the first of the run. The copy comes from its
     * sender's address or is sent back to the sender. It is whole, damaged or cut, and sent at once
     * or up to two seconds later. Sometimes the attacker sends a copy of the newest datagram from a
     * foreign address, so that it arrives before the original. */
    uint32_t attack;
} enet_sockets_config;

/* Resets the network. Call it before the first socket of a run and after the last. */
void enet_sockets_reset(const enet_sockets_config *config);
/* Sets the time: packets sent from now on leave at `now_ns`, and packets due by then arrive. */
void enet_sockets_set_time(uint64_t now_ns);
/* Returns when the next packet is due at the socket of this port; UINT64_MAX: no packet is in
 * flight. */
uint64_t enet_sockets_next_ns(uint16_t port);
/* Returns the number of datagrams that the attacker has sent. */
uint64_t enet_sockets_attacks(void);

#endif
