/* A trace records when each system ran and on which thread, as slices of time. An executor records
 * the ticks that it runs into its trace; without a trace nothing is measured. A trace has no effect
 * that a simulation can see. */
#ifndef LS_TRACE_H
#define LS_TRACE_H
#include <lockstep/base.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LS_TRACE_SLICES_MAX (1u << 26) /* maximum for one thread */

typedef enum ls_trace_kind {
    LS_TRACE_TICK,
    LS_TRACE_STAGE,    /* `index` is the stage, from here to LS_TRACE_SYNC */
    LS_TRACE_PARALLEL, /* the stage's parallel systems, from the first start to the last end */
    LS_TRACE_CRITERIA, /* the run criteria of the stage's sets */
    LS_TRACE_SYNC,     /* a sync point */
    LS_TRACE_BEGIN,    /* a system starts and collects its matches; `index` is the system's
                          position, from here to LS_TRACE_OFF */
    LS_TRACE_PART,     /* the system's function on `page_count` pages from `first_page` on */
    LS_TRACE_END,      /* the system's results are merged */
    LS_TRACE_OFF,      /* the system does not run in this tick; no duration */
    LS_TRACE_ROOT,     /* hashing the state; recorded by the code that advances the world */
    LS_TRACE_KINDS,
} ls_trace_kind;

typedef struct ls_trace_slice {
    uint64_t start_ns, end_ns, tick;
    uint32_t kind, index;
    uint32_t run; /* which run of the stage in this tick, because it may loop */
    /* LS_TRACE_PART: its pages, as a range of the list of matching pages, and its number of
     * entities. LS_TRACE_BEGIN: all pages. */
    uint32_t first_page, page_count, entities;
} ls_trace_slice;

typedef struct ls_trace ls_trace;

/* Creates a trace with room for `slices` slices for each of `threads` threads. Further slices are
 * only counted.
 *   errors  LS_ERROR_USAGE: 0 or more than LS_TRACE_SLICES_MAX slices, 0 or more than
 *           LS_THREADS_MAX threads
 *   owns    destroy it after the executors that use it */
LS_API ls_status ls_trace_create(uint32_t threads, uint32_t slices, ls_trace **trace,
                                 ls_error *error) LS_MUST_USE;
LS_API void ls_trace_destroy(ls_trace *trace);
/* Removes all slices. Call it only between ticks. */
LS_API void ls_trace_clear(ls_trace *trace);

/* Thread 0 created the trace; the others are numbered by their first slice. */
LS_API uint32_t ls_trace_thread_count(const ls_trace *trace);
/* The slices of a thread in the order in which they ended; valid until the next tick. */
LS_API const ls_trace_slice *ls_trace_slices(const ls_trace *trace, uint32_t thread,
                                             uint32_t *count);
LS_API uint64_t ls_trace_dropped(const ls_trace *trace);

/* The current time for the start of a slice, in monotonic nanoseconds; 0 when `trace` is NULL. */
LS_API uint64_t ls_trace_now(const ls_trace *trace);
/* Sets the slice's end to the current time, and stores it for the calling thread. Does nothing when
 * `trace` is NULL.
 *   thread  any */
LS_API void ls_trace_add(ls_trace *trace, ls_trace_slice slice);

#ifdef __cplusplus
}
#endif

#endif
