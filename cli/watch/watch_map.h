/* Finds the component that holds the entities' positions, from names and types of its fields: a
 * simulation does not say which it is. */
#ifndef LS_WATCH_MAP_H
#define LS_WATCH_MAP_H

#include <lockstep/world.h>

typedef struct ls_watch_map {
    const ls_component *component;
    uint32_t x_offset, y_offset;     /* offsets of two ls_fix in a cell */
    ls_fix left, top, right, bottom; /* the area seen so far, edges included */
    bool has_any;
} ls_watch_map;

/* Finds the component that holds positions: two numbers `x` and `y`, or one ls_fix2. A component is
 * preferred if its name begins with `pos` or is `place`; then one that begins with the two numbers.
 * Names that begin with `vel` or `mot` do not count. False when there is none. */
bool ls_watch_map_find(const ls_program *program, ls_watch_map *map);
/* Enlarges the map to hold all positions in the world. It never shrinks, so that the picture does
 * not jump. */
void ls_watch_map_cover(ls_watch_map *map, const ls_world *world);

/* The column and row of a position on a screen of a given size. */
typedef struct ls_watch_spot {
    uint32_t column, row;
} ls_watch_spot;
ls_watch_spot ls_watch_map_spot(const ls_watch_map *map, const void *cell, uint32_t columns,
                                uint32_t rows);

#endif
