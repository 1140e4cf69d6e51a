/* Shared by the tests of mutations: components, a population in lane "a", and a run of some systems
 * under every executor, with equal roots after every tick. */
#ifndef LS_MUTATION_SIM_H
#define LS_MUTATION_SIM_H

#include "harness.h"

typedef struct tally {
    uint32_t value;
} tally;

typedef struct link {
    ls_entity to[2];
} link;

typedef struct total {
    uint64_t sum;
    uint32_t few, many;
} total;

typedef struct shout {
    ls_entity who;
    uint32_t value, spare;
} shout;

extern const ls_component counts, extras, links, marks, totals, shouts, beeps;

/* Lane numbers: 1 is "a", 2 is "b", 3 is "c". */
enum { LANE_A = 1, LANE_B = 2, LANE_C = 3, PARALLEL_POPULATION = 3000 };

/* The setup spawns `count` entities in lane "a" and calls `with` for each; by default entity i gets
 * the count i. The setup's terms: 0 counts, 1 extras, 2 links, 3 marks, all LS_OTHERS_STRUCTURE,
 * and 4 LS_OTHERS_WRITE(totals). Set `population` before creating a world; it is empty when a test
 * begins. */
typedef struct mutation_population {
    uint32_t count;
    void (*with)(ls_context *context, ls_entity entity, uint32_t i);
} mutation_population;

extern mutation_population population;
int mutation_forget(void **state);

/* Returns the simulation of these systems; valid until the next call. */
const ls_sim *mutation_sim(const ls_system *systems, uint32_t system_count);
/* Runs ticks serially, on 2 and 4 threads, in three shuffled orders and on the check executor.
 * Asserts equal roots after each tick; `check` (or NULL) examines every world at the end. */
void mutation_agree(const ls_sim *sim, uint32_t ticks, void (*check)(ls_world *world));
#define mutations_agree(systems, ticks, check)                                                     \
    mutation_agree(mutation_sim(systems, LS_COUNT_OF(systems)), ticks, check)

/* The cell of an entity of generation 1 in lane "a"; fails if the entity lacks the component. */
const void *mutation_cell(const ls_world *world, const ls_component *component, uint32_t slot);
static inline ls_entity mutation_entity(uint32_t slot)
{
    return ls_entity_make(LANE_A, slot, 1);
}

#endif
