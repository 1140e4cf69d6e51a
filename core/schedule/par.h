/* A par in a program. */
#ifndef LS_PAR_PLAN_H
#define LS_PAR_PLAN_H

#include "core/base/bits.h"
#include <lockstep/schedule.h>

/* A par. Every side but the first has a view with copies of the columns that sides keep apart. */
typedef struct ls_plan_par {
    char *name;
    uint32_t side_count;
    uint64_t *systems[LS_PAR_SIDES_MAX]; /* by side: bit by index in the simulation's list */
    uint64_t *members[LS_PAR_SIDES_MAX]; /* by side: bit by position, with steps of inner pars */
    uint64_t *inside;                    /* bit by position: all members, and its own steps */
    uint32_t size;                       /* number of positions in `inside` */
    /* Bit by column. apart: sides conflict there. written, touched: by any member. reshaped: a
     * member may attach or detach. */
    uint64_t apart[LS_COMPONENTS_MAX / 64], reshaped[LS_COMPONENTS_MAX / 64];
    uint64_t written[LS_COMPONENTS_MAX / 64], touched[LS_COMPONENTS_MAX / 64];
    ls_par_clash clash;
    bool has_steps; /* it has a fork and a merge, because some column is kept apart */
    uint32_t fork, merge;
    uint32_t view;       /* the view that its first side and its steps run in */
    uint32_t first_view; /* view of its second side; further sides follow */
} ls_plan_par;

/* The index of the side with the position; side_count when it is in none. */
static inline uint32_t ls_par_side(const ls_plan_par *par, uint32_t position)
{
    uint32_t side = 0;
    while (side < par->side_count && !ls_bit_has(par->members[side], position))
        side++;
    return side;
}

/* Whether two positions are in different sides. */
static inline bool ls_par_separates(const ls_plan_par *par, uint32_t one, uint32_t other)
{
    uint32_t a = ls_par_side(par, one), b = ls_par_side(par, other);
    return a != b && a < par->side_count && b < par->side_count;
}

#endif
