/* The sockets of a link (proto/udp.h), and the clock and the random seed of the shipped libenet,
 * defined anew by the test. The shipped library calls these two through its symbol table, so it
 * runs over a network inside the process and in virtual time. A seed decides which datagrams are
 * lost or delayed. */
#ifndef LS_SIMULATION_ENET_SOCKETS_H
#define LS_SIMULATION_ENET_SOCKETS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct enet_sockets_config {
    uint64_t seed;
    uint64_t delay_ns, jitter_ns; /* one way */
    uint32_t loss;                /* of a million */
    /* The chance, of a million for each datagram, that an attacker on all lines sends one that it
     * has seen, among them always the first ones of the run. It comes from its sender's address or
     * is turned back; whole, damaged or cut; at once or up to two seconds later. Now and then it is
     * the newest one, from a foreign address, and arrives before the original. */
    uint32_t attack;
} enet_sockets_config;

/* Forgets everything. Before the first socket of a run and after its last. */
void enet_sockets_reset(const enet_sockets_config *config);
/* Packets sent from now on leave at this time; due ones have arrived. */
void enet_sockets_set_time(uint64_t now_ns);
/* When the next packet is due at the socket of this port; UINT64_MAX: none is under way. */
uint64_t enet_sockets_next_ns(uint16_t port);
/* Datagrams that the attacker has sent. */
uint64_t enet_sockets_attacks(void);

#endif
