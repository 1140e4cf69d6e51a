/* Byte copies of a world. A snapshot shares pages, and so does not see who writes to one behind the
 * engine's back; an image does, and can undo it without moving a page: pointers into the world stay
 * what they were. For the check of what a system does, where speed is secondary. */
#ifndef LS_IMAGE_H
#define LS_IMAGE_H

#include "core/state/store.h"

typedef struct ls_image {
    ls_world *world;
    ls_state state;    /* without tables: tick and counters */
    uint32_t *hints;   /* by lane */
    uint32_t *counts;  /* by table: how many pages there is room for */
    ls_page ***pages;  /* by table and page; NULL where there is none */
    ls_page **nothing; /* by column: a page without entities */
    ls_arena arena;
    ls_pool *pools; /* by column */
} ls_image;

/* One page of the world after the other, by column, lane and page; liveness is the last column.
 * Starts as {0}. */
typedef struct ls_page_place {
    uint32_t column, lane, page;
    ls_page *live;
    uint32_t next;
} ls_page_place;

bool ls_page_place_next(const ls_world *world, ls_page_place *place);

void ls_image_init(ls_image *image, ls_world *world);
void ls_image_reset(ls_image *image);
/* Makes the image what the world is. */
void ls_image_take(ls_image *image);
/* Makes the world what the image is, page by page where they lie. The world owns its tables; caches
 * of its hash stay right where nothing was opened for writing since it was taken. */
void ls_image_restore(const ls_image *image);
/* The page as it was; one without entities if there was none. */
const ls_page *ls_image_page(const ls_image *image, const ls_page_place *place);

/* Whether presence, cells, or what else a page remembers differ. */
bool ls_page_differs(const ls_page_source *source, const ls_page *a, const ls_page *b);
static inline const uint8_t *ls_page_cell(const ls_page_source *source, const ls_page *page,
                                          uint32_t slot)
{
    return (const uint8_t *)page + LS_PAGE_CELLS_OFFSET + source->cell_bytes * slot;
}

/* Copies all pages that the world shares with snapshots, so that those keep theirs. Call it before
 * an image is taken of a world that may have snapshots. */
void ls_pages_own(ls_world *world);

/* Where the pages lay before they were moved. Starts as {0}. */
typedef struct ls_moved_page {
    ls_table *table;
    uint32_t page;
    ls_page *home;
    const ls_page_source *source;
} ls_moved_page;
typedef struct ls_moved_pages {
    ls_moved_page *list;
    uint32_t count, capacity;
} ls_moved_pages;

/* Copies every page to another address and gives the world the copies. Tables made from the world's
 * in between must be gone before the pages return. */
void ls_pages_move(ls_world *world, ls_moved_pages *moved);
/* Back home, where what was there before is found; what was written elsewhere is lost. */
void ls_pages_return(ls_moved_pages *moved);

#endif
