/* The context of a running invocation, and the tick to which it belongs. */
#ifndef LS_INVOCATION_H
#define LS_INVOCATION_H
#include "core/run/query.h"
#include "core/run/scratch.h"
#include "core/run/tick_hook.h"
#include "core/state/store.h"
#include <lockstep/random.h>
#include <lockstep/term_cursor.h>
#include <lockstep/trace.h>

#define LS_OWNS_ALL UINT32_MAX

enum { LS_PAGED_TERMS_MAX = 4 };

struct ls_context {
    ls_context_front front;
    ls_world *world;
    const ls_plan_system *plan;
    const ls_frame *frame;
    ls_run *run;
    ls_despawn_marks *marks;
    ls_random_stream random; /* stream of the system in this tick, valid if has_random */
    uint32_t position;
    uint64_t keys[LS_SYSTEM_JOINS_MAX]; /* by join: query 0's keys when the system began */
    uint32_t own_placed; /* bit by own term: its cursor in front.cursors may be set */
    uint32_t own_page;   /* concurrent invocation: its page, lane << 16 | page */
    uint32_t matched;    /* entities of this chunk, counted for the trace */
    bool is_traced;
    bool has_random;             /* the system has drawn, so `random` is set */
    bool has_cursors;            /* front.cursors is set up for this system */
    bool has_ended_matches;      /* matches may have ended: each is checked again */
    ls_command_segment *segment; /* open segment of the command buffer; NULL: no deferred changes */
    /* Memory for ls_term_cursor.pages: of the first few terms of a run that need it. */
    ls_term_page *term_pages[LS_PAGED_TERMS_MAX];
    uint32_t term_pages_capacity[LS_PAGED_TERMS_MAX], paged_terms;
    void *scratch; /* of ls_scratch_memory(), as much as a system has needed so far */
    size_t scratch_bytes;
    struct ls_write_set *asked; /* not NULL: every write takes the slow path, which records it */
};

/* Whether the term reads a column as it was at the start, although the system itself writes it.
 * Other columns are read in place. */
static inline bool ls_plan_keeps_start(const ls_plan_system *plan, uint32_t term)
{
    return plan->terms[term].kind == LS_START &&
           (plan->touches[plan->terms[term].column] & LS_TOUCH_WRITE);
}

/* A part of the schedule, run by name instead of a whole tick. Its own conditions are not asked,
 * those within it are. */
typedef struct ls_tick_part {
    uint32_t stage;    /* with all stages within it */
    uint32_t position; /* only this system of the stage; UINT32_MAX: all */
} ls_tick_part;

typedef struct ls_tick_job {
    ls_world *world;
    const ls_frame *frame;
    const ls_tick_part *part;       /* NULL: the whole tick */
    struct ls_cell_conflict *watch; /* NULL unless a par's conflict is being explained */
    struct ls_tick_check *check;    /* core/run/tick_check.h; NULL for an unchecked tick */
    ls_trace *trace;                /* NULL: no trace */
    const ls_tick_hook *hook;       /* not NULL: called after each step; needs a single thread */
    struct ls_write_set *asked;     /* not NULL: records the cells that systems ask to write */
} ls_tick_job;

/* Whether anything of the job looks at the world between the begin and the end of a system. */
static inline bool ls_tick_is_watched(const ls_tick_job *job)
{
    return ((uintptr_t)job->watch | (uintptr_t)job->check | (uintptr_t)job->hook |
            (uintptr_t)job->asked) != 0;
}

#endif
