/* Checks one schedule. If it was accepted, every order must give the same root. If it was refused,
 * some state (a witness) should give two roots in the two orders of the refused pair. */
#ifndef LS_TEST_PROVE_H
#define LS_TEST_PROVE_H

#include "tests/schedule/orders.h"
#include "tests/schedule/rules.h"

enum { PROVE_TEXT_BYTES = 2048 };

typedef struct rule_counts {
    uint64_t refused, witnessed; /* counts of pairs */
    uint64_t example;            /* the seed of a schedule with a pair without a witness */
} rule_counts;

/* Abilities of accepted schedules, which are counted so that none disappears unnoticed. */
typedef enum prove_ability {
    PROVE_STATES,
    PROVE_FORK, /* a par whose sides conflict */
    PROVE_WORLD,
    PROVE_DEATHS, /* deaths change references, or kill others */
    PROVE_EMPTY,  /* entities without a component end */
    PROVE_MAIN_THREAD,
    PROVE_PARENTS_FIRST,
    PROVE_ABILITIES,
} prove_ability;

typedef struct prove_counts {
    uint64_t schedules, accepted, refused, unusable, cut_orders;
    /* Counts of accepted schedules; kept_by_tags: pairs kept apart by incompatible tags;
     * kept_by_lanes: pairs of a spawner and a system that is limited to another lane. */
    uint64_t orders, ticks, unordered_pairs, kept_apart, kept_by_tags, kept_by_lanes, never_meet;
    uint64_t with[PROVE_ABILITIES], beside; /* beside: pairs in two sides of a par */
    uint64_t state_changes, state_runs, state_pauses;
    uint64_t pairs, witnessed, with_several_reasons, settled_by_another;
    uint64_t pars, pars_witnessed; /* pairs of a par and another system */
    /* Pairs without a witness, counted by the first reason that applies. */
    uint64_t met_nobody; /* one of the two never ran */
    uint64_t filtered;   /* no entity matches the filters of both */
    uint64_t explained;  /* rules_explain() says why their effects commute */
    uint64_t several;    /* refused for several reasons */
    uint64_t unseen;     /* no state was found in which they differ */
    /* Counts of pairs refused for exactly one rule, and for exactly one pair of accesses. */
    rule_counts rules[RULE_COUNT], ops[OP_COUNT][OP_COUNT];
    uint64_t free_ops[OP_COUNT][OP_COUNT];
} prove_counts;

typedef struct prover {
    ls_executor *two, *four, *shuffled, *mixed;
    uint32_t all_max, random_count, states_max; /* limits of the search */
    prove_counts counts;
    char text[PROVE_TEXT_BYTES]; /* the error */
} prover;

void prover_begin(prover *self, bool is_long);
void prover_end(prover *self);
/* Returns false on an error; the text describes it. */
bool prove_schedule(prover *self, const schedule *given);
/* The smallest schedule found that still fails; the text is its error. */
schedule prove_shrink(prover *self, const schedule *failing);

#endif
