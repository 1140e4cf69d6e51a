/* The traces of all systems in one run of one tick, in the order in which the systems ran. */
#ifndef LS_TICK_TRACE_H
#define LS_TICK_TRACE_H

#include "desync/run_variant.h"
#include "desync/system_trace.h"

/* How many runs of systems a trace holds; each iteration of a loop counts. */
#define LS_MOMENTS_MAX (1u << 16)

typedef struct ls_tick_trace {
    ls_system_trace *steps;
    uint32_t count, capacity;
    uint64_t *start, *end; /* hashes before and after the tick, as of ls_world_hash_raw() */
    ls_status status;      /* the result of the tick */
    ls_error error;
} ls_tick_trace;

/* Runs the tick and leaves the world as it was before.
 *   errors  LS_ERROR_LIMIT beyond LS_MOMENTS_MAX; a failed tick is no error here: the trace has its
 *           status
 *   owns    ls_tick_trace_reset() by the caller, also after an error */
ls_status ls_tick_trace_take(ls_variant_runner *runner, const ls_frame *frame, ls_tick_trace *trace,
                             ls_error *error) LS_MUST_USE;
void ls_tick_trace_reset(ls_tick_trace *trace);
/* Returns the run of the system at `position` after `nth` earlier ones; NULL if it did not run that
 * often. */
const ls_system_trace *ls_tick_trace_find(const ls_tick_trace *trace, uint32_t position,
                                          uint32_t nth);
/* Returns the last system before steps[end] that changed the column; NULL for none. */
const ls_system_trace *ls_tick_trace_writer(const ls_tick_trace *trace, uint32_t column,
                                            uint32_t end);

/* A point in a tick where the caller looks at the world: when the system at `position`, which had
 * begun `nth` times before, has begun (LS_POINT_BEGUN) or has run (LS_POINT_RAN). `look` gets the
 * world of the probe. */
typedef struct ls_halt {
    ls_tick_point kind;
    uint32_t position, nth;
    void (*look)(void *argument, ls_tick_probe *tick_probe);
    void *argument;
    bool is_reached;
    /* With LS_POINT_RAN: called before, when that run of the system has begun. May be NULL. */
    void (*begin)(void *argument, ls_tick_probe *tick_probe);
} ls_halt;

/* Runs the tick, calls `look` at the point of `halt`, and leaves the world as it was before. The
 * status of the tick is ignored. */
void ls_tick_trace_visit(ls_variant_runner *runner, const ls_frame *frame, ls_halt *halt);

#endif
