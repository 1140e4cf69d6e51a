/* The names of rules and of kinds of access, and why some pairs have no witness. */
#include "tests/schedule/rules.h"

const char *const rule_names[RULE_COUNT] = {
    [RULE_PRESENCE_STRUCTURE] = "presence, structure",
    [RULE_READ_WRITE] = "read, write",
    [RULE_READ_STRUCTURE] = "read, structure",
    [RULE_READ_VALUES] = "read, accumulate",
    [RULE_WRITE_WRITE] = "write, write",
    [RULE_WRITE_STRUCTURE] = "write, structure",
    [RULE_WRITE_VALUES] = "write, accumulate",
    [RULE_STRUCTURE_STRUCTURE] = "structure, structure",
    [RULE_STRUCTURE_VALUES] = "structure, accumulate",
    [RULE_TWO_OPERATIONS] = "accumulate by two operations",
    [RULE_EVENT] = "send, receive",
    [RULE_LANE] = "spawn into one lane",
    [RULE_LIVENESS] = "spawn, match all that lives",
    [RULE_HALF_LANE] = "half of a lane's newborns",
};

const char *const op_names[OP_COUNT] = {
    [OP_WITH] = "with",
    [OP_WITHOUT] = "without",
    [OP_MAYBE] = "maybe",
    [OP_READ] = "read",
    [OP_MAYBE_READ] = "read if there",
    [OP_WRITE] = "write",
    [OP_BUMP] = "bump",
    [OP_ATTACH] = "attach",
    [OP_DETACH] = "detach",
    [OP_PAIR_READ] = "read by a second query",
    [OP_PAIR_ALL] = "match all by a second query",
    [OP_OTHERS_ASK] = "ask of others",
    [OP_OTHERS_READ] = "read of others",
    [OP_OTHERS_WRITE] = "write of others",
    [OP_OTHERS_CHANGE] = "attach and detach of others",
    [OP_START] = "read as at the start",
    [OP_GRID] = "read by a grid",
    [OP_GRID_WITH] = "a grid of those with",
    [OP_JOIN] = "read by a join",
    [OP_WALK] = "read by a walked query",
    [OP_OBSERVE] = "observe",
    [OP_ADD] = "add",
    [OP_MIN] = "min",
    [OP_MAX] = "max",
    [OP_OR] = "or",
    [OP_COMMAND] = "command",
    [OP_SEND] = "send",
    [OP_RECEIVE] = "receive",
    [OP_SPAWN] = "spawn",
    [OP_COMMAND_SPAWN] = "spawn by command",
    [OP_SPAWN_WITH] = "spawn with",
    [OP_DESPAWN] = "despawn",
    [OP_GUESS] = "ask who lives",
    [OP_RANDOM] = "draw",
    [OP_PARTNER] = "write of partners",
    [OP_CHANGED] = "changed",
    [OP_ADDED] = "added",
    [OP_REMOVED] = "removed",
    [OP_IN_LANE] = "in a lane",
    [OP_ARG_MIN] = "least value",
    [OP_ARG_MAX] = "greatest value",
    [OP_COMBINE] = "combine",
    [OP_ANY_OF] = "one of two",
    [OP_JOIN_COUNT] = "count by a join",
    [OP_JOIN_START] = "read by a join as at the start",
    [OP_JOIN_REFERENCE] = "read by a join of references",
    [OP_GRID_START] = "read by a grid as at the start",
    [OP_GRID_NEAREST] = "nearest by a grid",
    [OP_GRID_VALUES] = "values by a grid",
    [OP_PAIR_JOINED] = "second query by a key",
    [OP_PAIR_REFERS] = "second query by a reference",
    [OP_STATE] = "ask for the state",
    [OP_ENTER] = "enter a state",
    [OP_PARENTS_FIRST] = "parents first",
    [OP_READS_WORLD] = "read the world",
    [OP_WRITES_WORLD] = "write the world",
};

const char *rules_explain(op_kind one, op_kind other)
{
    op_kind less = one < other ? one : other, more = one < other ? other : one;
    if (less == OP_BUMP && (more == OP_BUMP || more == OP_ADD))
        return "both add in place";
    if (less == OP_BUMP &&
        (more == OP_GRID || more == OP_GRID_WITH || more == OP_JOIN || more == OP_JOIN_COUNT ||
         more == OP_JOIN_START || more == OP_GRID_START || more == OP_GRID_NEAREST))
        return "one writes a field that the other does not look at";
    if (less == OP_STATE && more == OP_ENTER)
        return "a state holds for a whole tick";
    if (less == OP_SPAWN && more == OP_ANY_OF)
        return "newborns with one of two components need an order for that component";
    if (more == OP_SPAWN_WITH && (less == OP_WITHOUT || less == OP_MAYBE || less == OP_MAYBE_READ ||
                                  less == OP_ATTACH || less == OP_GRID_WITH))
        return "newborns lack what else the other requires";
    return NULL;
}
