/* A relay for UDP that impairs what passes. Clients send to its port; each gets its own socket
 * towards the server, as with a NAT. It has no thread and runs when its owner calls it: `lockstep
 * relay` is a process for it, `lockstep join` runs one between its bots and the server.
 *   thread  the one that owns it */
#ifndef LS_RELAY_H
#define LS_RELAY_H

#include "cli/network/network_impairment.h"

#include <lockstep/base.h>

#define LS_RELAY_FLOWS_MAX    512 /* a descriptor each; a process usually has 1,024 */
#define LS_RELAY_IDLE_NS      (UINT64_C(60) * 1000000000)
#define LS_RELAY_STEP_PACKETS 1024 /* received in one step; the others wait in the sockets */
#define LS_RELAY_PACKET_BYTES 65536
/* 400 ms of 16,000 large packets a second, to give a measure. */
#define LS_RELAY_QUEUE_PACKETS_MAX 32768u
#define LS_RELAY_QUEUE_BYTES_MAX   (32u << 20)

typedef struct ls_relay_config {
    const char *listen_host; /* an IP address */
    uint16_t listen_port;    /* 0: any */
    const char *to_host;     /* a name or an IP address, looked up once */
    uint16_t to_port;
    ls_impairment_conditions up, down; /* towards the server, towards the clients */
    uint64_t seed;
    uint64_t rebind_after_ns; /* this long after its first packet a flow gets another port towards
                                 the server, once; 0: never */
    bool is_shared; /* all flows pass one line of the conditions' rate, each direction its own */
    uint32_t flows_max; /* 1..LS_RELAY_FLOWS_MAX; the packets of more clients are dropped */
    uint64_t idle_ns;   /* a flow without a packet for this long is forgotten */
    /* Read for each packet, so that every packet waits its full delay even if the process was
     * suspended since its owner read the clock. NULL: the time of the step. */
    uint64_t (*clock)(void);
} ls_relay_config;

ls_relay_config ls_relay_config_default(void); /* without hosts and ports */

/* Counters of one direction. packets + duplicated = delivered + lost + overrun + queue_full + stale
 * + send_failed + waiting. */
typedef struct ls_relay_direction {
    uint64_t packets, bytes; /* received; what no flow took is not among them */
    uint64_t delivered, delivered_bytes;
    uint64_t lost, overrun; /* by the conditions: loss, rate */
    uint64_t duplicated, reordered, corrupted, truncated;
    uint64_t queue_full;  /* LS_RELAY_QUEUE_PACKETS_MAX, or _BYTES_MAX, were waiting */
    uint64_t stale;       /* their flow was forgotten while they waited */
    uint64_t send_failed; /* the system did not take them */
    uint64_t waiting;
} ls_relay_direction;

typedef struct ls_relay_stats {
    ls_relay_direction up, down;
    uint32_t flows;         /* now */
    uint64_t flows_opened;  /* ever */
    uint64_t flows_refused; /* packets of clients beyond flows_max, or for want of a socket */
    uint64_t rebinds;
} ls_relay_stats;

typedef struct ls_relay ls_relay;

/*   errors  IO: the address is not found, the port is taken; names it. USAGE: listen_host is no
 *           IP address, or it would relay to itself
 *   owns    ls_relay_destroy, also for NULL */
ls_status ls_relay_create(const ls_relay_config *config, ls_relay **relay,
                          ls_error *error) LS_MUST_USE;
void ls_relay_destroy(ls_relay *relay);

uint16_t ls_relay_port(const ls_relay *relay);
/* Receives packets and delivers those that are due; never blocks. Returns when it must be called
 * again if nothing arrives: monotonic nanoseconds, at most a second ahead. */
uint64_t ls_relay_step(ls_relay *relay, uint64_t now_ns);
/* Sleeps until something arrived, or `wait_ns` have passed, or a signal came. */
void ls_relay_wait(const ls_relay *relay, uint64_t wait_ns);
ls_relay_stats ls_relay_get_stats(const ls_relay *relay);

#endif
