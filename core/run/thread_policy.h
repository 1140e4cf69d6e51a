/* Measures how long the systems of a world take, and decides from it which to start first and
 * whether several threads are faster than one. No result depends on it.
 *   source  docs/scheduler.md
 *   thread  the one that advances the world, except for ls_thread_policy_spend() */
#ifndef LS_THREAD_POLICY_H
#define LS_THREAD_POLICY_H
#include "core/base/sort.h"
#include "core/schedule/list_schedule.h"
#include "core/state/world_state.h"

/* The systems that one stage runs beside each other. */
typedef struct ls_slot_pace {
    uint64_t best[2];   /* of the runs timed last the shortest, alone and shared */
    uint64_t work, way; /* the time of all its systems alone, and shared among the threads */
    uint32_t countdown; /* runs until the choice is made anew */
    uint32_t patience;  /* how many runs a choice holds: the longer, the more often it was right */
    uint32_t strays;    /* timed runs in a row that were far from the best */
    bool is_shared;     /* the choice */
    ls_list_schedule_hold hold; /* one more order, while several threads run the slot */
} ls_slot_pace;

/* All arrays are by position. */
typedef struct ls_thread_policy {
    uint32_t threads; /* which all this is for */
    uint64_t *times;  /* moving averages; 0 is not known yet */
    _Atomic uint64_t *spent;
    uint64_t *spans; /* the times on as many threads as can share a system */
    uint64_t *ranks;
    uint32_t *order; /* in each slot its positions, the highest rank first */
    ls_sort_item *items, *scratch;
    void *room;          /* of core/schedule/list_schedule.h */
    ls_slot_pace *slots; /* by their first position */
} ls_thread_policy;

ls_thread_policy *ls_thread_policy_create(const ls_program *program);
void ls_thread_policy_destroy(ls_thread_policy *pace);

/* One run of the systems at positions `first` to `end` - 1. */
typedef struct ls_thread_policy_run {
    uint32_t first, end;
    bool is_forced;   /* it is shared in any case */
    bool is_shared;   /* how it is to be done */
    bool is_measured; /* ls_thread_policy_spend() wants to know about each system */
    bool is_timed;
    uint64_t started;
} ls_thread_policy_run;

/* The caller sets `first`, `end` and `is_forced`. */
void ls_thread_policy_begin(ls_thread_policy *pace, const ls_world *world, uint32_t threads,
                            ls_thread_policy_run *run);
void ls_thread_policy_end(ls_thread_policy *pace, const ls_world *world,
                          const ls_thread_policy_run *run);
/* Any thread: the system, or a part of it, took this long by ls_cycles(). */
static inline void ls_thread_policy_spend(ls_thread_policy *pace, uint32_t position, uint64_t time)
{
    atomic_fetch_add_explicit(&pace->spent[position], time, memory_order_relaxed);
}
/* Whether any slot is shared. */
bool ls_thread_policy_is_shared(const ls_thread_policy *pace, const ls_program *program);

#endif
