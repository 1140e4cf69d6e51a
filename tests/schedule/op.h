/* The columns of a random schedule, and the kinds of access of a system to one of them. */
#ifndef LS_TEST_SCHEDULE_OP_H
#define LS_TEST_SCHEDULE_OP_H
#include <lockstep/system.h>

struct actor;
enum { LANES = 2 };

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
    COLUMN_G, /* the singleton of LS_STATES() */
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
    /* forms of access */
    OP_ANY_OF,         /* query 0 has this column or its alternative */
    OP_JOIN_COUNT,     /* how many have a key */
    OP_JOIN_START,     /* a join that is as it was at the start */
    OP_JOIN_REFERENCE, /* a join by the reference in P */
    OP_GRID_START,
    OP_GRID_NEAREST,
    OP_GRID_VALUES,   /* a grid over A that has the values of the column */
    OP_PAIR_JOINED,   /* query 1 has the column, and the key of A of query 0 */
    OP_PAIR_REFERS,   /* query 1 has P, and refers to the match of query 0, which has A */
    OP_STATE,         /* reads the state of the game */
    OP_ENTER,         /* changes it */
    OP_PARENTS_FIRST, /* the matches of query 0 in the order of the parents that P names */
    OP_READS_WORLD,   /* no column */
    OP_WRITES_WORLD,
    OP_COUNT,
} op_kind;

typedef struct op {
    uint8_t kind, column;
} op;

/* Whether the access is by a query of the vector. */
bool op_is_matched(op_kind kind);
/* Whether the access changes the invocation's own cell. */
bool op_is_own_change(op_kind kind);
/* Whether the column is one of those with values that systems write, A to C. */
bool op_has_values(uint32_t column);
/* Whether the access can name the column. */
bool op_is_of(op_kind kind, uint32_t column);
/* Whether a system may have the access beside its others. */
bool op_fits(const struct actor *plan, op_kind kind, uint32_t column);
/* Whether the access is to the column, or also to it. */
bool op_touches(const op *done, uint32_t column);
/* The other column of OP_ANY_OF. */
static inline uint32_t op_alternative(uint32_t column)
{
    return column == COLUMN_T ? COLUMN_U : COLUMN_T;
}
static inline bool op_is_of_world(op_kind kind)
{
    return kind == OP_READS_WORLD || kind == OP_WRITES_WORLD;
}

#endif
