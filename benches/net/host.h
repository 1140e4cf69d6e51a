/* Our server on loopback with its cheap clients, for measurements. The server's clock stops while
 * the server is not stepped. */
#ifndef LS_BENCH_HOST_H
#define LS_BENCH_HOST_H

#include "benches/net/cheap_clients.h"
#include <lockstep/job_pool.h>
#include <lockstep/server.h>
#include <lockstep/sink.h>

typedef struct net_host_config {
    const ls_sim *sim;
    uint32_t rooms, players, watchers; /* in each room */
    uint32_t ordering;                 /* how many players of a room give orders; 0: all */
    uint32_t tick_rate;                /* 0: the simulation's own */
    const char *option; /* name of an option of the match, set to `value`; NULL: none */
    int64_t value;
    uint32_t threads; /* of the job pool; 0: jobs run inside the step */
    bool is_patient;  /* the server's clock stops while the machine has no time for the server */
    uint32_t spare;   /* connections beyond those of the clients */
    const ls_sink *recording;        /* where the only room is recorded; NULL: nowhere */
    uint32_t keyframe_ticks;         /* keyframe interval of that recording; 0: no keyframes */
    ls_link *(*wrap)(ls_link *link); /* wraps the link that the server gets; NULL: no wrapper */
} net_host_config;

typedef struct net_host {
    net_crowd crowd; /* must be first: net_crowd_of() casts a pointer to this struct */
    ls_program *program;
    ls_identity identity;
    ls_link *link, *wrapped;
    ls_job_pool *pool;
    ls_server *server;
    uint32_t peers;
    bool is_patient;
    uint64_t paused_ns, left_ns; /* total stop of its clock; when it was stepped last */
    uint64_t few_bytes;          /* resident memory when the first few members had joined */
    uint64_t peer_bytes;         /* resident memory of each further peer */
} net_host;

/* Starts a server and its clients. Returns when all members have joined and all rooms run, or after
 * NET_GATHER_S: net_crowd_is_whole() is then false. */
net_host *net_host_begin(const net_host_config *config);
void net_host_end(net_host *host);

/* Starts the server alone, and fills in the clients that are to join it. */
net_host *net_host_open(const net_host_config *config, net_cheap_clients *clients);
void net_host_close(net_host *host);
/* True when all members have joined and all rooms run. */
bool net_host_is_ready(const net_host *host);

/* Returns the server's own time. */
uint64_t net_host_now_ns(const net_host *host);
/* Starts the server's clock again after a rest. */
void net_host_resume(net_host *host);
/* Steps as a server's process does until `until_ns` of bench_now_ns(), and then to the end of the
 * current wait. A wait cut short at `until_ns` would be an extra wakeup. */
void net_host_run_until(net_host *host, uint64_t until_ns);

/* Waits as a server's process does: for a packet, a job, or `wake_ns` of the server's time. */
void net_host_wait(net_host *host, uint64_t wake_ns);

/* Sets net_sizes to the size of our server's packets: the least of several runs of that many
 * ticks, because a client that falls behind gets larger ones. */
void net_size_payload(net_host *host, uint32_t ticks);

uint64_t net_resident_bytes(void);

#endif
