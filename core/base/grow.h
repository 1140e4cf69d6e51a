/* Lists that double when they are full. */
#ifndef LS_GROW_H
#define LS_GROW_H

#include <lockstep/base.h>

/* Returns the list with room for one more item; it may have moved. */
static inline void *ls_grow(void *list, uint32_t count, uint32_t *capacity, size_t item_bytes)
{
    if (count == *capacity) {
        list = ls_realloc(list, ((size_t)*capacity * 2 + 64) * item_bytes);
        *capacity = *capacity * 2 + 64;
    }
    return list;
}

/* Like ls_grow(), for a list that only grows and stores no capacity: its capacity is the lowest
 * power of two that is at least `count`. */
static inline void *ls_grow_counted(void *list, uint32_t count, size_t item_bytes)
{
    bool is_full = (count & (count - 1)) == 0;
    return is_full ? ls_realloc(list, (count ? 2 * (size_t)count : 1) * item_bytes) : list;
}

#endif
