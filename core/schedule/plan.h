/* The descriptions of a simulation as a program holds them: names are indices, sets are bits. */
#ifndef LS_PLAN_H
#define LS_PLAN_H

#include <lockstep/schedule.h>

typedef struct ls_plan_term {
    uint32_t column; /* of LS_EVENTS the event type */
    uint32_t query;
    uint8_t kind;   /* ls_match_kind */
    uint8_t access; /* ls_access */
    /* The access that the functions for cells grant through the term: 0 none, else 1 + an
     * ls_access. */
    uint8_t grant;
    uint32_t cell_bytes;
} ls_plan_term;

/* The access of a system to a column, which decides whether two systems need an order. */
enum {
    LS_TOUCH_PRESENCE = 1 << 0,
    LS_TOUCH_READ = 1 << 1,
    LS_TOUCH_WRITE = 1 << 2,
    LS_TOUCH_STRUCTURE = 1 << 3,
    LS_TOUCH_ADD = 1 << 4, /* the accumulating operations, in the order of ls_access */
    LS_TOUCH_MIN = 1 << 5,
    LS_TOUCH_MAX = 1 << 6,
    LS_TOUCH_OR = 1 << 7,
    LS_TOUCH_COMMAND = 1 << 8, /* merged at the sync point: no conflict */
    LS_TOUCH_OTHERS = 1 << 9,  /* not only of the entity that the invocation is of */
    LS_TOUCH_VALUES = LS_TOUCH_ADD | LS_TOUCH_MIN | LS_TOUCH_MAX | LS_TOUCH_OR,
};
/* One field of a component whose value is a key. References that the engine follows by itself may
 * be an array; each item in use is then a key. */
typedef struct ls_plan_join {
    uint32_t column;
    uint32_t offset;
    ls_type type;
    uint32_t items;
    uint32_t count_offset; /* of the LS_TYPE_U16 that says how many are in use; or UINT32_MAX */
} ls_plan_join;

/* Steps that the engine adds to the systems of a simulation, ordered like them. */
typedef enum ls_step {
    LS_STEP_NONE = 0, /* a system */
    LS_STEP_FORK,     /* the sides of a par get their own tables */
    LS_STEP_MERGE,    /* their changes are put together */
} ls_step;

typedef struct ls_plan_system {
    const ls_system *system;
    ls_step step;
    uint32_t par;        /* of a step */
    uint64_t pars;       /* bit by par that forks: it is inside, or a step of it */
    uint32_t view;       /* of the world, in which it runs: 0, or of a side of a par */
    uint32_t slot_first; /* the first position of its stage and slot */
    uint64_t key;        /* of its name, for random numbers */
    uint32_t term_count;
    ls_plan_term *terms;
    uint32_t query_count; /* queries of the vector; 0 = the one empty match */
    uint32_t lane_count;
    uint32_t lanes[LS_SYSTEM_NAMES_MAX];
    uint32_t grid_count;
    uint32_t grids[LS_SYSTEM_GRIDS_MAX]; /* into the program's grids */
    uint32_t command_lane_count;
    uint32_t command_lanes[LS_SYSTEM_NAMES_MAX];
    uint16_t touches[LS_COMPONENTS_MAX]; /* by column: LS_TOUCH_... over all terms and joins */
    uint64_t sends, receives;            /* bit by event type */
    bool has_commands;                   /* leaves spawns, events, values or commands behind */
    bool accumulates, commands;          /* which of them */
    bool changes_cells;                  /* of columns, and not at a later merge only */
    bool has_start;                      /* reads columns as they were when it began */
    bool reads_liveness;                 /* has a query without an include */
    uint32_t join_count;
    uint32_t joins[LS_SYSTEM_JOINS_MAX]; /* into the program's joins */
    /* By join that drives a query: where its key comes from; column UINT32_MAX is the entity. */
    ls_plan_join join_from[LS_SYSTEM_JOINS_MAX];
    uint32_t query_joins[LS_QUERIES_MAX]; /* by query: 1 + the join that drives it, or 0 */
    bool keeps_keys; /* sequential, and writes keys that a join of its vector compares */
    /* Bit by lane: a system without an order with this one spawns into it. */
    uint64_t unsettled_lanes[LS_LANES_MAX / 64];
    bool has_unsettled;
    /* Positions of systems in the same stage and slot. Successors wait for this system. Those apart
     * may not run at the same time as it, but either may come first. Both lists have only later
     * positions and leave out what follows from other edges. */
    uint32_t predecessor_count, successor_count;
    uint32_t apart_before_count, apart_count;
    uint32_t *successors; /* and after them those apart */
    uint32_t need_count;  /* positions of those without which it does not run */
    uint32_t *needs;
} ls_plan_system;

/* The word for it in messages: the fork and merge steps of a par are no systems to a user. */
static inline const char *ls_plan_word(const ls_plan_system *plan)
{
    return plan->step ? "par" : "system";
}

/* The place of a stage's systems in the serial order: first[slot] to first[slot + 1], with the
 * slots in the order in which they run. */
enum { LS_SLOT_COUNT = 4 };
typedef struct ls_plan_stage {
    const ls_stage *stage;
    uint32_t first[LS_SLOT_COUNT + 1];
    uint32_t end;  /* the stages after it, up to this one, are within it */
    uint32_t gate; /* that decides whether it runs, or UINT32_MAX */
} ls_plan_stage;

/* A set that decides whether its members run, or what decides so for a stage. */
typedef struct ls_plan_gate {
    const ls_set *set;     /* or NULL */
    const ls_stage *stage; /* or NULL */
    const ls_condition *when;
    ls_plan_system criterion; /* when there is one */
    uint64_t *members;        /* of a set: bit by position */
} ls_plan_gate;

typedef struct ls_plan_grid {
    ls_grid grid;
    uint32_t column;
    uint32_t with; /* column, or UINT32_MAX */
} ls_plan_grid;

/* Notes that the system reads cells of other entities besides its terms, or only their presence. */
static inline void ls_plan_note_access(ls_plan_system *plan, uint32_t column, ls_access access)
{
    plan->touches[column] |=
        LS_TOUCH_PRESENCE | LS_TOUCH_OTHERS | (access == LS_READ ? LS_TOUCH_READ : 0);
}

#endif
