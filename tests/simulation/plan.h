/* The plan of a seed: participants, matches, lines, and the possible faults. Each seed draws which
 * faults can occur, so some runs lack a fault and others have little else. */
#ifndef LS_SIMULATION_PLAN_H
#define LS_SIMULATION_PLAN_H

#include "draws.h"

#include "tests/support/link_memory.h"
#include <lockstep/room.h>

enum { PLAN_PLAYERS_MAX = 12, PLAN_ROOMS_MAX = 3 };

/* Faults that occur at random moments of the first phase. */
enum fault {
    FAULT_LINE = 0, /* the conditions of a client's line change */
    FAULT_CUT,      /* a client's line is cut, in one direction or both */
    FAULT_REBIND,   /* a client's address changes */
    FAULT_KILL,     /* a client dies and comes back, with or without its resume secret */
    FAULT_PAUSE,    /* a client is not stepped for a while */
    FAULT_SLOW,     /* a client is stepped rarely for a while */
    FAULT_READER,   /* a client reads slowly; packets that do not fit into its socket are lost */
    FAULT_CLOCK,    /* a client's clock stops or jumps, or its wall clock is set */
    FAULT_MEMORY,   /* an allocation of a client fails */
    FAULT_REPLAY,   /* old packets arrive again, also from earlier sessions */
    FAULT_FLOOD,    /* a client gives all orders that it can */
    FAULT_NOISE,    /* random datagrams from random addresses */
    FAULT_STALL,    /* the server is not stepped for two seconds */
    FAULT_SERVER_CLOCK,  /* as FAULT_CLOCK, for the server */
    FAULT_SERVER_MEMORY, /* an allocation of the server fails */
    FAULT_BLOB_ROT,      /* a bit of a packed snapshot flips in the server's memory */
    FAULT_DISK_ROT,      /* a bit of a recording flips at rest */
    FAULT_CRASH,         /* the server's process dies */
    FAULT_POWER,         /* the server's machine dies: unsynced bytes may be lost */
    FAULT_DISK_FULL,     /* the disk is full for the rest of the server's life */
    FAULT_DISK_BROKEN,   /* the disk fails for the rest of the server's life */
    FAULT_MATCH_PAUSE,   /* a player pauses the match, and resumes it */
    FAULT_ATTACK,        /* the attackers on all lines draw new rates */
    FAULT_NARROW,        /* a client's line becomes narrow; in the end all share one narrow line */
    FAULT_COUNT,
    FAULT_CLEAN, /* not a fault, but an argument of plan_draw(): all faults may occur, but no world
                    and no report is wrong */
};

const char *fault_name(enum fault which);

enum role {
    ROLE_PLAYER = 0,
    ROLE_SPECTATOR,
    ROLE_STRANGER,   /* runs another simulation, or another version of protocol or engine */
    ROLE_CORRUPT,    /* one bit of its world flips */
    ROLE_LIAR,       /* reports roots that it does not have */
    ROLE_CONTRARIAN, /* sends another state for a tick than before */
};

typedef enum plan_sim {
    PLAN_TALLY = 0,
    PLAN_HELD, /* the simulation has state inputs */
    PLAN_SKIRMISH,
    PLAN_SIMS,
} plan_sim;

typedef struct plan_room {
    uint32_t seats, wait_players;
    uint64_t ticks_max;
    ls_room_policy policy;
    ls_desync_policy desync;
    uint32_t sync_ticks;
    uint32_t keep_seats_s;
} plan_room;

typedef struct plan_player {
    enum role role;
    uint32_t room;
    uint64_t joins_ns;      /* time of its first join, from the start of the run */
    uint32_t order_percent; /* chance of orders in each of its ticks */
    uint32_t order_bytes;   /* most bytes of an order */
    uint32_t order_burst;
    uint64_t corrupt_at, pick;
    bool has_session; /* plays through a session (include/lockstep/session.h), which predicts
                         predict_ticks */
    uint32_t predict_ticks;
    uint64_t picture_ns; /* time between two pictures of that session */
    ls_impairment_conditions line;
} plan_player;

struct plan {
    uint64_t seed;
    bool is_clean; /* no world and no report is wrong */
    plan_sim sim;
    uint32_t tick_rate;
    uint32_t room_count, player_count;
    plan_room rooms[PLAN_ROOMS_MAX];
    plan_player players[PLAN_PLAYERS_MAX];
    uint64_t grid_ns;              /* steps happen at multiples of this time */
    uint64_t safety_ns;            /* length of the first phase, in which faults occur */
    uint64_t fault_every_ns;       /* mean time between two faults */
    uint32_t weights[FAULT_COUNT]; /* relative frequency of each fault; 0: it does not occur */
    uint64_t job_ns;               /* longest delay of a job */
    uint32_t short_percent;        /* share of disk writes that write less than asked */
    bool is_attacked_on;           /* attackers also attack in the second phase */
    /* The line that all clients share in the end (narrow_line.h); the rate is in bytes a second. */
    uint64_t narrow_rate, narrow_delay_ns;
};

/* Draws the plan of a seed. `only` limits the faults to one; FAULT_COUNT allows all, FAULT_CLEAN
 * all without wrong worlds and reports. */
struct plan plan_draw(uint64_t seed, enum fault only);
/* Draws conditions for a client's line, from good to terrible. */
ls_impairment_conditions plan_draw_line(struct draws *draws);
/* Returns the conditions of the narrow line, which has a queue of half a second. */
ls_impairment_conditions plan_narrow_line(const struct plan *plan);
/* Returns the conditions of every line in the second phase. */
ls_impairment_conditions plan_calm_line(void);

#endif
