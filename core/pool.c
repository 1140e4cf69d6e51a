#include "core/pool.h"

#include <stdio.h>
#include <stdlib.h>

enum { BLOCK_ALIGN = 64, SLAB_BYTES = 64 * 1024 };

void ls_pool_init(ls_pool *pool, size_t block_bytes)
{
    size_t rounded = (block_bytes + BLOCK_ALIGN - 1) / BLOCK_ALIGN * BLOCK_ALIGN;
    *pool = (ls_pool){.block_bytes = rounded, .lock = ATOMIC_FLAG_INIT};
}

void ls_pool_reset(ls_pool *pool)
{
    while (pool->slabs) {
        void *next = *(void **)pool->slabs;
        free(pool->slabs);
        pool->slabs = next;
    }
    pool->free_blocks = NULL;
}

/* A slab begins with the pointer to the next slab, padded to one block alignment. */
static void grow(ls_pool *pool)
{
    size_t count = SLAB_BYTES / pool->block_bytes;
    if (count == 0)
        count = 1;
    void *slab = aligned_alloc(BLOCK_ALIGN, BLOCK_ALIGN + count * pool->block_bytes);
    if (!slab) {
        fprintf(stderr, "lockstep: out of memory (%zu bytes of pages)\n",
                count * pool->block_bytes);
        abort();
    }
    *(void **)slab = pool->slabs;
    pool->slabs = slab;
    for (size_t i = count; i-- > 0;) {
        void *block = (uint8_t *)slab + BLOCK_ALIGN + i * pool->block_bytes;
        *(void **)block = pool->free_blocks;
        pool->free_blocks = block;
    }
}

static void lock(ls_pool *pool)
{
    while (atomic_flag_test_and_set_explicit(&pool->lock, memory_order_acquire))
        ;
}

static void unlock(ls_pool *pool)
{
    atomic_flag_clear_explicit(&pool->lock, memory_order_release);
}

void *ls_pool_take(ls_pool *pool)
{
    lock(pool);
    if (!pool->free_blocks)
        grow(pool);
    void *block = pool->free_blocks;
    pool->free_blocks = *(void **)block;
    unlock(pool);
    return block;
}

void ls_pool_give(ls_pool *pool, void *block)
{
    lock(pool);
    *(void **)block = pool->free_blocks;
    pool->free_blocks = block;
    unlock(pool);
}
