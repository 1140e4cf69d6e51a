#include "core/pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

/* From SLAB_BYTES_MAX on a slab is one large page of the memory system: access in random order over
 * a large world is then not a walk of page tables at every step. */
enum { BLOCK_ALIGN = 64, SLAB_BYTES_MIN = 64 << 10, SLAB_BYTES_MAX = 2 << 20 };

void ls_pool_init(ls_pool *pool, size_t block_bytes)
{
    size_t rounded = (block_bytes + BLOCK_ALIGN - 1) / BLOCK_ALIGN * BLOCK_ALIGN;
    *pool =
        (ls_pool){.block_bytes = rounded, .slab_bytes = SLAB_BYTES_MIN, .lock = ATOMIC_FLAG_INIT};
}

void ls_pool_reset(ls_pool *pool)
{
    while (pool->slabs) {
        void *next = *(void **)pool->slabs;
        free(pool->slabs);
        pool->slabs = next;
    }
    ls_pool_init(pool, pool->block_bytes);
}

/* A slab begins with the pointer to the next slab, padded to one block alignment. */
static void grow(ls_pool *pool)
{
    size_t bytes = pool->slab_bytes;
    bool is_large = bytes == SLAB_BYTES_MAX;
    if (bytes / 8 < pool->block_bytes) { /* the rest of a slab would be too much to lose */
        bytes = BLOCK_ALIGN + pool->block_bytes;
        is_large = false;
    }
    void *slab = aligned_alloc(is_large ? SLAB_BYTES_MAX : BLOCK_ALIGN, bytes);
    if (!slab) {
        fprintf(stderr, "lockstep: out of memory (%zu bytes of pages)\n", bytes);
        abort();
    }
#ifdef MADV_HUGEPAGE
    if (is_large)
        (void)madvise(slab, bytes, MADV_HUGEPAGE); /* a wish: without it all is only slower */
#endif
    *(void **)slab = pool->slabs;
    pool->slabs = slab;
    pool->bytes += bytes;
    pool->fresh = (uint8_t *)slab + BLOCK_ALIGN;
    pool->fresh_count = (bytes - BLOCK_ALIGN) / pool->block_bytes;
    /* An eighth of what there is: so much may lie idle at most. */
    size_t next = pool->bytes / 8 / SLAB_BYTES_MIN * SLAB_BYTES_MIN;
    pool->slab_bytes = next < SLAB_BYTES_MIN   ? SLAB_BYTES_MIN
                       : next < SLAB_BYTES_MAX ? next
                                               : SLAB_BYTES_MAX;
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
    void *block = pool->free_blocks;
    if (block) {
        pool->free_blocks = *(void **)block;
    } else {
        if (pool->fresh_count == 0)
            grow(pool);
        block = pool->fresh;
        pool->fresh += pool->block_bytes;
        pool->fresh_count--;
    }
    pool->taken++;
    unlock(pool);
    return block;
}

void ls_pool_give(ls_pool *pool, void *block)
{
    lock(pool);
    *(void **)block = pool->free_blocks;
    pool->free_blocks = block;
    pool->taken--;
    unlock(pool);
}
