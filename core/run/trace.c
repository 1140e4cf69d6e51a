#include <lockstep/trace.h>

#include "core/base/platform.h"

#include <stdatomic.h>

typedef struct track {
    uintptr_t thread; /* ls_thread_self() */
    ls_trace_slice *slices;
    uint32_t count;
    uint64_t dropped;
} track;

struct ls_trace {
    uint32_t threads, capacity;
    ls_mutex lock;
    atomic_uint count;       /* tracks assigned to a thread: release publishes their `thread` */
    atomic_ullong untracked; /* slices of threads without a track; relaxed: a sum */
    /* A track is its thread's alone. The program reads and clears tracks when no tick runs. */
    track tracks[LS_THREADS_MAX];
};

ls_status ls_trace_create(uint32_t threads, uint32_t slices, ls_trace **trace, ls_error *error)
{
    *trace = NULL;
    if (threads < 1 || threads > LS_THREADS_MAX || slices < 1 || slices > LS_TRACE_SLICES_MAX)
        return ls_error_set(
            error, LS_ERROR_USAGE,
            "a trace is of 1 to %d threads with 1 to %u slices each, not of %u with %u",
            LS_THREADS_MAX, LS_TRACE_SLICES_MAX, threads, slices);
    ls_trace *made = ls_alloc(sizeof *made);
    made->threads = threads;
    made->capacity = slices;
    for (uint32_t i = 0; i < threads; i++)
        made->tracks[i].slices = ls_alloc(sizeof *made->tracks[i].slices * slices);
    ls_mutex_init(&made->lock);
    made->tracks[0].thread = ls_thread_self();
    atomic_init(&made->count, 1);
    *trace = made;
    return LS_OK;
}

void ls_trace_destroy(ls_trace *trace)
{
    if (!trace)
        return;
    for (uint32_t i = 0; i < trace->threads; i++)
        ls_free(trace->tracks[i].slices);
    ls_mutex_destroy(&trace->lock);
    ls_free(trace);
}

/* Relaxed: no tick runs, and this thread has ended the last one or starts the next. */
void ls_trace_clear(ls_trace *trace)
{
    for (uint32_t i = 0; i < trace->threads; i++) {
        trace->tracks[i].count = 0;
        trace->tracks[i].dropped = 0;
    }
    atomic_store_explicit(&trace->untracked, 0, memory_order_relaxed);
}

uint32_t ls_trace_thread_count(const ls_trace *trace)
{
    /* Acquire: pairs with the release in claim_track(). */
    return atomic_load_explicit(&trace->count, memory_order_acquire);
}

const ls_trace_slice *ls_trace_slices(const ls_trace *trace, uint32_t thread, uint32_t *count)
{
    LS_ASSERT(thread < ls_trace_thread_count(trace));
    *count = trace->tracks[thread].count;
    return trace->tracks[thread].slices;
}

uint64_t ls_trace_dropped(const ls_trace *trace)
{
    uint64_t dropped = atomic_load_explicit(&trace->untracked, memory_order_relaxed);
    for (uint32_t i = 0; i < trace->threads; i++)
        dropped += trace->tracks[i].dropped;
    return dropped;
}

/* The mutex orders the threads that claim a track, so the load may be relaxed. Release publishes
 * `thread` to find_track() of other threads, which compare it with their own. */
static track *claim_track(ls_trace *trace)
{
    ls_mutex_lock(&trace->lock);
    uint32_t count = atomic_load_explicit(&trace->count, memory_order_relaxed);
    track *claimed = count < trace->threads ? &trace->tracks[count] : NULL;
    if (claimed) {
        claimed->thread = ls_thread_self();
        atomic_store_explicit(&trace->count, count + 1, memory_order_release);
    }
    ls_mutex_unlock(&trace->lock);
    return claimed;
}

/* Finds the calling thread's track by its thread id: a few comparisons. So executors need not pass
 * a thread number. */
static track *find_track(ls_trace *trace)
{
    uintptr_t self = ls_thread_self();
    uint32_t count = atomic_load_explicit(&trace->count, memory_order_acquire);
    for (uint32_t i = 0; i < count; i++) {
        if (trace->tracks[i].thread == self)
            return &trace->tracks[i];
    }
    return claim_track(trace);
}

uint64_t ls_trace_now(const ls_trace *trace)
{
    return LS_UNLIKELY(trace != NULL) ? ls_monotonic_ns() : 0;
}

void ls_trace_add(ls_trace *trace, ls_trace_slice slice)
{
    if (LS_LIKELY(!trace))
        return;
    slice.end_ns = ls_monotonic_ns();
    track *own = find_track(trace);
    if (!own)
        atomic_fetch_add_explicit(&trace->untracked, 1, memory_order_relaxed);
    else if (own->count == trace->capacity)
        own->dropped++;
    else
        own->slices[own->count++] = slice;
}
