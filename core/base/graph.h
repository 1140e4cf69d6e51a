/* Precedence between nodes 0..count-1. Edges are a bit matrix, so operations on all paths cost
 * edges x nodes / 64.
 *   source  docs/scheduler.md; docs/texts.md, "Validation of ECS graphs in Emergence" */
#ifndef LS_GRAPH_H
#define LS_GRAPH_H

#include "core/base/bits.h"

typedef struct ls_graph {
    uint32_t count, words;
    uint64_t *after; /* by node, `words` each: bit set of its successors */
} ls_graph;

void ls_graph_init(ls_graph *graph, uint32_t count);
void ls_graph_reset(ls_graph *graph);

static inline uint64_t *ls_graph_row(const ls_graph *graph, uint32_t node)
{
    return graph->after + (size_t)node * graph->words;
}

static inline void ls_graph_add(ls_graph *graph, uint32_t earlier, uint32_t later)
{
    ls_bit_set(ls_graph_row(graph, earlier), later);
}

static inline bool ls_graph_has(const ls_graph *graph, uint32_t earlier, uint32_t later)
{
    return ls_bit_has(ls_graph_row(graph, earlier), later);
}

/* Sorts topologically; of the nodes that may come next, the lowest is taken, so the order is
 * unique. Returns the number of sorted nodes: fewer than all when there is a cycle. */
uint32_t ls_graph_sort(const ls_graph *graph, uint32_t *order);
/* Finds a shortest cycle: writes its nodes in the order of the edges, beginning with the lowest,
 * and returns their number; 0 when there is no cycle. `path` has room for all nodes. */
uint32_t ls_graph_find_cycle(const ls_graph *graph, uint32_t *path);
/* Removes all edges from and to these nodes. */
void ls_graph_cut(ls_graph *graph, const uint32_t *nodes, uint32_t count);
/* Computes the transitive closure into `closure`, which is initialised and empty. The graph has no
 * cycle, and `order` is a topological order of it. */
void ls_graph_close(const ls_graph *graph, const uint32_t *order, ls_graph *closure);
/* Removes every edge from a node to another if a longer path also leads there (transitive
 * reduction). `order` is a topological order of the graph, `closure` its transitive closure. */
void ls_graph_reduce(ls_graph *graph, const uint32_t *order, const ls_graph *closure);

#endif
