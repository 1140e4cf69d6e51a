/* One system's share of one tick: begun once, run in ranges of pages by any worker, then ended
 * once. */
#ifndef LS_RUN_H
#define LS_RUN_H

#include "core/run/observer.h"
#include "core/run/query.h"
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
    uint32_t own_standing;              /* bit by own term: may stand somewhere; of front.reach */
    uint32_t own_page;                  /* of a concurrent invocation: lane << 16 | page */
    uint32_t matched;                   /* entities of this chunk, for the trace */
    bool is_traced;
    bool has_random;            /* has drawn: `random` is there */
    bool has_reach;             /* asked the long way: front.reach is the system's own */
    ls_segment *segment;        /* of the journal; NULL when the system leaves nothing behind */
    struct ls_write_set *asked; /* core/check/write_set.h; not NULL: nothing goes the short way */
};

/* Whether the term reads what the system itself writes, as it was; what nobody writes meanwhile is
 * read where it is. */
static inline bool ls_plan_keeps_start(const ls_plan_system *plan, uint32_t term)
{
    return plan->terms[term].kind == LS_START &&
           (plan->touches[plan->terms[term].column] & LS_TOUCH_WRITE);
}

typedef struct ls_tick_job {
    ls_world *world;
    const ls_frame *frame;
    ls_clash *watch;             /* NULL but where somebody wants to know who changed a cell */
    struct ls_check *check;      /* core/check/check.h; NULL for a tick that nobody checks */
    ls_trace *trace;             /* NULL: nothing is measured */
    const ls_observer *observer; /* NULL, or one thread runs the tick and tells it */
    struct ls_write_set *asked;  /* NULL, or takes note of the cells that systems ask to change */
} ls_tick_job;

/* Makes room for what `workers` workers need to run systems: before any of them does. */
void ls_run_prepare(ls_world *world, uint32_t workers);
/* Finds the matches, takes ownership of what will be written, builds join indexes; sets
 * run->chunks: the pages of a concurrent system, 1 for a sequential one with a match. */
void ls_run_begin(const ls_tick_job *job, uint32_t position);
/* Runs the chunks `first` to `first` + `count` - 1. */
typedef struct ls_run_by {
    uint32_t worker;    /* the number of the calling thread */
    uint64_t page_seed; /* not 0: visits the pages in an order drawn from it */
} ls_run_by;
void ls_run_chunk(const ls_tick_job *job, uint32_t position, uint32_t first, uint32_t count,
                  const ls_run_by *by);
/* After the last chunk and before any system that comes after: newborns get their slots, what was
 * accumulated reaches its cells. */
void ls_run_end(const ls_tick_job *job, uint32_t position);
/* Begin, all chunks and end, where nobody else runs anything. */
void ls_run_alone(const ls_tick_job *job, uint32_t position, uint64_t page_seed);
/* The system that the calling thread is in the middle of; NULL for none. For who has to say what a
 * thread was at when it died: also in a signal handler. */
const ls_context *ls_run_here(void);
/* At the sync point: lets go of what LS_START terms kept. Not before, because systems without an
 * order with this one may still look for presence in a page that it cloned. */
void ls_run_release_start(ls_world *world, uint32_t position);

/* core/run/executor.c: around the stages of a tick. Not NULL, the world gets what the executor
 * needs.
 */
void ls_executor_enter(ls_executor *executor, ls_world *world);
void ls_executor_leave(ls_executor *executor);
/* Between the two: the systems at positions `first` to `end` - 1, all of one stage and parallel.
 * NULL runs serially. */
void ls_executor_run(ls_executor *executor, const ls_tick_job *job, uint32_t first, uint32_t end);

#endif
