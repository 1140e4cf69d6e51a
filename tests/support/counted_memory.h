/* Counts a program's calls of malloc and its relatives. Include this header in one file only, and
 * link the program with --wrap for each of the four functions. */
#ifndef LS_TESTS_COUNTED_MEMORY_H
#define LS_TESTS_COUNTED_MEMORY_H

#include <stdatomic.h>
#include <stddef.h>

static atomic_uint calls;

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);

/* Relaxed: a sum. */
static void count_call(void)
{
    atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
}

void *__wrap_malloc(size_t bytes)
{
    count_call();
    return __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    count_call();
    return __real_calloc(count, bytes);
}

void *__wrap_realloc(void *memory, size_t bytes)
{
    count_call();
    return __real_realloc(memory, bytes);
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
    count_call();
    return __real_aligned_alloc(alignment, bytes);
}

#endif
