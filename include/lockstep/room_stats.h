/* Counters and measurements of a room (include/lockstep/room.h). */
#ifndef LS_ROOM_STATS_H
#define LS_ROOM_STATS_H

#include <lockstep/recording_format.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ls_room_state {
    LS_ROOM_RESTORING = 0, /* the server simulates the recording, or begins one */
    LS_ROOM_WAITING,       /* waits for players before the first tick */
    LS_ROOM_RUNNING,
    LS_ROOM_ENDING, /* no more ticks; clients fetch the last ones */
    LS_ROOM_ENDED,
} ls_room_state;

/* Counts since the room was opened, unless a comment says otherwise. */
typedef struct ls_room_stats {
    ls_room_state state;
    bool is_paused;
    uint64_t tick;      /* the next tick to close, so the number of closed ticks */
    uint64_t simulated; /* the next tick to simulate, <= tick. While the match is restored, `tick`
                           is the end of its recording */
    uint64_t ticks_skipped; /* ticks that the schedule skipped because steps were late */
    uint64_t ticks_held;    /* ticks that waited for a player (LS_ROOM_WAIT) */
    uint64_t lateness_ns;   /* delay of the last closed tick against its schedule */
    uint64_t late_p50_ns, late_p99_ns, late_max_ns; /* the delay that half of all closed ticks and
                                                       99 in 100 did not exceed, and the greatest;
                                                       accurate to an eighth */
    uint64_t behind_ns;     /* now: the time of the closed ticks that a player with a world has not
                               acknowledged, of the player with the most of them */
    uint32_t sessions;      /* now; counted from CONFIRM on */
    uint32_t players;       /* now; counted between JOIN and LEAVE in the ticks */
    uint64_t joins, leaves; /* JOIN and LEAVE inputs in the ticks */
    uint64_t seats_kept;    /* players that returned in time, without LEAVE and JOIN */
    uint64_t timeouts;      /* sessions ended because of silence */
    uint64_t kicks;
    uint64_t clients_failed;   /* clients that could not continue, and sent the reason */
    uint64_t desyncs, resyncs; /* diverged sessions; those of them told to reload */
    uint64_t inquiries,
        inquiries_found; /* inquiries of a desync; those that found the difference */
    uint64_t found_inputs, found_builds, found_states; /* of inquiries_found: the client had run
                                                          other inputs; or it has another build; or
                                                          neither */
    uint64_t desyncs_unexplained;                      /* desyncs without an inquiry or a finding */
    uint64_t evidence_files;                           /* files written about desyncs */
    uint64_t roots_checked;
    uint64_t roots_missed;       /* times that a client kept sending without new roots */
    uint64_t inputs_accepted;    /* inputs that entered a tick */
    uint64_t inputs_late;        /* of inputs_accepted: in a later tick than requested */
    uint64_t inputs_refused;     /* refused by the validator, or too far ahead */
    uint64_t inputs_limited;     /* over the rate limit; the client sends them again */
    uint64_t states_accepted;    /* states that entered their tick */
    uint64_t states_late;        /* dropped because their tick had closed */
    uint64_t states_refused;     /* refused by the validator, or too far ahead */
    uint64_t states_substituted; /* states that the server substituted for missing ones */
    uint64_t frame_bytes;
    uint64_t gaps_answered;
    uint64_t snapshots_encoded, snapshot_bytes_sent;
    uint64_t ranges_limited; /* snapshot requests refused or cut short by a budget */
    uint64_t recording_bytes, recording_unsynced_ticks;
    uint64_t restored_ticks;     /* ticks simulated to resume the match */
    bool recording_failed;       /* a file of the recording is incomplete */
    uint32_t recording_segments; /* files after the first */
    ls_closing_reason ended_by;  /* the reason; set from ENDING on */
    bool is_lost;                /* the simulation hangs: the world cannot be read */
    bool is_cut_off; /* the match ended before it was restored; its recording is unchanged */
    bool hangs;      /* the recording hangs the simulation */
} ls_room_stats;

#ifdef __cplusplus
}
#endif

#endif
