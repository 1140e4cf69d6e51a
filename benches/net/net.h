/* Ways to serve N peers, for `./bench net`. All ways carry the same bytes each tick: a broadcast
 * down and an input of each peer up. The clients have a process of their own. Only CPU time of
 * the serving thread counts, including system calls and, on loopback, the kernel's path to the
 * receiver's socket. */
#ifndef LS_BENCH_NET_H
#define LS_BENCH_NET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    NET_PAYLOAD_MAX = 1200,
    NET_SEEN_MAX = 4096,
    NET_SLICES = 16, /* of a tick; the peers' inputs are spread over the tick */
    NET_PEERS_MAX = 2000,
    NET_GATHER_S = 60, /* how long a way waits for its peers */
    NET_BATCH = 256,   /* messages taken between two looks at the clock */
};

/* Bytes of one datagram after ENet's own headers: down, a tick to each peer; up, each peer's
 * message a tick. Set before the ways that only carry bytes begin. */
typedef struct net_payload {
    uint32_t down_bytes, up_bytes;
} net_payload;
extern net_payload net_sizes;

/* Ticks a second, and messages of each peer; 60 unless the row states another rate. Set before
 * the ways begin, and restored after they end. */
extern uint32_t net_tick_rate;

/* Shared with the process of the clients. */
typedef struct net_board {
    atomic_bool is_running;       /* clients send; else they rest */
    atomic_uint_fast64_t arrived; /* broadcasts that the clients have received in all */
    atomic_uint ready;            /* clients that are in */
    /* With few clients: when the first of them saw each tick, by this machine's clock. */
    atomic_uint seen_count;
    uint64_t seen_ns[NET_SEEN_MAX];
    uint16_t port; /* the server's on loopback */
    uint32_t peers;
} net_board;

typedef struct net_crowd {
    net_board *board;
    int process;
    uint32_t inside;  /* of its peers, when the way's begin returned */
    double gathering; /* seconds until then */
} net_crowd;

/* False: the row's note has the number of peers that joined. */
static inline bool net_crowd_is_whole(const net_crowd *crowd)
{
    return crowd->inside >= crowd->board->peers;
}

/* Forks; the child runs `live`, which never returns, and dies with this process. */
net_crowd net_crowd_begin(uint32_t peers, uint16_t port, void (*live)(net_board *board));
void net_crowd_end(net_crowd *crowd);
/* For `live`, which visits all its peers `rounds_per_s` times a second: sleeps until the next
 * slice is due, and returns its number; rests while not running. */
uint32_t net_crowd_slice(const net_board *board, uint32_t rounds_per_s);
/* Peers first..end-1 send their inputs in this slice. */
void net_crowd_range(const net_board *board, uint32_t slice, uint32_t *first, uint32_t *end);

/* One way to serve. */
typedef struct net_way {
    const char *name;
    /* Returns when all peers are connected, or after NET_GATHER_S: net_crowd_is_whole(). */
    void *(*begin)(uint32_t peers);
    /* Receives until this moment; returns the number of inputs that arrived. */
    uint32_t (*receive_until)(void *state, uint64_t until_ns);
    void (*broadcast)(void *state, const uint8_t *data); /* net_sizes.down_bytes */
    void (*end)(void *state);
} net_way;

typedef struct net_figure {
    double ns;   /* CPU time per peer and tick */
    double up;   /* the part of the inputs that arrived, */
    double down; /* and of the broadcasts */
} net_figure;

extern const net_way net_udp, net_enet, net_ours;

/* `state` is the way's; `crowd` its clients. */
net_figure net_measure(const net_way *way, void *state, net_crowd *crowd, uint32_t ticks);
/* The crowd of a way's state, which each state begins with. */
static inline net_crowd *net_crowd_of(void *state)
{
    return state;
}

/* Runs a bare way's crowd until `inside` counts all of its peers, or its time is over. */
void net_gather(const net_way *way, void *state, const uint32_t *inside);

/* Sleeps until the socket has something to read or the moment has come. */
void net_wait(int file, uint64_t until_ns);
/* A nonblocking socket on loopback with large buffers; gives its port. */
int net_socket(uint16_t *port);
void net_enlarge(int file);

/* ns to seal and to open one message of `bytes` bytes with ChaCha20-Poly1305. */
void net_aead(uint32_t bytes, double *seal_ns, double *open_ns);

#endif
