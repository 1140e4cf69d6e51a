/* Counters and measurements of a room (include/lockstep/room.h). */
#ifndef LS_ROOM_STATS_H
#define LS_ROOM_STATS_H

#include <lockstep/recording_format.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ls_room_state {
    LS_ROOM_RESTORING = 0, /* its recording is simulated again, or begins */
    LS_ROOM_WAITING,       /* for players, before the first tick */
    LS_ROOM_RUNNING,
    LS_ROOM_ENDING, /* no more ticks; clients fetch the last ones */
    LS_ROOM_ENDED,
} ls_room_state;

/* Counts since the room was opened unless said otherwise. */
typedef struct ls_room_stats {
    ls_room_state state;
    bool is_paused;
    uint64_t tick;          /* the next to close = ticks closed */
    uint64_t simulated;     /* the tick before which the world is: <= tick */
    uint64_t ticks_skipped; /* skipped by the schedule because steps came too late */
    uint64_t ticks_held;    /* that waited for a player (LS_ROOM_WAIT) */
    uint64_t lateness_ns;   /* of the last tick closed, against its schedule */
    uint32_t sessions;      /* now, after CONFIRM */
    uint32_t players;       /* in the stream now */
    uint64_t joins, leaves; /* events in the stream */
    uint64_t timeouts;      /* sessions that ended by silence */
    uint64_t kicks;
    uint64_t clients_failed;   /* that could not continue, and said why */
    uint64_t desyncs, resyncs; /* diverged sessions, and those of them asked to reload */
    uint64_t inquiries,
        inquiries_found;          /* clients asked what differs, and inquiries that named it */
    uint64_t desyncs_unexplained; /* without an inquiry, or without a finding */
    uint64_t evidence_files;      /* written about these */
    uint64_t roots_checked;
    uint64_t roots_missed;       /* times that a client sent on without its roots */
    uint64_t inputs_accepted;    /* taken into a tick */
    uint64_t inputs_late;        /* of these: landed after the tick they asked for */
    uint64_t inputs_refused;     /* by the simulation's check, or too far ahead */
    uint64_t inputs_limited;     /* over the rate; the client sends them again */
    uint64_t states_accepted;    /* taken into their tick */
    uint64_t states_late;        /* after their tick had closed: dropped */
    uint64_t states_refused;     /* by the simulation's check, or too far ahead */
    uint64_t states_substituted; /* made by the server for a missing state */
    uint64_t frame_bytes;
    uint64_t gaps_answered;
    uint64_t snapshots_encoded, snapshot_bytes_sent;
    uint64_t ranges_limited; /* requests for a snapshot that a budget refused, or cut short */
    uint64_t recording_bytes, recording_unsynced_ticks;
    uint64_t restored_ticks;     /* simulated to resume the match */
    bool recording_failed;       /* a file is incomplete */
    uint32_t recording_segments; /* files after the first */
    ls_closing_reason ended_by;  /* from ENDING on */
    bool is_lost;                /* its simulation hangs: the world cannot be read */
    bool is_cut_off;             /* it ended before it was restored; its recording is unchanged */
    bool is_poisoned;            /* its recording hangs the simulation */
} ls_room_stats;

#ifdef __cplusplus
}
#endif

#endif
