/* The cells that a system asks to change by handle, for the check executor: a pointer to a struct
 * larger than the component reaches the next cell, which the system did not ask for. */
#ifndef LS_ASKED_H
#define LS_ASKED_H

#include "core/entity.h"
#include "core/sort.h"

typedef struct ls_asked {
    ls_sort_item *items; /* by column and place; then the scratch of sorting */
    uint32_t count, capacity;
} ls_asked;

static inline void ls_asked_clear(ls_asked *asked)
{
    asked->count = 0;
}

void ls_asked_reset(ls_asked *asked);
/* NULL notes nothing. */
void ls_asked_note(ls_asked *asked, uint32_t column, ls_entity entity);
/* Before ls_asked_has(). */
void ls_asked_sort(ls_asked *asked);
/* `index` is lane << 24 | slot, the lower half of a handle. */
bool ls_asked_has(const ls_asked *asked, uint32_t column, uint32_t index);

#endif
