/* Blocks of one size, taken and given back without calling malloc once the pool is warm. */
#ifndef LS_POOL_H
#define LS_POOL_H

#include "core/base.h"

#include <stdatomic.h>

/*   thread  take: any, at the same time; give: as take, but a page is given back at a sync point,
 *           when nobody can be reading it any more */
typedef struct ls_pool {
    size_t block_bytes; /* a multiple of 64 */
    size_t slab_bytes;  /* of the next slab: small worlds stay small, large ones get large pages */
    size_t bytes;       /* of all slabs */
    size_t taken;       /* blocks that are out */
    atomic_flag lock;
    void *free_blocks; /* the first word of a free block points to the next */
    uint8_t *fresh; /* the rest of the newest slab, never touched: the system has yet to give it */
    size_t fresh_count;
    void *slabs;
} ls_pool;

void ls_pool_init(ls_pool *pool, size_t block_bytes);
/* Frees every block, given back or not. */
void ls_pool_reset(ls_pool *pool);
/* Uninitialised, aligned to 64 bytes. */
void *ls_pool_take(ls_pool *pool);
void ls_pool_give(ls_pool *pool, void *block);

#endif
