/* The data of a program: the simulation's tables with every name resolved to an index. */
#ifndef LS_PROGRAM_DATA_H
#define LS_PROGRAM_DATA_H
#include "core/base/graph.h"
#include "core/schedule/par.h"
#include "core/schedule/plan.h"
#include <lockstep/sim.h>

/* A baseline: a column of the state that no system accesses, numbered after liveness. Baselines
 * come in pairs: the cells that a column had when a system last ended, then the generations of the
 * entities that had them. Only the generations tell whether a cell belongs to the same entity as
 * before or to a later one in the slot. */
typedef struct ls_plan_baseline {
    uint32_t column;   /* the column that it keeps; for generations the column of liveness */
    uint32_t position; /* of the system */
} ls_plan_baseline;

static inline bool ls_filter_compares(uint32_t filter)
{
    return filter >= LS_FILTER_CHANGED;
}

/* Two columns that no entity has both of. */
typedef struct ls_plan_incompatibility {
    uint32_t one, other;
} ls_plan_incompatibility;

struct ls_program {
    const ls_sim *sim;            /* with modules, the simulation in `merged` */
    struct ls_merged_sim *merged; /* NULL without modules */
    uint8_t fingerprint[LS_FINGERPRINT_BYTES];
    uint32_t column_count;
    const ls_component *components[LS_COMPONENTS_MAX]; /* sorted by name */
    const ls_operation *operations[LS_COMPONENTS_MAX]; /* by column; NULL: none */
    uint32_t incompatibility_count;
    ls_plan_incompatibility *incompatibilities;
    uint32_t event_count;
    const ls_component *events[LS_EVENTS_MAX]; /* sorted by name */
    uint32_t lane_count;
    const char *lanes[LS_LANES_MAX]; /* lane 0 is "world"; the others are sorted by name */
    uint32_t system_count;
    ls_plan_system *systems; /* by position in the serial order */
    uint32_t stage_count;
    ls_plan_stage stages[LS_STAGES_MAX]; /* in the order in which they run */
    uint32_t gate_count;
    ls_plan_gate *gates;
    bool can_fail; /* by loops, pars, parents, partners or incompatible components */
    uint32_t par_count;
    ls_plan_par *pars;
    ls_system *steps;    /* systems that describe the steps of pars */
    uint32_t view_count; /* 1 + sides of pars with a view of their own */
    uint32_t setup_count;
    ls_plan_system *setups; /* in the order in which they run */
    uint32_t grid_count;
    ls_plan_grid *grids;
    uint32_t join_count;
    ls_plan_join *joins;
    uint32_t baseline_count;
    ls_plan_baseline *baselines;
    /* The number of columns of kept events (core/run/kept_events.h); by event, the index of its
     * first one among them. */
    uint32_t kept_count, kept_first[LS_EVENTS_MAX];
    ls_graph paths;                    /* transitive, between positions of one stage and slot */
    ls_graph weak_edges, listed_edges; /* edges that exist only because they are weak, or listed */
    /* Mutable cache of match data: core/schedule/match_data.h. */
    struct ls_match_cache *match_cache;
};

/* The index in the simulation's list; `plan` must not be a step. */
static inline uint32_t ls_plan_index(const ls_program *program, const ls_plan_system *plan)
{
    return (uint32_t)(plan->system - program->sim->systems);
}

static inline bool ls_plan_spawns_into(const ls_plan_system *plan, uint32_t lane)
{
    for (uint32_t i = 0; i < plan->lane_count; i++) {
        if (plan->lanes[i] == lane)
            return true;
    }
    return false;
}

/* Whether the system has nothing to merge, to check or to keep when it has run. */
static inline bool ls_plan_is_simple(const ls_plan_system *plan)
{
    return !plan->step && !plan->has_commands && !plan->has_start && !plan->baseline_count &&
           !plan->checks_pairs && !plan->has_partner;
}

/* Where the criteria of the gates begin. Before them are the systems, then the setups. */
static inline uint32_t ls_plan_first_gate(const ls_program *program)
{
    return program->system_count + program->setup_count;
}

/* The system at a position of the serial order; at higher positions a setup, then a criterion. */
static inline const ls_plan_system *ls_plan_at(const ls_program *program, uint32_t position)
{
    if (position < program->system_count)
        return &program->systems[position];
    if (position < ls_plan_first_gate(program))
        return &program->setups[position - program->system_count];
    return &program->gates[position - ls_plan_first_gate(program)].criterion;
}

/* The name for messages: see ls_plan_word(). */
static inline const char *ls_plan_name(const ls_program *program, const ls_plan_system *plan)
{
    return plan->step ? program->pars[plan->par].name : plan->system->name;
}

/* The number of columns of a state: components, liveness, baselines, kept events. */
static inline uint32_t ls_program_column_total(const ls_program *program)
{
    return program->column_count + 1 + program->baseline_count + program->kept_count;
}

/* The number of tables of a state; a table is a column in one lane. */
static inline size_t ls_program_table_total(const ls_program *program)
{
    return (size_t)ls_program_column_total(program) * program->lane_count;
}

/* The column of a baseline. */
static inline uint32_t ls_program_baseline_column(const ls_program *program, uint32_t baseline)
{
    return program->column_count + 1 + baseline;
}

/* The column of the events that were sent `age` ticks ago; `age` is at least 1. */
static inline uint32_t ls_program_kept_column(const ls_program *program, uint32_t event,
                                              uint32_t age)
{
    return program->column_count + 1 + program->baseline_count + program->kept_first[event] + age -
           1;
}

static inline uint32_t ls_plan_count(const ls_program *program)
{
    return ls_plan_first_gate(program) + program->gate_count;
}

#endif
