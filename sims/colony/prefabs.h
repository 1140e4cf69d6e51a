/* What a nest and the castes of its ants are made of. The lives of ants are rows of match data. */
LS_PREFABS(prefabs, PREFAB(worker, ROW(life, lifespan, 0), VALUE(basket, .most = 1)),
           PREFAB(porter, ROW(life, lifespan, 1), VALUE(basket, .most = 3)),
           PREFAB(nest, VALUE(store, .seeds = 12)));
