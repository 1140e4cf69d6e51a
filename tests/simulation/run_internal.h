/* The state of a run, and its faults. */
#ifndef LS_SIMULATION_RUN_INTERNAL_H
#define LS_SIMULATION_RUN_INTERNAL_H

#include "run.h"
#include "server_node.h"

/* Counters of a client some time after its line became narrow, and its round trips since then. */
typedef struct narrow_watch {
    bool is_watched;
    uint64_t resumes, loads;
    uint64_t rtt_sum_ns, samples;
} narrow_watch;

struct run {
    struct run_shared shared;
    struct server_node node;
    struct player players[PLAN_PLAYERS_MAX];
    struct attacker_store attack;
    struct attacker attackers[PLAN_PLAYERS_MAX];
    struct draws draws;
    uint64_t fault_ns;
    uint64_t narrow_ns; /* when all lines became one narrow line; 0: never */
    narrow_watch narrow[PLAN_PLAYERS_MAX];
    bool is_match_paused, power_follows;
    struct player *pauser; /* the player that was last asked to pause the match */
    /* The failing allocation is disarmed when it has not failed by this time. */
    uint64_t memory_fails_until_ns;
    uint32_t starvings;
    bool is_probe;     /* this process is a fork that only shows how the failure ends */
    bool is_fork;      /* this process is a fork that continues the run */
    bool is_elsewhere; /* a fork has continued the run, so this process does not */
    run_result result;
};

/* Causes one of the faults of this seed. */
void run_strike(struct run *self);
/* Starts the attackers of the plan, if any; they are on all lines from the start. */
void run_begin_attack(struct run *self);
/* Disarms the failing allocation when its time is over. */
void run_failing_memory(struct run *self);

#endif
