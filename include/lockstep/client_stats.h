/* Counters and measurements of a client. */
#ifndef LS_CLIENT_STATS_H
#define LS_CLIENT_STATS_H

#include <lockstep/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ls_client_stats {
    uint64_t tick;        /* the next tick that this client will run */
    uint64_t head;        /* the next tick that the server will close, as known here */
    uint64_t head_ns;     /* when the head last rose; 0: never */
    uint64_t delay_ticks; /* closed by the server, not yet run here: behind_ns in ticks, but at
                             least head - tick, which are known here */
    uint64_t behind_ns; /* how long ago the server closed the newest tick that was run here; 0: not
                           known, or paused. An estimate from round trips, too large or too small by
                           half of the least round trip at most, or by a queue towards the server */
    uint64_t ticks_timed; /* ticks run since the client was first at the head. The lateness that
                             half of them and 99 in 100 did not exceed, and the greatest, against
                             the time when each was due here: */
    uint64_t late_p50_ns, late_p99_ns, late_max_ns;
    uint64_t arrived_p99_ns; /* the lateness that 99 in 100 ticks did not exceed when they and all
                                before them had arrived. An ls_session runs them later, to show them
                                evenly */
    uint64_t rtt_ns;         /* round trip, smoothed; 0: not known */
    uint64_t jitter_ns;      /* mean deviation of rtt_ns */
    uint32_t loss_permille;  /* lost share of the server's packets on the tick channel, smoothed */
    uint32_t congestion;     /* of the line, 0 (none) to LS_CONGESTION_MAX: a higher level repeats
                                less */
    int32_t slack_us;        /* time by which this client's states beat the close of their tick: see
                                ls_ticks; or LS_SLACK_NONE */
    uint32_t input_delay_ticks; /* a bot's states are for head + input_delay_ticks */
    uint32_t epoch; /* of the match: rises when a restarted server resumes it, perhaps without its
                       last ticks */
    uint64_t silence_ns;  /* time since the last authenticated message, measured at the last step */
    uint8_t player;       /* seat, or LS_HANDSHAKE_PLAYER_NONE */
    bool is_playing;      /* the client's JOIN has run */
    bool is_paused;       /* the match is paused */
    bool has_diverged;    /* the server reported a desync of this client: */
    uint64_t desync_tick; /* the first tick that differs */
    uint64_t root_own, root_server; /* the two roots at that tick */
    bool was_corrupted;             /* the bit flip of corrupt_at is done */
    uint64_t roots_sent;
    uint64_t inputs_submitted, inputs_acked, inputs_lost; /* counts of orders */
    uint64_t states_submitted, substitutes; /* ticks closed with a server's substitute */
    uint64_t snapshots_loaded, snapshot_bytes,
        reloads;      /* sum of unpacked bytes; loads that the server ordered */
    uint64_t resumes; /* sessions resumed */
    uint64_t gaps;    /* requests for missing ticks */
    uint64_t frames_received, frames_duplicate;
    uint64_t packets_sent, bytes_sent;
    uint64_t packets_received, bytes_received;
    uint64_t packets_dropped; /* not authentic, replayed or malformed */
} ls_client_stats;

#ifdef __cplusplus
}
#endif

#endif
