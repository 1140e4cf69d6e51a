/* core/base/platform.h on Windows. */
#include "core/base/platform.h"

#include <malloc.h>
#include <windows.h>

_Static_assert(sizeof(SRWLOCK) <= sizeof(ls_mutex), "raise LS_LOCK_WORDS");
_Static_assert(sizeof(CONDITION_VARIABLE) <= sizeof(ls_wake), "raise LS_LOCK_WORDS");

static SRWLOCK *lock_of(ls_mutex *mutex)
{
    return (SRWLOCK *)(void *)mutex->storage;
}

static CONDITION_VARIABLE *wake_of(ls_wake *wake)
{
    return (CONDITION_VARIABLE *)(void *)wake->storage;
}

void ls_mutex_init(ls_mutex *mutex)
{
    InitializeSRWLock(lock_of(mutex));
}

/* Windows keeps nothing of a slim lock or of a condition variable that is not in use, so there is
 * nothing to free. */
void ls_mutex_destroy(ls_mutex *mutex)
{
    (void)mutex;
}

void ls_mutex_lock(ls_mutex *mutex)
{
    AcquireSRWLockExclusive(lock_of(mutex));
}

void ls_mutex_unlock(ls_mutex *mutex)
{
    ReleaseSRWLockExclusive(lock_of(mutex));
}

void ls_wake_init(ls_wake *wake)
{
    InitializeConditionVariable(wake_of(wake));
}

void ls_wake_destroy(ls_wake *wake)
{
    (void)wake;
}

void ls_wake_wait(ls_wake *wake, ls_mutex *mutex)
{
    SleepConditionVariableSRW(wake_of(wake), lock_of(mutex), INFINITE, 0);
}

/* Rounds the timeout up to whole milliseconds, the unit of Windows. */
bool ls_wake_wait_for(ls_wake *wake, ls_mutex *mutex, uint64_t timeout_ns)
{
    enum { NS_PER_MS = 1000000, MS_MAX = 1 << 30 };
    uint64_t ms = timeout_ns / NS_PER_MS + 1;
    return SleepConditionVariableSRW(wake_of(wake), lock_of(mutex),
                                     ms < MS_MAX ? (DWORD)ms : MS_MAX, 0);
}

void ls_wake_one(ls_wake *wake)
{
    WakeConditionVariable(wake_of(wake));
}

void ls_wake_all(ls_wake *wake)
{
    WakeAllConditionVariable(wake_of(wake));
}

static DWORD WINAPI begin(void *argument)
{
    const ls_thread *self = argument;
    self->main(self->argument);
    return 0;
}

bool ls_thread_start(ls_thread *thread, ls_thread_main *main, void *argument)
{
    *thread = (ls_thread){.main = main, .argument = argument};
    thread->handle = (uintptr_t)CreateThread(NULL, 0, begin, thread, 0, NULL);
    return thread->handle != 0;
}

void ls_thread_join(ls_thread *thread)
{
    WaitForSingleObject((HANDLE)thread->handle, INFINITE);
    CloseHandle((HANDLE)thread->handle);
}

void ls_thread_detach(ls_thread *thread)
{
    CloseHandle((HANDLE)thread->handle);
}

void ls_thread_make_idle(ls_thread *thread)
{
    SetThreadPriority((HANDLE)thread->handle, THREAD_PRIORITY_IDLE);
}

uintptr_t ls_thread_self(void)
{
    return GetCurrentThreadId();
}

void ls_thread_yield(void)
{
    SwitchToThread();
}

/* A mask of the CPUs that the process may use in its processor group, which has at most 64; 0 when
 * Windows does not tell it. */
static DWORD_PTR find_usable(void)
{
    DWORD_PTR usable, present;
    return GetProcessAffinityMask(GetCurrentProcess(), &usable, &present) ? usable : 0;
}

uint32_t ls_cpu_count(void)
{
    return (uint32_t)__builtin_popcountll(find_usable());
}

bool ls_thread_pin(ls_thread *thread, uint32_t index)
{
    DWORD_PTR usable = find_usable();
    for (; usable && index; index--)
        usable &= usable - 1;
    return usable && SetThreadAffinityMask((HANDLE)thread->handle, usable & -usable) != 0;
}

void *ls_aligned_alloc(size_t align, size_t bytes)
{
    return _aligned_malloc(bytes, align);
}

void ls_aligned_free(void *memory)
{
    _aligned_free(memory);
}

/* Large pages need a privilege here that players do not have. */
void ls_memory_prefer_large_pages(void *memory, size_t bytes)
{
    (void)memory;
    (void)bytes;
}

uint64_t ls_monotonic_ns(void)
{
    enum { NS_PER_S = 1000000000 };
    LARGE_INTEGER per_s, now;
    QueryPerformanceFrequency(&per_s);
    QueryPerformanceCounter(&now);
    uint64_t rate = (uint64_t)per_s.QuadPart, count = (uint64_t)now.QuadPart;
    return count / rate * NS_PER_S + count % rate * NS_PER_S / rate;
}
