/* Clients that cost next to nothing, in a process of their own: they go through the whole handshake
 * and speak the whole protocol, each over a link of its own, but all of a room share one world. */
#ifndef LS_BENCH_HERD_H
#define LS_BENCH_HERD_H

#include "benches/net/net.h"
#include <lockstep/identity.h>
#include <lockstep/program.h>

typedef struct net_herd {
    const ls_program *program;
    ls_public_key server_key;
    uint32_t rooms;    /* named "0", "1", ... */
    uint32_t players;  /* of each room; they order what the simulation's bot does, each tick */
    uint32_t watchers; /* likewise, who take no seat */
} net_herd;

/* Forks; board->peers are players and watchers of all rooms. While the board is running they come
 * in, watchers first; then each says its word when there is news, once in 1/60 s at
 * most. Few of them listen all the time, and note when ticks come. */
net_crowd net_herd_begin(const net_herd *herd, uint16_t port);

#endif
