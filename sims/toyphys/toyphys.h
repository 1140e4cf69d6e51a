/* The running example of the Core ECS paper: points move on a line. A collision takes position and
 * velocity from the moving point, moves the resting one at half the speed and spawns a third that
 * bounces back.
 *   source  the paper's Figures 3, 7, 11 and 13 and its listings 2 and 3 */
#ifndef LS_TOYPHYS_H
#define LS_TOYPHYS_H

#include <lockstep/sim.h>

/* Takes no inputs and no options; one seat. */
extern const ls_sim ls_toyphys_sim;

#endif
