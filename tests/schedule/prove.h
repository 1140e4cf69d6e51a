/* One schedule: is its acceptance right in every order, and its refusal for a reason that shows? */
#ifndef LS_TEST_PROVE_H
#define LS_TEST_PROVE_H

#include "tests/schedule/orders.h"
#include "tests/schedule/rules.h"

enum { PROVE_TEXT_BYTES = 2048 };

typedef struct rule_counts {
    uint64_t refused, witnessed; /* pairs */
    uint64_t example;            /* the seed of one without a witness */
} rule_counts;

typedef struct prove_counts {
    uint64_t schedules, accepted, refused, unusable, cut_orders;
    uint64_t orders, ticks, unordered_pairs, kept_apart; /* of accepted ones */
    uint64_t pairs, witnessed, with_several_reasons, settled_by_another;
    /* The first that holds among those without a witness. */
    uint64_t met_nobody, filtered, explained, several, unseen;
    /* Counts of pairs with one rule, and with one pair of accesses. */
    rule_counts rules[RULE_COUNT], deeds[DEED_COUNT][DEED_COUNT];
    uint64_t free_deeds[DEED_COUNT][DEED_COUNT];
} prove_counts;

typedef struct prover {
    ls_executor *two, *four, *shuffled;
    uint32_t all_max, random_count, states_max; /* how hard it looks */
    prove_counts counts;
    char text[PROVE_TEXT_BYTES]; /* what is wrong */
} prover;

void prover_begin(prover *self, bool is_long);
void prover_end(prover *self);
/* False when something is wrong; the text says what. */
bool prove_schedule(prover *self, const schedule *given);
/* The smallest schedule found that still fails; the text is its failure. */
schedule prove_shrink(prover *self, const schedule *failing);

#endif
