/* The groups of the suite `core`, in the order of its table; each comment names their source
 * file. */
#ifndef LS_BENCH_GROUPS_H
#define LS_BENCH_GROUPS_H

#include "benches/bench.h"

/* iterate.c */
extern const bench_group bench_iterate, bench_broken, bench_broken_spans, bench_broken_blocks,
    bench_hundredth, bench_scattered, bench_clustered, bench_few, bench_few_wide, bench_many,
    bench_few_broken, bench_few_broken_spans, bench_few_broken_blocks, bench_empty_world;
/* spawn.c */
extern const bench_group bench_spawn, bench_batch_spawn, bench_own_spawn;
/* handles.c */
extern const bench_group bench_handles_random, bench_handles_checked, bench_handles_in_order,
    bench_batch_random, bench_batch_in_order, bench_few_handles_random, bench_many_handles_random,
    bench_many_handles_checked, bench_few_batch_random;
/* own.c */
extern const bench_group bench_own_load_cell, bench_own_mark_cell, bench_own_load_span,
    bench_own_mark_span, bench_own_load_block, bench_own_mark_block;
/* deferred.c */
extern const bench_group bench_commands, bench_accumulate, bench_events;
/* joins.c */
extern const bench_group bench_grid, bench_key, bench_key_kept, bench_key_handle, bench_key_value;
/* names.c */
extern const bench_group bench_names_read, bench_names_write, bench_names_attach, bench_names_move;
/* battle.c */
extern const bench_group bench_battle;
/* state.c */
extern const bench_group bench_snapshot_unchanged, bench_snapshot_rewritten, bench_hash,
    bench_memory;

#endif
