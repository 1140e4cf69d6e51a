/* The groups of the suite `core`, in the order of its table. */
#ifndef LS_BENCH_GROUPS_H
#define LS_BENCH_GROUPS_H

#include "benches/bench.h"

#define BENCH_CORE_GROUPS(X)                                                                       \
    X(bench_spawn), X(bench_batch_spawn), X(bench_iterate), X(bench_broken),                       \
        X(bench_broken_spans), X(bench_broken_blocks), X(bench_hundredth), X(bench_scattered),     \
        X(bench_clustered), X(bench_few), X(bench_few_wide), X(bench_many), X(bench_few_broken),   \
        X(bench_few_broken_spans), X(bench_few_broken_blocks), X(bench_handles_random),            \
        X(bench_handles_checked), X(bench_handles_in_order), X(bench_batch_random),                \
        X(bench_batch_in_order), X(bench_few_handles_random), X(bench_many_handles_random),        \
        X(bench_many_handles_checked), X(bench_few_batch_random), X(bench_own_load_cell),          \
        X(bench_own_mark_cell), X(bench_own_load_span), X(bench_own_mark_span),                    \
        X(bench_own_load_block), X(bench_own_mark_block), X(bench_own_spawn), X(bench_commands),   \
        X(bench_accumulate), X(bench_events), X(bench_grid), X(bench_key), X(bench_key_kept),      \
        X(bench_key_handle), X(bench_key_value), X(bench_snapshot_unchanged),                      \
        X(bench_snapshot_rewritten), X(bench_hash), X(bench_memory), X(bench_names_read),          \
        X(bench_names_write), X(bench_names_attach), X(bench_names_move), X(bench_empty_world),    \
        X(bench_battle)

extern const bench_group BENCH_CORE_GROUPS(BENCH_NAME);

#endif
