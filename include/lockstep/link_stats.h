/* Counters of a link (include/lockstep/link.h). */
#ifndef LS_LINK_STATS_H
#define LS_LINK_STATS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Why a datagram was refused. */
typedef enum ls_link_refusal {
    LS_LINK_MALFORMED = 0, /* no datagram of this protocol, or with a command that is not in use */
    LS_LINK_STRANGER,      /* of no connection, or from an address that has none */
    LS_LINK_FORGED,        /* its authentication code is not made with the connection's keys */
    LS_LINK_REPEATED,      /* authentic, but received before */
    LS_LINK_LIMITED,       /* over a limit */
    LS_LINK_REFUSALS,
} ls_link_refusal;

/* Counters of errors that the carrier survived. */
typedef struct ls_link_stats {
    uint64_t receive_errors;  /* datagrams too long or refused, and sends that the socket refused */
    uint64_t packets_refused; /* received packets over a limit or on an unknown channel; dropped */
    uint64_t sends_failed;    /* packets given up at once: queue full, or peer disconnecting */
    uint64_t rounds_exhausted;          /* polls that ended by their budget, with packets left */
    uint64_t datagrams_refused;         /* neither a handshake message nor authentic */
    uint64_t refused[LS_LINK_REFUSALS]; /* datagrams_refused, by reason */
    uint64_t connects_refused;          /* attempts to connect without an admission */
    uint64_t paths_asked, peers_moved;  /* server: questions where peers are; peers that moved */
} ls_link_stats;

#ifdef __cplusplus
}
#endif

#endif
