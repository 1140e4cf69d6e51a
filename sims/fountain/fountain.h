/* Drops that rise from one place, and dry at their last landing or when they come to rest: a
 * simulation without inputs, with one seat. The module sims/modules/physics.c moves the drops. */
#ifndef LS_FOUNTAIN_H
#define LS_FOUNTAIN_H

#include <lockstep/sim.h>

extern const ls_sim ls_fountain_sim;

#endif
