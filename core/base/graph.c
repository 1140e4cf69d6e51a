#include "core/base/graph.h"

#include <string.h>

void ls_graph_init(ls_graph *graph, uint32_t count)
{
    graph->count = count;
    graph->words = LS_BIT_WORDS(count) ? LS_BIT_WORDS(count) : 1;
    graph->after = ls_alloc(sizeof(uint64_t) * graph->words * (count ? count : 1));
}

void ls_graph_reset(ls_graph *graph)
{
    ls_free(graph->after);
    *graph = (ls_graph){0};
}

uint32_t ls_graph_sort(const ls_graph *graph, uint32_t *order)
{
    uint32_t *waiting = ls_alloc(sizeof *waiting * (graph->count + 1));
    uint64_t *ready = ls_alloc(sizeof *ready * graph->words);
    uint32_t placed = 0;
    for (uint32_t node = 0; node < graph->count; node++) {
        const uint64_t *row = ls_graph_row(graph, node);
        for (uint32_t later = ls_bits_next(row, graph->words, 0); later < graph->count;
             later = ls_bits_next(row, graph->words, later + 1))
            waiting[later]++;
    }
    for (uint32_t node = 0; node < graph->count; node++) {
        if (waiting[node] == 0)
            ls_bit_set(ready, node);
    }
    for (uint32_t node; (node = ls_bits_next(ready, graph->words, 0)) < graph->count;) {
        ls_bit_clear(ready, node);
        order[placed++] = node;
        const uint64_t *row = ls_graph_row(graph, node);
        for (uint32_t later = ls_bits_next(row, graph->words, 0); later < graph->count;
             later = ls_bits_next(row, graph->words, later + 1)) {
            if (--waiting[later] == 0)
                ls_bit_set(ready, later);
        }
    }
    ls_free(ready);
    ls_free(waiting);
    return placed;
}

/* The length of a shortest cycle through `start` and nodes above it, if it is shorter than `best`;
 * else returns `best`. */
static uint32_t search_cycle(const ls_graph *graph, uint32_t start, uint32_t best, uint32_t *queue,
                             uint32_t *from)
{
    uint32_t count = 1, level_end = 1, length = 1;
    memset(from, 0xff, sizeof *from * graph->count);
    queue[0] = start;
    for (uint32_t i = 0; i < count && length < best; i++) {
        const uint64_t *row = ls_graph_row(graph, queue[i]);
        for (uint32_t next = ls_bits_next(row, graph->words, start); next < graph->count;
             next = ls_bits_next(row, graph->words, next + 1)) {
            if (next == start) {
                from[start] = queue[i];
                return length;
            }
            if (from[next] == UINT32_MAX) {
                from[next] = queue[i];
                queue[count++] = next;
            }
        }
        if (i + 1 == level_end) {
            level_end = count;
            length++;
        }
    }
    return best;
}

uint32_t ls_graph_find_cycle(const ls_graph *graph, uint32_t *path)
{
    uint32_t *queue = ls_alloc(sizeof *queue * (graph->count + 1));
    uint32_t *from = ls_alloc(sizeof *from * (graph->count + 1));
    uint32_t none = graph->count + 1, best = none;
    for (uint32_t start = 0; start < graph->count && best > 1; start++) {
        uint32_t length = search_cycle(graph, start, best, queue, from);
        if (length == best)
            continue;
        best = length;
        uint32_t at = from[start];
        for (uint32_t i = length; i-- > 1; at = from[at])
            path[i] = at;
        path[0] = start;
    }
    ls_free(queue);
    ls_free(from);
    return best == none ? 0 : best;
}

void ls_graph_cut(ls_graph *graph, const uint32_t *nodes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        memset(ls_graph_row(graph, nodes[i]), 0, sizeof(uint64_t) * graph->words);
        for (uint32_t j = 0; j < graph->count; j++)
            ls_bit_clear(ls_graph_row(graph, j), nodes[i]);
    }
}

void ls_graph_close(const ls_graph *graph, const uint32_t *order, ls_graph *closure)
{
    for (uint32_t i = graph->count; i-- > 0;) {
        const uint64_t *row = ls_graph_row(graph, order[i]);
        uint64_t *reach = ls_graph_row(closure, order[i]);
        for (uint32_t later = ls_bits_next(row, graph->words, 0); later < graph->count;
             later = ls_bits_next(row, graph->words, later + 1)) {
            /* Most edges of a large graph are redundant; their target is already in the closure. */
            if (ls_bit_has(reach, later))
                continue;
            ls_bit_set(reach, later);
            ls_bits_or(reach, ls_graph_row(closure, later), graph->words);
        }
    }
}

void ls_graph_reduce(ls_graph *graph, const uint32_t *order, const ls_graph *closure)
{
    uint64_t *reach = ls_alloc(sizeof *reach * graph->words);
    uint32_t *place = ls_alloc(sizeof *place * (graph->count + 1));
    uint64_t *by_place = ls_alloc(sizeof *by_place * graph->words);
    for (uint32_t i = 0; i < graph->count; i++)
        place[order[i]] = i;
    for (uint32_t node = 0; node < graph->count; node++) {
        uint64_t *row = ls_graph_row(graph, node);
        memset(reach, 0, sizeof *reach * graph->words);
        memset(by_place, 0, sizeof *by_place * graph->words);
        for (uint32_t later = ls_bits_next(row, graph->words, 0); later < graph->count;
             later = ls_bits_next(row, graph->words, later + 1))
            ls_bit_set(by_place, place[later]);
        /* Successors are visited in topological order. An edge is redundant if an earlier successor
         * reaches its target. */
        for (uint32_t i = ls_bits_next(by_place, graph->words, 0); i < graph->count;
             i = ls_bits_next(by_place, graph->words, i + 1)) {
            if (ls_bit_has(reach, order[i]))
                ls_bit_clear(row, order[i]);
            else
                ls_bits_or(reach, ls_graph_row(closure, order[i]), graph->words);
        }
    }
    ls_free(reach);
    ls_free(place);
    ls_free(by_place);
}
