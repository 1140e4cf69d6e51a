/* Random schedules as plain values: the generator makes them and the shrinker reduces them. The
 * engine gets them as a simulation whose root depends on everything that the systems read. */
#ifndef LS_TEST_SCHEDULE_H
#define LS_TEST_SCHEDULE_H
#include "tests/schedule/system_lists.h"
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
    OP_COUNT,
} op_kind;

typedef struct op {
    uint8_t kind, column;
} op;

typedef struct actor {
    char name[16];
    bool is_concurrent, uses_spans;
    uint8_t stage, slot, labels, sets, op_count; /* labels, sets: bits */
    op ops[OPS_MAX];
    uint8_t after_label; /* 1 + the label */
} actor;

/* The condition under which a set or a stage runs; all zero means always. */
typedef struct condition {
    uint8_t every, phase, criterion; /* criterion: 1 + the column that it reads, or 0 */
    bool asks_again;
} condition;

typedef struct schedule {
    uint64_t seed;
    uint32_t system_count, stage_count, set_count;
    bool insertion_order[STAGES_MAX];
    bool is_nested; /* the second stage is inside the first */
    condition stages[STAGES_MAX], sets[SETS_MAX];
    actor systems[SYSTEMS_MAX];
    /* strong, weak and hard orders: [first][second] */
    bool before[SYSTEMS_MAX][SYSTEMS_MAX], weakly[SYSTEMS_MAX][SYSTEMS_MAX],
        needs[SYSTEMS_MAX][SYSTEMS_MAX];
    bool independent[SYSTEMS_MAX][SYSTEMS_MAX];
} schedule;

/* A schedule as a simulation; it must not be moved. */
typedef struct built_system {
    const struct built *built;
    const actor *plan;
    uint32_t term_of[OPS_MAX], grid_of[OPS_MAX]; /* grid_of: also a join or a lane */
    uint32_t index, roster_term, sink_term;
    bool has_query, has_pairs;
    system_lists lists;
} built_system;

typedef struct built {
    const schedule *from;
    built_system data[SYSTEMS_MAX];
    ls_system systems[SYSTEMS_MAX];
    ls_stage stages[STAGES_MAX];
    ls_set sets[SETS_MAX];
    ls_system criteria[STAGES_MAX + SETS_MAX];
    ls_term criterion_terms[STAGES_MAX + SETS_MAX][3];
    uint32_t decision_data[STAGES_MAX + SETS_MAX][2];
    ls_independence independences[SYSTEMS_MAX * SYSTEMS_MAX / 2];
    ls_sim sim;
} built;

/* Calls of each system since the last reset, by position; inexact with several threads. */
extern uint64_t body_calls[SYSTEMS_MAX];

schedule schedule_generate(uint64_t seed);
bool op_is_matched(op_kind kind);
bool op_fits(const actor *plan, op_kind kind, uint32_t column);
void schedule_build(const schedule *from, built *made);
/* Prints C that can be pasted into a simulation. */
void schedule_print(const schedule *from);

/* body.c */
void body_match(ls_context *context, const ls_entity *entities);
void body_span(ls_context *context, const ls_span *span);
void body_decide(ls_context *context, const ls_entity *entities);
extern const ls_component *const body_components[COLUMN_COUNT];
extern const ls_component body_roster, body_sink;
extern const ls_system body_setup;

static inline uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t z = (a ^ (b + 1) * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 30)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

#endif
