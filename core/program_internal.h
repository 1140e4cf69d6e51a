/* What a program is made of: the simulation's tables with every name resolved to an index. */
#ifndef LS_PROGRAM_INTERNAL_H
#define LS_PROGRAM_INTERNAL_H

#include "core/graph.h"
#include "core/program.h"

typedef struct ls_plan_term {
    uint32_t column; /* of LS_EVENTS the event type */
    uint32_t query;
    uint8_t kind;   /* ls_match_kind */
    uint8_t access; /* ls_access */
    /* What the functions for cells may do through the term: 0 nothing, else 1 + an ls_access. */
    uint8_t grant;
    uint32_t cell_bytes;
} ls_plan_term;

/* What a system does with a column, for the question whether two systems need an order. */
enum {
    LS_TOUCH_PRESENCE = 1 << 0,
    LS_TOUCH_READ = 1 << 1,
    LS_TOUCH_WRITE = 1 << 2,
    LS_TOUCH_STRUCTURE = 1 << 3,
    LS_TOUCH_ADD = 1 << 4, /* the accumulating operations, in the order of ls_access */
    LS_TOUCH_MIN = 1 << 5,
    LS_TOUCH_MAX = 1 << 6,
    LS_TOUCH_OR = 1 << 7,
    LS_TOUCH_COMMAND = 1 << 8, /* merged at the sync point: in nobody's way */
    LS_TOUCH_OTHERS = 1 << 9,  /* not only of the entity that the invocation is of */
    LS_TOUCH_VALUES = LS_TOUCH_ADD | LS_TOUCH_MIN | LS_TOUCH_MAX | LS_TOUCH_OR,
};
/* One field of a component whose value is a key. References that the engine follows by itself may
 * be an array; each item in use is then a key. */
typedef struct ls_plan_join {
    uint32_t column;
    uint32_t offset;
    ls_type type;
    uint32_t items;
    uint32_t count_offset; /* of the LS_TYPE_U16 that says how many are in use; or UINT32_MAX */
} ls_plan_join;

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
    uint32_t command_lane_count;
    uint32_t command_lanes[LS_SYSTEM_NAMES_MAX];
    uint16_t touches[LS_COMPONENTS_MAX]; /* by column: LS_TOUCH_... over all terms and joins */
    uint64_t sends, receives;            /* bit by event type */
    bool has_journal;                    /* leaves births, events, values or commands behind */
    bool accumulates, commands;          /* which of them */
    bool has_start;                      /* reads columns as they were when it began */
    bool reads_liveness;                 /* has a query without an include */
    uint32_t join_count;
    uint32_t joins[LS_SYSTEM_JOINS_MAX]; /* into the program's joins */
    /* By join that drives a query: where its key comes from; column UINT32_MAX is the entity. */
    ls_plan_join join_from[LS_SYSTEM_JOINS_MAX];
    uint32_t query_joins[LS_QUERIES_MAX]; /* by query: 1 + the join that drives it, or 0 */
    bool keeps_keys; /* sequential, and writes keys that a join of its vector compares */
    /* Bit by lane: a system without an order with this one spawns into it. */
    uint64_t unsettled_lanes[LS_LANES_MAX / 64];
    bool has_unsettled;
    /* Positions of its own stage and slot. Those behind have to wait for it; with those apart it
     * may not run at the same time, though either may come first. Both lists are of later ones, and
     * what follows from other edges is left out. */
    uint32_t predecessor_count, successor_count;
    uint32_t *successors;
    uint32_t apart_before_count, apart_count;
    uint32_t *apart;
    uint32_t need_count; /* positions of those without which it does not run */
    uint32_t *needs;
} ls_plan_system;

/* Where in the serial order the systems of a stage stand: first[slot] to first[slot + 1], the slots
 * in the order in which they run. */
enum { LS_SLOT_COUNT = 4 };
typedef struct ls_plan_stage {
    const ls_stage *stage;
    uint32_t first[LS_SLOT_COUNT + 1];
} ls_plan_stage;

/* A set that decides whether its members run. */
typedef struct ls_plan_gate {
    const ls_set *set;
    ls_plan_system criterion; /* when the set has one */
    uint64_t *members;        /* bit by position */
} ls_plan_gate;

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
    bool has_loops; /* a tick can fail */
    ls_plan_system setup;
    bool has_setup;
    uint32_t grid_count;
    ls_plan_grid *grids;
    uint32_t join_count;
    ls_plan_join *joins;
    ls_graph paths;                     /* between positions, for those of one stage and slot */
    struct ls_match_shelf *match_shelf; /* of core/match_data.h, the one thing that changes */
};

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

/* Looks at others' cells besides its terms, or at their presence alone. */
static inline void ls_plan_note_access(ls_plan_system *plan, uint32_t column, ls_access access)
{
    plan->touches[column] |=
        LS_TOUCH_PRESENCE | LS_TOUCH_OTHERS | (access == LS_READ ? LS_TOUCH_READ : 0);
}

/* core/resolve.c: checks one system and fills its plan. */
ls_status ls_plan_resolve(ls_program *program, const ls_system *system, ls_plan_system *plan,
                          ls_error *error) LS_MUST_USE;

/* Sequential, without a query, and leaves nothing changed behind. */
bool ls_plan_is_pure(const ls_plan_system *plan);

/* core/resolve_join.c: its grids and joins, when the terms are there. */
ls_status ls_plan_resolve_joins(ls_program *program, ls_plan_system *plan,
                                ls_error *error) LS_MUST_USE;

/* core/schedule.c: orders program->systems, fills edges and paths, reports what is wrong. */
void ls_schedule_build(ls_program *program, struct ls_schedule_report *report);

/* core/hints.c: of a schedule that builds. */
void ls_hints_find(const ls_program *program, struct ls_schedule_report *report);

/* core/fingerprint.c */
void ls_program_compute_fingerprint(ls_program *program);

#endif
