/* Colonies of ants under one meadow: an example that uses nearly all that a simulation can declare.
 * Seeds fall from above, by the module sims/modules/physics.c, and the ants of all players carry
 * them home. A nest digs rooms for its seeds and hatches what its player orders. It dies with its
 * last ant, and its rooms with it. */
#ifndef LS_COLONY_H
#define LS_COLONY_H

#include <lockstep/sim.h>

/* An order is one byte: the caste that the nest hatches next, an index of prefabs.h. */
#define COLONY_ORDER_BYTES 1

extern const ls_sim ls_colony_sim;

#endif
