/* Plans: the simulation's descriptions in a program, with indexes for names and bits for sets. */
#ifndef LS_PLAN_H
#define LS_PLAN_H

#include "core/schedule/touch.h"
#include <lockstep/schedule.h>

typedef struct ls_plan_term {
    uint32_t column;   /* of LS_EVENTS: the event type; of LS_LANE: the lane */
    uint32_t query;    /* without LS_WALKED */
    uint8_t kind;      /* ls_match_kind */
    uint8_t access;    /* ls_access */
    uint8_t filter;    /* ls_filter */
    uint32_t baseline; /* the column that it compares with, see ls_plan_baseline; else 0 */
    /* The strongest access of cell functions through this term: 0 none, else 1 + an ls_access. */
    uint8_t grant;
    bool has_entities; /* the component has references */
    /* The type as which all fields combine when they accumulate; 0: fields have several types. */
    uint8_t combines_as;
    uint32_t cell_bytes;
} ls_plan_term;

/* A field that holds a key. The references that despawns follow may be an array: each item in use
 * is then a key. */
typedef struct ls_plan_join {
    uint32_t column, offset, items;
    ls_type type;
    uint32_t count_offset; /* offset of the array's LS_TYPE_U16 count; UINT32_MAX: all in use */
    uint32_t with;         /* another column that the entities have; UINT32_MAX for none */
    bool carries; /* the index has the values of `with`, which the system reads of others */
} ls_plan_join;

/* Steps that the engine adds to the order of systems. */
typedef enum ls_step {
    LS_STEP_NONE = 0, /* not a step but a system */
    LS_STEP_FORK,     /* gives the sides of a par their own tables */
    LS_STEP_MERGE,    /* merges the changes of the sides */
} ls_step;

typedef struct ls_plan_system {
    const ls_system *system;
    ls_span_function *span; /* its `span` or `each`; NULL: neither */
    ls_step step;
    uint32_t par;        /* of a step: its par */
    uint64_t pars;       /* bit by par with steps: this is a member or step of it */
    uint32_t view;       /* the view it runs in: 0, or the view of a side of a par */
    uint32_t slot_first; /* first position of its stage and slot */
    uint64_t key;        /* key of its name, for random numbers */
    uint32_t part;       /* the module that it belongs to (ls_merged_part_of), 0 for none */
    /* The list that its function gave to LS_USES() last: system->terms, or an equal array of
     * another file. Several threads set and get it, relaxed: each value is valid. */
    const ls_term *list_used;
    uint32_t term_count;
    ls_plan_term *terms;
    uint32_t query_count; /* queries of the vector; 0: called once, without a match */
    uint32_t walked;      /* bit by query: not of the vector, its function walks it */
    uint32_t query_end;   /* 1 + the highest number of a query, walked ones included; 0: none */
    uint32_t lane_count;
    uint8_t lanes[LS_NAMES_MAX];
    uint32_t grid_count, grids[LS_SYSTEM_GRIDS_MAX]; /* indexes of the program's grids */
    uint32_t command_lane_count;
    uint8_t command_lanes[LS_NAMES_MAX];
    uint16_t touches[LS_COMPONENTS_MAX]; /* by column: LS_TOUCH_... of all terms and joins */
    /* By column: the touches of entities that it did not spawn. LS_TOUCH_FINDS: a query, grid or
     * join finds entities by the column, newly spawned ones too. Other accesses need a handle. */
    uint16_t settled_touches[LS_COMPONENTS_MAX];
    uint64_t spawn_columns[LS_COMPONENTS_MAX / 64]; /* that it attaches to what it spawns */
    uint64_t sends, receives;                       /* bit by event type */
    uint32_t event_bytes, event_term; /* padded to 8; 0: not exactly one term sends, or no fields */
    uint32_t value_bytes, value_term; /* entity and value; 0: not one term, or it needs records */
    bool has_commands;                /* defers spawns, events, values or commands */
    bool accumulates, commands;       /* it defers values; it defers commands */
    bool accumulates_entities;        /* values with references */
    bool changes_cells;               /* in place */
    bool observes;                    /* has a term LS_OBSERVES */
    uint32_t world_access, world_first; /* ls_access to all columns, 0: none; their first term */
    bool checks_pairs;     /* attaches what an entity may not have beside another component */
    bool commands_pairs;   /* commands the attaching of such a component */
    bool has_start;        /* some term reads a column as it was at the start */
    uint32_t all_matching; /* bit by query: without an include; all bits with `world_access` */
    uint32_t alternatives; /* bit by query: it has a choice of terms */
    uint32_t comparing;    /* bit by query: it compares with the baseline */
    uint32_t baseline_first, baseline_count; /* its baselines in the program's list */
    uint32_t join_count;
    uint32_t joins[LS_SYSTEM_JOINS_MAX]; /* indexes of the program's joins */
    /* By join that drives a query: the source of its key; column UINT32_MAX: the entity itself. */
    ls_plan_join join_from[LS_SYSTEM_JOINS_MAX];
    uint32_t query_joins[LS_QUERIES_MAX]; /* by query: 1 + the join that drives it; 0: none */
    bool has_partner;
    uint32_t partner_column, partner_offset; /* of the reference to the partner */
    bool meets_partner;    /* it reads or writes on its own entities what it writes of partners */
    bool keeps_keys;       /* sequential, and writes keys of a join in its query vector */
    bool ends_matches;     /* what its function writes can end a match of its query vector */
    bool is_parents_first; /* sequential: its matches have the order of depths */
    uint32_t parent_column, parent_offset; /* of the reference to the parent */
    /* Bit by lane: a system spawns into it that has no order with this system. */
    uint64_t unsettled_lanes[LS_LANES_MAX / 64];
    bool has_unsettled;
    uint64_t unsettled_columns[LS_COMPONENTS_MAX / 64]; /* that such systems spawn with */
    /* Positions of systems in the same stage and slot. Successors wait for this system. Systems
     * `apart` may not run at the same time as it, but either may come first. Both lists have only
     * later positions, and leave out pairs that other edges imply. */
    uint32_t predecessor_count, successor_count;
    uint32_t apart_before_count, apart_count;
    uint32_t *successors; /* followed by the systems `apart` */
    uint32_t need_count;  /* positions that must run for this system to run */
    uint32_t *needs;
} ls_plan_system;

/* The word for messages: for users, the fork and merge of a par are not systems. */
static inline const char *ls_plan_word(const ls_plan_system *plan)
{
    return plan->step ? "par" : "system";
}

/* A stage. Its systems in a slot have the positions first[slot] up to, not including, first[slot +
 * 1]; slots are in the order in which they run. */
enum { LS_SLOT_COUNT = 4 };
typedef struct ls_plan_stage {
    const ls_stage *stage;
    uint32_t first[LS_SLOT_COUNT + 1];
    uint32_t end;  /* the stages between this one and index `end` are within it */
    uint32_t gate; /* the gate of its condition; UINT32_MAX: none */
} ls_plan_stage;

/* A gate: the condition of a set or of a stage. */
typedef struct ls_plan_gate {
    const ls_set *set;     /* or NULL */
    const ls_stage *stage; /* or NULL */
    const ls_condition *when;
    ls_plan_system criterion; /* its plan, if there is a criterion */
    uint64_t *members;        /* of a set: bit by position */
} ls_plan_gate;

typedef struct ls_plan_grid {
    ls_grid grid;
    uint32_t column, with; /* `with`: UINT32_MAX for none */
    bool carries; /* the index has the values of `with`, which the system reads of others */
} ls_plan_grid;

/* Adds an access besides the terms: to cells of other entities, or only to their presence. */
static inline void ls_plan_note_access(ls_plan_system *plan, uint32_t column, ls_access access)
{
    uint32_t reads = access == LS_ACCESS_READ ? LS_TOUCH_READ : 0u;
    uint32_t touches = LS_TOUCH_PRESENCE | LS_TOUCH_OTHERS | reads;
    plan->touches[column] |= (uint16_t)touches;
    plan->settled_touches[column] |= (uint16_t)(touches | LS_TOUCH_FINDS);
}

#endif
