/* The moments of one run of one tick, in the order in which its systems ran. */
#ifndef LS_TRAIL_H
#define LS_TRAIL_H

#include "desync/moment.h"
#include "desync/way.h"

/* Runs of systems in a tick that are remembered: those of loops count each time. */
#define LS_MOMENTS_MAX (1u << 16)

typedef struct ls_trail {
    ls_moment *moments;
    uint32_t count, capacity;
    uint64_t *start, *end; /* as ls_world_hash_raw() */
    ls_status status;      /* that the tick ended with */
    ls_error error;
} ls_trail;

/* Runs the tick and leaves the world as it was before.
 *   errors  LS_ERROR_LIMIT beyond LS_MOMENTS_MAX; that the tick fails is none: see the trail
 *   owns    ls_trail_reset() by the caller, also after an error */
ls_status ls_trail_take(ls_way_keeper *keeper, const ls_frame *frame, ls_trail *trail,
                        ls_error *error) LS_MUST_USE;
void ls_trail_reset(ls_trail *trail);
/* NULL when the system at `position` did not run so often. */
const ls_moment *ls_trail_find(const ls_trail *trail, uint32_t position, uint32_t nth);
/* Who changed the column last before moments[end]; NULL for nobody. */
const ls_moment *ls_trail_writer(const ls_trail *trail, uint32_t column, uint32_t end);

/* A place in a tick where somebody wants to look at the world: when the system at `position`, which
 * had begun `nth` times before, has begun (LS_MOMENT_BEGUN) or has run (LS_MOMENT_RAN). The worlds
 * that `look` gets are the witness's. */
typedef struct ls_halt {
    ls_moment_kind kind;
    uint32_t position, nth;
    void (*look)(void *argument, ls_witness *witness);
    void *argument;
    bool is_reached;
    /* Called when the system that is looked at begins, and when it has run, even if `kind` is
     * another; NULL is fine. */
    void (*begin)(void *argument, ls_witness *witness);
} ls_halt;

/* Runs the tick, looks, and leaves the world as it was before; what the tick ended with counts for
 * nothing. */
void ls_trail_visit(ls_way_keeper *keeper, const ls_frame *frame, ls_halt *halt);

#endif
