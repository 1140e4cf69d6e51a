/* The server's side of a run: its process; its machine's disk, with a recording and a seats file
 * for each room; and a supervisor that restarts the process. The server's internal state is checked
 * after each step. */
#ifndef LS_SIMULATION_SERVER_NODE_H
#define LS_SIMULATION_SERVER_NODE_H

#include "clock.h"
#include "disk.h"
#include "player.h"
#include "slow_jobs.h"

#include "server/seats_file.h"
#include <lockstep/recorder.h>
#include <lockstep/server.h>

/* Follows one seat: the inputs that the seat has accepted and that the tick stream must contain. */
typedef struct seat_watch {
    uint64_t session; /* number of the seat's current session; a new one starts new counts */
    uint32_t landed;  /* orders of this session seen in the stream */
    uint32_t holder,
        life; /* the last client with this seat, and its life; holder PLAN_PLAYERS_MAX: none */
    bool is_in_stream, had_session;
    uint64_t overdue_tick; /* the tick by which an absence that is over must end; 0: none */
    uint64_t has_state;    /* as has_state of the seat */
    uint8_t states[64][LS_STATE_BYTES_MAX];
    uint8_t last[LS_STATE_BYTES_MAX];
} seat_watch;

typedef struct node_room {
    struct run_shared *shared;
    uint32_t index;
    char name[16];
    struct ledger ledger;
    struct disk disk;
    bool has_seats, is_over, has_final_root;
    ls_seats_file seats;
    uint64_t seats_version;
    uint8_t *history; /* the copy of the recording that the room reads as its history */
    ls_room *room;    /* NULL: not open */
    uint64_t promised, promised_synced, roots_seen;
    uint64_t moved_tick, moved_ns; /* when the room last closed a tick, or had a reason not to */
    bool may_stand;                /* the match was allowed to wait at the last check */
    bool has_failed;               /* its recording has failed, in this life of the server */
    bool lost_ticks;               /* it has lost ticks by a machine's death, at any time */
    uint64_t final_tick, final_root;
    ls_closing_reason ended_by;
    seat_watch watch[8];
} node_room;

struct server_node {
    struct run_shared *shared;
    struct draws draws;
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

void server_node_init(struct server_node *self, struct run_shared *shared, struct player *players);
void server_node_reset(struct server_node *self);

void server_node_step(struct server_node *self);
uint64_t server_node_next_ns(const struct server_node *self);

/* Faults. */
void server_node_crash(struct server_node *self, bool is_machine);
/* Lets the machine die at the worst moment: right after something was promised as synced. */
void server_node_crash_after_sync(struct server_node *self);
void server_node_stall(struct server_node *self, uint64_t until_ns);
/* Stops the server's clock, makes it jump, or sets its wall clock. */
void server_node_shift_clock(struct server_node *self);
/* Flips a bit of a packed snapshot in the server's memory. */
void server_node_rot_snapshot(struct server_node *self, node_room *room);
/* Ends the faults of the first phase. */
void server_node_calm(struct server_node *self);
void server_node_drain(struct server_node *self);

/* True when all matches are over. */
bool server_node_is_done(const struct server_node *self);
/* Compares the recordings with the ledger, by replaying them; call it at the end. */
void server_node_check_recordings(struct server_node *self);

#endif
