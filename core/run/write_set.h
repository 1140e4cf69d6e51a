/* The cells that a system asks for by handle in order to write, recorded for the check executor. So
 * it can find a struct that is larger than its component: that overwrites the next cell, which the
 * system did not ask for. */
#ifndef LS_WRITE_SET_H
#define LS_WRITE_SET_H
#include "core/base/sort.h"
#include <lockstep/entity.h>

typedef struct ls_write_set {
    ls_sort_item *items; /* by column and index; the second half is scratch for sorting */
    uint32_t count, capacity;
} ls_write_set;

static inline void ls_write_set_clear(ls_write_set *asked)
{
    asked->count = 0;
}

void ls_write_set_reset(ls_write_set *asked);
/* Records a cell. `asked` NULL does nothing. */
void ls_write_set_note(ls_write_set *asked, uint32_t column, ls_entity entity);
/* Call it before ls_write_set_has(). */
void ls_write_set_sort(ls_write_set *asked);
/* `index` is lane << 24 | slot, the lower half of a handle. */
bool ls_write_set_has(const ls_write_set *asked, uint32_t column, uint32_t index);

#endif
