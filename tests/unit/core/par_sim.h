/* Shared by the tests of par: a par with two sides, and systems that change a share of all
 * entities. */
#ifndef LS_PAR_SIM_H
#define LS_PAR_SIM_H

#include "mutation_sim.h"

extern const ls_par par_of_two[1]; /* par "both" with the sides "one" and "two" */

const ls_sim *par_sim(const ls_system *systems, uint32_t count, const ls_par *pars,
                      uint32_t par_count);
#define PAR_SIM(systems, pars) par_sim(systems, LS_COUNT_OF(systems), pars, LS_COUNT_OF(pars))

/* The data of a system: it handles entities with number % every == phase. */
typedef struct part {
    uint32_t every, phase;
} part;

/* The three thirds, and one of the sixths, which is half of the second third. */
extern const part par_parts[4];
/* Adds 100000 to the count of each handled entity. */
void par_add(ls_context *context, const ls_span *span);
/* Attaches 7 to each handled entity; term 0 has structural access. */
void par_attach(ls_context *context, const ls_entity *entities);
bool par_is_mine(const ls_context *context, uint32_t slot);
/* Spawns 300 entities with the value 1000; term 0 is LS_SPAWNS_WITH. */
void par_bear(ls_context *context, const ls_entity *unused);

#define ADDER(label, third, ...)                                                                   \
    {                                                                                              \
        .name = label, .span = par_add, .data = &par_parts[third],                                 \
        .terms = LS_TERM_LIST(LS_WRITES(counts)), __VA_ARGS__                                      \
    }
#define ATTACHER(label, given, ...)                                                                \
    {                                                                                              \
        .name = label, .match = par_attach, .data = given,                                         \
        .terms = LS_TERM_LIST(LS_ATTACHES(extras), LS_WITH(counts)), __VA_ARGS__                   \
    }

#endif
