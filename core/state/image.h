/* Byte copies of a world. A snapshot shares pages with the world, so it cannot detect or undo a
 * write that bypasses the engine. An image can, and it does not move pages, so pointers into the
 * world stay valid. For the check executor, where speed is secondary. */
#ifndef LS_IMAGE_H
#define LS_IMAGE_H

#include "core/state/store.h"

typedef struct ls_image {
    ls_world *world;
    ls_state state;    /* tick and counters, without tables */
    uint32_t *hints;   /* by lane: free_hints of the world */
    uint32_t *counts;  /* by table: number of entries in `pages` */
    ls_page ***pages;  /* by table and page; NULL: no page */
    ls_page **nothing; /* by column: a page without entities */
    ls_arena arena;
    ls_pool *pools; /* by column */
} ls_image;

/* Visits the pages of the world one by one, by column, lane and page: the pages of components and
 * liveness; with `has_baselines` also the pages of baselines and kept events. Initialize it with
 * zeros, except for `has_baselines`, and for `column` to begin at another column. */
typedef struct ls_page_place {
    uint32_t column, lane, page;
    ls_page *live; /* the page in the world */
    uint32_t next; /* where the search in the lane continues */
    bool has_baselines;
} ls_page_place;

bool ls_page_place_next(const ls_world *world, ls_page_place *place);

void ls_image_init(ls_image *image, ls_world *world);
void ls_image_reset(ls_image *image);
/* Copies the world into the image. */
void ls_image_take(ls_image *image);
/* Restores the world from the image, page by page, in place. The world must own its tables. Cached
 * hashes stay valid for pages that were not opened for writing since the image was taken. */
void ls_image_restore(const ls_image *image);
/* The page in the image; an empty page if it had none. */
const ls_page *ls_image_page(const ls_image *image, const ls_page_place *place);

/* Whether presence, cells or spawn fields of two pages differ. */
bool ls_page_differs(const ls_page_source *source, const ls_page *a, const ls_page *b);
static inline const uint8_t *ls_page_cell(const ls_page_source *source, const ls_page *page,
                                          uint32_t slot)
{
    return (const uint8_t *)page + LS_PAGE_CELLS_OFFSET + source->cell_bytes * slot;
}

/* Copies all pages that the world shares with snapshots. Call it before taking an image of a world
 * that may have snapshots, so that restoring it does not change them. */
void ls_pages_own(ls_world *world);

/* The original address of a moved page. */
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

/* Copies every page of components and liveness to a new address, and gives the copies to the world.
 * Tables that are copied from the world's tables after this call must be released before
 * ls_pages_return(). */
void ls_pages_move(ls_world *world, ls_moved_pages *moved);
/* Gives the world its original pages with their old content again; writes to the copies are
 * lost. */
void ls_pages_return(ls_moved_pages *moved);

#endif
