/* Cheap clients in a process of their own. Each does the whole handshake and speaks the whole
 * protocol over a link of its own, but all clients of a room share one world. */
#ifndef LS_BENCH_HERD_H
#define LS_BENCH_HERD_H

#include "benches/net/net.h"
#include <lockstep/identity.h>
#include <lockstep/program.h>

typedef struct net_herd {
    const ls_program *program;
    ls_public_key server_key;
    uint32_t rooms;    /* named "0", "1", ... */
    uint32_t players;  /* of each room */
    uint32_t ordering; /* of these: each orders what the simulation's bot does, each tick */
    uint32_t watchers; /* of each room; without a seat */
} net_herd;

/* Forks; board->peers counts players and watchers of all rooms. While the board is running they
 * join, watchers first. Then each sends an update when there is news, at most every 1/60 s. A
 * few listen all the time and note the arrival of ticks. */
net_crowd net_herd_begin(const net_herd *herd, uint16_t port);

#endif
