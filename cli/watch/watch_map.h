/* Finds positions of entities from a simulation's tables, which only describe what its components
 * contain. */
#ifndef LS_WATCH_MAP_H
#define LS_WATCH_MAP_H

#include <lockstep/world.h>

typedef struct ls_watch_map {
    const ls_component *component;
    uint32_t x_offset, y_offset;     /* of two ls_fix in its cells */
    ls_fix left, top, right, bottom; /* what was seen so far, both ends included */
    bool has_any;
} ls_watch_map;

/* Finds the component that holds positions: two numbers `x` and `y`, or one ls_fix2. Names
 * `position` and `place` are preferred, then components that begin with the two members. False when
 * there is none. */
bool ls_watch_map_find(const ls_program *program, ls_watch_map *map);
/* Enlarges the map to hold all positions in the world. It never shrinks, so that the picture does
 * not jump. */
void ls_watch_map_cover(ls_watch_map *map, const ls_world *world);

/* Column and row of a cell on a screen of this size. */
typedef struct ls_watch_spot {
    uint32_t column, row;
} ls_watch_spot;
ls_watch_spot ls_watch_map_spot(const ls_watch_map *map, const void *cell, uint32_t columns,
                                uint32_t rows);

#endif
