/* Counters of a server and its sessions. */
#ifndef LS_SERVER_STATS_H
#define LS_SERVER_STATS_H

#include <lockstep/handshake.h>
#include <lockstep/link.h>

typedef struct ls_room ls_room;

/* Counts since the server was created, unless a comment says otherwise. */
typedef struct ls_server_stats {
    uint32_t rooms;    /* open now */
    uint32_t sessions; /* now, after CONFIRM */
    uint32_t light;    /* sessions of light clients, which do not simulate */
    uint64_t rooms_opened, rooms_failed;
    uint64_t rooms_put_off; /* requests for a new room refused because the server was busy */
    uint64_t lag_ns;        /* the lag of the slowest simulation now */
    uint64_t hellos, hellos_limited;   /* received; of those, dropped over a budget */
    uint64_t auths, auths_repeated;    /* received; of those, answered from the cache */
    uint64_t auths_refused;            /* wrong cookie, token or box; or refused for now */
    uint64_t tokens_refused;           /* of those, because of the token */
    uint64_t rejects;                  /* handshakes refused with a reason */
    uint64_t sessions_moved;           /* to another address of their client */
    uint64_t handshakes_expired;       /* accepted handshakes that did not connect in time */
    uint64_t packets_sent, bytes_sent; /* of sessions, without handshakes */
    uint64_t packets_received, bytes_received;
    uint64_t packets_dropped; /* not authentic, replayed, malformed or over a budget */
    uint64_t log_lines_dropped;
    uint64_t evidence_files, evidence_bytes; /* files begun; bytes written or reserved */
} ls_server_stats;
/* One session. */
typedef struct ls_server_peer_info {
    ls_peer peer;
    const ls_room *room;
    uint8_t player;  /* seat, or LS_HANDSHAKE_PLAYER_NONE */
    bool is_playing; /* its JOIN is in the ticks */
    bool is_bot;
    bool has_diverged;
    uint64_t desync_tick;   /* first differing tick, when it has diverged */
    uint64_t ack;           /* the next tick that its client needs */
    uint64_t roots_checked; /* roots of the client that were correct */
    int32_t slack_us;       /* by how much its states beat the close of their tick: see ls_ticks */
    char name[LS_NAME_BYTES];
} ls_server_peer_info;
#endif
