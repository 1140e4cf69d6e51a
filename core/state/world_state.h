/* The parts of a world. Liveness is one more column after the simulation's, before the baselines
 * (core/state/baseline.h) and the kept events (core/run/kept_events.h): its presence bits are the
 * living slots, its cells are the generations. A generation is odd while its slot is alive, so that
 * one load checks a handle, even while other entities are being spawned. */
#ifndef LS_WORLD_STATE_H
#define LS_WORLD_STATE_H
#include "core/schedule/program_data.h"
#include "core/state/page_list.h"
#include "core/state/table.h"
#include <lockstep/match.h>

/* The last generation: a slot that has it stays free. No generation has the top bit, which marks
 * the pending handles of core/run/merge.h. */
#define LS_GENERATION_RETIRED 0x7ffffffeu
#define LS_SNAPSHOT_VERSION   2u /* version of the byte form in core/state/snapshot.c */

/* Counters of dropped items; they are part of the state. */
typedef enum ls_dropped {
    LS_DROPPED_COMMANDS, /* on entities dead at the sync point, or beyond LS_RECORDS_MAX */
    LS_DROPPED_EVENTS,   /* beyond LS_RECORDS_MAX */
    LS_DROPPED_VALUES,   /* beyond LS_RECORDS_MAX, on cells that the system then detached, of a side
                            of a par that did not win, or for a partner that another match got */
    LS_DROPPED_COUNT,
} ls_dropped;

/* Everything that can influence a later tick; the rest can be rebuilt from it. */
typedef struct ls_state {
    uint64_t tick;
    uint64_t *refused_spawns; /* by lane: spawns that found it full */
    uint64_t dropped[LS_DROPPED_COUNT];
    ls_table **tables; /* [column * lanes + lane]; liveness follows the components, then baselines
                          and kept events */
    ls_table **lives;  /* liveness, by lane */
    uint32_t lanes;
} ls_state;

struct ls_snapshot {
    ls_world *world;
    struct ls_snapshot *next; /* in the world's list of spare snapshots */
    ls_state state;
    uint64_t root;
};

typedef struct ls_hash_job ls_hash_job; /* core/state/state.c */
struct ls_world {
    const ls_program *program;
    ls_match match;
    const struct ls_match_data *match_data; /* shared by all worlds of the match */
    ls_state state;
    /* The world that owns the page pools: this world, or one that it was created beside. */
    ls_world *pool_owner;
    uint32_t sibling_count;  /* pool owner: number of worlds created beside it */
    ls_page_source *sources; /* by column; the pool owner's */
    size_t memory_max;       /* in bytes, see ls_world_set_memory_max(); 0: no limit */
    ls_arena arena;          /* arena and pools are used only in a pool owner */
    ls_pool *page_pools;     /* by column */
    ls_pool directories, tables;
    uint64_t match_hash;  /* part of the root, because options and match data affect later ticks */
    uint64_t spawn_epoch; /* rises whenever all new entities become visible; not state */
    uint64_t *versions;   /* by column: rises with each possible write */
    uint64_t *presences;  /* by column: rises when cells may be attached or detached */
    _Atomic uint64_t *moves; /* by column: see ls_page_source; the pool owner's */
    bool *is_owned;          /* by column: tables and directories are not shared with a snapshot */
    bool owns_written;       /* is_owned is true for all columns that systems write */
    uint32_t *free_hints;    /* by lane: no page before it has a free slot */
    struct ls_snapshot *spare_snapshots; /* destroyed ones, which are used again */
    ls_table **replaced_baselines;       /* by baseline and lane: core/state/baseline.h */
    ls_hash_job *hash_jobs;              /* scratch of the root */
    uint32_t hash_job_capacity;
    bool has_events;            /* the events of the last tick are valid */
    uint32_t iteration;         /* index of the current run within its loop */
    uint32_t run_number;        /* number of earlier runs of the current stage in this tick */
    struct ls_scratch *scratch; /* core/run/scratch.h: used by ticks, not state */
    struct ls_indexes *indexes; /* core/run/join_index.h: derived from the state */
    struct ls_views *views;     /* core/run/fork.h: for pars */
    ls_world *base;             /* for a view, its world; otherwise itself */
};

static inline uint32_t ls_liveness(const ls_world *world)
{
    return world->program->column_count;
}

/* The number of columns: components, liveness, baselines and kept events. */
static inline uint32_t ls_column_total(const ls_world *world)
{
    return ls_program_column_total(world->program);
}

/* The order of columns in the bytes of a state: liveness, components, baselines, kept events. */
static inline uint32_t ls_column_at(const ls_world *world, uint32_t place)
{
    if (place == 0)
        return ls_liveness(world);
    return place <= ls_liveness(world) ? place - 1 : place;
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
