/* What a room counts and measures; a copy is handed out (include/lockstep/room.h). */
#ifndef LS_ROOM_STATS_H
#define LS_ROOM_STATS_H

#include <lockstep/recording_format.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ls_room_state {
    LS_ROOM_RESTORING = 0, /* what was recorded is simulated again, or its recording begins */
    LS_ROOM_WAITING,       /* for players, before tick 0 */
    LS_ROOM_RUNNING,
    LS_ROOM_ENDING, /* no more ticks; stragglers fetch the last */
    LS_ROOM_ENDED,
} ls_room_state;

/* Counts since the room was opened unless said otherwise. Nothing here is per player. */
typedef struct ls_room_stats {
    ls_room_state state;
    bool is_paused;
    uint64_t tick;          /* the next to close = ticks closed */
    uint64_t simulated;     /* the tick that the world stands before: <= tick */
    uint64_t ticks_skipped; /* places in the schedule given up because the steps came too late */
    uint64_t ticks_held;    /* that waited for a player (LS_ROOM_WAIT) */
    uint64_t lateness_ns;   /* of the last tick closed, against its schedule */
    uint32_t sessions;      /* now, after CONFIRM */
    uint32_t players;       /* seats that are taken in the stream now */
    uint64_t joins, leaves; /* events in the stream */
    uint64_t timeouts;      /* sessions that ended by silence */
    uint64_t kicks;
    uint64_t clients_failed;   /* that could not go on, and said why */
    uint64_t desyncs, resyncs; /* sessions found to have diverged, and of these told to reload */
    uint64_t inquiries,
        inquiries_found;          /* how often one was asked what differs, and it was named */
    uint64_t desyncs_unexplained; /* nobody was asked, or nothing came of it */
    uint64_t evidence_files;      /* that were written about these */
    uint64_t roots_checked;
    uint64_t roots_missed;       /* how often a client's came no more while it went on */
    uint64_t inputs_accepted;    /* orders taken into a tick */
    uint64_t inputs_late;        /* of these: landed after the tick they wished for */
    uint64_t inputs_refused;     /* by the validator, or too far ahead */
    uint64_t inputs_limited;     /* over the rate; the client repeats them */
    uint64_t states_accepted;    /* taken into their tick */
    uint64_t states_late;        /* came behind their tick's close: dropped */
    uint64_t states_refused;     /* by the validator, or too far ahead */
    uint64_t states_substituted; /* said by the server in a player's place */
    uint64_t frame_bytes;
    uint64_t gaps_answered;
    uint64_t snapshots_encoded, snapshot_bytes_sent;
    uint64_t recording_bytes, recording_unsynced_ticks;
    uint64_t restored_ticks;     /* that were simulated to take the match up */
    bool recording_failed;       /* its first file is incomplete */
    uint32_t recording_segments; /* files behind the first */
    ls_closing_reason ended_by;  /* once ENDING */
    bool is_lost;     /* a job of its simulation hangs: there is no state to look at any more */
    bool is_cut_off;  /* it ended before it was restored: its recording is as it was */
    bool is_poisoned; /* its recording hangs the simulation */
} ls_room_stats;

#ifdef __cplusplus
}
#endif

#endif
