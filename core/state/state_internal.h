/* Operations on whole states: create, share with snapshots, release, hash. */
#ifndef LS_STATE_INTERNAL_H
#define LS_STATE_INTERNAL_H
#include "core/base/team.h"
#include "core/state/world_state.h"
#include <lockstep/state.h>

void ls_state_init(ls_state *state, const ls_program *program);
/* Makes the initialised state `to` equal to `from`, sharing its pages. Allocates no memory. */
void ls_state_share(const ls_world *world, const ls_state *from, ls_state *to);
/* Releases the tables; keeps the arrays for the next ls_state_share(). */
void ls_state_empty(const ls_world *world, ls_state *state);
void ls_state_release(const ls_world *world, ls_state *state);
/* Prefetches the first page of each table, and the pointers to it, all at once. In a small world
 * that has left the caches, these loads would otherwise wait for each other. */
void ls_state_prefetch(const ls_world *world);
/* Calls `function` for ranges that together cover 0..count-1, on the executor's threads. */
typedef void ls_share_function(ls_executor *executor, uint32_t count, ls_range_function *function,
                               void *argument);
/* Updates all hashes: on the executor's threads through `share` if there is much to hash,
 * otherwise, or if `share` is NULL, on this thread. */
void ls_state_hash_pages(ls_world *world, ls_share_function *share, ls_executor *executor);
/* Updates the hashes of the table `index` (column * lanes + lane). */
void ls_state_hash_table(ls_world *world, uint32_t index);
/* The hash of a column, and the root; all hashes must be up to date. */
uint64_t ls_state_column_hash(const ls_state *state, uint32_t column);
uint64_t ls_state_root(const ls_world *world);
/* Drops all caches that were derived from the previous state. */
void ls_world_state_changed(ls_world *world);

/* Names of the counters of dropped items. */
extern const char *const ls_dropped_names[LS_DROPPED_COUNT];

#endif
