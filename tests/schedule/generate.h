/* The parts of the generator: generate.c makes a schedule, generate_extra.c adds further abilities.
 */
#ifndef LS_TEST_SCHEDULE_GENERATE_H
#define LS_TEST_SCHEDULE_GENERATE_H

#include "tests/schedule/schedule.h"

struct generator {
    uint64_t random;
    schedule *made;
    uint8_t rank[SYSTEMS_MAX]; /* every order goes from a lower to a higher rank */
    uint32_t columns;          /* how many of the columns A, B and C are in use */
    bool is_quiet;             /* few systems write: more pairs need no order */
};

static inline uint32_t below(struct generator *g, uint32_t count)
{
    return (uint32_t)(mix(g->random++, 1) % count);
}

static inline bool chance(struct generator *g, uint32_t percent)
{
    return below(g, 100) < percent;
}

/* False if the system has no room for the access, or may not have it. */
bool generate_op(actor *plan, op_kind kind, uint32_t column);
/* Each has random numbers of its own: a schedule without these abilities is as it was. */
void generate_facts(schedule *made);
void generate_partners(const struct generator *g);
void generate_filters(const struct generator *g);
void generate_threads(schedule *made);
/* generate_world.c */
void generate_states(schedule *made);
void generate_forms(const struct generator *g);
void generate_deaths(const struct generator *g);
void generate_world(const struct generator *g);
void generate_hierarchy(const struct generator *g);
/* generate_par.c */
void generate_par(schedule *made);
/* Whether query 0 of the system has an access. */
bool generate_has_query(const actor *system);
/* Stages and slots as a number that rises in the order in which they run. */
uint32_t generate_place(const actor *plan);

#endif
