/* core/base/platform.h in WebAssembly with WASI: one thread, so locks are always free. */
#include "core/base/platform.h"

#include <stdlib.h>
#include <time.h>

void ls_mutex_init(ls_mutex *mutex)
{
    *mutex = (ls_mutex){0};
}

/* Asserts that the lock is free: on other systems, a thread that takes it twice waits forever. */
void ls_mutex_lock(ls_mutex *mutex)
{
    LS_ASSERT(mutex->storage[0] == 0);
    mutex->storage[0] = 1;
}

void ls_mutex_unlock(ls_mutex *mutex)
{
    mutex->storage[0] = 0;
}

void ls_mutex_destroy(ls_mutex *mutex)
{
    LS_ASSERT(mutex->storage[0] == 0);
}

void ls_wake_init(ls_wake *wake)
{
    *wake = (ls_wake){0};
}

void ls_wake_destroy(ls_wake *wake)
{
    (void)wake;
}

/* Fails an assertion: there is no other thread that could wake this one. */
void ls_wake_wait(ls_wake *wake, ls_mutex *mutex)
{
    LS_ASSERT(!wake || !mutex);
}

bool ls_wake_wait_for(ls_wake *wake, ls_mutex *mutex, uint64_t timeout_ns)
{
    LS_ASSERT(!wake || !mutex || !timeout_ns);
    return false;
}

void ls_wake_one(ls_wake *wake)
{
    (void)wake;
}

void ls_wake_all(ls_wake *wake)
{
    (void)wake;
}

bool ls_thread_start(ls_thread *thread, ls_thread_main *main, void *argument)
{
    *thread = (ls_thread){.main = main, .argument = argument};
    return false;
}

void ls_thread_join(ls_thread *thread)
{
    LS_ASSERT(!thread);
}

void ls_thread_detach(ls_thread *thread)
{
    LS_ASSERT(!thread);
}

void ls_thread_make_idle(ls_thread *thread)
{
    LS_ASSERT(!thread);
}

uintptr_t ls_thread_self(void)
{
    return 1;
}

void ls_thread_yield(void)
{
}

uint32_t ls_cpu_count(void)
{
    return 0;
}

bool ls_thread_pin(ls_thread *thread, uint32_t index)
{
    (void)thread;
    (void)index;
    return false;
}

void *ls_aligned_alloc(size_t align, size_t bytes)
{
    return aligned_alloc(align, bytes);
}

void ls_aligned_free(void *memory)
{
    free(memory);
}

void ls_memory_prefer_large_pages(void *memory, size_t bytes)
{
    (void)memory;
    (void)bytes;
}

uint64_t ls_monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}
