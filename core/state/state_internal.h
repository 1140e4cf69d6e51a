/* States as wholes: made, shared with snapshots, released, read from bytes. */
#ifndef LS_STATE_INTERNAL_H
#define LS_STATE_INTERNAL_H
#include "core/base/team.h"
#include "core/state/world_state.h"
#include <lockstep/state.h>

void ls_state_init(ls_state *state, const ls_program *program);
/* Makes `to`, which is initialised, what `from` is. Asks for no memory. */
void ls_state_share(const ls_world *world, const ls_state *from, ls_state *to);
/* Gives up the tables; the arrays stay for the next ls_state_share(). */
void ls_state_empty(const ls_world *world, ls_state *state);
void ls_state_release(const ls_world *world, ls_state *state);
/* Prefetches the first page of each table, and the pointers to it, all at once. In a small world
 * that no cache holds any more, these loads would otherwise wait for each other. */
void ls_state_prefetch(const ls_world *world);
/* Calls `function` for ranges that together are 0..count-1, on the executor's threads. */
typedef void ls_share_function(ls_executor *executor, uint32_t count, ls_range_function *function,
                               void *argument);
/* Brings all hashes up to date; much work is given to `share`. NULL: none is. */
void ls_state_hash_pages(ls_world *world, ls_share_function *share, ls_executor *executor);
/* Brings the hashes of one table up to date, column by lane; the root finds them done. */
void ls_state_hash_table(ls_world *world, uint32_t index);
/* A column's hash, and the root, from hashes that are all up to date. */
uint64_t ls_state_column_hash(const ls_state *state, uint32_t column);
uint64_t ls_state_root(const ls_world *world);
/* Forgets what was derived from the state before. */
void ls_world_state_changed(ls_world *world);

/* The names of the counters of what was left out. */
extern const char *const ls_dropped_names[LS_DROPPED_COUNT];

#endif
