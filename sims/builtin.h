/* The simulations that are linked into this build. */
#ifndef LS_BUILTIN_H
#define LS_BUILTIN_H

#include <lockstep/sim.h>

/* The simulation of that name, NULL when none is built in.    thread  any */
const ls_sim *ls_sim_builtin(const char *name);
/* All of them in order of name, from index 0 to the first NULL.    thread  any */
const ls_sim *ls_sim_builtin_at(uint32_t index);

#endif
