/* The parts of a world. Liveness is one more column after the simulation's: its presence bits are
 * the living slots, its cells the generations. A generation is odd while its slot lives, so that
 * one load checks a handle, even while other entities are being spawned. */
#ifndef LS_WORLD_STATE_H
#define LS_WORLD_STATE_H
#include "core/schedule/program_data.h"
#include "core/state/page_list.h"
#include "core/state/table.h"
#include <lockstep/match.h>

/* A slot whose generations are used up stays free. The top bit marks handles that are pending. */
#define LS_GENERATION_RETIRED 0x7ffffffeu
#define LS_SNAPSHOT_VERSION   2u /* of the bytes that core/state/snapshot.c describes */

/* Counts of dropped items; machines must agree on them. */
typedef enum ls_dropped {
    LS_DROPPED_COMMANDS, /* on entities that were dead at the sync point, or beyond the maximum */
    LS_DROPPED_EVENTS,   /* beyond LS_RECORDS_MAX */
    LS_DROPPED_VALUES,   /* accumulated beyond it, or on cells that the system then detached */
    LS_DROPPED_COUNT,
} ls_dropped;

/* Everything that can influence a later tick; the rest can be rebuilt from it. */
typedef struct ls_state {
    uint64_t tick;
    uint64_t *refused_spawns; /* by lane: spawned entities that found it full */
    uint64_t dropped[LS_DROPPED_COUNT];
    ls_table **tables; /* [column * lanes + lane]; the last column is liveness */
    ls_table **lives;  /* that last column, by lane */
    uint32_t lanes;
} ls_state;

struct ls_snapshot {
    ls_world *world;
    struct ls_snapshot *next; /* of the world's spare ones */
    ls_state state;
    uint64_t root;
};

typedef struct ls_hash_job ls_hash_job; /* core/state/state.c */
struct ls_world {
    const ls_program *program;
    ls_match match;
    const struct ls_match_data *match_data; /* shared by all worlds of the match */
    ls_state state;
    /* Whose pools the pages come from: itself, or the world beside which it was made. */
    ls_world *pool_owner;
    uint32_t beside_count;   /* of a pool owner: worlds that use its pools */
    ls_page_source *sources; /* by column; the pool owner's */
    ls_arena arena;          /* this and the pools: used only in a pool owner */
    ls_pool *page_pools;     /* by column */
    ls_pool directories, tables;
    uint64_t match_hash;  /* part of the root: options and match data decide later ticks too */
    uint64_t spawn_epoch; /* raised whenever all that were spawned are settled; not state */
    uint64_t *versions;   /* by column: raised when it may have been written */
    uint64_t *presences;  /* by column: raised when cells may have come or gone */
    bool *is_owned;       /* by column: tables and directories are not shared with a snapshot */
    bool owns_written;    /* all columns that any system writes */
    uint32_t *free_hints; /* by lane: no page before it has a free slot */
    struct ls_snapshot *spare_snapshots; /* destroyed ones, so that a keyframe asks for no memory */
    ls_hash_job *hash_jobs;              /* scratch of the root */
    uint32_t hash_job_capacity;
    bool has_events;            /* of the tick that ran last */
    uint32_t iteration;         /* of the innermost loop around what runs */
    uint32_t run_number;        /* how often the stage that runs did so before in this tick */
    struct ls_scratch *scratch; /* core/run/scratch.h: of ticks, not state */
    struct ls_indexes *indexes; /* core/run/join_index.h: derived from the state */
    struct ls_views *views;     /* core/run/fork.h: of pars */
    ls_world *base;             /* itself, or of a view the world that it is of */
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
