/* A network inside the process: one server link and any number of client links, in virtual time.
 * What is lost, doubled, delayed or overtaken is drawn from a seed, so a run repeats exactly. The
 * control channel loses nothing: a loss there costs a retransmission's time. */
#ifndef LS_LINK_MEMORY_H
#define LS_LINK_MEMORY_H

#include "proto/link.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LS_NETWORK_LINKS_MAX 4096
#define LS_NETWORK_PACKETS_MAX                                                                     \
    65536 /* under way to one link; beyond it the tick channel loses, a                            \
             control send answers LS_ERROR_LIMIT */

/* Of one client's line, both ways alike. Chances are of a million. */
typedef struct ls_network_conditions {
    uint64_t delay_ns;  /* one way */
    uint64_t jitter_ns; /* added, evenly drawn from 0..jitter_ns; overtaking comes from it */
    uint32_t loss;
    uint32_t duplicate;
    uint32_t reorder; /* delays one packet by reorder_delay_ns more */
    uint64_t reorder_delay_ns;
    bool cut; /* nothing passes at all; what is under way still arrives */
} ls_network_conditions;

typedef struct ls_network ls_network;

/*   owns  the caller destroys the network after all its links; asserts that none is left
 *   thread  the network and all its links belong to one thread */
LS_API ls_network *ls_network_create(uint64_t seed, const ls_network_conditions *conditions);
LS_API void ls_network_destroy(ls_network *network);

/* The network's server; at most one at a time. */
LS_API ls_link *ls_network_listen(ls_network *network, uint32_t peers_max);

/* A client under way to the server: CONNECTED after one round trip from `now_ns`, or DISCONNECTED
 * when there is no server or no free slot. Starts with the network's conditions. */
LS_API ls_link *ls_network_connect(ls_network *network, uint64_t now_ns);

/* Changes one client's line from the next flush on. */
LS_API void ls_network_set_conditions(ls_link *client, const ls_network_conditions *conditions);

/* Frees a link the way a killed process does: the other side is told nothing. */
LS_API void ls_network_kill(ls_link *link);

/* The earliest moment at which some link has something to poll, UINT64_MAX when nothing is under
 * way: where a virtual clock may jump to. */
LS_API uint64_t ls_network_next_ns(const ls_network *network);

#ifdef __cplusplus
}
#endif

#endif
