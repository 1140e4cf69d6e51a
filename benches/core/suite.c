/* The rows of `./bench core`; docs/performance.md explains them. */
#include "benches/core/groups.h"
#include "benches/suites.h"

#include <stddef.h>

static const bench_group *const groups[] = {
    &bench_births,
    &bench_batch_births,
    &bench_iterate_1,
    &bench_iterate_2,
    &bench_broken_spans,
    &bench_broken_blocks,
    &bench_scattered,
    &bench_clustered,
    &bench_handles_random,
    &bench_handles_in_order,
    &bench_batch_random,
    &bench_batch_in_order,
    &bench_own_load_cell_1,
    &bench_own_load_cell_2,
    &bench_own_mark_cell_1,
    &bench_own_mark_cell_2,
    &bench_own_load_span_1,
    &bench_own_load_span_2,
    &bench_own_mark_span_1,
    &bench_own_mark_span_2,
    &bench_own_load_block_1,
    &bench_own_load_block_2,
    &bench_own_mark_block_1,
    &bench_own_mark_block_2,
    &bench_own_births_1,
    &bench_own_births_2,
    &bench_commands_1,
    &bench_commands_2,
    &bench_accumulate_1,
    &bench_accumulate_2,
    &bench_events_1,
    &bench_events_2,
    &bench_grid_1,
    &bench_grid_2,
    &bench_key_1,
    &bench_key_2,
    &bench_snapshot_unchanged,
    &bench_snapshot_rewritten,
    &bench_hash,
    &bench_memory,
    &bench_empty_world,
    NULL,
};

const bench_suite bench_core = {
    .name = "core",
    .summary = "the ECS against plain loops over bare arrays",
    .groups = groups,
    .bare_title = "bare",
    .takes_entities = true,
};
