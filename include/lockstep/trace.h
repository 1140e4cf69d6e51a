/* A trace records when each system ran and on which thread: spans of time, kept while a world
 * advances. Executors carry the trace to the ticks that they run; without one nothing is measured.
 * Nothing that a simulation can see depends on it. */
#ifndef LS_TRACE_H
#define LS_TRACE_H
#include <lockstep/base.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LS_TRACE_SPANS_MAX (1u << 26) /* a thread */

typedef enum ls_span_kind {
    LS_SPAN_TICK,
    LS_SPAN_STAGE,    /* `index` is the stage, here and below */
    LS_SPAN_PARALLEL, /* its parallel systems, from the first to the last */
    LS_SPAN_CRITERIA, /* what its sets ask */
    LS_SPAN_SYNC,     /* a sync point */
    LS_SPAN_BEGIN,    /* `index` is the system's position, here and below: matches are looked for */
    LS_SPAN_PART,     /* the system's function, over `page_count` pages from `first_page` on */
    LS_SPAN_END,      /* what it left behind reaches its place */
    LS_SPAN_OFF,      /* it does not run in this tick; takes no time */
    LS_SPAN_ROOT,     /* the hash of the state; recorded by the caller that advances the world */
    LS_SPAN_KINDS,
} ls_span_kind;

typedef struct ls_trace_span {
    uint64_t start_ns, end_ns, tick;
    uint32_t kind, index;
    uint32_t run; /* of the stage in this tick: it may be a loop, or inside one */
    /* For a part: its pages, by their place in the list of matches, and the number of entities in
     * it. For a begin: all pages. */
    uint32_t first_page, page_count, entities;
} ls_trace_span;

typedef struct ls_trace ls_trace;

/* Room for `spans` spans of each of `threads` threads. Spans beyond that are only counted.
 *   errors  LS_ERROR_USAGE for 0 or more than LS_TRACE_SPANS_MAX spans, or LS_THREADS_MAX threads
 *   owns    destroy it after the executors that carry it */
LS_API ls_status ls_trace_create(uint32_t threads, uint32_t spans, ls_trace **trace,
                                 ls_error *error) LS_MUST_USE;
LS_API void ls_trace_destroy(ls_trace *trace);
/* Forgets all spans. Not while a tick runs. */
LS_API void ls_trace_clear(ls_trace *trace);

/* Thread 0 is the one that created the trace; the others follow in the order of their first spans.
 */
LS_API uint32_t ls_trace_thread_count(const ls_trace *trace);
/* In the order in which they ended; valid until the next tick. */
LS_API const ls_trace_span *ls_trace_spans(const ls_trace *trace, uint32_t thread, uint32_t *count);
LS_API uint64_t ls_trace_dropped(const ls_trace *trace);

/* The start of a span, monotonic nanoseconds; 0 without a trace. */
LS_API uint64_t ls_trace_now(const ls_trace *trace);
/* Sets the end of the span and keeps it for the calling thread. Does nothing without a trace.
 *   thread  any */
LS_API void ls_trace_add(ls_trace *trace, ls_trace_span span);

#ifdef __cplusplus
}
#endif

#endif
