/* Measures how long the systems of a world take. From that it decides which system to start first,
 * and whether several threads are faster than one. No result of a tick depends on it.
 *   source  docs/scheduler.md
 *   thread  the thread that advances the world, except ls_thread_policy_spend() */
#ifndef LS_THREAD_POLICY_H
#define LS_THREAD_POLICY_H
#include "core/base/sort.h"
#include "core/schedule/list_schedule.h"
#include "core/state/world_state.h"
#include <lockstep/random.h>

/* Measurements of one slot: the systems that a stage runs in parallel. Times are those of
 * ls_cycles(). */
typedef struct ls_slot_policy {
    uint64_t best[2];        /* shortest of the latest timed runs: on one thread, and shared */
    uint64_t work, makespan; /* total time of its systems; predicted time when shared */
    uint32_t countdown;      /* runs until the next choice */
    uint32_t hold_runs;      /* runs for which a choice holds; longer the more often it was right */
    uint32_t outliers;       /* consecutive timed runs that were far from the best */
    bool is_shared;          /* the current choice: several threads */
    bool has_home;           /* a system has a home_thread */
    ls_list_schedule_hold hold; /* one additional wait while several threads run the slot */
} ls_slot_policy;

/* Timings of a world; all arrays are by position. */
typedef struct ls_thread_policy {
    uint32_t threads;        /* number of threads that the timings are for */
    uint64_t *times;         /* moving averages of times; 0: not known */
    bool *is_hint;           /* the time is the system's cost_ns: nothing was measured yet */
    _Atomic uint64_t *spent; /* times in the present measured run */
    uint64_t *shared_times;  /* times when as many threads as possible share the system */
    uint64_t *ranks;
    uint32_t *order; /* per slot its positions, highest rank first */
    ls_sort_item *items, *scratch;
    void *list_scratch;    /* scratch of core/schedule/list_schedule.h */
    ls_slot_policy *slots; /* by first position of the slot */
} ls_thread_policy;

ls_thread_policy *ls_thread_policy_create(const ls_program *program);
void ls_thread_policy_destroy(ls_thread_policy *policy);

/* One run of the systems at positions `first` to `end` - 1. */
typedef struct ls_thread_policy_run {
    uint32_t first, end;
    bool is_forced;   /* the slot must be shared */
    bool is_shared;   /* out: share the slot among the threads */
    bool is_measured; /* out: call ls_thread_policy_spend() for each system */
    bool is_timed;
    uint64_t started;
} ls_thread_policy_run;

/* Begins a run. The caller sets `first`, `end` and `is_forced`; the function sets the other
 * members. */
void ls_thread_policy_begin(ls_thread_policy *policy, const ls_world *world, uint32_t threads,
                            ls_thread_policy_run *run);
/* Between begin and end: the run is shared, and its ready systems start in a random order. */
void ls_thread_policy_shuffle(ls_thread_policy *policy, ls_thread_policy_run *run,
                              ls_random_stream stream);
void ls_thread_policy_end(ls_thread_policy *policy, const ls_world *world,
                          const ls_thread_policy_run *run);
/* Adds the time, by ls_cycles(), that a thread spent on the system or a part of it. Any thread.
 * Relaxed: a sum, read after the team's job. */
static inline void ls_thread_policy_spend(ls_thread_policy *policy, uint32_t position,
                                          uint64_t time)
{
    atomic_fetch_add_explicit(&policy->spent[position], time, memory_order_relaxed);
}
/* Whether the time of the system is a hint so far. */
static inline bool ls_thread_policy_is_hint(const ls_thread_policy *policy, uint32_t position)
{
    return policy->is_hint[position];
}
/* Whether a system of the slot that begins at `first` has a home_thread. */
static inline bool ls_thread_policy_has_home(const ls_thread_policy *policy, uint32_t first)
{
    return policy->slots[first].has_home;
}
/* Whether any slot is currently shared. */
bool ls_thread_policy_is_shared(const ls_thread_policy *policy, const ls_program *program);

#endif
