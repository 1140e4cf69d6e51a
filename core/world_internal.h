/* What a world is made of. Liveness is one more column, behind the simulation's: its presence bits
 * are the living slots, its cells the generations. A generation is odd while its slot lives, so
 * that a handle is checked by one load that no birth beside it disturbs. */
#ifndef LS_WORLD_INTERNAL_H
#define LS_WORLD_INTERNAL_H

#include "core/page.h"
#include "core/program_internal.h"
#include "core/world.h"

#include <pthread.h>

#define LS_GENERATION_RETIRED 0xfffffffeu /* a slot whose generations are used up stays free */
#define LS_SNAPSHOT_VERSION   1u          /* of the bytes that core/snapshot.c describes */

/* Everything that can influence a later tick; the rest can be rebuilt from it. */
typedef struct ls_state {
    uint64_t tick;
    uint64_t *refused_spawns; /* by lane: newborns that found it full */
    ls_table **tables;        /* [column * lanes + lane]; the last column is liveness */
} ls_state;

struct ls_snapshot {
    ls_world *world;
    ls_state state;
    uint64_t root;
};

typedef struct ls_marks {
    ls_entity *entities;
    uint32_t count, capacity;
} ls_marks;

/* The pages that a query matches now, and for sequential systems its frozen matches. */
typedef struct ls_page_list {
    uint32_t *keys; /* lane << 16 | page, ascending */
    uint64_t (*masks)[LS_PAGE_WORDS];
    uint32_t count, capacity;
} ls_page_list;

/* Scratch of one system, kept so that a steady tick calls no malloc. */
typedef struct ls_run {
    ls_page_list queries[LS_QUERIES_MAX];
    atomic_uint pending; /* predecessors that have not ended */
    atomic_uint next, done;
    uint32_t chunks, chunk_pages;
} ls_run;

typedef struct ls_grid_index {
    ls_neighbour *entries; /* sorted by cell row, cell column, lane, slot */
    ls_neighbour *unsorted;
    uint32_t *starts; /* by cell: the first entry; one more at the end */
    uint32_t count, capacity;
    uint32_t cell_capacity;
    int32_t columns, rows;
    int64_t min_x, min_y, cell;
    uint64_t version, with_presence; /* of the columns it was built from */
    bool is_built;
} ls_grid_index;

struct ls_world {
    const ls_program *program;
    ls_match match;
    ls_state state;
    ls_page_source *sources; /* by column */
    ls_pool *page_pools;     /* by column */
    ls_pool directories, tables;
    uint64_t match_hash;  /* part of the root: options decide later ticks too */
    uint64_t births_tick; /* 1 + the tick that runs; 0 in the setup */
    uint64_t *versions;   /* by column: raised when it may have been written */
    uint64_t *presences;  /* by column: raised when cells may have come or gone */
    bool *is_owned;       /* by column: tables and directories are not shared with a snapshot */
    uint32_t *free_hints; /* by lane: no page before it has a free slot */
    ls_marks marks[LS_THREADS_MAX];
    ls_run *runs; /* by position; one more for setup */
    ls_grid_index *grids;
    pthread_mutex_t grid_lock;
};

static inline uint32_t ls_liveness(const ls_world *world)
{
    return world->program->column_count;
}

static inline ls_table **ls_world_table(const ls_world *world, uint32_t column, uint32_t lane)
{
    return &world->state.tables[(size_t)column * world->program->lane_count + lane];
}

static inline ls_page *ls_world_page(const ls_world *world, uint32_t column, uint32_t lane,
                                     uint32_t page)
{
    return ls_table_page(*ls_world_table(world, column, lane), page);
}

/* core/store.c: cells and lives, without any check of declared access. */
bool ls_store_is_alive(const ls_world *world, ls_entity entity);
const void *ls_store_find(const ls_world *world, uint32_t column, ls_entity entity);
void *ls_store_write(ls_world *world, uint32_t column, ls_entity entity);
/* The cell, which exists, where a later write will be seen. */
const void *ls_store_unshare(ls_world *world, uint32_t column, ls_entity entity);
bool ls_store_attach(ls_world *world, uint32_t column, ls_entity entity, const void *value);
bool ls_store_detach(ls_world *world, uint32_t column, ls_entity entity);
ls_entity ls_store_spawn(ls_world *world, uint32_t lane);
/* True for an entity that is alive and was born in the tick that runs. */
bool ls_store_is_newborn(const ls_world *world, ls_entity entity);
/* The slot that the lane's next newborn gets; LS_SLOTS_MAX when it is full. */
uint32_t ls_store_next_free(const ls_world *world, uint32_t lane, uint32_t first_page);
/* Makes the column's tables the world's own: its pages can be written from now on. */
void ls_store_own(ls_world *world, uint32_t column);
/* The same for all that a system may write, before one runs: so tables stay while others read. */
void ls_store_own_written(ls_world *world);
/* The sync point: clears what was marked, columns and lives, and empties the marks. */
void ls_store_sweep(ls_world *world);
void ls_marks_add(ls_marks *marks, ls_entity entity);

/* core/query.c: the slots of one page that match query `query` of the terms. */
bool ls_query_mask(const ls_world *world, const ls_plan_term *terms, uint32_t term_count,
                   uint32_t query, uint32_t lane, uint32_t page, uint64_t mask[LS_PAGE_WORDS]);
bool ls_query_matches(const ls_world *world, const ls_plan_term *terms, uint32_t term_count,
                      uint32_t query, uint32_t lane, uint32_t slot);
/* The column whose pages have to be walked to meet every match: an include, or liveness. */
uint32_t ls_query_leader(const ls_world *world, const ls_plan_term *terms, uint32_t term_count,
                         uint32_t query);
void ls_query_list(const ls_world *world, const ls_plan_term *terms, uint32_t term_count,
                   uint32_t query, bool with_masks, ls_page_list *list);
bool ls_page_list_has(const ls_page_list *list, ls_entity entity);
void ls_page_list_drop(ls_page_list *list, ls_entity entity);
/* The length of the span at `first`: slots side by side that agree on the optional terms. */
uint32_t ls_query_span(const ls_world *world, const ls_plan_term *terms, uint32_t term_count,
                       const uint64_t *mask, uint32_t lane, uint32_t page, uint32_t first);

/* core/grid.c */
const ls_grid_index *ls_grid_prepare(ls_world *world, uint32_t grid);
void ls_grid_reset(ls_grid_index *index);
void ls_grid_index_begin(const ls_grid_index *index, ls_fix x, ls_fix y, ls_fix radius,
                         ls_grid_walk *walk);

/* core/state.c */
void ls_state_init(ls_state *state, const ls_program *program);
void ls_state_share(const ls_world *world, const ls_state *from, ls_state *to);
void ls_state_release(const ls_world *world, ls_state *state);
/* core/restore.c: reads a snapshot into the world's state, which is empty, and the root that it
 * claims. On an error the state is to be released. */
LS_MUST_USE ls_status ls_state_read(ls_world *world, ls_reader *reader, uint64_t *root,
                                    ls_error *error);
/* Forgets what was derived from the state before. */
void ls_world_state_changed(ls_world *world);

#endif
