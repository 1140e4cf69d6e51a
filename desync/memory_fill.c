#include "desync/memory_fill.h"

#include "desync/allocator.h"
#include <lockstep/base.h>

#include <stdlib.h>
#include <string.h>

/* How many blocks are filled: SMALL_TIMES of each size up to SMALL_BYTES that the allocator
 * distinguishes, and one of each of the next MEDIUM_TIMES powers of two. */
#define STEP         16u
#define SMALL_BYTES  1024u
#define SMALL_TIMES  8u /* more than glibc caches of each size for a thread */
#define MEDIUM_TIMES 6u
#define LARGE_BYTES  ((size_t)16 << 20)
#define STACK_BYTES  (128u << 10)

/* SplitMix64: the noise of a place depends on nothing else. */
static uint64_t noise_at(uint64_t place)
{
    uint64_t z = (place + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

void ls_memory_fill(void *bytes, size_t count, uint64_t place, uint8_t fill)
{
    uint8_t *at = bytes;
    for (size_t done = 0; done < count; done += sizeof(uint64_t)) {
        uint64_t word = noise_at(place + done) ^ (fill * 0x0101010101010101u);
        size_t left = count - done;
        memcpy(at + done, &word, left < sizeof word ? left : sizeof word);
    }
}

/* Fills a block with noise of its own, so that code that compares unwritten members of two blocks
 * sees a difference. */
static void *fill_block(size_t bytes, uint64_t *place, uint8_t fill)
{
    /* Not ls_alloc(): its calloc() skips the blocks that malloc() caches for a thread. */
    void *block = malloc(bytes);
    LS_ASSERT(block);
    ls_memory_fill(block, bytes, *place, fill);
    /* Keeps the compiler from dropping the stores, which no code reads. */
    __asm__ volatile("" : : "r"(block) : "memory");
    *place += bytes;
    return block;
}

void ls_memory_fill_heap(uint64_t *place, uint8_t fill)
{
    enum { SMALL = SMALL_BYTES / STEP * SMALL_TIMES };
    void *blocks[SMALL + MEDIUM_TIMES];
    for (size_t i = 0; i < SMALL; i++)
        blocks[i] = fill_block((i / SMALL_TIMES + 1) * STEP, place, fill);
    for (size_t i = 0; i < MEDIUM_TIMES; i++)
        blocks[SMALL + i] = fill_block((size_t)SMALL_BYTES << (i + 1), place, fill);
    /* Free the large blocks first: freeing a large block makes glibc merge all small ones that are
     * free, and merged blocks would not give small allocations the fill. */
    for (size_t i = LS_COUNT_OF(blocks); i > 0; i--)
        free(blocks[i - 1]);
}

void ls_memory_fill_large(uint64_t *place, uint8_t fill)
{
    ls_allocator_keep_pages();
    free(fill_block(LARGE_BYTES, place, fill));
}

/* The bytes stay in place after the return, where the next call's frame covers them. */
__attribute__((noinline)) void ls_memory_fill_stack(uint8_t fill)
{
    uint8_t area[STACK_BYTES];
    ls_memory_fill(area, sizeof area, 0, fill);
    /* Keeps the compiler from dropping the stores, which no code reads. */
    __asm__ volatile("" : : "r"(area) : "memory");
}
