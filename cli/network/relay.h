/* A UDP relay that impairs packets. Clients send to its port, and each gets its own socket to the
 * server, as with a NAT. It has no thread and runs when its owner calls it: `lockstep relay` is a
 * process for it, `lockstep join` runs one between its clients and the server.
 *   thread  the one that owns it */
#ifndef LS_RELAY_H
#define LS_RELAY_H

#include "cli/network/network_impairment.h"

#include <lockstep/base.h>

#define LS_RELAY_FLOWS_MAX    512 /* each needs a descriptor; a process usually has 1,024 */
#define LS_RELAY_IDLE_NS      (UINT64_C(60) * 1000000000)
#define LS_RELAY_STEP_PACKETS 1024 /* received in one step; further ones wait in the sockets */
#define LS_RELAY_PACKET_BYTES 65536
/* Enough for 16,000 large packets a second with 400 ms of delay. */
#define LS_RELAY_QUEUE_PACKETS_MAX 32768u
#define LS_RELAY_QUEUE_BYTES_MAX   (32u << 20)

typedef struct ls_relay_config {
    const char *listen_host; /* an IP address */
    uint16_t listen_port;    /* 0: any */
    const char *to_host;     /* a name or an IP address, looked up once */
    uint16_t to_port;
    ls_impairment_conditions up, down; /* to the server; to the clients */
    uint64_t seed;
    uint64_t rebind_after_ns; /* a flow gets another port to the server once, this long after its
                                 first packet; 0: never */
    bool is_shared;           /* all flows share one line per direction, of the conditions' rate */
    uint32_t flows_max;       /* 1..LS_RELAY_FLOWS_MAX; packets of further clients are dropped */
    uint64_t idle_ns;         /* a flow without packets for this long is closed */
    /* Gives the time at which each packet is read, so that the packet waits its full delay even if
     * the process was suspended after the owner took the time of the step. NULL: the time of the
     * step. */
    uint64_t (*clock)(void);
} ls_relay_config;

ls_relay_config ls_relay_config_default(void); /* without hosts and ports */

/* Counters of one direction. packets + duplicated = delivered + lost + overrun + queue_full + stale
 * + send_failed + waiting. */
typedef struct ls_relay_direction {
    uint64_t packets, bytes; /* received by a flow */
    uint64_t delivered, delivered_bytes;
    uint64_t lost, overrun; /* dropped by the conditions: loss, rate */
    uint64_t duplicated, reordered, corrupted, truncated;
    uint64_t queue_full;  /* dropped: LS_RELAY_QUEUE_PACKETS_MAX or _BYTES_MAX were waiting */
    uint64_t stale;       /* dropped: the flow was closed while they waited */
    uint64_t send_failed; /* the system refused to send them */
    uint64_t waiting;
} ls_relay_direction;

typedef struct ls_relay_stats {
    ls_relay_direction up, down;
    uint32_t flows;         /* now */
    uint64_t flows_opened;  /* ever */
    uint64_t flows_refused; /* packets of clients over flows_max, or without a socket */
    uint64_t rebinds;
} ls_relay_stats;

typedef struct ls_relay ls_relay;

/* Creates a relay and binds its port.
 *   errors  IO: an address is not found, or the port is in use; the text names it. USAGE:
 *           listen_host is no IP address, or the relay would send to itself
 *   owns    free with ls_relay_destroy(), which also takes NULL */
ls_status ls_relay_create(const ls_relay_config *config, ls_relay **relay,
                          ls_error *error) LS_MUST_USE;
void ls_relay_destroy(ls_relay *relay);

uint16_t ls_relay_port(const ls_relay *relay);
/* Receives packets and delivers those that are due; never blocks. Returns when it must be called
 * again if nothing arrives: monotonic nanoseconds, at most a second ahead. */
uint64_t ls_relay_step(ls_relay *relay, uint64_t now_ns);
/* Sleeps until a packet or a signal arrives, or `wait_ns` have passed. */
void ls_relay_wait(const ls_relay *relay, uint64_t wait_ns);
ls_relay_stats ls_relay_get_stats(const ls_relay *relay);

#endif
