/* What a program is made of: the simulation's tables with every name resolved to an index. */
#ifndef LS_PROGRAM_INTERNAL_H
#define LS_PROGRAM_INTERNAL_H

#include "core/base/graph.h"
#include "core/schedule/par.h"
#include "core/schedule/plan.h"
#include <lockstep/program.h>

struct ls_program {
    const ls_sim *sim;
    uint8_t fingerprint[LS_FINGERPRINT_BYTES];
    uint32_t column_count;
    const ls_component *components[LS_COMPONENTS_MAX]; /* by name */
    uint32_t event_count;
    const ls_component *events[LS_EVENTS_MAX]; /* by name */
    uint32_t lane_count;
    const char *lanes[LS_LANES_MAX]; /* lane 0 is "world"; the rest by name */
    uint32_t system_count;
    ls_plan_system *systems; /* by position in the serial order */
    uint32_t stage_count;
    ls_plan_stage stages[LS_STAGES_MAX]; /* in the order in which they run */
    uint32_t gate_count;
    ls_plan_gate *gates;
    bool can_fail; /* a tick, because of loops or pars */
    uint32_t par_count;
    ls_plan_par *pars;
    ls_system *steps;    /* what the steps of the pars are called */
    uint32_t view_count; /* 1 + all sides of pars that have a copy */
    ls_plan_system setup;
    bool has_setup;
    uint32_t grid_count;
    ls_plan_grid *grids;
    uint32_t join_count;
    ls_plan_join *joins;
    ls_graph paths;                     /* between positions, for those of one stage and slot */
    ls_graph weak_edges, listed_edges;  /* which edges have no other origin than that */
    struct ls_match_shelf *match_shelf; /* of core/state/match_data.h, the one thing that changes */
};

/* Where the simulation lists it; of a system that is no step. */
static inline uint32_t ls_plan_index(const ls_program *program, const ls_plan_system *plan)
{
    return (uint32_t)(plan->system - program->sim->systems);
}

/* The system at a position of the serial order; behind the last one the setup, then the criteria of
 * the gates. */
static inline const ls_plan_system *ls_plan_at(const ls_program *program, uint32_t position)
{
    if (position < program->system_count)
        return &program->systems[position];
    return position == program->system_count
               ? &program->setup
               : &program->gates[position - program->system_count - 1].criterion;
}

static inline uint32_t ls_plan_count(const ls_program *program)
{
    return program->system_count + 1 + program->gate_count;
}

/* UINT32_MAX when the simulation has no such component. */
uint32_t ls_program_find_column(const ls_program *program, const ls_component *component);
/* The same for event types. */
uint32_t ls_program_find_event(const ls_program *program, const ls_component *event);

/* core/schedule/resolve.c: checks one system and fills its plan. */
ls_status ls_plan_resolve(ls_program *program, const ls_system *system, ls_plan_system *plan,
                          ls_error *error) LS_MUST_USE;

void ls_plan_reset(ls_plan_system *plan);

/* Sequential, without a query, and leaves nothing changed behind. */
bool ls_plan_is_pure(const ls_plan_system *plan);

/* core/schedule/list_check.c: refuses every list of a declaration that is full without its end.
 *   errors  LS_ERROR_LIMIT, and a finding for each */
ls_status ls_lists_check(const ls_sim *sim, struct ls_schedule_report *report) LS_MUST_USE;

/* core/schedule/resolve_join.c: its grids and joins, when the terms are there. */
ls_status ls_plan_resolve_joins(ls_program *program, ls_plan_system *plan,
                                ls_error *error) LS_MUST_USE;

/* core/schedule/schedule.c: orders program->systems, fills edges and paths, reports what is wrong.
 */
void ls_schedule_build(ls_program *program, struct ls_schedule_report *report);

/* core/schedule/hints.c: of a schedule that builds. */
void ls_hints_find(const ls_program *program, struct ls_schedule_report *report);

/* core/schedule/fingerprint.c */
void ls_program_compute_fingerprint(ls_program *program);

#endif
