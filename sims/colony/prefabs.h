/* The parts of a nest and of each caste of its ants. The lives of ants are rows of match data. */
LS_PREFABS(prefabs, PREFAB(worker, ROW(life, lifespan, 0), VALUE(basket, .most = 1)),
           PREFAB(porter, ROW(life, lifespan, 1), VALUE(basket, .most = 3)),
           PREFAB(nest, VALUE(store, .seeds = 12)));
