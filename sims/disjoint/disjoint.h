/* The second example of the Core ECS paper (listing 7): two systems change one component, each of
 * other entities, which only the values tell apart. So they are the two sides of a par. */
#ifndef LS_DISJOINT_H
#define LS_DISJOINT_H

#include <lockstep/sim.h>

extern const ls_sim ls_disjoint_sim;

#endif
