/* Pools of blocks of one size. A warm pool allocates and frees without malloc. The pools of a world
 * share one arena, which gets memory from the system in large pieces. So random access touches few
 * pages of virtual memory. */
#ifndef LS_POOL_H
#define LS_POOL_H

#include <lockstep/base.h>

#include <stdatomic.h>

typedef struct ls_arena {
    atomic_flag lock;
    size_t bytes; /* total size of the pieces */
    /* The unused rest of the newest piece, `left` bytes. It is untouched, so the system has given
     * it no physical memory yet. */
    uint8_t *fresh;
    size_t left;
    void *pieces; /* linked list: each piece begins with a pointer to the next */
} ls_arena;

/* A pool of blocks.
 *   thread  any, several at once. No thread may still read a block that is given back */
typedef struct ls_pool {
    ls_arena *arena;
    size_t block_bytes; /* a multiple of 64 */
    size_t slab_blocks; /* blocks in the next slab, which is taken from the arena at once; few while
                           the pool is small */
    size_t taken;       /* blocks in use */
    atomic_flag lock;
    void *free_blocks; /* linked list: the first word of a free block points to the next */
    uint8_t *fresh;    /* unused rest of the newest slab */
    size_t fresh_count;
} ls_pool;

void ls_arena_init(ls_arena *arena);
/* Frees all blocks of every pool of this arena, given back or not. The pools must be initialised
 * again before they are used. */
void ls_arena_reset(ls_arena *arena);

void ls_pool_init(ls_pool *pool, ls_arena *arena, size_t block_bytes);
/* Returns an uninitialised block, aligned to 64 bytes. */
void *ls_pool_take(ls_pool *pool);
void ls_pool_give(ls_pool *pool, void *block);

#endif
