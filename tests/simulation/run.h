/* One seed from its beginning to its end: a phase with faults, in which every invariant must hold,
 * then one without, in which all must converge and the match must end. */
#ifndef LS_SIMULATION_RUN_H
#define LS_SIMULATION_RUN_H

#include "plan.h"
#include "verdict.h"

typedef struct run_config {
    uint64_t seed;
    enum fault only; /* FAULT_COUNT: whatever the seed draws */
    bool is_printing;
} run_config;

typedef struct run_result {
    struct verdict verdict;
    uint64_t virtual_ns;
    uint64_t ticks; /* of all rooms */
    uint64_t orders;
    uint32_t faults[FAULT_COUNT];
} run_result;

run_result run_seed(const run_config *config);

#endif
