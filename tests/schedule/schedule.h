/* Random schedules as plain values: the generator makes them and the shrinker reduces them. */
#ifndef LS_TEST_SCHEDULE_H
#define LS_TEST_SCHEDULE_H
#include "tests/schedule/system_lists.h"
#include "tests/support/split_sim.h"
#include <lockstep/program.h>

enum {
    SYSTEMS_MAX = 8,
    STAGES_MAX = 2,
    SETS_MAX = 2,
    LABELS = 2,
    LANES = 2,
    ROSTER = 6, /* entities listed in a singleton, known to every system */
};

enum column {
    COLUMN_A, /* components with values */
    COLUMN_B,
    COLUMN_C,
    COLUMN_T, /* tags */
    COLUMN_U,
    COLUMN_S, /* singleton */
    COLUMN_E, /* events */
    COLUMN_F,
    COLUMN_P, /* a component that refers to an entity */
    COLUMN_COUNT,
};

/* The access of a system to one column, event or lane. */
typedef enum op_kind {
    /* by query 0 */
    OP_WITH,
    OP_WITHOUT,
    OP_MAYBE,
    OP_READ,
    OP_MAYBE_READ,
    OP_WRITE,
    OP_BUMP, /* a write that commutes with itself and reads nothing */
    OP_ATTACH,
    OP_DETACH,
    OP_PAIR_READ, /* this and the next by query 1 */
    OP_PAIR_ALL,
    /* access to other entities */
    OP_OTHERS_ASK,
    OP_OTHERS_READ,
    OP_OTHERS_WRITE,
    OP_OTHERS_CHANGE,
    OP_START,
    OP_GRID,
    OP_GRID_WITH, /* a grid over A, filtered by the column */
    OP_JOIN,
    OP_WALK, /* a query that the function walks */
    OP_OBSERVE,
    OP_ADD,
    OP_MIN,
    OP_MAX,
    OP_OR,
    OP_COMMAND,
    OP_SEND,
    OP_RECEIVE,
    OP_SPAWN, /* `column` is a lane */
    OP_COMMAND_SPAWN,
    OP_SPAWN_WITH,
    /* no column */
    OP_DESPAWN,
    OP_GUESS, /* asks whether entities are alive that this tick may spawn */
    OP_RANDOM,
    OP_GENERAL_COUNT, /* make_system() chooses from the kinds above */
    /* writes the column of the partner that P names */
    OP_PARTNER = OP_GENERAL_COUNT,
    OP_CHANGED, /* this and the next two by query 0, compared with the system's last run */
    OP_ADDED,
    OP_REMOVED,
    OP_IN_LANE, /* `column` is a lane, or LANES for "world"; by query 0 */
    OP_ARG_MIN,
    OP_ARG_MAX,
    OP_COMBINE, /* by an operation of the simulation's own */
    OP_COUNT,
} op_kind;

typedef struct op {
    uint8_t kind, column;
} op;

typedef struct actor {
    char name[16];
    bool is_concurrent, uses_spans;
    bool partner_fails; /* a clash about partners fails the tick; otherwise the first match wins */
    uint8_t stage, slot, labels, sets, op_count; /* labels, sets: bits */
    op ops[OPS_MAX];
    uint8_t home_thread; /* 0: any */
    bool uses_scratch;
    uint8_t after_label; /* 1 + the label */
    uint8_t part;        /* its module (split_sim.h); its name has the prefix */
    bool never_both;     /* as in its schedule */
    uint8_t after_part;  /* the module that it waits for */
} actor;

/* How the stages are named. */
typedef enum stage_form {
    STAGES_OF_SIM,  /* "main", "late" */
    STAGE_M,        /* "main", "m": the second one has the systems of m and m.k */
    STAGE_WITHIN_M, /* "m", "m.late": as before, and module m lists the second one */
} stage_form;

/* The condition under which a set or a stage runs; all zero means always. */
typedef struct condition {
    uint8_t every, phase, criterion; /* criterion: 1 + the column that it reads, or 0 */
    bool asks_again;
} condition;

typedef struct schedule {
    uint64_t seed;
    uint32_t system_count, stage_count, set_count;
    bool insertion_order[STAGES_MAX];
    bool never_both;                  /* no entity has both tags */
    bool has_partners;                /* entities have P */
    bool is_nested;                   /* the second stage is inside the first */
    bool has_modules, has_module_set; /* the first set is named "m" */
    stage_form stage_form;
    uint8_t part_of_column[COLUMN_COUNT], part_of_lane[LANES], part_of_label[LABELS];
    uint8_t part_of_set[SETS_MAX], part_of_setup;
    condition stages[STAGES_MAX], sets[SETS_MAX];
    actor systems[SYSTEMS_MAX];
    /* strong, weak and hard orders: [first][second] */
    bool before[SYSTEMS_MAX][SYSTEMS_MAX], weakly[SYSTEMS_MAX][SYSTEMS_MAX],
        needs[SYSTEMS_MAX][SYSTEMS_MAX];
    bool independent[SYSTEMS_MAX][SYSTEMS_MAX];
} schedule;

schedule schedule_generate(uint64_t seed);
/* Whether the system has the label of this module. */
bool schedule_is_in(const actor *system, uint32_t part);
bool op_is_matched(op_kind kind);
bool op_fits(const actor *plan, op_kind kind, uint32_t column);

static inline uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t z = (a ^ (b + 1) * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 30)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

#endif
