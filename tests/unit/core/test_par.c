/* par: sides that do not see each other, and the merge of their changes. */
#include "par_sim.h"

#include <stdatomic.h>
#include <time.h>

static uint32_t value_of(const ls_world *world, const ls_component *component, uint32_t slot)
{
    return ((const tally *)mutation_cell(world, component, slot))->value;
}

static bool has(const ls_world *world, const ls_component *component, uint32_t slot)
{
    return ls_world_cell(world, component, mutation_entity(slot)) != NULL;
}

static void with_both(ls_context *context, ls_entity entity, uint32_t i)
{
    ls_cell_attach(context, 0, entity, &(tally){i});
    ls_cell_attach(context, 1, entity, &(tally){i * 1000});
}

/* Writes its term 0 from its term 1. */
static void copy(ls_context *context, const ls_span *span)
{
    const tally *from = ls_span_read(context, span, 1);
    tally *to = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++)
        to[i].value = from[i].value;
}

#define COPIER(label, to, from, ...)                                                               \
    {                                                                                              \
        .name = label, .span = copy, .terms = LS_TERM_LIST(LS_WRITES(to), LS_READS(from)),         \
        __VA_ARGS__                                                                                \
    }

static void check_swapped(ls_world *world)
{
    bool is_odd = ls_world_tick(world) % 2;
    for (uint32_t i = 0; i < population.count; i++) {
        assert_int_equal(value_of(world, &counts, i), is_odd ? i * 1000 : i);
        assert_int_equal(value_of(world, &extras, i), is_odd ? i : i * 1000);
    }
}

TESTS_AROUND(mutation_forget, NULL);

TEST(test_par_lets_two_systems_swap_what_they_read)
{
    population = (mutation_population){PARALLEL_POPULATION, with_both};
    const ls_system systems[] = {COPIER("one", counts, extras), COPIER("two", extras, counts)};
    mutation_agree(PAR_SIM(systems, par_of_two), 5, check_swapped);
    const ls_par turned[] = {{.name = "both", .sides = "two, one"}};
    mutation_agree(PAR_SIM(systems, turned), 4, check_swapped);
}

/* By name, one side of a par runs without the other, and its changes are merged. */
TEST(test_par_runs_one_side_by_name)
{
    population = (mutation_population){600, with_both};
    const ls_system systems[] = {COPIER("one", counts, extras), COPIER("two", extras, counts)};
    const char *const sides[] = {"one", "two"};
    for (uint32_t side = 0; side < 2; side++) {
        harness self;
        ls_error error = {""};
        harness_begin(&self, PAR_SIM(systems, par_of_two), 1);
        assert_int_equal(ls_world_run_system(self.world, sides[side], NULL, NULL, &error), LS_OK);
        for (uint32_t i = 0; i < population.count; i++) {
            assert_int_equal(value_of(self.world, &counts, i), side == 0 ? i * 1000 : i);
            assert_int_equal(value_of(self.world, &extras, i), side == 0 ? i * 1000 : i);
        }
        harness_end(&self);
    }
}

/* meet() waits until both systems run, but at most 20 seconds. */
static atomic_uint arrived;

static void meet(ls_context *context, const ls_entity *unused)
{
    atomic_fetch_add(&arrived, 1);
    struct timespec since, now;
    clock_gettime(CLOCK_MONOTONIC, &since);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while (atomic_load(&arrived) < 2 && now.tv_sec < since.tv_sec + 20);
    (void)ls_singleton_write(context, 0); /* both have the access, and neither writes */
}

#define MEETER(label)                                                                              \
    {                                                                                              \
        .name = label, .mode = LS_SEQUENTIAL, .match = meet,                                       \
        .terms = LS_TERM_LIST(LS_OTHERS_WRITE(totals))                                             \
    }

TEST(test_par_runs_its_sides_at_the_same_time)
{
    population.count = 10;
    const ls_system systems[] = {MEETER("one"), MEETER("two")};
    harness self;
    harness_begin(&self, PAR_SIM(systems, par_of_two), 1);
    ls_executor *executor = harness_executor(2, 0);
    for (uint32_t tick = 0; tick < 3; tick++) {
        atomic_store(&arrived, 0);
        struct timespec before, after;
        clock_gettime(CLOCK_MONOTONIC, &before);
        harness_tick(self.world, executor);
        clock_gettime(CLOCK_MONOTONIC, &after);
        assert_true(after.tv_sec - before.tv_sec < 15);
    }
    ls_executor_destroy(executor);
    harness_end(&self);
}

static void check_added(ls_world *world)
{
    for (uint32_t i = 0; i < population.count; i++)
        assert_int_equal(value_of(world, &counts, i), i + 100000 * ls_world_tick(world));
}

TEST(test_par_has_as_many_sides_as_it_names)
{
    population.count = PARALLEL_POPULATION;
    const ls_system systems[] = {ADDER("one", 0), ADDER("two", 1), ADDER("three", 2)};
    const ls_par pars[] = {{.name = "all", .sides = "two, three, one"}};
    mutation_agree(PAR_SIM(systems, pars), 3, check_added);
}

static void set_five(ls_context *context, const ls_span *span)
{
    tally *own = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++)
        own[i].value = 5;
}

/* A system with other columns may begin and end while the par forks and merges. */
TEST(test_par_stands_beside_others)
{
    population = (mutation_population){PARALLEL_POPULATION, with_both};
    const ls_system systems[] = {
        ADDER("one", 0),
        ADDER("two", 1),
        {.name = "a", .span = set_five, .terms = LS_TERM_LIST(LS_WRITES(extras))},
        {.name = "z", .span = set_five, .terms = LS_TERM_LIST(LS_WRITES(extras)), .after = "a"}};
    mutation_agree(PAR_SIM(systems, par_of_two), 20, NULL);
}

static void add_one(ls_context *context, const ls_entity *unused)
{
    ls_accumulate(context, 0, LS_ENTITY_NULL, &(total){.sum = 1});
}

#define SUMMER(label, ...)                                                                         \
    {                                                                                              \
        .name = label, .match = add_one,                                                           \
        .terms = LS_TERM_LIST(LS_ACCUMULATES(totals, LS_ADD), LS_WITH(links)), __VA_ARGS__         \
    }

static void with_links(ls_context *context, ls_entity entity, uint32_t i)
{
    ls_cell_attach(context, 0, entity, &(tally){i});
    ls_cell_attach(context, 2, entity, NULL);
}

static void check_sums(ls_world *world)
{
    const total *all = ls_world_singleton(world, &totals);
    assert_int_equal(all->sum, 3 * population.count * ls_world_tick(world));
}

/* Accumulations with the same operation need no order, inside and outside of the par. */
TEST(test_par_accumulates_beside_others)
{
    population = (mutation_population){PARALLEL_POPULATION, with_links};
    const ls_system systems[] = {ADDER("one", 0), ADDER("two", 1, .labels = "right"),
                                 SUMMER("a", .labels = "right"), SUMMER("b"), SUMMER("c")};
    const ls_par pars[] = {{.name = "both", .sides = "one, right"}};
    mutation_agree(PAR_SIM(systems, pars), 20, check_sums);
}

TEST(test_par_stands_inside_a_side_of_another)
{
    population.count = PARALLEL_POPULATION;
    const ls_system systems[] = {ADDER("one", 0), ADDER("two", 1, .labels = "inner"),
                                 ADDER("three", 2, .labels = "inner")};
    const ls_par first[] = {{.name = "inner par", .sides = "two, three"},
                            {.name = "outer", .sides = "inner, one"}};
    const ls_par second[] = {{.name = "outer", .sides = "one, inner"},
                             {.name = "inner par", .sides = "three, two"}};
    mutation_agree(PAR_SIM(systems, first), 3, check_added);
    mutation_agree(PAR_SIM(systems, second), 3, check_added);
}

static void detach_from_mine(ls_context *context, const ls_entity *entities)
{
    if (par_is_mine(context, ls_entity_slot(entities[0])))
        ls_cell_detach(context, 0, entities[0]);
}

static void with_extras_on_thirds(ls_context *context, ls_entity entity, uint32_t i)
{
    ls_cell_attach(context, 0, entity, &(tally){i});
    if (i % 3 == 1)
        ls_cell_attach(context, 1, entity, &(tally){i});
}

static void check_presence(ls_world *world)
{
    for (uint32_t i = 0; i < population.count; i++) {
        assert_int_equal(has(world, &extras, i), i % 3 == 0 || (i % 3 == 1 && i % 6 != 1));
        if (i % 3 == 0)
            assert_int_equal(value_of(world, &extras, i), 7);
    }
}

TEST(test_par_puts_presence_together)
{
    population = (mutation_population){PARALLEL_POPULATION, with_extras_on_thirds};
    const ls_system systems[] = {{.name = "one",
                                  .mode = LS_SEQUENTIAL,
                                  .match = par_attach,
                                  .data = &par_parts[0],
                                  .terms = LS_TERM_LIST(LS_ATTACHES(extras), LS_WITH(counts))},
                                 {.name = "two",
                                  .match = detach_from_mine,
                                  .data = &par_parts[3],
                                  .terms = LS_TERM_LIST(LS_DETACHES(extras))}};
    mutation_agree(PAR_SIM(systems, par_of_two), 1, check_presence);
}

static void count_all(ls_context *context, const ls_span *span)
{
    const tally *values = ls_span_read(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++)
        ls_accumulate(context, 1, LS_ENTITY_NULL,
                      &(total){.sum = values[i].value, .few = 1, .many = 1});
}

#define COUNTER(label, ...)                                                                        \
    {                                                                                              \
        .name = label, .span = count_all,                                                          \
        .terms = LS_TERM_LIST(LS_READS(counts), LS_ACCUMULATES(totals, LS_ADD)), __VA_ARGS__       \
    }

static void check_newborns(ls_world *world)
{
    const total *all = ls_world_singleton(world, &totals);
    assert_int_equal(all->few, 2 * population.count + 300);
}

TEST(test_par_hides_newborns_until_it_ends)
{
    population.count = 500;
    const ls_system systems[] = {{.name = "one",
                                  .mode = LS_SEQUENTIAL,
                                  .match = par_bear,
                                  .terms = LS_TERM_LIST(LS_SPAWNS_WITH(counts)),
                                  .lanes = "b"},
                                 COUNTER("two"),
                                 COUNTER("later", .after = "both")};
    mutation_agree(PAR_SIM(systems, par_of_two), 1, check_newborns);
    const ls_par turned[] = {{.name = "both", .sides = "two, one"}};
    mutation_agree(PAR_SIM(systems, turned), 1, check_newborns);
}

static void send(ls_context *context, const ls_entity *unused)
{
    ls_event_send(context, 0, &(shout){.value = 1});
}

static void receive(ls_context *context, const ls_entity *unused)
{
    ls_event_walk walk;
    ls_event_begin(context, 0, &walk);
    total *all = ls_singleton_write(context, 1);
    all->sum *= 10;
    while (ls_event_next(&walk))
        all->sum++;
    all->sum++;
}

#define RECEIVER(label, ...)                                                                       \
    {                                                                                              \
        .name = label, .mode = LS_SEQUENTIAL, .match = receive,                                    \
        .terms = LS_TERM_LIST(LS_RECEIVES(shouts), LS_OTHERS_WRITE(totals)), __VA_ARGS__           \
    }

static void check_events(ls_world *world)
{
    const total *all = ls_world_singleton(world, &totals);
    assert_int_equal(all->sum, 12);
}

/* "two" receives no events of "one", in either order; "zz" after the par receives them. */
TEST(test_par_hides_events_until_it_ends)
{
    const ls_system systems[] = {{.name = "one",
                                  .mode = LS_SEQUENTIAL,
                                  .match = send,
                                  .terms = LS_TERM_LIST(LS_SENDS(shouts))},
                                 RECEIVER("two"),
                                 RECEIVER("zz", .after = "both")};
    mutation_agree(PAR_SIM(systems, par_of_two), 1, check_events);
}

/* Joins inside a side find the entities of that side's fork. */
static void note_neighbours(ls_context *context, const ls_entity *entities)
{
    ls_join_walk walk;
    ls_join_begin(context, 0, 5, &walk);
    tally *own = ls_cell_write(context, 1, entities[0]);
    own->value = 0;
    for (ls_entity other; ls_join_next(&walk, &other);)
        own->value++;
}

static void check_neighbours(ls_world *world)
{
    for (uint32_t i = 0; i < population.count; i++) {
        assert_int_equal(value_of(world, &counts, i), 5);
        assert_int_equal(value_of(world, &extras, i),
                         ls_world_tick(world) == 1 ? 1 : population.count);
    }
}

TEST(test_par_has_joins_of_its_own)
{
    population = (mutation_population){600, with_both};
    for (uint32_t turned = 0; turned < 2; turned++) {
        const ls_system systems[] = {
            {.name = turned ? "two" : "one",
             .span = set_five,
             .terms = LS_TERM_LIST(LS_WRITES(counts))},
            {.name = turned ? "one" : "two",
             .match = note_neighbours,
             .terms = LS_TERM_LIST(LS_OTHERS_READ(counts), LS_WRITES(extras)),
             .joins = LS_JOINS({.component = &counts})}};
        mutation_agree(PAR_SIM(systems, par_of_two), 1, check_neighbours);
        mutation_agree(PAR_SIM(systems, par_of_two), 3, check_neighbours);
    }
}

TEST(test_par_without_a_conflict_costs_nothing)
{
    population = (mutation_population){600, with_both};
    const ls_system systems[] = {
        ADDER("one", 0),
        {.name = "two", .span = set_five, .terms = LS_TERM_LIST(LS_WRITES(extras))},
        COUNTER("zz", .after = "both")};
    harness self;
    harness_begin(&self, PAR_SIM(systems, par_of_two), 1);
    assert_int_equal(ls_program_system_count(self.program), 3);
    assert_true(ls_program_is_ordered(self.program, 0, 2));
    assert_true(ls_program_is_ordered(self.program, 1, 2));
    harness_end(&self);
}

TEST(test_par_is_one_thing_to_others)
{
    population.count = 600;
    const ls_system systems[] = {ADDER("one", 0), ADDER("two", 1),
                                 ADDER("before", 2, .before = "two"),
                                 ADDER("later", 2, .after = "one")};
    harness self;
    harness_begin(&self, PAR_SIM(systems, par_of_two), 1);
    const char *const order[] = {"before", "both", "one", "two", "both (merge)", "later"};
    assert_int_equal(ls_program_system_count(self.program), LS_COUNT_OF(order));
    for (uint32_t i = 0; i < LS_COUNT_OF(order); i++) {
        assert_string_equal(ls_program_system(self.program, i)->name, order[i]);
        assert_int_equal(ls_program_is_fork(self.program, i), i == 1);
        assert_int_equal(ls_program_is_merge(self.program, i), i == 4);
    }
    for (uint32_t i = 1; i < LS_COUNT_OF(order); i++)
        assert_int_equal(ls_program_is_ordered(self.program, i - 1, i), i != 3);
    harness_end(&self);
}

TEST(test_par_takes_part_in_the_order_of_the_list)
{
    static const ls_stage stages[] = {{.name = "main", .insertion_order = true}};
    const ls_system systems[] = {ADDER("c", 2), ADDER("two", 0), ADDER("b", 2), ADDER("one", 1),
                                 ADDER("a", 2)};
    ls_sim sim = *PAR_SIM(systems, par_of_two);
    sim.stages = stages;
    sim.stage_count = 1;
    harness self;
    harness_begin(&self, &sim, 1);
    const char *const order[] = {"c", "both", "one", "two", "both (merge)", "b", "a"};
    for (uint32_t i = 0; i < LS_COUNT_OF(order); i++)
        assert_string_equal(ls_program_system(self.program, i)->name, order[i]);
    harness_end(&self);
}

static void repeat(ls_context *context, const ls_entity *unused)
{
    ls_decide(context, ls_iteration(context) < 2 ? LS_YES_AND_AGAIN : LS_YES);
}

static void check_loops(ls_world *world)
{
    for (uint32_t i = 0; i < population.count; i++)
        assert_int_equal(value_of(world, &counts, i), i + (i % 3 == 0   ? 300000
                                                           : i % 3 == 1 ? 100000
                                                                        : 0) *
                                                              ls_world_tick(world));
}

TEST(test_par_runs_again_with_its_members)
{
    population.count = PARALLEL_POPULATION;
    static const ls_system again = {.name = "again", .mode = LS_SEQUENTIAL, .match = repeat};
    static const ls_set sets[] = {
        {.name = "loop", .when = {.criterion = &again, .iterations_max = 3}}};
    const ls_system systems[] = {ADDER("one", 0, .labels = "loop"), ADDER("two", 1)};
    ls_sim sim = *PAR_SIM(systems, par_of_two);
    sim.sets = sets;
    sim.set_count = 1;
    mutation_agree(&sim, 2, check_loops);
}

TEST(test_par_is_part_of_the_fingerprint)
{
    const ls_system systems[] = {COPIER("one", counts, extras), COPIER("two", extras, counts),
                                 COPIER("zz", counts, extras, .after = "both, one, two")};
    const ls_par other[] = {{.name = "both", .sides = "two, one"}};
    uint8_t first[LS_FINGERPRINT_BYTES];
    harness self;
    harness_begin(&self, PAR_SIM(systems, par_of_two), 1);
    memcpy(first, ls_program_fingerprint(self.program), sizeof first);
    harness_end(&self);
    harness_begin(&self, PAR_SIM(systems, other), 1);
    assert_memory_not_equal(first, ls_program_fingerprint(self.program), sizeof first);
    harness_end(&self);
}
