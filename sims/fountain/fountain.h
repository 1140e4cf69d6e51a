/* Drops that rise from one place and dry where they land: a simulation without inputs, with one
 * seat. The motion is that of the module sims/modules/physics.c. */
#ifndef LS_FOUNTAIN_H
#define LS_FOUNTAIN_H

#include <lockstep/sim.h>

extern const ls_sim ls_fountain_sim;

#endif
