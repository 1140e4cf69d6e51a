/* What a world is made of. Liveness is one more column, behind the simulation's: its presence bits
 * are the living slots, its cells the generations. A generation is odd while its slot lives, so
 * that a handle is checked by one load that no birth beside it disturbs. */
#ifndef LS_WORLD_INTERNAL_H
#define LS_WORLD_INTERNAL_H

#include "core/run/command_buffer.h"
#include "core/run/join_index.h"
#include "core/schedule/program_internal.h"
#include "core/state/page_list.h"
#include "core/state/table.h"
#include <lockstep/world.h>

#include <pthread.h>

/* A slot whose generations are used up stays free. The top bit marks handles that are pending. */
#define LS_GENERATION_RETIRED 0x7ffffffeu
#define LS_SNAPSHOT_VERSION   2u /* of the bytes that core/state/snapshot.c describes */

/* What was left out, counted because machines must agree on it. */
typedef enum ls_dropped {
    LS_DROPPED_COMMANDS, /* on entities that were dead at the sync point, or beyond the maximum */
    LS_DROPPED_EVENTS,   /* beyond LS_RECORDS_MAX */
    LS_DROPPED_VALUES,   /* accumulated beyond it, or on cells that the system then detached */
    LS_DROPPED_COUNT,
} ls_dropped;

/* Everything that can influence a later tick; the rest can be rebuilt from it. */
typedef struct ls_state {
    uint64_t tick;
    uint64_t *refused_spawns; /* by lane: newborns that found it full */
    uint64_t dropped[LS_DROPPED_COUNT];
    ls_table **tables; /* [column * lanes + lane]; the last column is liveness */
    ls_table **lives;  /* that last column, by lane */
    uint32_t lanes;
} ls_state;

struct ls_snapshot {
    ls_world *world;
    ls_snapshot *next; /* of the world's spare ones */
    ls_state state;
    uint64_t root;
};

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
    ls_commands journal;
    ls_table **start; /* LS_START: [term * lanes + lane], the tables as the system found them */
} ls_run;

/* A set in the stage that runs. */
typedef struct ls_gate {
    ls_decision decision;
    bool is_asked; /* in this iteration */
} ls_gate;

/* A cell that two sides of a par changed. */
typedef struct ls_clash {
    bool is_set;
    uint32_t par, column, lane, slot;
    uint32_t sides[2];
    const char *systems[2]; /* who did it in them, once somebody watched */
} ls_clash;

typedef struct ls_hash_job ls_hash_job; /* core/state/state.c */
struct ls_world {
    const ls_program *program;
    ls_match match;
    const struct ls_match_data *match_data; /* shared by all worlds of the match */
    ls_state state;
    /* Whose pools the pages come from: itself, or the world beside which it was made. */
    ls_world *keeper;
    uint32_t beside_count;   /* of a keeper: worlds that draw on its pools */
    ls_page_source *sources; /* by column; the keeper's */
    ls_arena arena;          /* this and the pools: used of a keeper alone */
    ls_pool *page_pools;     /* by column */
    ls_pool directories, tables;
    uint64_t match_hash;   /* part of the root: options and match data decide later ticks too */
    uint64_t births_epoch; /* raised whenever all that were born are settled; not state */
    uint64_t *versions;    /* by column: raised when it may have been written */
    uint64_t *presences;   /* by column: raised when cells may have come or gone */
    bool *is_owned;        /* by column: tables and directories are not shared with a snapshot */
    bool owns_written;     /* all columns that any system writes */
    bool has_leftovers;    /* systems leave something to do at the sync point */
    uint32_t *free_hints;  /* by lane: no page before it has a free slot */
    ls_marks marks[LS_THREADS_MAX];
    struct ls_context *contexts[LS_THREADS_MAX]; /* by worker: see ls_run_prepare() */
    /* Systems without an order may accumulate into one column and count what they dropped. */
    pthread_mutex_t merge_lock;
    ls_snapshot *spare_snapshots; /* destroyed ones, so that a keyframe asks for no memory */
    ls_hash_job *hash_jobs;       /* scratch of the root */
    uint32_t hash_job_capacity;
    ls_run *runs;        /* by position: see ls_plan_at() */
    ls_gate *gates;      /* as the program lists them */
    uint32_t iteration;  /* of the innermost loop around what runs */
    uint32_t run_number; /* how often the stage that runs did so before in this tick */
    uint32_t stage_runs[LS_STAGES_MAX], loop_starts[LS_STAGES_MAX]; /* when the loop began */
    ls_grid_index *grids; /* as the program lists them, like the joins */
    ls_join_index *joins;
    pthread_mutex_t index_lock;    /* two systems may want one index at once */
    struct ls_deaths *deaths;      /* core/run/despawn.c */
    struct ls_thread_policy *pace; /* NULL until an executor of several threads comes */
    /* core/run/fork.c. A view is a copy of this struct that has its own tables, versions and
     * indexes and shares the rest; locks and counters are those of its base. */
    ls_world *base;          /* itself, or of a view the world that it is of */
    ls_world **views;        /* the first is the world itself */
    ls_table ***fork_tables; /* by par: the tables as its sides found them */
    ls_clash clash;          /* of the tick that runs */
};

static inline uint32_t ls_liveness(const ls_world *world)
{
    return world->program->column_count;
}

static inline ls_table **ls_world_table(const ls_world *world, uint32_t column, uint32_t lane)
{
    return &world->state.tables[(size_t)column * world->state.lanes + lane];
}

static inline ls_page *ls_world_page(const ls_world *world, uint32_t column, uint32_t lane,
                                     uint32_t page)
{
    return ls_table_page(*ls_world_table(world, column, lane), page);
}

#endif
