/* The simulation of a module: that of a user exports this, as in NAME.so; builtin.c does for one of
 * sims/. */
#ifndef LS_WEB_SIMULATION_H
#define LS_WEB_SIMULATION_H

#include <lockstep/sim.h>

const ls_sim *ls_sim_export(void);

#endif
