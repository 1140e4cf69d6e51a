/* The second example of the Core ECS paper (listing 7): two systems write one component, each in
 * different entities, which only the values decide. So they are the two sides of a par. */
#ifndef LS_DISJOINT_H
#define LS_DISJOINT_H

#include <lockstep/sim.h>

extern const ls_sim ls_disjoint_sim;

#endif
