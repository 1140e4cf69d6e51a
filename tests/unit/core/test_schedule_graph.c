/* The graph of a schedule: the reasons of its edges, the pairs kept apart, and the critical
 * path. */
#include <lockstep/schedule_graph.h>

#include "diary_sim.h"

/* Asserts all links, as "a-b order critical, ...". */
static void assert_links(const ls_schedule_graph *graph, const char *expected)
{
    char found[512] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < graph->link_count; i++) {
        const ls_schedule_link *link = &graph->links[i];
        used += (size_t)snprintf(found + used, sizeof found - used, "%s%s-%s %s%s", i ? ", " : "",
                                 graph->nodes[link->one].system->name,
                                 graph->nodes[link->other].system->name, ls_link_word(link->kind),
                                 link->is_critical ? " critical" : "");
    }
    assert_string_equal(found, expected);
}

static ls_schedule_graph *graph_of(harness *self, const ls_sim *sim)
{
    harness_begin(self, sim, 1);
    return ls_schedule_graph_create(self->program);
}

static void end(harness *self, ls_schedule_graph *graph)
{
    ls_schedule_graph_destroy(graph);
    harness_end(self);
}

TEST(test_schedule_graph_knows_the_origin_of_edges)
{
    const ls_system systems[] = {WRITER("a"), WRITER("b", .after = "a"),
                                 WRITER("c", .weakly_after = "b"), WRITER("d", .needs = "c"),
                                 /* Declared as both, so it is a strong order. */
                                 WRITER("e", .after = "d", .weakly_after = "d")};
    ls_sim sim = diary_sim(systems, LS_COUNT_OF(systems));
    harness self;
    ls_schedule_graph *graph = graph_of(&self, &sim);
    assert_links(graph, "a-b order critical, b-c weak critical, c-d needs critical, "
                        "d-e order critical");
    assert_non_null(strstr(graph->links[0].why, "writes \"diary\""));
    end(&self, graph);
}

TEST(test_schedule_graph_knows_what_the_list_orders)
{
    static const ls_stage stages[] = {{.name = "main", .insertion_order = true}};
    const ls_system systems[] = {WRITER("b"), WRITER("a", .after = "b"), WRITER("c")};
    ls_sim sim = diary_sim(systems, LS_COUNT_OF(systems));
    sim.stages = stages;
    sim.stage_count = 1;
    harness self;
    ls_schedule_graph *graph = graph_of(&self, &sim);
    assert_links(graph, "b-a order critical, a-c listed critical");
    end(&self, graph);
}

TEST(test_schedule_graph_says_why_two_are_apart)
{
    static const ls_independence independences[] = {{"some", "b", "for no reason"}};
    const ls_system systems[] = {WRITER("a", .labels = "some"), WRITER("b")};
    ls_sim sim = diary_sim(systems, LS_COUNT_OF(systems));
    sim.independences = independences;
    sim.independence_count = 1;
    harness self;
    ls_schedule_graph *graph = graph_of(&self, &sim);
    assert_links(graph, "a-b independent");
    assert_string_equal(graph->links[0].why, "for no reason");
    end(&self, graph);
}

TEST(test_schedule_graph_keeps_needs_of_other_stages)
{
    static const ls_stage stages[] = {
        {.name = "main"}, {.name = "outer"}, {.name = "inner", .within = "outer"}};
    const ls_system systems[] = {WRITER("a"), WRITER("b", .stage = "inner", .needs = "a")};
    ls_sim sim = diary_sim(systems, LS_COUNT_OF(systems));
    sim.stages = stages;
    sim.stage_count = LS_COUNT_OF(stages);
    harness self;
    ls_schedule_graph *graph = graph_of(&self, &sim);
    assert_links(graph, "a-b needs");
    assert_true(ls_link_is_far(graph, &graph->links[0]));
    assert_int_equal(graph->stages[0].parent, UINT32_MAX);
    assert_int_equal(graph->stages[2].parent, 1);
    assert_int_equal(graph->stages[2].depth, 1);
    assert_int_equal(graph->stages[1].end, 3);
    end(&self, graph);
}

TEST(test_schedule_graph_finds_the_longest_way_by_weight)
{
    const ls_system systems[] = {
        FOR_EACH("a", diary_write, .slot = LS_AT_START),
        WRITER("b"),
        {.name = "c", .mode = LS_SEQUENTIAL, .match = diary_write, .data = "c"},
        WRITER("d", .after = "b, c")};
    ls_sim sim = diary_sim(systems, LS_COUNT_OF(systems));
    harness self;
    ls_schedule_graph *graph = graph_of(&self, &sim);
    assert_links(graph, "b-d order critical, c-d order");
    assert_int_equal(graph->stages[0].critical, 3);
    assert_int_equal(graph->stages[0].work, 4);
    ls_schedule_graph_weigh(graph, (const uint64_t[]){7, 1, 5, 2});
    assert_links(graph, "b-d order, c-d order critical");
    assert_int_equal(graph->stages[0].critical, 14);
    assert_int_equal(graph->stages[0].work, 15);
    assert_true(graph->nodes[0].is_critical && !graph->nodes[1].is_critical);
    end(&self, graph);
}

TEST(test_schedule_graph_shows_where_a_par_begins_and_ends)
{
    static const ls_par pars[] = {{"fold", "b, c"}};
    const ls_system systems[] = {WRITER("a", .weakly_before = "b"), WRITER("b"), WRITER("c"),
                                 WRITER("d", .after = "c")};
    ls_sim sim = diary_sim(systems, LS_COUNT_OF(systems));
    sim.pars = pars;
    sim.par_count = 1;
    harness self;
    ls_schedule_graph *graph = graph_of(&self, &sim);
    assert_links(graph, "a-fold weak critical, fold-b par critical, fold-c par, "
                        "b-fold (merge) par critical, c-fold (merge) par, "
                        "fold (merge)-d order critical");
    assert_int_equal(graph->nodes[graph->pars[0].fork].kind, LS_NODE_FORK);
    assert_int_equal(graph->nodes[graph->pars[0].merge].kind, LS_NODE_MERGE);
    assert_int_equal(graph->pars[0].sides[2], 1);
    assert_int_equal(graph->pars[0].sides[3], 2);
    assert_int_equal(graph->pars[0].sides[0], 0);
    assert_int_equal(graph->stages[0].critical, 3);
    end(&self, graph);
}

TEST(test_schedule_graph_of_nothing)
{
    ls_sim sim = diary_sim(NULL, 0);
    harness self;
    ls_schedule_graph *graph = graph_of(&self, &sim);
    assert_int_equal(graph->node_count, 0);
    assert_int_equal(graph->stage_count, 1);
    assert_int_equal(graph->stages[0].critical, 0);
    end(&self, graph);
}
