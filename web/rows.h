/* Entities with their cells as packed arrays, which JavaScript reads in bulk. */
#ifndef LS_WEB_ROWS_H
#define LS_WEB_ROWS_H

#include "web/export.h"
#include <lockstep/world.h>

/* Initialize it with {0}; the arrays grow and are used again. */
typedef struct ls_web_rows_data {
    uint32_t count, capacity;
    uint64_t *entities;
    uint8_t *presence; /* bit t: the entity has the component of term t */
    uint8_t *cells[LS_WEB_TERMS];
    size_t cell_bytes[LS_WEB_TERMS]; /* allocated */
} ls_web_rows_data;

/* Replaces the rows by the entities that have the component of column `columns[0]`, in canonical
 * order, with their cells of all columns. -1 is no column; a cell that an entity lacks is zero. */
void ls_web_rows_collect(ls_web_rows_data *rows, const ls_world *world,
                         const int32_t columns[LS_WEB_TERMS]);
/* Whether the entity has the component, tags included. */
bool ls_web_rows_has(const ls_world *world, const ls_component *component, ls_entity entity);

#endif
