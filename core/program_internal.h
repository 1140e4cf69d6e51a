/* What a program is made of: the simulation's tables with every name resolved to an index. */
#ifndef LS_PROGRAM_INTERNAL_H
#define LS_PROGRAM_INTERNAL_H

#include "core/program.h"

typedef struct ls_plan_term {
    uint32_t column;
    uint32_t query;
    uint8_t kind;   /* ls_match_kind */
    uint8_t access; /* ls_access */
} ls_plan_term;

typedef struct ls_plan_system {
    const ls_system *system;
    uint64_t key; /* of its name, for random numbers */
    uint32_t term_count;
    ls_plan_term terms[LS_TERMS_MAX];
    uint32_t query_count; /* queries of the vector; 0 = the one empty match */
    uint32_t lane_count;
    uint32_t lanes[LS_SYSTEM_NAMES_MAX];
    uint32_t grid_count;
    uint32_t grids[LS_SYSTEM_GRIDS_MAX]; /* into the program's grids */
    /* Per column 0, or 1 + the strongest ls_access over all its terms and joins. */
    uint8_t access[LS_COMPONENTS_MAX];
    bool reads_liveness; /* has a query without an include */
    /* Bit by lane: a system without an order with this one spawns into it. */
    uint64_t unsettled_lanes[LS_LANES_MAX / 64];
    uint32_t predecessor_count;
    uint32_t successor_count;
    uint32_t *successors; /* positions */
} ls_plan_system;

typedef struct ls_plan_grid {
    ls_grid grid;
    uint32_t column;
    uint32_t with; /* column, or UINT32_MAX */
} ls_plan_grid;

struct ls_program {
    const ls_sim *sim;
    uint8_t fingerprint[LS_FINGERPRINT_BYTES];
    uint32_t column_count;
    const ls_component *components[LS_COMPONENTS_MAX]; /* by name */
    uint32_t lane_count;
    const char *lanes[LS_LANES_MAX]; /* lane 0 is "world"; the rest by name */
    uint32_t system_count;
    ls_plan_system *systems; /* by position in the serial order */
    ls_plan_system setup;
    bool has_setup;
    uint32_t grid_count;
    ls_plan_grid *grids;
    uint64_t *reachable; /* bit [earlier * words + later / 64] */
    uint32_t reachable_words;
    struct ls_match_shelf *match_shelf; /* of core/match_data.h, the one thing that changes */
};

/* UINT32_MAX when the simulation has no such component. */
uint32_t ls_program_find_column(const ls_program *program, const ls_component *component);

/* core/resolve.c: checks one system and fills its plan. */
ls_status ls_plan_resolve(ls_program *program, const ls_system *system, ls_plan_system *plan,
                          ls_error *error) LS_MUST_USE;

/* core/schedule.c: orders program->systems, fills edges and reachability, refuses ambiguity. */
ls_status ls_schedule_build(ls_program *program, ls_error *error) LS_MUST_USE;

/* core/fingerprint.c */
void ls_program_compute_fingerprint(ls_program *program);

#endif
