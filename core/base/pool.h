/* Blocks of one size, taken and given back without calling malloc once the pool is warm. The pools
 * of a world share one arena, which asks the system for large pieces: visits in random order then
 * touch few pages of virtual memory. */
#ifndef LS_POOL_H
#define LS_POOL_H

#include <lockstep/base.h>

#include <stdatomic.h>

typedef struct ls_arena {
    atomic_flag lock;
    size_t bytes;   /* of all pieces */
    uint8_t *fresh; /* the rest of the newest piece, never touched: the system has yet to give it */
    size_t left;
    void *pieces; /* each begins with the pointer to the next */
} ls_arena;

/*   thread  take: any, several at once; give: the same, but pages are given back only at a sync
 *           point, when no thread can be reading them any more */
typedef struct ls_pool {
    ls_arena *arena;
    size_t block_bytes; /* a multiple of 64 */
    size_t slab_blocks; /* of the next slab: a small pool stays small */
    size_t taken;       /* blocks that are out */
    atomic_flag lock;
    void *free_blocks; /* the first word of a free block points to the next */
    uint8_t *fresh;    /* the rest of the newest slab */
    size_t fresh_count;
} ls_pool;

void ls_arena_init(ls_arena *arena);
/* Frees the blocks of every pool of this arena, given back or not. The pools must be initialised
 * again before they are used. */
void ls_arena_reset(ls_arena *arena);

void ls_pool_init(ls_pool *pool, ls_arena *arena, size_t block_bytes);
/* Uninitialised, aligned to 64 bytes. */
void *ls_pool_take(ls_pool *pool);
void ls_pool_give(ls_pool *pool, void *block);

#endif
