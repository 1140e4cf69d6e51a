/* Concurrent systems with every kind of change: the eight categories of the Core ECS paper's Table
 * 2, directly and by command, and query vectors that roll over their own changes. */
#include "mutation_sim.h"

/* `counts` is the paper's Pos, `extras` its Vel. */
static bool has_count(uint32_t i)
{
    return i % 3 != 0 && i / 256 != 2;
}

static bool has_extra(uint32_t i)
{
    return i % 7 < 4;
}

static void mixed(ls_context *context, ls_entity entity, uint32_t i)
{
    if (has_count(i))
        ls_cell_attach(context, 0, entity, &(tally){i + 1});
    if (has_extra(i))
        ls_cell_attach(context, 1, entity, &(tally){i + 1});
}

static void attach_zero(ls_context *context, const ls_entity *entities)
{
    assert_true(ls_cell_attach(context, 0, entities[0], NULL));
}

static void attach_one(ls_context *context, const ls_entity *entities)
{
    assert_true(ls_cell_attach(context, 0, entities[0], &(tally){1}));
}

static void detach(ls_context *context, const ls_entity *entities)
{
    ls_cell_detach(context, 0, entities[0]);
}

static void initialize(ls_context *context, const ls_entity *entities)
{
    assert_true(ls_cell_attach(context, 0, ls_spawn(context, 0), &(tally){1}));
}

static void command_one(ls_context *context, const ls_entity *entities)
{
    ls_command_attach(context, 0, entities[0], &(tally){1});
}

static void command_detach(ls_context *context, const ls_entity *entities)
{
    ls_command_detach(context, 0, entities[0]);
}

static void command_initialize(ls_context *context, const ls_entity *entities)
{
    ls_command_attach(context, 0, ls_command_spawn(context, 0), &(tally){1});
}

#define ANYWAY_COUNT LS_OPTIONALLY_READS(counts)
#define SYSTEM(...)                                                                                \
    {                                                                                              \
        .name = "it", __VA_ARGS__                                                                  \
    }

/* For each category: the column that changes, how, and for which entities. */
static const struct {
    const char *category;
    ls_system system;
    const ls_component *column;
    bool (*matches)(uint32_t i); /* NULL: all entities */
    bool is_negated, is_gone, is_born;
    uint32_t value;
} categories[] = {
    {"owned update", SYSTEM(.match = attach_zero, .terms = LS_TERM_LIST(LS_DETACHES(counts))),
     &counts, has_count, .value = 0},
    {"owned insert",
     SYSTEM(.match = attach_zero, .terms = LS_TERM_LIST(LS_ATTACHES(counts), LS_WITHOUT(counts))),
     &counts, has_count, .is_negated = true, .value = 0},
    {"owned initialize",
     SYSTEM(.match = initialize, .terms = LS_TERM_LIST(LS_SPAWNS_WITH(counts), ANYWAY_COUNT),
            .lanes = "b"),
     &counts, NULL, .is_born = true},
    {"owned delete", SYSTEM(.match = detach, .terms = LS_TERM_LIST(LS_DETACHES(counts))), &counts,
     has_count, .is_gone = true},
    {"deferred update, in place",
     SYSTEM(.match = attach_one, .terms = LS_TERM_LIST(LS_DETACHES(extras), ANYWAY_COUNT)), &extras,
     has_extra, .value = 1},
    {"deferred insert, in place",
     SYSTEM(.match = attach_one,
            .terms = LS_TERM_LIST(LS_ATTACHES(extras), LS_WITHOUT(extras), ANYWAY_COUNT)),
     &extras, has_extra, .is_negated = true, .value = 1},
    {"deferred update and insert, in place",
     SYSTEM(.match = attach_one, .terms = LS_TERM_LIST(LS_ATTACHES(extras), ANYWAY_COUNT)), &extras,
     NULL, .value = 1},
    {"deferred initialize, in place",
     SYSTEM(.match = initialize, .terms = LS_TERM_LIST(LS_SPAWNS_WITH(extras), ANYWAY_COUNT),
            .lanes = "b"),
     &extras, NULL, .is_born = true},
    {"deferred delete, in place",
     SYSTEM(.match = detach, .terms = LS_TERM_LIST(LS_ATTACHES(extras), ANYWAY_COUNT)), &extras,
     NULL, .is_gone = true},
    {"owned update, by command",
     SYSTEM(.match = command_one, .terms = LS_TERM_LIST(LS_COMMANDED(counts), LS_WITH(counts))),
     &counts, has_count, .value = 1},
    {"owned insert, by command",
     SYSTEM(.match = command_one, .terms = LS_TERM_LIST(LS_COMMANDED(counts), LS_WITHOUT(counts))),
     &counts, has_count, .is_negated = true, .value = 1},
    {"owned delete, by command",
     SYSTEM(.match = command_detach, .terms = LS_TERM_LIST(LS_COMMANDED(counts), LS_WITH(counts))),
     &counts, has_count, .is_gone = true},
    {"deferred update and insert, by command",
     SYSTEM(.match = command_one, .terms = LS_TERM_LIST(LS_COMMANDED(extras), ANYWAY_COUNT)),
     &extras, NULL, .value = 1},
    {"deferred initialize, by command",
     SYSTEM(.match = command_initialize, .terms = LS_TERM_LIST(LS_COMMANDED(extras), ANYWAY_COUNT),
            .command_lanes = "b"),
     &extras, NULL, .is_born = true},
    {"deferred delete, by command",
     SYSTEM(.match = command_detach, .terms = LS_TERM_LIST(LS_COMMANDED(extras), ANYWAY_COUNT)),
     &extras, NULL, .is_gone = true},
};
static uint32_t category;

static void check_column(ls_world *world, const ls_component *column, bool (*had)(uint32_t i))
{
    bool is_other = column != categories[category].column;
    for (uint32_t i = 0; i < population.count; i++) {
        const tally *cell = ls_world_cell(world, column, mutation_entity(i));
        bool is_match = !is_other && !categories[category].is_born &&
                        (!categories[category].matches ||
                         categories[category].matches(i) != categories[category].is_negated);
        bool has = is_match ? !categories[category].is_gone : had(i);
        if (has != (cell != NULL))
            fail_msg("%s: entity %u", categories[category].category, i);
        if (cell)
            assert_int_equal(cell->value, is_match ? categories[category].value : i + 1);
    }
}

static void check_category(ls_world *world)
{
    check_column(world, &counts, has_count);
    check_column(world, &extras, has_extra);
    uint32_t born = categories[category].is_born ? population.count : 0;
    assert_int_equal(ls_world_entity_count(world), population.count + born);
    for (uint32_t i = 0; i < born; i++) {
        const tally *cell =
            ls_world_cell(world, categories[category].column, ls_entity_make(LANE_B, i, 1));
        assert_int_equal(cell->value, 1);
    }
}

TESTS_AROUND(mutation_forget, NULL);

TEST(test_mutations_of_every_category_run_concurrently)
{
    population = (mutation_population){1100, mixed};
    for (category = 0; category < LS_COUNT_OF(categories); category++)
        mutation_agree(mutation_sim(&categories[category].system, 1), 1, check_category);
}

/* Several categories in one tick, on different columns or ordered, for several ticks. */
TEST(test_mutations_of_two_systems_at_once)
{
    const ls_system both[] = {
        {.name = "counts",
         .match = attach_zero,
         .terms = LS_TERM_LIST(LS_ATTACHES(counts), LS_WITH(marks))},
        {.name = "extras",
         .match = detach,
         .terms = LS_TERM_LIST(LS_ATTACHES(extras), LS_WITH(marks))},
        {.name = "born",
         .match = initialize,
         .terms = LS_TERM_LIST(LS_SPAWNS_WITH(links), LS_WITH(marks)),
         .lanes = "c"},
    };
    population = (mutation_population){1100, mixed};
    mutations_agree(both, 2, NULL);
}

enum { OWN, SECOND, THIRD, GONE, SENT };

/* Combines values with the other two entities of a match; the result depends on their order. */
static uint32_t chain(uint32_t value, uint32_t second, uint32_t third)
{
    return value * 31 + second * 7 + third;
}

static bool is_second(uint32_t i)
{
    return i % 90 == 5;
}

static bool is_third(uint32_t i)
{
    return i % 200 == 11 || i == 999;
}

static bool is_over(uint32_t value)
{
    return value % 97 == 3;
}

static void in_three_roles(ls_context *context, ls_entity entity, uint32_t i)
{
    ls_cell_attach(context, 0, entity, &(tally){i});
    if (is_second(i))
        ls_cell_attach(context, 1, entity, &(tally){i});
    if (is_third(i))
        ls_cell_attach(context, 2, entity, &(link){{entity, 0}});
}

/* Counts are the own column. When a chain ends, the entity detaches the component that makes it
 * match. */
static void follow(ls_context *context, const ls_entity *entities)
{
    tally *own = ls_cell_write(context, OWN, entities[0]);
    const tally *second = ls_cell_find(context, SECOND, entities[1]);
    const link *third = ls_cell_find(context, THIRD, entities[2]);
    assert_false(ls_cell_has(context, GONE, entities[0]));
    own->value = chain(own->value, second->value, ls_entity_slot(third->to[0]));
    ls_event_send(context, SENT,
                  &(shout){entities[0], ls_entity_slot(entities[1]), ls_entity_slot(entities[2])});
    if (is_over(own->value))
        ls_cell_attach(context, GONE, entities[0], NULL);
}

static const ls_system following[] = {
    {.name = "follow",
     .match = follow,
     .terms = LS_TERM_LIST(
         [OWN] = LS_WRITES(counts), [SECOND] = LS_TERM(1, LS_INCLUDE, LS_ACCESS_READ, extras),
         [THIRD] = LS_TERM(2, LS_INCLUDE, LS_ACCESS_READ, links), [GONE] = LS_ATTACHES(marks),
         [SENT] = LS_SENDS(shouts), LS_WITHOUT(marks))}};

static void check_followed(ls_world *world)
{
    ls_event_walk walk;
    ls_world_event_begin(world, &shouts, &walk);
    uint32_t n = population.count, over = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t value = i;
        bool is_gone = false;
        for (uint32_t second = 0; second < n && !is_gone; second++) {
            for (uint32_t third = 0; is_second(second) && third < n && !is_gone; third++) {
                if (!is_third(third))
                    continue;
                const shout *sent = ls_event_next(&walk);
                assert_true(sent->who == mutation_entity(i) && sent->value == second &&
                            sent->spare == third);
                value = chain(value, second, third);
                is_gone = is_over(value);
            }
        }
        over += is_gone;
        assert_int_equal(((const tally *)mutation_cell(world, &counts, i))->value, value);
        assert_int_equal(ls_world_cell(world, &marks, mutation_entity(i)) != NULL, is_gone);
    }
    assert_null(ls_event_next(&walk));
    assert_true(over > 10 && over < n);
}

TEST(test_mutations_of_a_query_vector_roll_over_their_own)
{
    population = (mutation_population){1000, in_three_roles};
    mutations_agree(following, 1, check_followed);
}

/* The own entity may also be the other one. Neither its own despawn nor those of others are visible
 * in the tick. */
static void despawn_pair(ls_context *context, const ls_entity *entities)
{
    assert_true(ls_is_alive(context, entities[0]) && ls_is_alive(context, entities[1]));
    ls_accumulate(context, 2, LS_ENTITY_NULL, &(total){.few = 1});
    if (ls_entity_slot(entities[0]) % 2)
        ls_despawn(context, entities[0]);
    if (ls_entity_slot(entities[1]) % 180 == 5)
        ls_despawn(context, entities[1]);
}

static const ls_system despawning[] = {
    {.name = "despawn",
     .match = despawn_pair,
     .terms = LS_TERM_LIST(LS_READS(counts), LS_TERM(1, LS_INCLUDE, LS_ACCESS_READ, extras),
                           LS_ACCUMULATES(totals, LS_ADD))}};

static void check_despawned(ls_world *world)
{
    uint32_t seconds = 0, left = 0, left_seconds = 0;
    for (uint32_t i = 0; i < population.count; i++) {
        seconds += is_second(i);
        bool is_left = i % 2 == 0 && i % 180 != 5;
        left += is_left;
        left_seconds += is_left && is_second(i);
        assert_int_equal(ls_world_is_alive(world, mutation_entity(i)), is_left);
    }
    const total *all = ls_world_singleton(world, &totals);
    assert_int_equal(all->few, population.count * seconds + left * left_seconds);
}

TEST(test_mutations_despawns_show_when_the_stage_ends)
{
    population = (mutation_population){1000, in_three_roles};
    mutations_agree(despawning, 2, check_despawned);
}

/* A query vector in which a query has no match: the system never runs. */
static void never(ls_context *context, const ls_entity *entities)
{
    fail_msg("there is no match");
}

TEST(test_mutations_of_an_empty_product_are_none)
{
    const ls_system empty[] = {
        {.name = "a",
         .match = never,
         .terms = LS_TERM_LIST(LS_READS(counts), LS_TERM(1, LS_INCLUDE, LS_ACCESS_READ, extras))},
        {.name = "b",
         .match = never,
         .terms = LS_TERM_LIST(LS_READS(extras), LS_TERM(1, LS_INCLUDE, LS_ACCESS_READ, counts),
                               LS_SENDS(beeps), LS_COMMANDED(marks))}};
    population.count = 500;
    mutations_agree(empty, 2, NULL);
    population.count = 0;
    mutations_agree(empty, 2, NULL);
}
