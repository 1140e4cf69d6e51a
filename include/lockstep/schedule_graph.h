/* The order of a program, for pictures and tools: its systems, why one comes before another, which
 * may not run at the same time, and the longest path.
 *   source  docs/scheduler.md, "Looking at a schedule" */
#ifndef LS_SCHEDULE_GRAPH_H
#define LS_SCHEDULE_GRAPH_H

#include <lockstep/program.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { LS_SCHEDULE_SLOTS = 4 };

typedef enum ls_link_kind {
    LS_LINK_ORDER,       /* `before`, `after`, of a system or a set */
    LS_LINK_NEEDS,       /* the later one is off whenever the earlier is */
    LS_LINK_WEAK,        /* only because the two conflict */
    LS_LINK_LISTED,      /* only because the stage keeps the order of the list */
    LS_LINK_PAR,         /* from where a par begins to its members, and from those to its end */
    LS_LINK_INDEPENDENT, /* no order, but never at the same time: declared */
    LS_LINK_FILTERED,    /* the same, because their filters exclude each other */
} ls_link_kind;

/* From position `one` to position `other`, which is the later one. */
typedef struct ls_schedule_link {
    uint32_t one, other;
    ls_link_kind kind;
    bool is_critical;
    char *why; /* what the two conflict over, or the reason of their independence; may be empty */
} ls_schedule_link;

/* The nodes of the order: systems, and the fork and merge of a par. */
typedef enum ls_node_kind { LS_NODE_SYSTEM, LS_NODE_FORK, LS_NODE_MERGE } ls_node_kind;

typedef struct ls_schedule_node {
    const ls_system *system; /* of a fork or merge its name and stage */
    ls_node_kind kind;
    uint32_t stage, slot; /* the slot by when it comes: at start, parallel, before commands, end */
    uint64_t weight;
    bool is_critical;
} ls_schedule_node;

/* Positions first[slot] to first[slot + 1] are the slot's. Stages come in the order in which they
 * run, each before those within it. */
typedef struct ls_schedule_stage {
    const ls_stage *stage;
    uint32_t end;    /* the stages after it, up to this one, are within it */
    uint32_t parent; /* or UINT32_MAX */
    uint32_t depth;
    uint32_t first[LS_SCHEDULE_SLOTS + 1];
    uint64_t work, critical; /* sum of all weights; of those on the longest way */
} ls_schedule_stage;

/* The condition for the members of a set, or a stage, to run. */
typedef struct ls_schedule_gate {
    const ls_set *set; /* or NULL */
    uint32_t stage;    /* or UINT32_MAX */
    const ls_condition *when;
    uint32_t member_count; /* of a set */
    uint32_t *members;     /* positions */
} ls_schedule_gate;

typedef struct ls_schedule_par {
    const char *name;
    uint32_t side_count;
    uint32_t fork, merge; /* positions; UINT32_MAX when nothing has to be kept apart */
    uint8_t *sides;       /* by position: 1 + its side, or 0 */
} ls_schedule_par;

typedef struct ls_schedule_graph {
    const ls_program *program;
    ls_schedule_node *nodes; /* by position */
    uint32_t node_count;
    ls_schedule_stage *stages;
    uint32_t stage_count;
    /* By `one`. Orders that follow from others are left out, `needs` never is. */
    ls_schedule_link *links;
    uint32_t link_count, link_capacity;
    ls_schedule_gate
        *gates; /* numbered as in the spans of a trace: after the systems and the setup */
    uint32_t gate_count;
    ls_schedule_par *pars;
    uint32_t par_count;
} ls_schedule_graph;

/* Every system weighs 1, forks and merges nothing.
 *   owns  ls_schedule_graph_destroy(), before the program goes */
LS_API ls_schedule_graph *ls_schedule_graph_create(const ls_program *program);
LS_API void ls_schedule_graph_destroy(ls_schedule_graph *graph);
/* Other weights, by position, and with them another longest way. */
LS_API void ls_schedule_graph_weigh(ls_schedule_graph *graph, const uint64_t *weights);

/* "order", "needs", "weak", "listed", "par", "independent", "filtered" */
LS_API const char *ls_link_word(ls_link_kind kind);
/* "at start", "parallel", "before commands", "at end" */
LS_API const char *ls_slot_word(uint32_t slot);
static inline bool ls_link_is_order(ls_link_kind kind)
{
    return kind <= LS_LINK_PAR;
}
/* Whether it leaves its stage or slot, where it has no part in the order. */
LS_API bool ls_link_is_far(const ls_schedule_graph *graph, const ls_schedule_link *link);

#ifdef __cplusplus
}
#endif

#endif
