#include "benches/schedule/graph.h"

#include <lockstep/base.h>
#include <lockstep/random.h>

#include <string.h>

enum { WIDTH_MAX = 6, LAYER_EDGES_MAX = 3, SPARSE_EDGES_MAX = 2, CHAIN_MAX = 3 };

typedef struct maker {
    graph *graph;
    ls_random_stream random;
    uint64_t drawn;
} maker;

static uint32_t draw(maker *self, uint32_t below)
{
    return ls_random_below(ls_random_draw(self->random, self->drawn++), below);
}

/* Adds a predecessor; keeps the list sorted and without duplicates. */
static void wait_for(graph_node *node, uint32_t earlier)
{
    uint32_t at = 0;
    while (at < node->before_count && node->before[at] < earlier)
        at++;
    if (at < node->before_count && node->before[at] == earlier)
        return;
    LS_ASSERT(node->before_count < GRAPH_EDGES_IN_MAX);
    for (uint32_t i = node->before_count++; i > at; i--)
        node->before[i] = node->before[i - 1];
    node->before[at] = earlier;
}

static void wait_for_some(maker *self, uint32_t node, uint32_t first, uint32_t end, uint32_t edges)
{
    for (uint32_t i = 0; i < edges && first < end; i++)
        wait_for(&self->graph->nodes[node], first + draw(self, end - first));
}

static void make_layered(maker *self)
{
    uint32_t count = self->graph->count, before = 0;
    for (uint32_t first = 0; first < count;) {
        uint32_t end = first + 1 + draw(self, WIDTH_MAX);
        end = end < count ? end : count;
        for (uint32_t i = first; i < end; i++)
            wait_for_some(self, i, before, first, 1 + draw(self, LAYER_EDGES_MAX));
        before = first;
        first = end;
    }
}

/* The chains of a fork have different lengths; the last fork may have no join. */
static void make_fork_join(maker *self)
{
    uint32_t count = self->graph->count, next = 1;
    graph_node *nodes = self->graph->nodes;
    for (uint32_t fork = 0; next < count;) {
        uint32_t chains = 2 + draw(self, WIDTH_MAX - 1), ends[WIDTH_MAX];
        uint32_t made = 0;
        for (; made < chains && next < count; made++) {
            uint32_t length = 1 + draw(self, CHAIN_MAX);
            wait_for(&nodes[next], fork);
            for (next++; --length && next < count; next++)
                wait_for(&nodes[next], next - 1);
            ends[made] = next - 1;
        }
        for (uint32_t i = 0; i < made && next < count; i++)
            wait_for(&nodes[next], ends[i]);
        fork = next++;
    }
}

static void make_anyhow(maker *self, uint32_t min, uint32_t max)
{
    for (uint32_t i = 0; i < self->graph->count; i++)
        wait_for_some(self, i, 0, i, min + draw(self, max - min + 1));
}

static void link_systems(graph *self)
{
    for (uint32_t i = 0; i < self->count; i++) {
        self->systems[i].predecessor_count = self->nodes[i].before_count;
        for (uint32_t j = 0; j < self->nodes[i].before_count; j++)
            self->systems[self->nodes[i].before[j]].successor_count++;
    }
    uint32_t *next = self->successors;
    for (uint32_t i = 0; i < self->count; i++) {
        self->systems[i].successors = next;
        next += self->systems[i].successor_count;
        self->systems[i].successor_count = 0;
    }
    for (uint32_t i = 0; i < self->count; i++) {
        for (uint32_t j = 0; j < self->nodes[i].before_count; j++) {
            ls_plan_system *earlier = &self->systems[self->nodes[i].before[j]];
            earlier->successors[earlier->successor_count++] = i;
        }
    }
}

void graph_init(graph *self, graph_shape shape, uint32_t count, uint32_t time_max, uint64_t seed)
{
    *self = (graph){.count = count};
    self->nodes = ls_alloc(sizeof *self->nodes * count);
    self->times = ls_alloc(sizeof *self->times * count);
    self->systems = ls_alloc(sizeof *self->systems * count);
    self->successors = ls_alloc(sizeof *self->successors * GRAPH_EDGES_IN_MAX * count);
    maker made = {.graph = self,
                  .random = ls_random_child(ls_random_root(seed), (uint64_t)shape << 32 | count)};
    if (shape == GRAPH_LAYERED)
        make_layered(&made);
    else if (shape == GRAPH_FORK_JOIN)
        make_fork_join(&made);
    else if (shape == GRAPH_SPARSE)
        make_anyhow(&made, 0, SPARSE_EDGES_MAX);
    else
        make_anyhow(&made, 1, GRAPH_EDGES_IN_MAX);
    for (uint32_t i = 0; i < count; i++)
        self->times[i] = 1 + draw(&made, time_max);
    link_systems(self);
}

void graph_reset(graph *self)
{
    ls_free(self->nodes);
    ls_free(self->times);
    ls_free(self->systems);
    ls_free(self->successors);
}

const char *graph_shape_name(graph_shape shape)
{
    static const char *const names[GRAPH_SHAPES] = {"layered", "fork-join", "sparse", "dense"};
    return names[shape];
}

uint64_t graph_work(const graph *self)
{
    uint64_t work = 0;
    for (uint32_t i = 0; i < self->count; i++)
        work += self->times[i];
    return work;
}

uint64_t graph_longest_path(const graph *self)
{
    uint64_t *ends = ls_alloc(sizeof *ends * self->count), longest = 0;
    for (uint32_t i = 0; i < self->count; i++) {
        for (uint32_t j = 0; j < self->nodes[i].before_count; j++) {
            uint64_t end = ends[self->nodes[i].before[j]];
            ends[i] = end > ends[i] ? end : ends[i];
        }
        ends[i] += self->times[i];
        longest = ends[i] > longest ? ends[i] : longest;
    }
    ls_free(ends);
    return longest;
}

uint64_t graph_bound(const graph *self, uint32_t workers)
{
    uint64_t path = graph_longest_path(self), share = (graph_work(self) + workers - 1) / workers;
    return path > share ? path : share;
}
