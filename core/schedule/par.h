/* A par in a program. */
#ifndef LS_PAR_PLAN_H
#define LS_PAR_PLAN_H

#include "core/base/bits.h"
#include <lockstep/schedule.h>

/* Parallel sides. Every side but the first gets a copy of the columns that must be kept apart. */
typedef struct ls_plan_par {
    char *name;
    uint32_t side_count;
    uint64_t *systems[LS_SYSTEM_NAMES_MAX]; /* by side: bit by index in the simulation's list */
    uint64_t *members[LS_SYSTEM_NAMES_MAX]; /* by side: bit by position, inner steps included */
    uint64_t *inside;                       /* all of them, and its own steps */
    uint32_t size;                          /* how many these are */
    /* Bit by column: what some side changes and another touches, what members write, and touch. */
    uint64_t apart[LS_COMPONENTS_MAX / 64];
    uint64_t written[LS_COMPONENTS_MAX / 64], touched[LS_COMPONENTS_MAX / 64];
    bool has_steps; /* something has to be kept apart */
    uint32_t fork, merge;
    uint32_t view;       /* in which it runs as a whole, and its first side */
    uint32_t first_view; /* of its second side; one more for each that follows */
} ls_plan_par;

/* Whether two positions are of different sides. */
static inline bool ls_par_separates(const ls_plan_par *par, uint32_t one, uint32_t other)
{
    uint32_t side = 0;
    while (side < par->side_count && !ls_bit_has(par->members[side], one))
        side++;
    for (uint32_t i = 0; side < par->side_count && i < par->side_count; i++) {
        if (i != side && ls_bit_has(par->members[i], other))
            return true;
    }
    return false;
}

#endif
