/* The state that all parts of one simulated run share. */
#ifndef LS_SIMULATION_RUN_SHARED_H
#define LS_SIMULATION_RUN_SHARED_H

#include "plan.h"
#include "verdict.h"

#include <lockstep/identity.h>
#include <lockstep/limits.h>
#include <lockstep/program.h>

struct run_shared {
    struct plan plan;
    uint64_t now_ns, start_ns;
    bool is_up;         /* the server is running and not stalled */
    bool is_calm;       /* the second phase: no more faults, except attackers */
    uint64_t calm_ns;   /* when the second phase began */
    bool is_quiet;      /* also no new orders */
    bool is_ending;     /* kicked players stay away */
    uint64_t desync_ns; /* when the server last reported a desync: the client concerned may reload
                           the match, which delays that client */
    struct verdict verdict;
    ls_network *network;
    ls_program *program, *other_program;
    ls_identity identity;
    struct draws secrets;
    ls_entropy entropy; /* all secrets come from the seed */
};

#define RUN_MS     (LS_SECOND_NS / 1000)
#define RUN_UNIX_S UINT64_C(1700000000)

/* Quiet players change their state at most once in this many ticks. */
#define RUN_HELD_TICKS 32

#endif
