/* The order of a program as a graph, for drawings and tools: its systems, why one comes before
 * another, which may not run at the same time, and the critical path.
 *   source  docs/scheduler.md, "Looking at a schedule" */
#ifndef LS_SCHEDULE_GRAPH_H
#define LS_SCHEDULE_GRAPH_H

#include <lockstep/program.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { LS_SCHEDULE_SLOTS = 4 };

typedef enum ls_link_kind {
    LS_LINK_ORDER,       /* `before` or `after` of a system or set */
    LS_LINK_NEEDS,       /* `needs`: the later system is off whenever the earlier one is */
    LS_LINK_WEAK,        /* `weakly_before` or `weakly_after`, and the two conflict */
    LS_LINK_LISTED,      /* insertion_order of the stage, and the two conflict */
    LS_LINK_PAR,         /* from the fork of a par to its members, and from them to its merge */
    LS_LINK_INDEPENDENT, /* declared independent: unordered, but never at the same time */
    LS_LINK_FILTERED, /* their filters exclude each other: unordered, but never at the same time */
} ls_link_kind;

/* A link from position `one` to position `other`, which is later. */
typedef struct ls_schedule_link {
    uint32_t one, other;
    ls_link_kind kind;
    bool is_critical;
    char *why; /* the conflict of the two, or the reason of their independence; may be "" */
} ls_schedule_link;

/* The nodes of the order: systems, and the fork and merge of a par. */
typedef enum ls_node_kind { LS_NODE_SYSTEM, LS_NODE_FORK, LS_NODE_MERGE } ls_node_kind;

typedef struct ls_schedule_node {
    const ls_system *system; /* for a fork or merge: has only its name and stage */
    ls_node_kind kind;
    /* The slot by time: 0 at start, 1 parallel, 2 before commands, 3 at end (ls_slot_word). */
    uint32_t stage, slot;
    uint64_t weight;
    bool is_critical;
} ls_schedule_node;

/* A stage of the graph. Its positions in `slot` are first[slot] up to, not including, first[slot +
 * 1]. Stages are listed in the order in which they run, parents before the stages within them. */
typedef struct ls_schedule_stage {
    const ls_stage *stage;
    uint32_t end;    /* the stages between this one and index `end` are within it */
    uint32_t parent; /* its index; UINT32_MAX: a top-level stage */
    uint32_t depth;
    uint32_t first[LS_SCHEDULE_SLOTS + 1];
    uint64_t work, critical; /* sum of all weights; sum of those on the critical path */
} ls_schedule_stage;

/* The condition of a set or a stage. */
typedef struct ls_schedule_gate {
    const ls_set *set; /* NULL: the condition is that of a stage */
    uint32_t stage;    /* its index; UINT32_MAX: the condition is that of a set */
    const ls_condition *when;
    uint32_t member_count; /* number of members of a set */
    uint32_t *members;     /* their positions */
} ls_schedule_gate;

typedef struct ls_schedule_par {
    const char *name;
    uint32_t side_count;
    uint32_t fork, merge; /* positions; UINT32_MAX: the sides need no separation */
    uint8_t *sides;       /* by position: 1 + its side; 0: not in the par */
} ls_schedule_par;

typedef struct ls_schedule_graph {
    const ls_program *program;
    ls_schedule_node *nodes; /* by position */
    uint32_t node_count;
    ls_schedule_stage *stages;
    uint32_t stage_count;
    /* Sorted by `one`. Orders implied by other links are left out, except `needs`. */
    ls_schedule_link *links;
    uint32_t link_count, link_capacity;
    ls_schedule_gate *gates;
    uint32_t gate_count;
    uint32_t gate_first; /* the number of gates[0] in trace slices */
    ls_schedule_par *pars;
    uint32_t par_count;
} ls_schedule_graph;

/* Creates the graph. Every system weighs 1, forks and merges 0.
 *   owns  ls_schedule_graph_destroy() by the caller, before the program is destroyed */
LS_API ls_schedule_graph *ls_schedule_graph_create(const ls_program *program);
LS_API void ls_schedule_graph_destroy(ls_schedule_graph *graph);
/* Sets other weights, by position, and recomputes the critical path. */
LS_API void ls_schedule_graph_weigh(ls_schedule_graph *graph, const uint64_t *weights);

/* Returns "order", "needs", "weak", "listed", "par", "independent" or "filtered". */
LS_API const char *ls_link_word(ls_link_kind kind);
/* Returns "at start", "parallel", "before commands" or "at end". */
LS_API const char *ls_slot_word(uint32_t slot);
static inline bool ls_link_is_order(ls_link_kind kind)
{
    return kind <= LS_LINK_PAR;
}
/* Whether the link leaves its stage or slot; such a link adds nothing to the order. */
LS_API bool ls_link_is_far(const ls_schedule_graph *graph, const ls_schedule_link *link);

#ifdef __cplusplus
}
#endif

#endif
