/* Cheap clients in one process of their own. Each does the whole handshake and speaks the whole
 * protocol over its own link, but all members of a room share one world. */
#ifndef LS_BENCH_CHEAP_CLIENTS_H
#define LS_BENCH_CHEAP_CLIENTS_H

#include "benches/net/net.h"
#include <lockstep/identity.h>
#include <lockstep/program.h>

typedef struct net_cheap_clients {
    const ls_program *program;
    ls_public_key server_key;
    uint32_t rooms;    /* rooms are named "0", "1", ... */
    uint32_t players;  /* in each room */
    uint32_t ordering; /* how many of a room's players give the orders of the simulation's bot each
                          tick */
    uint32_t watchers; /* spectators in each room */
} net_cheap_clients;

/* Forks their process; board->peers counts players and watchers of all rooms. While the board is
 * running, members join, watchers first. A member then sends an update when it has news, at most
 * every 1/60 s. A few listen all the time and record when ticks arrive. */
net_crowd net_cheap_clients_begin(const net_cheap_clients *clients, uint16_t port);

/* Like net_cheap_clients_begin(), but the clients are in this process, at the time `*now_ns`, which
 * must stay valid until net_cheap_clients_close(). net_cheap_clients_visit() lets one of `parts`
 * parts of the members hear and send. */
void net_cheap_clients_open(const net_cheap_clients *clients, uint16_t port, const uint64_t *now_ns,
                            net_board *board);
void net_cheap_clients_visit(net_board *board, uint32_t part, uint32_t parts);
void net_cheap_clients_close(const net_board *board);

#endif
