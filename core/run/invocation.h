/* The context of a running invocation, and the tick that it is part of. */
#ifndef LS_INVOCATION_H
#define LS_INVOCATION_H
#include "core/run/observer.h"
#include "core/run/query.h"
#include "core/run/scratch.h"
#include "core/state/store.h"
#include <lockstep/random.h>
#include <lockstep/term_cursor.h>
#include <lockstep/trace.h>

#define LS_OWNS_ALL UINT32_MAX

struct ls_context {
    ls_context_front front;
    ls_world *world;
    const ls_plan_system *plan;
    const ls_frame *frame;
    ls_run *run;
    ls_marks *marks;
    ls_random_stream random; /* of the system in this tick, once it draws */
    uint32_t position;
    uint64_t keys[LS_SYSTEM_JOINS_MAX]; /* of query 0's entity, by join, as the system began */
    uint32_t own_placed;                /* bit by own term: may stand somewhere; of front.cursors */
    uint32_t own_page;                  /* of a concurrent invocation: lane << 16 | page */
    uint32_t matched;                   /* entities of this chunk, for the trace */
    bool is_traced;
    bool has_random;            /* has drawn: `random` is there */
    bool has_cursors;           /* asked the long way: front.cursors is the system's own */
    ls_segment *segment;        /* of the command buffer; NULL: the system defers nothing */
    struct ls_write_set *asked; /* core/run/write_set.h; not NULL: nothing goes the short way */
};

/* Whether the term reads a column as it was at the start although the system itself writes it.
 * Columns that the system does not write are read in place. */
static inline bool ls_plan_keeps_start(const ls_plan_system *plan, uint32_t term)
{
    return plan->terms[term].kind == LS_START &&
           (plan->touches[plan->terms[term].column] & LS_TOUCH_WRITE);
}

typedef struct ls_tick_job {
    ls_world *world;
    const ls_frame *frame;
    struct ls_cell_conflict *watch; /* NULL unless the changes of cells are being attributed */
    struct ls_tick_check *check;    /* core/run/tick_check.h; NULL for an unchecked tick */
    ls_trace *trace;                /* NULL: nothing is measured */
    const ls_observer *observer;    /* NULL, or one thread runs the tick and calls it */
    struct ls_write_set *asked; /* NULL, or takes note of the cells that systems ask to change */
} ls_tick_job;

#endif
