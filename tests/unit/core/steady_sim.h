/* A simulation for the test of steady ticks: every feature that leaves something to be done later,
 * at a level that neither grows nor fades. */
#ifndef LS_STEADY_SIM_H
#define LS_STEADY_SIM_H

#include <lockstep/lockstep.h>

extern const ls_sim steady_sim;
/* The same of a par, of sets and stages that loop. */
extern const ls_sim steady_par_sim;

#endif
