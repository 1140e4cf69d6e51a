/* A simulation with floats in its components, for the golden program alone. */
#ifndef LS_DETERMINISM_FLOATS_H
#define LS_DETERMINISM_FLOATS_H

#include <lockstep/sim.h>

extern const ls_sim floats_sim;

#endif
