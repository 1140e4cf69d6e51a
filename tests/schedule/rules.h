/* The rules of docs/ecs-reference.md, implemented a second time: the reasons for which two systems
 * need an order, derived from their accesses. */
#ifndef LS_TEST_RULES_H
#define LS_TEST_RULES_H

#include "tests/schedule/schedule.h"

typedef enum rule {
    RULE_PRESENCE_STRUCTURE,
    RULE_READ_WRITE,
    RULE_READ_STRUCTURE,
    RULE_READ_VALUES,
    RULE_WRITE_WRITE,
    RULE_WRITE_STRUCTURE,
    RULE_WRITE_VALUES,
    RULE_STRUCTURE_STRUCTURE,
    RULE_STRUCTURE_VALUES,
    RULE_TWO_OPERATIONS,
    RULE_EVENT,
    RULE_LANE,
    RULE_LIVENESS,
    RULE_HALF_LANE, /* would see only some of the entities spawned in a lane */
    RULE_COUNT,
} rule;

extern const char *const rule_names[RULE_COUNT];
extern const char *const op_names[OP_COUNT];

/* The reasons as bits. With exactly one reason, `one` and `other` are the accesses that cause it,
 * the smaller first; otherwise both are OP_COUNT. */
typedef struct reasons {
    uint32_t rules;
    op_kind one, other;
} reasons;

/* The reason why no witness may exist for a pair refused for these two accesses alone; NULL if one
 * must exist. */
const char *rules_explain(op_kind one, op_kind other);
reasons rules_between(const actor *a, const actor *b);
/* The same of two systems of a schedule. Different sides of a par need an order only if one spawns
 * into a lane of the other, or into the matches of the other. */
reasons rules_of_pair(const schedule *given, uint32_t i, uint32_t j);
/* Whether the two are in different sides of the par. */
bool rules_are_beside(const schedule *given, uint32_t i, uint32_t j);
/* Whether the two access a column in ways that conflict, whatever else keeps them apart. So a par
 * conflicts with a system if any of its members touches it. */
bool rules_touch(const actor *a, const actor *b);
/* Whether the sides of the par touch each other: then it has a fork and a merge. */
bool rules_fork(const schedule *given);
/* Whether the two never run at the same time: like rules_between(), and also where one spawns
 * entities with a component that the other accesses by handles, or finds in other lanes only. */
bool rules_keep_apart(const actor *a, const actor *b);
/* Whether only the lane of query 0 of the other keeps it from what the first one spawns. */
bool rules_spawn_past_lane(const actor *spawner, const actor *other);
/* Whether no tick runs both, because their sets have other phases. */
bool rules_never_meet(const schedule *given, uint32_t i, uint32_t j);
/* Counts pairs of accesses to one column that need no order: counts[smaller kind][greater kind]. */
void rules_count_free(const actor *a, const actor *b, uint64_t counts[OP_COUNT][OP_COUNT]);
/* No entity matches both: one system requires what the other excludes, or they require two
 * incompatible tags. The engine accepts this only if neither system is sequential, reads other
 * entities or changes the filtered component. */
bool rules_are_filtered(const actor *a, const actor *b);
/* The same by two tags that no entity has both of. */
bool rules_are_incompatible(const actor *a, const actor *b);

#endif
