/* Runs one seed in two phases: one with faults, in which every invariant must hold, and one
 * without, in which all must converge and the match must end. */
#ifndef LS_SIMULATION_RUN_H
#define LS_SIMULATION_RUN_H

#include "plan.h"
#include "verdict.h"

typedef struct run_config {
    uint64_t seed;
    enum fault only; /* the only fault that occurs; FAULT_COUNT: those that the seed draws */
    bool is_printing;
} run_config;

typedef struct run_result {
    struct verdict verdict;
    uint64_t virtual_ns;
    uint64_t ticks; /* sum over all rooms */
    uint64_t orders;
    uint32_t faults[FAULT_COUNT];
} run_result;

run_result run_seed(const run_config *config);

#endif
