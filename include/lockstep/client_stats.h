/* Counters and measurements of a client. */
#ifndef LS_CLIENT_STATS_H
#define LS_CLIENT_STATS_H

#include <lockstep/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ls_client_stats {
    uint64_t tick;              /* of the client's world: the next to run */
    uint64_t head;              /* of the server, as known here: the next tick that it will close */
    uint64_t head_ns;           /* when the head last rose; 0: never */
    uint64_t delay_ticks;       /* head - tick: known to exist, not yet run here */
    uint64_t rtt_ns;            /* smoothed; 0: not known */
    uint64_t jitter_ns;         /* mean deviation of it */
    uint32_t loss_permille;     /* of the server's packets on the tick channel, smoothed */
    int32_t slack_us;           /* of the client's states, see ls_ticks; LS_SLACK_NONE */
    uint32_t input_delay_ticks; /* a bot's states are for head + input_delay_ticks */
    uint32_t epoch; /* of the match: rises when its server was restarted, and may have lost ticks */
    uint64_t silence_ns;            /* since the last authenticated message, at the last step */
    uint8_t player;                 /* seat, or LS_HANDSHAKE_PLAYER_NONE */
    bool is_playing;                /* the client's JOIN was run */
    bool is_paused;                 /* the match is paused */
    bool has_diverged;              /* reported by the server: */
    uint64_t desync_tick;           /* first differing */
    uint64_t root_own, root_server; /* there */
    bool was_corrupted;             /* corrupt_at was done */
    uint64_t roots_sent;
    uint64_t inputs_submitted, inputs_acked, inputs_lost; /* orders */
    uint64_t states_submitted, substitutes; /* ticks closed with a substitute for its state */
    uint64_t snapshots_loaded, snapshot_bytes,
        reloads;      /* bytes unpacked; asked for by the server */
    uint64_t resumes; /* sessions resumed */
    uint64_t gaps;    /* asked for */
    uint64_t frames_received, frames_duplicate;
    uint64_t packets_sent, bytes_sent;
    uint64_t packets_received, bytes_received;
    uint64_t packets_dropped; /* not authentic, replayed or malformed */
} ls_client_stats;

#ifdef __cplusplus
}
#endif

#endif
