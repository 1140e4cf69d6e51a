/* The pages that a query matches, and the matching slots. */
#ifndef LS_PAGE_LIST_H
#define LS_PAGE_LIST_H

#include "core/state/page.h"

/* The pages that a query matches now; for sequential systems, the matches frozen at the start. */
typedef struct ls_page_list {
    uint32_t *keys;                   /* lane << 16 | page, ascending */
    uint64_t (*masks)[LS_PAGE_WORDS]; /* slots, by index in `keys`; all zeros: not computed */
    uint32_t count, capacity;
    uint64_t seen; /* ls_query_presence() when the list was filled; 0: unknown, or not of a query */
} ls_page_list;

static inline uint32_t ls_mask_count(const uint64_t *mask)
{
    uint32_t count = 0;
    for (uint32_t word = 0; word < LS_PAGE_WORDS; word++)
        count += (uint32_t)__builtin_popcountll(mask[word]);
    return count;
}

#endif
