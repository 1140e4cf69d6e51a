/* Graph functions, compared with the plainest algorithms on random graphs with and without
 * cycles. */
#include "core/base/graph.h"

#include "harness.h"

enum { NODES_MAX = 130, ROUNDS = 300 };

typedef struct plain_graph {
    uint32_t count;
    bool edges[NODES_MAX][NODES_MAX], paths[NODES_MAX][NODES_MAX];
} plain_graph;

/* Without `with_cycles` edges only go upwards in a hidden order, which differs from the node
 * numbers. */
static void make(ls_graph *graph, plain_graph *plain, uint64_t *random, bool with_cycles)
{
    memset(plain, 0, sizeof *plain);
    plain->count = 1 + test_below(random, NODES_MAX);
    ls_graph_init(graph, plain->count);
    uint32_t edges = test_below(random, plain->count * 3), turn = test_below(random, plain->count);
    for (uint32_t i = 0; i < edges; i++) {
        uint32_t a = test_below(random, plain->count), b = test_below(random, plain->count);
        if (!with_cycles && a == b)
            continue;
        uint32_t low = with_cycles || a < b ? a : b, high = low == a ? b : a;
        uint32_t earlier = (low + turn) % plain->count, later = (high + turn) % plain->count;
        ls_graph_add(graph, earlier, later);
        plain->edges[earlier][later] = true;
    }
    memcpy(plain->paths, plain->edges, sizeof plain->paths);
    for (uint32_t k = 0; k < plain->count; k++) {
        for (uint32_t i = 0; i < plain->count; i++) {
            for (uint32_t j = 0; plain->paths[i][k] && j < plain->count; j++)
                plain->paths[i][j] |= plain->paths[k][j];
        }
    }
}

static bool has_cycle(const plain_graph *plain)
{
    for (uint32_t i = 0; i < plain->count; i++) {
        if (plain->paths[i][i])
            return true;
    }
    return false;
}

/* Asserts that every position holds the lowest node without unplaced predecessors. */
static void assert_sorted(const plain_graph *plain, const uint32_t *order)
{
    bool placed[NODES_MAX] = {false};
    for (uint32_t at = 0; at < plain->count; at++) {
        uint32_t lowest = 0;
        for (bool is_held = true; is_held; lowest += is_held) {
            is_held = placed[lowest];
            for (uint32_t i = 0; i < plain->count && !is_held; i++)
                is_held = plain->edges[i][lowest] && !placed[i];
        }
        assert_int_equal(order[at], lowest);
        placed[lowest] = true;
    }
}

static void assert_reduced(const plain_graph *plain, const ls_graph *graph)
{
    for (uint32_t i = 0; i < plain->count; i++) {
        for (uint32_t j = 0; j < plain->count; j++) {
            bool is_needed = plain->edges[i][j];
            for (uint32_t k = 0; k < plain->count; k++)
                is_needed &= !(plain->paths[i][k] && plain->paths[k][j]);
            assert_int_equal(ls_graph_has(graph, i, j), is_needed);
        }
    }
}

TEST(test_graph_sorts_closes_and_reduces)
{
    static plain_graph plain;
    uint64_t random = harness_seed("test_graph_sorts_closes_and_reduces");
    uint32_t order[NODES_MAX];
    for (uint32_t round = 0; round < ROUNDS; round++) {
        ls_graph graph, closure;
        make(&graph, &plain, &random, false);
        assert_int_equal(ls_graph_sort(&graph, order), plain.count);
        assert_sorted(&plain, order);
        assert_int_equal(ls_graph_find_cycle(&graph, order), 0);
        ls_graph_sort(&graph, order);
        ls_graph_init(&closure, plain.count);
        ls_graph_close(&graph, order, &closure);
        for (uint32_t i = 0; i < plain.count * plain.count; i++)
            assert_int_equal(ls_graph_has(&closure, i / plain.count, i % plain.count),
                             plain.paths[i / plain.count][i % plain.count]);
        ls_graph_reduce(&graph, order, &closure);
        assert_reduced(&plain, &graph);
        ls_graph_reset(&closure);
        ls_graph_reset(&graph);
    }
}

static uint32_t shortest_cycle(const plain_graph *plain)
{
    static bool reach[NODES_MAX][NODES_MAX], next[NODES_MAX][NODES_MAX];
    memcpy(reach, plain->edges, sizeof reach);
    for (uint32_t length = 1; length <= plain->count; length++) {
        for (uint32_t i = 0; i < plain->count; i++) {
            if (reach[i][i])
                return length;
        }
        memset(next, 0, sizeof next);
        for (uint32_t i = 0; i < plain->count; i++) {
            for (uint32_t k = 0; k < plain->count; k++) {
                for (uint32_t j = 0; reach[i][k] && j < plain->count; j++)
                    next[i][j] |= plain->edges[k][j];
            }
        }
        memcpy(reach, next, sizeof reach);
    }
    return 0;
}

TEST(test_graph_finds_a_shortest_cycle)
{
    static plain_graph plain;
    uint64_t random = harness_seed("test_graph_finds_a_shortest_cycle");
    uint32_t path[NODES_MAX], cycles = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        ls_graph graph;
        make(&graph, &plain, &random, true);
        uint32_t length = ls_graph_find_cycle(&graph, path);
        assert_int_equal(length, shortest_cycle(&plain));
        for (uint32_t i = 0; i < length; i++)
            assert_true(plain.edges[path[i]][path[(i + 1) % length]] && path[i] >= path[0]);
        uint32_t placed = ls_graph_sort(&graph, path);
        assert_int_equal(placed < plain.count, has_cycle(&plain));
        cycles += length > 0;
        ls_graph_reset(&graph);
    }
    assert_true(cycles > ROUNDS / 4 && cycles < ROUNDS);
}

TEST(test_graph_may_be_empty)
{
    ls_graph graph;
    uint32_t order[1];
    ls_graph_init(&graph, 0);
    assert_int_equal(ls_graph_sort(&graph, order), 0);
    assert_int_equal(ls_graph_find_cycle(&graph, order), 0);
    ls_graph_reset(&graph);
}
