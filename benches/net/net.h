/* Compares ways to serve N peers, for `./bench net`: our server, bare ENet and bare UDP. All ways
 * carry the same bytes each tick: a broadcast to all peers, and an input of each peer. The clients
 * have a process of their own. Only CPU time of the serving thread counts. That includes system
 * calls and, on loopback, the kernel's path to the receiver's socket. */
#ifndef LS_BENCH_NET_H
#define LS_BENCH_NET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    NET_PAYLOAD_MAX = 1200,
    NET_SEEN_MAX = 4096,
    NET_TURNS = 16, /* turns of a tick, over which the peers' inputs are spread */
    NET_PEERS_MAX = 2000,
    NET_GATHER_S = 60, /* how long a way waits until its peers have joined, in seconds */
    NET_BATCH = 256,   /* the most messages received between two reads of the clock */
};

/* Bytes in one datagram after ENet's own headers: down_bytes of a tick to each peer, up_bytes of
 * each peer's message per tick. Set before the bare ways (ENet, UDP) begin. */
typedef struct net_payload {
    uint32_t down_bytes, up_bytes;
} net_payload;
extern net_payload net_sizes;

/* Ticks a second, and messages a second of each peer: 60 unless the row states another rate. Set
 * before the ways begin, and restored after they end. */
extern uint32_t net_tick_rate;

/* Memory shared with the clients' process. */
typedef struct net_board {
    atomic_bool is_running;       /* clients send while this is true, otherwise they rest */
    atomic_uint_fast64_t arrived; /* broadcasts that all clients together have received */
    atomic_uint ready;            /* clients that have joined */
    /* With few clients: when the first of them saw each tick, by this machine's monotonic clock. */
    atomic_uint seen_count;
    uint64_t seen_ns[NET_SEEN_MAX];
    uint16_t port; /* the server's port on loopback */
    uint32_t peers;
} net_board;

typedef struct net_crowd {
    net_board *board;
    int process;
    uint32_t inside;  /* peers that had joined when the way's `begin` returned */
    double gathering; /* how long `begin` took, in seconds */
} net_crowd;

/* True when all peers have joined; otherwise the row's note has their number. */
static inline bool net_crowd_is_whole(const net_crowd *crowd)
{
    return crowd->inside >= crowd->board->peers;
}

/* Forks a process that runs `live`, which never returns; it ends with this process. */
net_crowd net_crowd_begin(uint32_t peers, uint16_t port, void (*live)(net_board *board));
void net_crowd_end(net_crowd *crowd);
/* Called by `live`, which visits all its peers `rounds_per_s` times a second: sleeps until the next
 * turn of a round is due and returns its number. Rests while the board is not running. */
uint32_t net_crowd_turn(const net_board *board, uint32_t rounds_per_s);
/* Returns the peers that send their inputs in this turn: *first to *end - 1. */
void net_crowd_range(const net_board *board, uint32_t turn, uint32_t *first, uint32_t *end);

/* One way to serve. */
typedef struct net_way {
    const char *name;
    /* Connects the peers. Returns when all have joined, or after NET_GATHER_S: see
     * net_crowd_is_whole(). */
    void *(*begin)(uint32_t peers);
    /* Receives until `until_ns` of bench_now_ns(); returns the number of inputs received. */
    uint32_t (*receive_until)(void *state, uint64_t until_ns);
    void (*broadcast)(void *state, const uint8_t *data); /* `data` has net_sizes.down_bytes */
    void (*end)(void *state);
} net_way;

typedef struct net_figure {
    double ns;   /* CPU time per peer and tick */
    double up;   /* fraction of the inputs that arrived */
    double down; /* fraction of the broadcasts that arrived */
} net_figure;

extern const net_way net_udp, net_enet, net_ours;

/* Measures `ticks` ticks of a way with its state and its clients. */
net_figure net_measure(const net_way *way, void *state, net_crowd *crowd, uint32_t ticks);
/* Returns the crowd of a way's state, which must be the first member of each state. */
static inline net_crowd *net_crowd_of(void *state)
{
    return state;
}

/* Runs the crowd of a bare way until `inside` counts all peers, or NET_GATHER_S are over. */
void net_gather(const net_way *way, void *state, const uint32_t *inside);

/* Sleeps until the socket is readable, or until `until_ns`. */
void net_wait(int file, uint64_t until_ns);
/* Opens a nonblocking UDP socket on loopback with large buffers; returns it and sets its port. */
int net_socket(uint16_t *port);
void net_enlarge(int file);

/* Measures the time in ns to seal and to open one message of `bytes` bytes with
 * ChaCha20-Poly1305. */
void net_aead(uint32_t bytes, double *seal_ns, double *open_ns);

#endif
