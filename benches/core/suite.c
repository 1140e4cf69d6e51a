/* The groups of `./bench core`; docs/performance.md explains their rows. */
#include "benches/core/groups.h"
#include "benches/suites.h"

#include <stddef.h>

static const bench_group *const groups[] = {BENCH_CORE_GROUPS(BENCH_ADDRESS), NULL};

const bench_suite bench_core = {
    .name = "core",
    .summary = "the ECS against plain loops over bare arrays",
    .groups = groups,
    .takes_entities = true,
};
