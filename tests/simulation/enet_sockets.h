/* The sockets, the clock and the random seed of the shipped libenet, defined anew by the test: the
 * library calls them through its own symbol table, so the very code that is shipped runs over a
 * network inside the process and in virtual time. Lost and delayed as a seed decides. */
#ifndef LS_SIMULATION_ENET_SOCKETS_H
#define LS_SIMULATION_ENET_SOCKETS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct enet_sockets_config {
    uint64_t seed;
    uint64_t delay_ns, jitter_ns; /* one way */
    uint32_t loss;                /* of a million */
} enet_sockets_config;

/* Forgets everything. Before the first socket of a run and after its last. */
void enet_sockets_reset(const enet_sockets_config *config);
/* Packets sent from now on leave at this time; due ones have arrived. */
void enet_sockets_set_time(uint64_t now_ns);
/* When the next packet is due at the socket of this port; UINT64_MAX: none is under way. */
uint64_t enet_sockets_next_ns(uint16_t port);

#endif
