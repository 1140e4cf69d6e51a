#include "core/base/pool.h"

#include "core/base/platform.h"

/* A piece of PIECE_BYTES_MAX is one large page of the memory system. Without large pages, each
 * access in random order to a large world costs a page-table walk. */
enum { BLOCK_ALIGN = 64, PIECE_BYTES_MIN = 64 << 10, PIECE_BYTES_MAX = 2 << 20 };
enum { SLAB_BYTES_MIN = 16 << 10, SLAB_BYTES_MAX = 128 << 10 };

void ls_arena_init(ls_arena *arena)
{
    *arena = (ls_arena){.lock = ATOMIC_FLAG_INIT};
}

void ls_arena_reset(ls_arena *arena)
{
    while (arena->pieces) {
        void *next = *(void **)arena->pieces;
        ls_aligned_free(arena->pieces);
        arena->pieces = next;
    }
    ls_arena_init(arena);
}

/* Acquire and release: all that a thread did with a block before it gave the block back happens
 * before another thread takes it. */
static void lock(atomic_flag *flag)
{
    while (atomic_flag_test_and_set_explicit(flag, memory_order_acquire))
        ;
}

static void unlock(atomic_flag *flag)
{
    atomic_flag_clear_explicit(flag, memory_order_release);
}

static uint8_t *add_piece(ls_arena *arena, size_t bytes, size_t align)
{
    void *piece = ls_aligned_alloc(align, bytes);
    if (!piece)
        ls_memory_failed(bytes);
    if (align == PIECE_BYTES_MAX)
        ls_memory_prefer_large_pages(piece, bytes);
    *(void **)piece = arena->pieces;
    arena->pieces = piece;
    arena->bytes += bytes;
    return (uint8_t *)piece + BLOCK_ALIGN;
}

/* The size of the next piece: half of the memory allocated so far, within the limits of a piece, so
 * that a small arena has little unused memory. */
static size_t next_piece_bytes(const ls_arena *arena)
{
    size_t half = arena->bytes / 2 / PIECE_BYTES_MIN * PIECE_BYTES_MIN;
    return half < PIECE_BYTES_MIN   ? PIECE_BYTES_MIN
           : half < PIECE_BYTES_MAX ? half
                                    : PIECE_BYTES_MAX;
}

static uint8_t *take_slab(ls_arena *arena, size_t bytes)
{
    lock(&arena->lock);
    uint8_t *slab;
    if (bytes > SLAB_BYTES_MAX) {
        slab = add_piece(arena, BLOCK_ALIGN + bytes, BLOCK_ALIGN);
    } else {
        if (bytes > arena->left) {
            size_t piece = next_piece_bytes(arena);
            if (piece < BLOCK_ALIGN + bytes)
                piece = BLOCK_ALIGN + bytes;
            arena->fresh =
                add_piece(arena, piece, piece == PIECE_BYTES_MAX ? PIECE_BYTES_MAX : BLOCK_ALIGN);
            arena->left = piece - BLOCK_ALIGN;
        }
        slab = arena->fresh;
        arena->fresh += bytes;
        arena->left -= bytes;
    }
    unlock(&arena->lock);
    return slab;
}

void ls_pool_init(ls_pool *pool, ls_arena *arena, size_t block_bytes)
{
    size_t rounded = (block_bytes + BLOCK_ALIGN - 1) / BLOCK_ALIGN * BLOCK_ALIGN;
    *pool = (ls_pool){.arena = arena, .block_bytes = rounded, .lock = ATOMIC_FLAG_INIT};
    pool->slab_blocks = rounded < SLAB_BYTES_MIN ? SLAB_BYTES_MIN / rounded : 1;
}

static void grow(ls_pool *pool)
{
    pool->fresh_count = pool->slab_blocks;
    pool->fresh = take_slab(pool->arena, pool->block_bytes * pool->fresh_count);
    /* The next slab has an eighth of the blocks in use, so that little memory is unused. */
    size_t next = pool->taken / 8, max = SLAB_BYTES_MAX / pool->block_bytes;
    if (next > pool->slab_blocks && max > pool->slab_blocks)
        pool->slab_blocks = next < max ? next : max;
}

void *ls_pool_take(ls_pool *pool)
{
    lock(&pool->lock);
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
    unlock(&pool->lock);
    return block;
}

void ls_pool_give(ls_pool *pool, void *block)
{
    lock(&pool->lock);
    *(void **)block = pool->free_blocks;
    pool->free_blocks = block;
    pool->taken--;
    unlock(&pool->lock);
}
