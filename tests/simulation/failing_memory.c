#include "failing_memory.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

/* The linker's option --wrap makes calls of `calloc` call `__wrap_calloc`, and calls of
 * `__real_calloc` call the original. */
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
void *__real_aligned_alloc(size_t align, size_t bytes);
void __real_free(void *memory);
int __real_pthread_mutex_lock(pthread_mutex_t *lock);
int __real_pthread_mutex_unlock(pthread_mutex_t *lock);
size_t __real_ZSTD_compress(void *to, size_t capacity, const void *from, size_t bytes, int level);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);
void *__wrap_aligned_alloc(size_t align, size_t bytes);
void __wrap_free(void *memory);
int __wrap_pthread_mutex_lock(pthread_mutex_t *lock);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *lock);
size_t __wrap_ZSTD_compress(void *to, size_t capacity, const void *from, size_t bytes, int level);

static struct {
    bool is_armed, is_inside;
    uint32_t who;
    uint64_t left;
    uint32_t locks; /* number of locks held */
    enum failing_memory_end how;
    jmp_buf out;
    int64_t blocks;
} failing;

/* Counts an allocation; returns true when it fails, or does not return. Allocations under a lock do
 * not count: the simulated processes share one program, and a lock of a dead process would never be
 * released. */
static bool fails(void)
{
    if (!failing.is_armed || !failing.is_inside || failing.locks || --failing.left)
        return false;
    failing.is_armed = false;
    if (failing.how == FAILING_MEMORY_STOPS)
        longjmp(failing.out, 1);
    return true;
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    if (fails())
        return NULL;
    failing.blocks++;
    return __real_calloc(count, bytes);
}

void *__wrap_realloc(void *memory, size_t bytes)
{
    if (fails())
        return NULL;
    failing.blocks += !memory;
    return __real_realloc(memory, bytes);
}

void *__wrap_aligned_alloc(size_t align, size_t bytes)
{
    if (fails())
        return NULL;
    failing.blocks++;
    return __real_aligned_alloc(align, bytes);
}

void __wrap_free(void *memory)
{
    failing.blocks -= memory != NULL;
    __real_free(memory);
}

int __wrap_pthread_mutex_lock(pthread_mutex_t *lock)
{
    failing.locks++;
    return __real_pthread_mutex_lock(lock);
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *lock)
{
    failing.locks--;
    return __real_pthread_mutex_unlock(lock);
}

size_t __wrap_ZSTD_compress(void *to, size_t capacity, const void *from, size_t bytes, int level)
{
    if (fails())
        return (size_t)-ZSTD_error_memory_allocation;
    return __real_ZSTD_compress(to, capacity, from, bytes, level);
}

void failing_memory_arm(uint32_t who, uint64_t count, enum failing_memory_end how)
{
    failing.is_armed = true;
    failing.who = who;
    failing.left = count;
    failing.how = how;
}

void failing_memory_disarm(void)
{
    failing.is_armed = false;
}

bool failing_memory_run(uint32_t who, void (*part)(void *context), void *context)
{
    if (!failing.is_armed || failing.who != who) {
        part(context);
        return false;
    }
    if (setjmp(failing.out)) {
        failing.is_inside = false;
        return true;
    }
    failing.is_inside = true;
    part(context);
    failing.is_inside = false;
    return false;
}

bool failing_memory_pause(void)
{
    bool was_inside = failing.is_inside;
    failing.is_inside = false;
    return was_inside;
}

void failing_memory_go_on(bool was_inside)
{
    failing.is_inside = was_inside;
}

int64_t failing_memory_blocks(void)
{
    return failing.blocks;
}
