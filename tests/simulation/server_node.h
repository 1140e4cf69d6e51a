/* The server's side of a run: its process, its machine's disk with a recording and a seats file
 * for each room, and a supervisor that restarts it. After each step its internal state is
 * checked. */
#ifndef LS_SIMULATION_SERVER_NODE_H
#define LS_SIMULATION_SERVER_NODE_H

#include "clock.h"
#include "disk.h"
#include "player.h"
#include "slow_jobs.h"

#include "server/seats_file.h"
#include <lockstep/recorder.h>
#include <lockstep/server.h>

/* The inputs that a seat has accepted and the stream must carry. */
typedef struct seat_watch {
    uint64_t session;      /* acceptances with the same number belong together */
    uint32_t landed;       /* orders of this session */
    uint32_t holder, life; /* of the last holder; holder PLAN_PLAYERS_MAX: none */
    bool is_in_stream, had_session;
    uint64_t overdue_tick; /* next when its player's absence was found to be over; 0: it is not */
    uint64_t has_state;    /* as the seat's */
    uint8_t states[64][LS_STATE_BYTES_MAX];
    uint8_t last[LS_STATE_BYTES_MAX];
} seat_watch;

typedef struct node_room {
    struct stage *stage;
    uint32_t index;
    char name[16];
    struct ledger ledger;
    struct disk disk;
    bool has_seats, is_over, has_final_root;
    ls_seats_file seats;
    uint64_t seats_version;
    uint8_t *history; /* the memory from which the present room reads its history */
    ls_room *room;    /* NULL: not open */
    uint64_t promised, promised_synced, roots_seen;
    uint64_t moved_tick, moved_ns; /* when it closed its newest tick, or had a reason not to */
    bool may_stand;                /* as of the last check */
    bool has_failed;               /* its recording, in this life of the server */
    bool lost_ticks;               /* ever, with a machine */
    uint64_t final_tick, final_root;
    ls_closing_reason ended_by;
    seat_watch watch[8];
} node_room;

struct server_node {
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
    node_room rooms[PLAN_ROOMS_MAX];
};

void server_node_init(struct server_node *self, struct stage *stage, struct player *players);
void server_node_reset(struct server_node *self);

void server_node_step(struct server_node *self);
uint64_t server_node_next_ns(const struct server_node *self);

/* Faults. */
void server_node_crash(struct server_node *self, bool is_machine);
/* The machine, at the worst moment: when something was just promised. */
void server_node_crash_after_sync(struct server_node *self);
void server_node_stall(struct server_node *self, uint64_t until_ns);
/* Its clock stops or jumps, or its wall clock is set. */
void server_node_shift_clock(struct server_node *self);
/* A bit of a packed snapshot flips in its memory. */
void server_node_rot_snapshot(struct server_node *self, node_room *room);
/* The first phase is over. */
void server_node_calm(struct server_node *self);
void server_node_drain(struct server_node *self);

/* All matches are over. */
bool server_node_is_done(const struct server_node *self);
/* At the end: recordings against the ledger, by replay. */
void server_node_check_recordings(struct server_node *self);

#endif
