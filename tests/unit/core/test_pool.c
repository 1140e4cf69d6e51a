#include "harness.h"

#include "core/base/pool.h"

#include <pthread.h>

enum { BLOCKS = 3000 };

TEST(test_pool_blocks_are_aligned_and_apart)
{
    static const size_t sizes[] = {1, 63, 64, 65, 1000, 64 * 1024, 200 * 1024};
    for (uint32_t i = 0; i < LS_COUNT_OF(sizes); i++) {
        ls_arena arena;
        ls_pool pool;
        ls_arena_init(&arena);
        ls_pool_init(&pool, &arena, sizes[i]);
        assert_true(pool.block_bytes >= sizes[i] && pool.block_bytes % 64 == 0);
        uint8_t *blocks[40];
        for (uint32_t j = 0; j < LS_COUNT_OF(blocks); j++) {
            blocks[j] = ls_pool_take(&pool);
            assert_int_equal((uintptr_t)blocks[j] % 64, 0);
            memset(blocks[j], (int)j, sizes[i]);
        }
        for (uint32_t j = 0; j < LS_COUNT_OF(blocks); j++) {
            assert_int_equal(blocks[j][0], j);
            assert_int_equal(blocks[j][sizes[i] - 1], j);
        }
        ls_arena_reset(&arena);
    }
}

/* Blocks of several pools share pieces of the arena and must not overlap. The arena takes no more
 * memory than needed, plus the permitted unused part. */
TEST(test_pool_many_share_an_arena)
{
    enum { POOLS = 5, EACH = 2000 };
    static uint8_t *blocks[POOLS][EACH];
    static const size_t sizes[POOLS] = {64, 192, 1152, 4160, 8256};
    ls_arena arena;
    ls_pool pools[POOLS];
    size_t used = 0;
    ls_arena_init(&arena);
    for (uint32_t i = 0; i < POOLS; i++)
        ls_pool_init(&pools[i], &arena, sizes[i]);
    for (uint32_t j = 0; j < EACH; j++) {
        for (uint32_t i = 0; i < POOLS; i++) {
            blocks[i][j] = ls_pool_take(&pools[i]);
            memset(blocks[i][j], (int)(i + POOLS * j), sizes[i]);
            used += sizes[i];
        }
    }
    for (uint32_t i = 0; i < POOLS; i++) {
        for (uint32_t j = 0; j < EACH; j++) {
            for (size_t k = 0; k < sizes[i]; k++)
                assert_int_equal(blocks[i][j][k], (uint8_t)(i + POOLS * j));
        }
    }
    assert_in_range(arena.bytes, used, used * 5 / 4);
    ls_arena_reset(&arena);
    assert_int_equal(arena.bytes, 0);
}

TEST(test_pool_takes_back_what_it_gave)
{
    ls_arena arena;
    ls_pool pool;
    ls_arena_init(&arena);
    ls_pool_init(&pool, &arena, 128);
    void *first = ls_pool_take(&pool);
    size_t bytes = arena.bytes;
    ls_pool_give(&pool, first);
    assert_ptr_equal(ls_pool_take(&pool), first);
    for (uint32_t i = 0; i < BLOCKS; i++)
        ls_pool_give(&pool, ls_pool_take(&pool));
    assert_int_equal(arena.bytes, bytes);
    ls_arena_reset(&arena);
}

/* Threads that take blocks, mark them, and give half of them back. */
typedef struct taker {
    ls_pool *pool;
    uint64_t mark;
    uint64_t *held[BLOCKS];
} taker;

static void *take_many(void *argument)
{
    taker *self = argument;
    for (uint32_t i = 0; i < BLOCKS; i++) {
        self->held[i] = ls_pool_take(self->pool);
        *self->held[i] = self->mark;
        if (i % 2) {
            ls_pool_give(self->pool, self->held[i]);
            self->held[i] = NULL;
        }
    }
    return NULL;
}

TEST(test_pool_serves_threads_at_once)
{
    static taker takers[4];
    pthread_t threads[4];
    ls_arena arena;
    ls_pool pool;
    ls_arena_init(&arena);
    ls_pool_init(&pool, &arena, 64);
    for (uint32_t i = 0; i < 4; i++) {
        takers[i] = (taker){.pool = &pool, .mark = 1000 + i};
        assert_int_equal(pthread_create(&threads[i], NULL, take_many, &takers[i]), 0);
    }
    for (uint32_t i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    for (uint32_t i = 0; i < 4; i++) {
        for (uint32_t j = 0; j < BLOCKS; j++)
            assert_true(!takers[i].held[j] || *takers[i].held[j] == takers[i].mark);
    }
    ls_arena_reset(&arena);
}
