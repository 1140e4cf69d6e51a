/* A server of ours on loopback with its herd, for measurements. Its clock stops while it is not
 * stepped. */
#ifndef LS_BENCH_HOST_H
#define LS_BENCH_HOST_H

#include "benches/net/herd.h"
#include <lockstep/job_pool.h>
#include <lockstep/server.h>
#include <lockstep/sink.h>

typedef struct net_host_config {
    const ls_sim *sim;
    uint32_t rooms, players, watchers; /* of each room */
    uint32_t ordering;                 /* of the players of a room; 0: all */
    uint32_t tick_rate;                /* 0: the simulation's */
    const char *option;                /* of the match; NULL: none */
    int64_t value;
    uint32_t threads;                /* of the pool; 0: jobs run inside the step */
    bool is_patient;                 /* its clock stops while the machine has no time for it */
    uint32_t spare;                  /* more connections than the herd's */
    const ls_sink *recording;        /* of the one room; NULL: none */
    uint32_t keyframe_ticks;         /* of it; 0: none */
    ls_link *(*wrap)(ls_link *link); /* what the server sees of its link; NULL: itself */
} net_host_config;

typedef struct net_host {
    net_crowd crowd; /* first: net_crowd_of() */
    ls_program *program;
    ls_identity identity;
    ls_link *link, *wrapped;
    ls_job_pool *pool;
    ls_server *server;
    uint32_t peers;
    bool is_patient;
    uint64_t paused_ns, left_ns; /* time that did not pass for it; when it was stepped last */
    uint64_t few_bytes;          /* resident when a few were in */
    uint64_t peer_bytes;         /* resident per peer after those */
} net_host;

/* Returns when the whole herd is in and all rooms run; after NET_GATHER_S without that,
 * net_crowd_is_whole() is false. */
net_host *net_host_begin(const net_host_config *config);
void net_host_end(net_host *host);

/* The server's own time. */
uint64_t net_host_now_ns(const net_host *host);
/* Begins to step again after a rest. */
void net_host_resume(net_host *host);
/* Steps as a server's process does until this moment of bench_now_ns(), then to the end of its
 * wait: a deadline of its own would be an extra wakeup. */
void net_host_run_until(net_host *host, uint64_t until_ns);

/* Waits as a server's process does, for a packet, a job or this moment of the server's time. */
void net_host_wait(net_host *host, uint64_t wake_ns);

uint64_t net_resident_bytes(void);

#endif
