/* The parts of a nest and of each caste of its ants. The lives of ants are rows of match data. */
#ifndef LS_COLONY_PREFABS_H
#define LS_COLONY_PREFABS_H

#include <lockstep/lockstep.h>

LS_COMPONENT(store, I32(seeds));
LS_COMPONENT(life, I32(ticks));
LS_COMPONENT(basket, U32(seeds), U32(most));
LS_COMPONENT_OF(life, lifespan, "lifespan", I32(ticks));

LS_PREFABS(prefabs, PREFAB(worker, ROW(life, lifespan, 0), VALUE(basket, .most = 1)),
           PREFAB(porter, ROW(life, lifespan, 1), VALUE(basket, .most = 3)),
           PREFAB(nest, VALUE(store, .seeds = 12)));

#endif
