/* Pars and the order of systems, while a schedule is built. */
#ifndef LS_PARS_ORDER_H
#define LS_PARS_ORDER_H
#include "core/schedule/build.h"

/* Conflicts between sides are no conflicts, but for spawning. */
void ls_pars_settle(ls_build *build);
/* Edges to and from members become those of the whole par. */
void ls_pars_contract(ls_build *build);
/* The largest par around `one` that is not around `other`, or UINT32_MAX. */
uint32_t ls_pars_around(const ls_program *program, uint32_t one, uint32_t other);
/* Paths that lead from one side to another. `program->paths` is filled. */
void ls_pars_check_paths(ls_build *build);
/* Which view each system runs in. */
void ls_pars_give_views(ls_program *program);

#endif
