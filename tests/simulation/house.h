/* The server's side of a run: its process, its machine's disk with a recording and a seats file for
 * each room, and a keeper who starts it again. After each of its steps what it holds is looked at
 * from inside. */
#ifndef LS_SIMULATION_HOUSE_H
#define LS_SIMULATION_HOUSE_H

#include "clock.h"
#include "disk.h"
#include "player.h"
#include "slow_jobs.h"

#include "server/seats_file.h"
#include <lockstep/recorder.h>
#include <lockstep/server.h>

/* What a seat has accepted and the stream must carry. */
typedef struct seat_watch {
    uint64_t session;      /* which acceptances belong together */
    uint32_t landed;       /* orders of this session */
    uint32_t holder, life; /* of whoever had it last; holder PLAN_PLAYERS_MAX: nobody */
    bool is_in_stream, had_session;
    uint64_t has_state; /* as the seat's */
    uint8_t states[64][LS_STATE_BYTES_MAX];
    uint8_t last[LS_STATE_BYTES_MAX];
} seat_watch;

typedef struct house_room {
    struct stage *stage;
    uint32_t index;
    char name[16];
    struct ledger ledger;
    struct disk disk;
    bool has_seats, is_over, has_final_root;
    ls_seats_file seats;
    uint64_t seats_version;
    uint8_t *history; /* what the present room reads its past from */
    ls_room *room;    /* NULL: not open */
    uint64_t promised, promised_synced, roots_seen;
    uint64_t moved_tick, moved_ns; /* when it closed its newest tick, or had a reason not to */
    bool may_stand;                /* when it was looked at last */
    bool has_failed;               /* its recording, in this life of the server */
    bool lost_ticks;               /* ever, with a machine */
    uint64_t final_tick, final_root;
    ls_closing_reason ended_by;
    seat_watch watch[8];
} house_room;

struct house {
    struct stage *stage;
    struct dice dice;
    struct player *players;
    node_clock clock;
    ls_link *link;
    ls_server *server; /* NULL: dead */
    slow_jobs jobs;
    uint32_t epoch;
    uint64_t starts_ns, stalled_until_ns, wish_ns;
    bool is_draining, dies_after_sync;
    house_room rooms[PLAN_ROOMS_MAX];
};

void house_init(struct house *self, struct stage *stage, struct player *players);
void house_reset(struct house *self);

void house_step(struct house *self);
uint64_t house_next_ns(const struct house *self);

/* Faults. */
void house_crash(struct house *self, bool is_machine);
/* The machine, at the worst moment: when something was just promised. */
void house_crash_after_sync(struct house *self);
void house_stall(struct house *self, uint64_t until_ns);
/* Its clock stands still or jumps, or its wall clock is set. */
void house_shift_clock(struct house *self);
/* A bit of a packed snapshot flips in its memory. */
void house_rot_snapshot(struct house *self, house_room *room);
/* The first phase is over. */
void house_calm(struct house *self);
void house_drain(struct house *self);

/* All matches are over. */
bool house_is_done(const struct house *self);
/* At the end: recordings against the ledger, by replay. */
void house_check_recordings(struct house *self);

#endif
