/* A run, and what strikes it. */
#ifndef LS_SIMULATION_RUN_INTERNAL_H
#define LS_SIMULATION_RUN_INTERNAL_H

#include "run.h"
#include "server_node.h"

struct run {
    struct stage stage;
    struct server_node node;
    struct player players[PLAN_PLAYERS_MAX];
    struct dice dice;
    uint64_t fault_ns;
    bool is_match_paused, power_follows;
    struct player *pauser; /* who was asked to hold the match last */
    /* The deadline of an allocation that is to fail. */
    uint64_t memory_fails_until_ns;
    uint32_t starvings;
    bool is_probe;     /* this process only shows how that ends */
    bool is_fork;      /* it goes on for the one that began the run */
    bool is_elsewhere; /* another one goes on, and has */
    run_result result;
};

/* One of the faults that this seed knows. */
void run_strike(struct run *self);
/* An allocation is to fail, and time goes by. */
void run_failing_memory(struct run *self);

#endif
