/* A simulation for the test of steady ticks: it uses every deferred effect, and the number of
 * entities stays constant. */
#ifndef LS_STEADY_SIM_H
#define LS_STEADY_SIM_H

#include <lockstep/lockstep.h>

extern const ls_sim steady_sim;
/* The same with a par, and with looping sets and stages. */
extern const ls_sim steady_par_sim;

#endif
