/* The groups of `./bench core`; docs/performance.md explains their rows. */
#include "benches/core/groups.h"
#include "benches/suites.h"

#include <stddef.h>

static const bench_group *const groups[] = {
    &bench_spawn,
    &bench_batch_spawn,
    &bench_iterate,
    &bench_broken,
    &bench_broken_spans,
    &bench_broken_blocks,
    &bench_scattered,
    &bench_clustered,
    &bench_few,
    &bench_many,
    &bench_few_broken,
    &bench_few_broken_spans,
    &bench_few_broken_blocks,
    &bench_handles_random,
    &bench_handles_in_order,
    &bench_batch_random,
    &bench_batch_in_order,
    &bench_few_handles_random,
    &bench_few_batch_random,
    &bench_own_load_cell,
    &bench_own_mark_cell,
    &bench_own_load_span,
    &bench_own_mark_span,
    &bench_own_load_block,
    &bench_own_mark_block,
    &bench_own_spawn,
    &bench_commands,
    &bench_accumulate,
    &bench_events,
    &bench_grid,
    &bench_key,
    &bench_snapshot_unchanged,
    &bench_snapshot_rewritten,
    &bench_hash,
    &bench_memory,
    &bench_names_read,
    &bench_names_write,
    &bench_names_attach,
    &bench_names_move,
    &bench_empty_world,
    &bench_battle,
    NULL,
};

const bench_suite bench_core = {
    .name = "core",
    .summary = "the ECS against plain loops over bare arrays",
    .groups = groups,
    .takes_entities = true,
};
