/* The part of core/base/platform.h that POSIX has. */
#include "core/base/platform.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

_Static_assert(sizeof(pthread_mutex_t) <= sizeof(ls_mutex), "raise LS_LOCK_WORDS");
_Static_assert(sizeof(pthread_cond_t) <= sizeof(ls_wake), "raise LS_LOCK_WORDS");
_Static_assert(sizeof(pthread_t) <= sizeof(uintptr_t), "a thread fits its handle");

#define NS_PER_S UINT64_C(1000000000)

static pthread_mutex_t *mutex_of(ls_mutex *mutex)
{
    return (pthread_mutex_t *)(void *)mutex->storage;
}

static pthread_cond_t *wake_of(ls_wake *wake)
{
    return (pthread_cond_t *)(void *)wake->storage;
}

void ls_mutex_init(ls_mutex *mutex)
{
    LS_ASSERT(pthread_mutex_init(mutex_of(mutex), NULL) == 0);
}

void ls_mutex_destroy(ls_mutex *mutex)
{
    pthread_mutex_destroy(mutex_of(mutex));
}

void ls_mutex_lock(ls_mutex *mutex)
{
    pthread_mutex_lock(mutex_of(mutex));
}

void ls_mutex_unlock(ls_mutex *mutex)
{
    pthread_mutex_unlock(mutex_of(mutex));
}

void ls_wake_init(ls_wake *wake)
{
    pthread_condattr_t monotonic;
    LS_ASSERT(pthread_condattr_init(&monotonic) == 0 &&
              pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC) == 0 &&
              pthread_cond_init(wake_of(wake), &monotonic) == 0);
    pthread_condattr_destroy(&monotonic);
}

void ls_wake_destroy(ls_wake *wake)
{
    pthread_cond_destroy(wake_of(wake));
}

void ls_wake_wait(ls_wake *wake, ls_mutex *mutex)
{
    pthread_cond_wait(wake_of(wake), mutex_of(mutex));
}

bool ls_wake_wait_for(ls_wake *wake, ls_mutex *mutex, uint64_t timeout_ns)
{
    uint64_t until_ns = ls_monotonic_ns() + timeout_ns;
    const struct timespec until = {.tv_sec = (time_t)(until_ns / NS_PER_S),
                                   .tv_nsec = (long)(until_ns % NS_PER_S)};
    return pthread_cond_timedwait(wake_of(wake), mutex_of(mutex), &until) == 0;
}

void ls_wake_one(ls_wake *wake)
{
    pthread_cond_signal(wake_of(wake));
}

void ls_wake_all(ls_wake *wake)
{
    pthread_cond_broadcast(wake_of(wake));
}

static void *begin(void *argument)
{
    const ls_thread *self = argument;
    self->main(self->argument);
    return NULL;
}

bool ls_thread_start(ls_thread *thread, ls_thread_main *main, void *argument)
{
    pthread_t handle;
    *thread = (ls_thread){.main = main, .argument = argument};
    if (pthread_create(&handle, NULL, begin, thread) != 0)
        return false;
    thread->handle = (uintptr_t)handle;
    return true;
}

void ls_thread_join(ls_thread *thread)
{
    pthread_join((pthread_t)thread->handle, NULL);
}

void ls_thread_detach(ls_thread *thread)
{
    pthread_detach((pthread_t)thread->handle);
}

uintptr_t ls_thread_self(void)
{
    return (uintptr_t)pthread_self();
}

void ls_thread_yield(void)
{
    sched_yield();
}

void *ls_aligned_alloc(size_t align, size_t bytes)
{
    return aligned_alloc(align, bytes);
}

void ls_aligned_free(void *memory)
{
    free(memory);
}

uint64_t ls_monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}
