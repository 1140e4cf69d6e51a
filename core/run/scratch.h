/* Memory that the ticks of a world reuse, so that a tick normally allocates none. Nothing in it is
 * state. */
#ifndef LS_SCRATCH_H
#define LS_SCRATCH_H
#include "core/base/platform.h"
#include "core/run/command_buffer.h"
#include "core/run/page_cache.h"
#include "core/state/parents.h"

typedef struct ls_despawn_marks {
    ls_entity *entities;
    uint32_t count, capacity;
} ls_despawn_marks;

/* Scratch of one system. */
typedef struct ls_run {
    bool is_off;       /* does not run in this tick or iteration */
    bool is_refused;   /* turned off by a set, or by a system that it needs */
    bool has_run;      /* since its stage last began, which may be a loop */
    bool is_simple;    /* has nothing to merge or keep when it ends */
    bool adds_at_once; /* accumulated values go into their cells when they are given */
    uint32_t added;    /* number of such values in this run */
    /* Not NULL: cells of new entities are written at once. */
    struct ls_spawn_ahead *ahead;
    ls_page_list queries[LS_QUERIES_MAX];
    ls_page_cache cache;        /* of query 0 */
    struct ls_query_page *view; /* for a thread that runs all pages of a concurrent system */
    atomic_uint pending;        /* predecessors that have not ended */
    _Atomic uint64_t next; /* pages that threads have taken, as core/run/work_queue.c counts them */
    atomic_uint done;      /* pages that have been run */
    uint32_t chunks;       /* of this run: see ls_run_begin(); 0: nothing to run */
    /* By page of query 0's list, slot and join: the keys when the system began. */
    uint64_t *keys;
    uint32_t key_capacity;
    struct ls_depth_order *depth_order; /* if it runs parents first: core/run/depth_order.h */
    uint32_t *order;                    /* page order of a shuffled run */
    uint32_t order_capacity;
    ls_commands commands;
    uint64_t *kept_versions; /* by pair of baselines: the column's version that was kept last */
    ls_page_list *changed;   /* by pair of baselines: the two lists of core/run/cell_change.c */
    struct ls_partners *partners; /* if the system has partners: core/run/partner_internal.h */
    ls_table **start; /* LS_START: [term * lanes + lane], the tables when the system began */
} ls_run;

/* The answer of a run criterion in the current stage. The criterion belongs to a set, or to a stage
 * with a condition. */
typedef struct ls_gate {
    ls_decision decision;
    bool is_evaluated; /* asked in this iteration */
} ls_gate;

/* The breach of a fact that the simulation declares: core/run/fact_check.h. */
typedef struct ls_fact_breach {
    bool is_set, by_commands;
    uint32_t position, pair; /* of the system; index in the program's incompatibilities */
    ls_entity entity;
} ls_fact_breach;

/* Two matches of a system that could write one cell: core/run/partner_internal.h. */
typedef struct ls_partner_breach {
    bool is_set;
    uint32_t position;
    ls_entity first, second, partner; /* first: has the partner, or is the partner */
} ls_partner_breach;

/* Scratch of a whole world, shared with its views. */
typedef struct ls_scratch {
    bool has_part_events; /* the newest events are from a part that ran by name, not a tick */
    uint64_t *leftovers;  /* bit by position: has commands or LS_START tables; NULL: none has */
    ls_run *runs;         /* by position: see ls_plan_at() */
    ls_gate *gates;       /* in the order of the program's list */
    /* loop_starts: the value of stage_runs when the stage's loop began. */
    uint32_t stage_runs[LS_STAGES_MAX], loop_starts[LS_STAGES_MAX];
    ls_despawn_marks marks[LS_THREADS_MAX];
    /* By worker, NULL for those that never ran: see ls_run_prepare(). */
    struct ls_context *contexts[LS_THREADS_MAX];
    /* Held to merge values, to raise shared counters and to note breaches: systems without an order
     * may do so at the same time. */
    ls_mutex merge_lock;
    struct ls_page **value_pages; /* scratch of core/run/value_merge.c; under merge_lock */
    uint32_t value_page_capacity;
    ls_partner_breach partner_breach;
    ls_fact_breach breach;              /* of the current tick; under merge_lock */
    struct ls_spawn_ahead *ahead;       /* of the system that runs alone; NULL until one spawns */
    struct ls_despawn_scratch *despawn; /* scratch of core/run/despawn.c */
    ls_parents *parents;                /* NULL: no component has a parent */
    bool has_cycle;                     /* the last sync point left one */
    ls_parent_cycle cycle;
    struct ls_parallel_for *loop;    /* while several threads run systems, else NULL */
    struct ls_thread_policy *policy; /* NULL until an executor with several threads is used */
} ls_scratch;

#endif
