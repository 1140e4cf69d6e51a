/* Threads, locks, memory, time and byte order of the system. Each system has a source of its own:
 * platform_posix.c with platform_linux.c, platform_windows.c, platform_wasm.c.
 * Only files named core/base/platform* or proto/platform*, and include/lockstep/wide.h, may test
 * for a system or a processor (tests/tidy). Nothing here affects a result of a simulation. */
#ifndef LS_PLATFORM_H
#define LS_PLATFORM_H

#include <lockstep/base.h>

/* For parts of a function that are seldom needed, so that the rest needs no stack frame for them.
 */
#define LS_NOINLINE __attribute__((noinline))
/* For a function that is copied into each caller, so that the compiler knows the constants that the
 * caller passes. */
#define LS_INLINE static inline __attribute__((always_inline))

/* A lock, and a condition to wait for under it. The system's object is in `storage`.
 *   thread  any, after init and before destroy. Not recursive */
enum { LS_LOCK_WORDS = 8 };
typedef struct ls_mutex {
    uint64_t storage[LS_LOCK_WORDS];
} ls_mutex;
typedef struct ls_wake {
    uint64_t storage[LS_LOCK_WORDS];
} ls_wake;

void ls_mutex_init(ls_mutex *mutex);
void ls_mutex_destroy(ls_mutex *mutex);
void ls_mutex_lock(ls_mutex *mutex);
void ls_mutex_unlock(ls_mutex *mutex);

void ls_wake_init(ls_wake *wake);
void ls_wake_destroy(ls_wake *wake);
/* Waits until it is woken; may also return without a wake-up. The caller holds the mutex before and
 * after. */
void ls_wake_wait(ls_wake *wake, ls_mutex *mutex);
/* As ls_wake_wait(), but waits for `timeout_ns` of ls_monotonic_ns() at most. False: it was not
 * woken in this time. */
bool ls_wake_wait_for(ls_wake *wake, ls_mutex *mutex, uint64_t timeout_ns);
/* Wakes one of the threads that wait now, if any. */
void ls_wake_one(ls_wake *wake);
/* Wakes every thread that waits now. */
void ls_wake_all(ls_wake *wake);

typedef void ls_thread_main(void *argument);

/* A started thread. The caller neither moves nor frees it until the thread is joined, or has ended
 * after ls_thread_detach(). */
typedef struct ls_thread {
    ls_thread_main *main;
    void *argument;
    uintptr_t handle;
} ls_thread;

/* Runs `main(argument)` on a new thread. False: the system could not start one, as always in
 * WebAssembly; there is then nothing to join. */
bool ls_thread_start(ls_thread *thread, ls_thread_main *main, void *argument) LS_MUST_USE;
/* Waits for the end of a started thread, and frees what the system keeps of it. */
void ls_thread_join(ls_thread *thread);
/* Gives up the join: the system frees what it keeps of the thread when the thread ends. */
void ls_thread_detach(ls_thread *thread);
/* Gives a started thread the lowest priority, so that it runs mainly on CPUs that have nothing else
 * to do. Only speed depends on the priority, so the function reports no failure. */
void ls_thread_make_idle(ls_thread *thread);
/* A number of the calling thread, which no other living thread has. A new thread may get the number
 * of an ended one. */
uintptr_t ls_thread_self(void);
/* Lets another thread run that is ready. */
void ls_thread_yield(void);

/* The number of CPUs that the calling thread may use; 0 where the system does not tell it. */
uint32_t ls_cpu_count(void);
/* Lets a started thread run only on one CPU: the one with this index among the CPUs that the
 * calling thread may use.
 *   shape   `index` below ls_cpu_count()
 *   errors  false: the system refuses; the thread runs as before */
bool ls_thread_pin(ls_thread *thread, uint32_t index) LS_MUST_USE;

/* Uninitialised memory at a multiple of `align`, a power of two; NULL when there is none.
 *   shape   `bytes` is a multiple of `align`    owns  the caller: ls_aligned_free()
 *   thread  any */
void *ls_aligned_alloc(size_t align, size_t bytes) LS_MUST_USE;
void ls_aligned_free(void *memory);
/* Asks for large pages for memory that begins at a multiple of 2 MiB. Only speed depends on them,
 * so the function reports no failure. */
void ls_memory_prefer_large_pages(void *memory, size_t bytes);

/* Nanoseconds of a clock that never goes back and cannot be set; only differences have a meaning.
 *   thread  any */
uint64_t ls_monotonic_ns(void);

enum { LS_IS_BIG_ENDIAN = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };

/* Converts between this machine's byte order and little-endian, in either direction. */
static inline uint64_t ls_little_endian(uint64_t value)
{
    return LS_IS_BIG_ENDIAN ? __builtin_bswap64(value) : value;
}

#endif
