/* The rules of docs/ecs.md stated a second time, by what the systems of a schedule do: for which
 * reasons two of them could need an order. */
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
    RULE_HALF_LANE, /* of a lane's newborns it would see some */
    RULE_COUNT,
} rule;

extern const char *const rule_names[RULE_COUNT];
extern const char *const deed_names[DEED_COUNT];

/* The reasons as bits, and when there is exactly one: which two deeds it comes from, the smaller
 * first. DEED_COUNT when there are several or none. */
typedef struct reasons {
    uint32_t rules;
    deed_kind one, other;
} reasons;

/* Why a pair that is refused for these two deeds alone may never show; NULL when it has to. */
const char *rules_explain(deed_kind one, deed_kind other);
reasons rules_between(const actor *a, const actor *b);
/* Pairs of accesses to one column that need no order: counts[smaller kind][greater kind]. */
void rules_count_free(const actor *a, const actor *b, uint64_t counts[DEED_COUNT][DEED_COUNT]);
/* One requires what the other excludes, so no entity matches both. The engine takes that for a
 * reason only where neither is sequential, reads others or changes the filtered component. */
bool rules_are_filtered(const actor *a, const actor *b);

#endif
