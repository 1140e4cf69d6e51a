/* Pars and the order of systems, while a schedule is built. */
#ifndef LS_PARS_ORDER_H
#define LS_PARS_ORDER_H
#include "core/schedule/build.h"

/* Removes conflicts between sides from build->conflicts, except conflicts about spawning. */
void ls_pars_settle(ls_build *build);
/* Replaces edges between members and other systems by edges to the fork or from the merge. */
void ls_pars_contract(ls_build *build);
/* The largest par with steps that contains position `one` but not `other`; UINT32_MAX when there is
 * none. */
uint32_t ls_pars_around(const ls_program *program, uint32_t one, uint32_t other);
/* Whether two positions are in different sides of a par. */
bool ls_pars_separate(const ls_program *program, uint32_t one, uint32_t other);
/* Reports paths between members of different sides. `program->paths` must be filled. */
void ls_pars_check_paths(ls_build *build);
/* Assigns to each system the view that it runs in. */
void ls_pars_give_views(ls_program *program);

#endif
