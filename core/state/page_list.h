/* Which pages a query matches, and which slots of them. */
#ifndef LS_PAGE_LIST_H
#define LS_PAGE_LIST_H

#include "core/state/page.h"

/* The pages that a query matches now, and for sequential systems its frozen matches. */
typedef struct ls_page_list {
    uint32_t *keys;                   /* lane << 16 | page, ascending */
    uint64_t (*masks)[LS_PAGE_WORDS]; /* 0 for a page that was not examined yet */
    uint32_t count, capacity;
    uint64_t seen; /* 0, or what ls_query_list_again() knows the list by */
} ls_page_list;

#endif
