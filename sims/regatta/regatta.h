/* Boats on a round lake race for buoys. The smallest complete example of state inputs: each player
 * sends a rudder and a throttle for every tick, and no orders. */
#ifndef LS_REGATTA_H
#define LS_REGATTA_H

#include <lockstep/sim.h>

/* rudder, throttle: signed bytes, -100..100 percent */
#define REGATTA_STATE_BYTES 2

extern const ls_sim ls_regatta_sim;

#endif
