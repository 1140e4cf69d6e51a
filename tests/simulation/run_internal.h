/* A run, and its faults. */
#ifndef LS_SIMULATION_RUN_INTERNAL_H
#define LS_SIMULATION_RUN_INTERNAL_H

#include "run.h"
#include "server_node.h"

struct run {
    struct stage stage;
    struct server_node node;
    struct player players[PLAN_PLAYERS_MAX];
    struct attacker_store attack;
    struct attacker attackers[PLAN_PLAYERS_MAX];
    struct dice dice;
    uint64_t fault_ns;
    bool is_match_paused, power_follows;
    struct player *pauser; /* the player who was last asked to hold the match */
    /* The deadline of an allocation that is to fail. */
    uint64_t memory_fails_until_ns;
    uint32_t starvings;
    bool is_probe;     /* this process only shows how the failure ends */
    bool is_fork;      /* it continues the run for the process that began it */
    bool is_elsewhere; /* another process has continued the run */
    run_result result;
};

/* One of the faults of this seed. */
void run_strike(struct run *self);
/* Where the plan has attackers: they are on all lines from the start. */
void run_begin_attack(struct run *self);
/* Arms the failing allocation, and its deadline. */
void run_failing_memory(struct run *self);

#endif
