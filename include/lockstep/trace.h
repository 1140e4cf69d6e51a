/* A trace records when each system ran and on which thread, as spans of time. An executor records
 * the ticks that it runs into its trace; without a trace nothing is measured. A trace has no effect
 * that a simulation can see. */
#ifndef LS_TRACE_H
#define LS_TRACE_H
#include <lockstep/base.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LS_TRACE_SPANS_MAX (1u << 26) /* maximum for one thread */

typedef enum ls_span_kind {
    LS_SPAN_TICK,
    LS_SPAN_STAGE,    /* `index` is the stage; the same up to LS_SPAN_SYNC */
    LS_SPAN_PARALLEL, /* the stage's parallel systems, from the first start to the last end */
    LS_SPAN_CRITERIA, /* the run criteria of the stage's sets */
    LS_SPAN_SYNC,     /* a sync point */
    LS_SPAN_BEGIN,    /* a system starts and collects its matches; `index` is its position, up to
                         LS_SPAN_OFF */
    LS_SPAN_PART,     /* the system's function on `page_count` pages from `first_page` on */
    LS_SPAN_END,      /* the system's results are merged */
    LS_SPAN_OFF,      /* the system does not run in this tick; no duration */
    LS_SPAN_ROOT,     /* hashing the state; recorded by the code that advances the world */
    LS_SPAN_KINDS,
} ls_span_kind;

typedef struct ls_trace_span {
    uint64_t start_ns, end_ns, tick;
    uint32_t kind, index;
    uint32_t run; /* which run of the stage in this tick, because it may loop */
    /* LS_SPAN_PART: its pages, as a range of the list of matching pages, and its number of
     * entities. LS_SPAN_BEGIN: all pages. */
    uint32_t first_page, page_count, entities;
} ls_trace_span;

typedef struct ls_trace ls_trace;

/* Creates a trace with room for `spans` spans for each of `threads` threads. Further spans are only
 * counted.
 *   errors  LS_ERROR_USAGE: 0 or more than LS_TRACE_SPANS_MAX spans, 0 or more than LS_THREADS_MAX
 *           threads
 *   owns    destroy it after the executors that use it */
LS_API ls_status ls_trace_create(uint32_t threads, uint32_t spans, ls_trace **trace,
                                 ls_error *error) LS_MUST_USE;
LS_API void ls_trace_destroy(ls_trace *trace);
/* Removes all spans. Call it only between ticks. */
LS_API void ls_trace_clear(ls_trace *trace);

/* Thread 0 created the trace; the others are numbered by their first span. */
LS_API uint32_t ls_trace_thread_count(const ls_trace *trace);
/* The spans of a thread in the order in which they ended; valid until the next tick. */
LS_API const ls_trace_span *ls_trace_spans(const ls_trace *trace, uint32_t thread, uint32_t *count);
LS_API uint64_t ls_trace_dropped(const ls_trace *trace);

/* The current time for the start of a span, in monotonic nanoseconds; 0 when `trace` is NULL. */
LS_API uint64_t ls_trace_now(const ls_trace *trace);
/* Sets the span's end to the current time, and stores it for the calling thread. Does nothing when
 * `trace` is NULL.
 *   thread  any */
LS_API void ls_trace_add(ls_trace *trace, ls_trace_span span);

#ifdef __cplusplus
}
#endif

#endif
