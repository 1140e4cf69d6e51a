/* The points of one run of one tick, in the order in which its systems ran. */
#ifndef LS_TICK_TRACE_H
#define LS_TICK_TRACE_H

#include "desync/run_variant.h"
#include "desync/system_trace.h"

/* Runs of systems in a tick that are remembered: those of loops count each time. */
#define LS_MOMENTS_MAX (1u << 16)

typedef struct ls_tick_trace {
    ls_system_trace *steps;
    uint32_t count, capacity;
    uint64_t *start, *end; /* as ls_world_hash_raw() */
    ls_status status;      /* that the tick ended with */
    ls_error error;
} ls_tick_trace;

/* Runs the tick and leaves the world as it was before.
 *   errors  LS_ERROR_LIMIT beyond LS_MOMENTS_MAX; that the tick fails is none: see the trace
 *   owns    ls_tick_trace_reset() by the caller, also after an error */
ls_status ls_tick_trace_take(ls_variant_runner *runner, const ls_frame *frame, ls_tick_trace *trace,
                             ls_error *error) LS_MUST_USE;
void ls_tick_trace_reset(ls_tick_trace *trace);
/* NULL when the system at `position` did not run so often. */
const ls_system_trace *ls_tick_trace_find(const ls_tick_trace *trace, uint32_t position,
                                          uint32_t nth);
/* The system that changed the column last before moments[end]; NULL for none. */
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
    /* Called when the system that is looked at begins, and when it has run, even if `kind` is
     * another; NULL is fine. */
    void (*begin)(void *argument, ls_tick_probe *tick_probe);
} ls_halt;

/* Runs the tick, looks, and leaves the world as it was before; what the tick ended with counts for
 * nothing. */
void ls_tick_trace_visit(ls_variant_runner *runner, const ls_frame *frame, ls_halt *halt);

#endif
