/* The random graphs of the benches: their properties, and that a seed always gives the same
 * graph. */
#include "benches/schedule/graph.h"

#include "tests/unit/core/harness.h"

static void assert_sound(const graph *given, uint32_t time_max)
{
    uint32_t edges = 0, successors = 0;
    for (uint32_t i = 0; i < given->count; i++) {
        const graph_node *node = &given->nodes[i];
        assert_true(node->before_count <= GRAPH_EDGES_IN_MAX);
        assert_int_equal(given->systems[i].predecessor_count, node->before_count);
        assert_true(given->times[i] >= 1 && given->times[i] <= time_max);
        for (uint32_t j = 0; j < node->before_count; j++) {
            const ls_plan_system *earlier = &given->systems[node->before[j]];
            assert_true(node->before[j] < i && (j == 0 || node->before[j - 1] < node->before[j]));
            uint32_t found = 0;
            for (uint32_t k = 0; k < earlier->successor_count; k++)
                found += earlier->successors[k] == i;
            assert_int_equal(found, 1);
        }
        edges += node->before_count;
        successors += given->systems[i].successor_count;
    }
    assert_int_equal(edges, successors);
    if (given->count > 12)
        assert_true(edges > 0);
}

TEST(test_graph_is_sound_and_named_by_its_seed)
{
    static const uint32_t sizes[] = {1, 4, 12, 40, 1000};
    for (graph_shape shape = 0; shape < GRAPH_SHAPES; shape++) {
        for (uint32_t i = 0; i < LS_COUNT_OF(sizes); i++) {
            graph one, same, other;
            graph_init(&one, shape, sizes[i], 100, 7);
            graph_init(&same, shape, sizes[i], 100, 7);
            graph_init(&other, shape, sizes[i], 100, 8);
            assert_sound(&one, 100);
            assert_memory_equal(one.nodes, same.nodes, sizeof *one.nodes * one.count);
            assert_memory_equal(one.times, same.times, sizeof *one.times * one.count);
            assert_memory_not_equal(one.times, other.times, sizeof *one.times * one.count);
            graph_reset(&one);
            graph_reset(&same);
            graph_reset(&other);
        }
        assert_true(strlen(graph_shape_name(shape)) > 0);
    }
}

TEST(test_graph_bound_is_the_longer_of_path_and_share)
{
    graph_node nodes[] = {{0}, {1, {0}}, {1, {0}}, {2, {1, 2}}};
    uint64_t times[] = {1, 5, 7, 2};
    const graph given = {.count = 4, .nodes = nodes, .times = times};
    assert_int_equal(graph_work(&given), 15);
    assert_int_equal(graph_longest_path(&given), 10);
    assert_int_equal(graph_bound(&given, 1), 15);
    assert_int_equal(graph_bound(&given, 2), 10);
    times[1] = 20;
    times[2] = 20;
    assert_int_equal(graph_bound(&given, 2), 23);
    times[1] = 19;
    times[3] = 1;
    times[0] = 0;
    assert_int_equal(graph_bound(&given, 2), 21);
    assert_int_equal(graph_bound(&given, 1), 40);
}
