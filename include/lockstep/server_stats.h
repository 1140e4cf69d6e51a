/* Counters of a server and its sessions. */
#ifndef LS_SERVER_STATS_H
#define LS_SERVER_STATS_H

#include <lockstep/handshake.h>
#include <lockstep/link.h>

typedef struct ls_room ls_room;

/* Counts since create unless said otherwise. */
typedef struct ls_server_stats {
    uint32_t rooms;    /* now */
    uint32_t sessions; /* now, after CONFIRM */
    uint64_t rooms_opened, rooms_failed;
    uint64_t rooms_put_off;            /* refused because the server was busy */
    uint64_t lag_ns;                   /* now: of the slowest simulation */
    uint64_t hellos, hellos_limited;   /* received; dropped over a budget */
    uint64_t auths, auths_repeated;    /* received; answered from the cache */
    uint64_t auths_refused;            /* wrong cookie, token or box; or put off */
    uint64_t tokens_refused;           /* of these: for the token */
    uint64_t rejects;                  /* handshakes answered with a reason */
    uint64_t handshakes_expired;       /* accepted, without a connection in time */
    uint64_t packets_sent, bytes_sent; /* of sessions */
    uint64_t packets_received, bytes_received;
    uint64_t packets_dropped; /* not authentic, replayed, malformed or over a budget */
    uint64_t log_lines_dropped;
    uint64_t evidence_files, evidence_bytes; /* begun; written or reserved */
} ls_server_stats;
/* One session. */
typedef struct ls_server_peer_info {
    ls_peer peer;
    const ls_room *room;
    uint8_t player;  /* seat, or LS_HANDSHAKE_PLAYER_NONE */
    bool is_playing; /* its JOIN is in the stream */
    bool is_bot;
    bool has_diverged;
    uint64_t desync_tick;   /* first differing tick, when it has diverged */
    uint64_t ack;           /* its next tick */
    uint64_t roots_checked; /* right ones */
    int32_t slack_us;       /* of its states: see ls_ticks */
    char name[LS_NAME_BYTES];
} ls_server_peer_info;
#endif
