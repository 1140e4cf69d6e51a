/* The groups of the suite `core`, in the order of its table. */
#ifndef LS_BENCH_GROUPS_H
#define LS_BENCH_GROUPS_H

#include "benches/bench.h"

/* iterate.c */
extern const bench_group bench_iterate_1, bench_iterate_2, bench_broken_spans, bench_broken_blocks,
    bench_scattered, bench_clustered, bench_empty_world;
/* births.c */
extern const bench_group bench_births, bench_batch_births, bench_own_births_1, bench_own_births_2;
/* handles.c */
extern const bench_group bench_handles_random, bench_handles_in_order, bench_batch_random,
    bench_batch_in_order;
/* own.c */
extern const bench_group bench_own_load_cell_1, bench_own_load_cell_2, bench_own_mark_cell_1,
    bench_own_mark_cell_2, bench_own_load_span_1, bench_own_load_span_2, bench_own_mark_span_1,
    bench_own_mark_span_2, bench_own_load_block_1, bench_own_load_block_2, bench_own_mark_block_1,
    bench_own_mark_block_2;
/* deferred.c */
extern const bench_group bench_commands_1, bench_commands_2, bench_accumulate_1, bench_accumulate_2,
    bench_events_1, bench_events_2;
/* joins.c */
extern const bench_group bench_grid_1, bench_grid_2, bench_key_1, bench_key_2;
/* state.c */
extern const bench_group bench_snapshot_unchanged, bench_snapshot_rewritten, bench_hash,
    bench_memory;

#endif
