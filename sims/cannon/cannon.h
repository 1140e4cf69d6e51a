/* Cannons in a row that fire at each other. The flight of the shots is that of the module
 * sims/modules/physics.c. An order is a shot: its elevation and its charge. */
#ifndef LS_CANNON_H
#define LS_CANNON_H

#include <lockstep/sim.h>

/* elevation in degrees, 1..179 (0 is to the right); charge, 1..100 */
#define CANNON_ORDER_BYTES 2

extern const ls_sim ls_cannon_sim;

#endif
