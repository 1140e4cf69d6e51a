/* Gives the simulation of a module. A user's simulation exports this function, as in NAME.so;
 * builtin.c exports it for one of sims/. */
#ifndef LS_WEB_SIMULATION_H
#define LS_WEB_SIMULATION_H

#include <lockstep/sim.h>

const ls_sim *ls_sim_export(void);

#endif
