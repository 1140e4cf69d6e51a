/* The plan of a seed: participants, matches, lines, and the possible faults. Drawn for each seed,
 * so that some runs lack a fault and others have little else. */
#ifndef LS_SIMULATION_PLAN_H
#define LS_SIMULATION_PLAN_H

#include "dice.h"

#include "tests/support/link_memory.h"
#include <lockstep/room.h>

enum { PLAN_PLAYERS_MAX = 12, PLAN_ROOMS_MAX = 3 };

/* Faults that strike at random moments of the first phase. */
enum fault {
    FAULT_LINE = 0,      /* a client's line gets other conditions */
    FAULT_CUT,           /* it is cut, one way or both */
    FAULT_REBIND,        /* its address changes */
    FAULT_KILL,          /* a client dies and comes back, with or without its resume secret */
    FAULT_PAUSE,         /* a client is not stepped for a while */
    FAULT_SLOW,          /* a client is stepped rarely for a while */
    FAULT_READER,        /* a client reads slowly; what its socket does not hold is lost */
    FAULT_CLOCK,         /* a client's clock stops or jumps, or its wall clock is set */
    FAULT_MEMORY,        /* an allocation of a client fails */
    FAULT_REPLAY,        /* old packets come again, also those of earlier sessions */
    FAULT_FLOOD,         /* a client gives all orders that it can */
    FAULT_NOISE,         /* random datagrams from random addresses */
    FAULT_STALL,         /* the server is not stepped for two seconds */
    FAULT_SERVER_CLOCK,  /* the server's clocks, as a client's */
    FAULT_SERVER_MEMORY, /* an allocation of the server fails */
    FAULT_BLOB_ROT,      /* a bit of a packed snapshot flips in the server's memory */
    FAULT_DISK_ROT,      /* a bit of a recording flips at rest */
    FAULT_CRASH,         /* the server's process dies */
    FAULT_POWER,         /* its machine does: what was not synced may be gone */
    FAULT_DISK_FULL,     /* for the rest of the server's life */
    FAULT_DISK_BROKEN,   /* likewise */
    FAULT_MATCH_PAUSE,   /* a player holds the match, and lets it go */
    FAULT_ATTACK,        /* the attackers on all lines attack otherwise than before */
    FAULT_COUNT,
    FAULT_CLEAN, /* instead of one of them: all may occur, but no world and no report is wrong */
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
    PLAN_HELD, /* has states */
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
    uint64_t joins_ns;      /* after the start */
    uint32_t order_percent; /* in each of its ticks */
    uint32_t order_bytes;   /* at most */
    uint32_t order_burst;
    uint64_t corrupt_at, pick;
    bool has_session; /* plays through a session (include/lockstep/session.h), which predicts this
                         many: */
    uint32_t predict_ticks;
    uint64_t picture_ns; /* and is drawn so often */
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
    uint64_t grid_ns;              /* steps happen at multiples of it */
    uint64_t safety_ns;            /* how long faults may strike */
    uint64_t fault_every_ns;       /* in the mean */
    uint32_t weights[FAULT_COUNT]; /* 0: this fault does not strike */
    uint64_t job_ns;               /* the most that a job is delayed */
    uint32_t short_percent;        /* of writes to the disk */
    bool is_attacked_on;           /* by FAULT_ATTACK, also in the second phase */
};

/* `only` FAULT_COUNT: any; FAULT_CLEAN; otherwise no other fault strikes. */
struct plan plan_draw(uint64_t seed, enum fault only);
/* Another line for a client, from good to terrible. */
ls_impairment_conditions plan_draw_line(struct dice *dice);
/* That of the second phase. */
ls_impairment_conditions plan_calm_line(void);

#endif
