/* The part of core/base/platform.h that POSIX lacks and Linux has. */
#include "core/base/platform.h"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

/* On a machine with more CPUs than CPU_SETSIZE the call fails; their number is then unknown (0). */
static bool find_usable(cpu_set_t *usable)
{
    return pthread_getaffinity_np(pthread_self(), sizeof *usable, usable) == 0;
}

uint32_t ls_cpu_count(void)
{
    cpu_set_t usable;
    return find_usable(&usable) ? (uint32_t)CPU_COUNT(&usable) : 0;
}

bool ls_thread_pin(ls_thread *thread, uint32_t index)
{
    cpu_set_t usable, one;
    if (!find_usable(&usable))
        return false;
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &usable) || index-- != 0)
            continue;
        CPU_SET(cpu, &one);
        return pthread_setaffinity_np((pthread_t)thread->handle, sizeof one, &one) == 0;
    }
    return false;
}

void ls_thread_make_idle(ls_thread *thread)
{
    const struct sched_param none = {0};
    (void)pthread_setschedparam((pthread_t)thread->handle, SCHED_IDLE, &none);
}

void ls_memory_prefer_large_pages(void *memory, size_t bytes)
{
    (void)madvise(memory, bytes, MADV_HUGEPAGE);
}
