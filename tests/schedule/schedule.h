/* Random schedules as plain values: the generator makes them and the shrinker reduces them. */
#ifndef LS_TEST_SCHEDULE_H
#define LS_TEST_SCHEDULE_H
#include "tests/schedule/op.h"
#include "tests/schedule/system_lists.h"
#include "tests/support/split_sim.h"
#include <lockstep/program.h>

enum {
    SYSTEMS_MAX = 8,
    STAGES_MAX = 2,
    SETS_MAX = 2,
    POSITIONS_MAX = SYSTEMS_MAX + 2, /* with the fork and the merge of a par */
    SIDES_MAX = 3,
    STATES = 3,
    LABELS = 2,
    ROSTER = 6, /* entities listed in a singleton, known to every system */
};

typedef struct actor {
    char name[16];
    bool is_concurrent, uses_spans;
    bool partner_fails; /* a clash about partners fails the tick; otherwise the first match wins */
    uint8_t stage, slot, labels, sets, op_count; /* labels, sets: bits */
    op ops[OPS_MAX];
    uint8_t home_thread; /* 0: any */
    bool uses_scratch, is_on_main_thread;
    uint32_t cost_ns;
    uint8_t side;        /* 0: in no par; otherwise 1 + its side */
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
    uint8_t state_use, state; /* 1 + an ls_states_use_, or 0; instead of a criterion */
} condition;

typedef struct schedule {
    uint64_t seed;
    uint32_t system_count, stage_count, set_count;
    bool insertion_order[STAGES_MAX];
    bool never_both;    /* no entity has both tags */
    bool has_partners;  /* entities have P */
    uint8_t on_despawn; /* of the reference in P: an ls_on_despawn */
    bool despawns_empty;
    bool has_states;
    bool has_world;    /* systems send their number instead of adding it to a sink */
    uint8_t par_sides; /* 0: there is no par */
    bool par_first_wins;
    bool is_on_main_thread[STAGES_MAX];
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
static inline uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t z = (a ^ (b + 1) * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 30)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

#endif
