/* Memory that a world's ticks reuse, so that a steady tick allocates none. Nothing of it is state.
 */
#ifndef LS_SCRATCH_H
#define LS_SCRATCH_H
#include "core/run/command_buffer.h"
#include "core/state/world_state.h"

#include <pthread.h>

typedef struct ls_marks {
    ls_entity *entities;
    uint32_t count, capacity;
} ls_marks;

/* Scratch of one system, kept so that a steady tick calls no malloc. */
typedef struct ls_run {
    bool is_off;     /* does not run now */
    bool is_refused; /* by a set that it is in, or for want of what it needs */
    bool has_run;    /* since its stage last began, which may have looped */
    ls_page_list queries[LS_QUERIES_MAX];
    struct ls_query_page *look; /* of a concurrent system, for whoever runs all its pages at once */
    atomic_uint pending;        /* predecessors that have not ended */
    atomic_uint next, done;
    uint32_t chunks;
    /* By page of query 0's list and slot: the keys of its joins when the system began. */
    uint64_t (*keys)[LS_PAGE_SLOTS][LS_SYSTEM_JOINS_MAX];
    uint32_t key_capacity;
    uint32_t *order; /* of the pages of a shuffled run */
    uint32_t order_capacity;
    ls_commands commands;
    ls_table **start; /* LS_START: [term * lanes + lane], the tables as the system found them */
} ls_run;

/* A set in the stage that runs. */
typedef struct ls_gate {
    ls_decision decision;
    bool is_asked; /* in this iteration */
} ls_gate;

/* Shared by a world and its views. */
typedef struct ls_scratch {
    bool has_leftovers; /* systems leave something to do at the sync point */
    ls_run *runs;       /* by position: see ls_plan_at() */
    ls_gate *gates;     /* as the program lists them */
    uint32_t stage_runs[LS_STAGES_MAX], loop_starts[LS_STAGES_MAX]; /* when the loop began */
    ls_marks marks[LS_THREADS_MAX];
    struct ls_context *contexts[LS_THREADS_MAX]; /* by worker: see ls_run_prepare() */
    /* Systems without an order may accumulate into one column and count what they dropped. */
    pthread_mutex_t merge_lock;
    struct ls_deaths *deaths;      /* core/run/despawn.c */
    struct ls_thread_policy *pace; /* NULL until an executor of several threads comes */
} ls_scratch;

#endif
