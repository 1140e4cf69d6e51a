/* The exact searches for the optimum, compared with brute force on graphs of up to six systems. */
#include "benches/schedule/makespan.h"

#include "tests/unit/core/harness.h"

enum { SYSTEMS_MAX = 6, TIME_MAX = 9, SEEDS = 15, WORKERS_MAX = 3 };

typedef struct attempt {
    const graph *graph;
    uint32_t workers, taken;
    uint64_t free_from[WORKERS_MAX], ends[SYSTEMS_MAX], shortest;
} attempt;

static uint64_t latest(const uint64_t *times, uint32_t count)
{
    uint64_t found = 0;
    for (uint32_t i = 0; i < count; i++)
        found = times[i] > found ? times[i] : found;
    return found;
}

/* Tries every order, and for each system every worker. */
static void try_all(attempt *self, uint32_t set)
{
    if (latest(self->free_from, self->workers) >= self->shortest)
        return;
    if (self->taken == self->graph->count) {
        self->shortest = latest(self->free_from, self->workers);
        return;
    }
    for (uint32_t i = 0; i < self->graph->count; i++) {
        const graph_node *node = &self->graph->nodes[i];
        uint64_t ready = 0;
        bool may_start = (set >> i & 1) == 0;
        for (uint32_t j = 0; j < node->before_count; j++) {
            may_start &= set >> node->before[j] & 1;
            ready = self->ends[node->before[j]] > ready ? self->ends[node->before[j]] : ready;
        }
        for (uint32_t worker = 0; worker < self->workers && may_start; worker++) {
            uint64_t free_from = self->free_from[worker];
            self->ends[i] = (free_from > ready ? free_from : ready) + self->graph->times[i];
            self->free_from[worker] = self->ends[i];
            self->taken++;
            try_all(self, set | 1u << i);
            self->taken--;
            self->free_from[worker] = free_from;
        }
    }
}

/* The best makespan of all ranks: tries each permutation of the ranks from `fixed` on. */
static uint64_t best_by_rank(const graph *given, uint32_t workers, uint64_t *ranks, uint32_t fixed)
{
    if (fixed == given->count)
        return makespan_by_rank(given, ranks, workers);
    uint64_t shortest = UINT64_MAX;
    for (uint32_t i = fixed; i < given->count; i++) {
        uint64_t rank = ranks[i];
        ranks[i] = ranks[fixed];
        ranks[fixed] = rank;
        uint64_t makespan = best_by_rank(given, workers, ranks, fixed + 1);
        shortest = makespan < shortest ? makespan : shortest;
        ranks[fixed] = ranks[i];
        ranks[i] = rank;
    }
    return shortest;
}

typedef struct tally {
    uint32_t graphs, needs_search;
} tally;

static void compare(const graph *given, uint32_t workers, tally *found)
{
    attempt all = {.graph = given, .workers = workers, .shortest = UINT64_MAX};
    uint64_t ranks[SYSTEMS_MAX] = {0};
    uint64_t known = makespan_by_rank(given, ranks, workers);
    try_all(&all, 0);
    assert_int_equal(makespan_optimum(given, workers, known), all.shortest);
    assert_int_equal(makespan_optimum(given, workers, graph_work(given) + 1), all.shortest);
    assert_true(all.shortest >= graph_bound(given, workers));
    for (uint32_t i = 0; i < given->count; i++)
        ranks[i] = i;
    uint64_t greedy = best_by_rank(given, workers, ranks, 0);
    assert_int_equal(makespan_greedy_optimum(given, workers, known), greedy);
    assert_int_equal(makespan_greedy_optimum(given, workers, graph_work(given) + 1), greedy);
    found->graphs++;
    found->needs_search += greedy < known;
}

TEST(test_makespan_optimum_equals_trying_everything)
{
    tally found = {0};
    for (graph_shape shape = 0; shape < GRAPH_SHAPES; shape++) {
        for (uint32_t seed = 0; seed < SEEDS * SYSTEMS_MAX; seed++) {
            graph given;
            graph_init(&given, shape, 1 + seed % SYSTEMS_MAX, TIME_MAX, seed);
            for (uint32_t workers = 2; workers <= WORKERS_MAX; workers++)
                compare(&given, workers, &found);
            graph_reset(&given);
        }
    }
    assert_true(found.needs_search > found.graphs / 50);
}

/* 0 and 1 have no predecessors; 2 and 3 are long and wait for 1. If 4 starts at once, it delays
 * them. */
static graph_node nodes[] = {{0}, {0}, {1, {1}}, {1, {1}}, {0}};
static uint64_t times[] = {1, 2, 20, 20, 10};

TEST(test_makespan_by_rank_starts_whatever_is_ready)
{
    const graph given = {.count = 5, .nodes = nodes, .times = times};
    const uint64_t ranks[] = {30, 22, 20, 20, 10}, equal[] = {7, 7, 7, 7, 7};
    assert_int_equal(makespan_by_rank(&given, ranks, 2), 31);
    assert_int_equal(makespan_by_rank(&given, ranks, 1), 53);
    assert_int_equal(makespan_by_rank(&given, ranks, 3), 22);
    assert_int_equal(makespan_by_rank(&given, equal, 2),
                     31); /* equal ranks: the lower number first */
}

/* 4 is ready before 1 ends. The two long systems must end before the last one starts. */
TEST(test_makespan_optimum_lets_workers_wait)
{
    graph_node waiting[] = {{0}, {0}, {1, {1}}, {1, {1}}, {0}, {2, {2, 3}}};
    uint64_t long_times[] = {1, 2, 20, 20, 19, 20};
    const graph given = {.count = 6, .nodes = waiting, .times = long_times};
    tally found = {0};
    compare(&given, 2, &found);
    assert_int_equal(makespan_optimum(&given, 2, 100), 42);
    assert_int_equal(makespan_greedy_optimum(&given, 2, 100), 59);
}

/* More workers never take longer; one worker takes the sum of all times. */
TEST(test_makespan_optimum_falls_with_workers)
{
    for (graph_shape shape = 0; shape < GRAPH_SHAPES; shape++) {
        graph given;
        graph_init(&given, shape, MAKESPAN_EXACT_MAX, 100, 3);
        uint64_t before = graph_work(&given);
        assert_int_equal(makespan_optimum(&given, 1, before + 1), before);
        for (uint32_t workers = 2; workers <= MAKESPAN_WORKERS_MAX; workers++) {
            uint64_t found = makespan_optimum(&given, workers, before);
            assert_true(found <= before && found >= graph_bound(&given, workers));
            before = found;
        }
        graph_reset(&given);
    }
}
