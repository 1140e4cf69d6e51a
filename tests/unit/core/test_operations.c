/* Values that combine as a whole: LS_ARG_MIN, LS_ARG_MAX and a simulation's own operations. */
#include "mutation_sim.h"

#include "core/run/merge.h"

/* A bid of an entity; of equal amounts, the one with the lower bidder wins or loses. */
typedef struct bid {
    int32_t amount;
    uint32_t round;
    ls_entity bidder;
} bid;

/* Counts with a mark of the largest: it is combined as no built-in operation does. */
LS_SINGLETON(census, U32(heads), U32(tallest));

static const ls_field bid_fields[] = {LS_FIELD(bid, amount, LS_TYPE_I32),
                                      LS_FIELD(bid, round, LS_TYPE_U32),
                                      LS_FIELD_ENTITY(bid, bidder, LS_KEEP)};
static const ls_component lows = LS_COMPONENT_TABLE(bid, "low", bid_fields);
static const ls_component highs = LS_COMPONENT_TABLE(bid, "high", bid_fields);
static const ls_component people = LS_TAG_TABLE("people");
static const ls_component *const components[] = {&lows, &highs, &people, &census_component};
static const char *const lanes[] = {"a"};
enum { PEOPLE = 700, TARGETS = 5 };

static void add_census(void *value, const void *other)
{
    census *to = value;
    const census *from = other;
    to->heads += from->heads;
    to->tallest = from->tallest > to->tallest ? from->tallest : to->tallest;
}

static const ls_operation operations[] = {{&census_component, "add_census", add_census}};

static bid bid_of(uint32_t slot, uint64_t tick)
{
    return (bid){.amount = (int32_t)(slot * 31 % 17) - 8,
                 .round = slot % 3 + (uint32_t)tick,
                 .bidder = ls_entity_make(1, slot, 1)};
}

static uint32_t height_of(uint32_t slot, uint64_t tick)
{
    return (slot * 37 + 11) % 997 + (uint32_t)tick;
}

static void make_people(ls_context *context, const ls_entity *entities)
{
    for (uint32_t i = 0; i < PEOPLE; i++) {
        ls_entity entity = ls_spawn(context, 0);
        ls_cell_attach(context, 2, entity, NULL);
        if (i >= TARGETS)
            continue;
        ls_cell_attach(context, 0, entity, &(bid){.amount = i == 0 ? -100 : 100});
        ls_cell_attach(context, 1, entity, &(bid){.amount = i == 0 ? 100 : -100});
    }
}

static void give(ls_context *context, const ls_entity *entities)
{
    uint32_t slot = ls_entity_slot(entities[0]);
    bid own = bid_of(slot, ls_tick(context));
    ls_entity target = ls_entity_make(1, slot % TARGETS, 1);
    assert_true(ls_accumulate(context, 1, target, &own));
    assert_true(ls_accumulate(context, 2, target, &own));
    assert_true(
        ls_accumulate(context, 3, LS_ENTITY_NULL, &(census){1, height_of(slot, ls_tick(context))}));
}

#define GIVING                                                                                     \
    LS_TERM_LIST(LS_WITH(people), LS_ACCUMULATES(lows, LS_ARG_MIN),                                \
                 LS_ACCUMULATES(highs, LS_ARG_MAX), LS_ACCUMULATES(census_component, LS_COMBINE))
static const ls_system giving[] = {
    {.name = "one", .match = give, .terms = GIVING},
    {.name = "two", .match = give, .terms = GIVING},
    {.name = "three", .mode = LS_SEQUENTIAL, .match = give, .terms = GIVING}};
static const ls_system make = {.name = "make",
                               .mode = LS_SEQUENTIAL,
                               .match = make_people,
                               .terms = LS_TERM_LIST(LS_OTHERS_STRUCTURE(lows),
                                                     LS_OTHERS_STRUCTURE(highs),
                                                     LS_OTHERS_STRUCTURE(people)),
                               .lanes = "a"};

static ls_sim sim_of(const ls_system *systems, uint32_t count)
{
    ls_sim sim = HARNESS_SIM(components, lanes, ((ls_system[1]){{0}}));
    sim.systems = systems;
    sim.system_count = count;
    sim.setup = &make;
    sim.operations = operations;
    sim.operation_count = LS_COUNT_OF(operations);
    return sim;
}

static bool is_less(const bid *a, const bid *b)
{
    if (a->amount != b->amount)
        return a->amount < b->amount;
    return a->round != b->round ? a->round < b->round : a->bidder < b->bidder;
}

static void check_given(ls_world *world)
{
    census all = {0};
    for (uint32_t target = 0; target < TARGETS; target++) {
        bid low = {.amount = target == 0 ? -100 : 100}, high = {.amount = target == 0 ? 100 : -100};
        for (uint64_t tick = 0; tick < ls_world_tick(world); tick++) {
            for (uint32_t slot = target; slot < PEOPLE; slot += TARGETS) {
                bid own = bid_of(slot, tick);
                low = is_less(&own, &low) ? own : low;
                high = is_less(&high, &own) ? own : high;
                add_census(&all, &(census){3, height_of(slot, tick)});
            }
        }
        ls_entity entity = ls_entity_make(1, target, 1);
        assert_memory_equal(ls_world_cell(world, &lows, entity), &low, sizeof low);
        assert_memory_equal(ls_world_cell(world, &highs, entity), &high, sizeof high);
    }
    assert_memory_equal(ls_world_singleton(world, &census_component), &all, sizeof all);
}

TESTS_AROUND(mutation_forget, NULL);

TEST(test_operations_agree_with_a_model)
{
    const ls_sim sim = sim_of(giving, LS_COUNT_OF(giving));
    mutation_agree(&sim, 3, check_given);
}

/* A bid for an entity that the invocation spawns: its handle is pending until the system ends. */
static void bid_for_newborn(ls_context *context, const ls_entity *entities)
{
    ls_entity newborn = ls_spawn(context, 0);
    bid own = {.amount = -200, .bidder = newborn};
    if (ls_entity_slot(entities[0]) == 3)
        assert_true(ls_accumulate(context, 1, ls_entity_make(1, 1, 1), &own));
}

static void check_newborn(ls_world *world)
{
    const bid *low = ls_world_cell(world, &lows, ls_entity_make(1, 1, 1));
    assert_int_equal(low->amount, -200);
    assert_true(low->bidder == ls_entity_make(1, PEOPLE + 3, 1));
}

TEST(test_operations_resolve_pending_handles)
{
    const ls_system systems[] = {
        {.name = "one",
         .match = bid_for_newborn,
         .terms = LS_TERM_LIST(LS_WITH(people), LS_ACCUMULATES(lows, LS_ARG_MIN)),
         .lanes = "a"}};
    const ls_sim sim = sim_of(systems, 1);
    mutation_agree(&sim, 1, check_newborn);
}

/* Neither law of the next two holds: a difference, and a mean that is rounded down. */
static void subtract(void *value, const void *other)
{
    ((census *)value)->heads -= ((const census *)other)->heads;
}

static void average(void *value, const void *other)
{
    census *to = value;
    to->tallest = (to->tallest + ((const census *)other)->tallest) / 2;
    to->heads = 0;
}

static void give_census(ls_context *context, const ls_entity *entities)
{
    uint32_t slot = ls_entity_slot(entities[0]);
    ls_accumulate(context, 1, LS_ENTITY_NULL, &(census){slot, height_of(slot, 0)});
}

static void expect_law(const ls_operation *operation, const char *words)
{
    const ls_system systems[] = {
        {.name = "one",
         .match = give_census,
         .terms = LS_TERM_LIST(LS_WITH(people), LS_ACCUMULATES(census_component, LS_COMBINE))}};
    ls_sim sim = sim_of(systems, 1);
    sim.operations = operation;
    harness self;
    harness_begin(&self, &sim, 1);
    ls_executor *executor = harness_checker();
    const ls_frame frame = {.tick = 0};
    ls_error error = {""};
    assert_int_equal(ls_world_advance(self.world, &frame, executor, &error), LS_ERROR_DIVERGED);
    if (!strstr(error.text, words) || !strstr(error.text, " give {heads "))
        fail_msg("\"%s\" is not in \"%s\"", words, error.text);
    ls_executor_destroy(executor);
    harness_end(&self);
}

TEST(test_operations_without_the_laws_are_found)
{
    expect_law(&(ls_operation){&census_component, "subtract", subtract},
               "system \"one\" combines \"census\" by \"subtract\", which is not commutative: {");
    expect_law(&(ls_operation){&census_component, "average", average},
               "system \"one\" combines \"census\" by \"average\", which is not associative: {");
}

static void no_match(ls_context *context, const ls_entity *entities)
{
}

TEST(test_operations_of_two_kinds_need_an_order)
{
    static const ls_access kinds[] = {LS_MIN, LS_ARG_MIN, LS_ARG_MAX, LS_COMBINE};
    for (uint32_t i = 0; i < 16; i++) {
        const ls_access one = kinds[i / 4], other = kinds[i % 4];
        const ls_term terms[2][2] = {{LS_ACCUMULATES(census_component, one)},
                                     {LS_ACCUMULATES(census_component, other)}};
        const ls_system systems[] = {
            {.name = "one", .mode = LS_SEQUENTIAL, .match = no_match, .terms = terms[0]},
            {.name = "two", .mode = LS_SEQUENTIAL, .match = no_match, .terms = terms[1]}};
        const ls_sim sim = sim_of(systems, 2);
        ls_program *program = NULL;
        ls_error error = {""};
        ls_status status = ls_program_create(&sim, &program, &error);
        assert_int_equal(status, one == other ? LS_OK : LS_ERROR_REFUSED);
        ls_program_destroy(program);
    }
}

TEST(test_operations_are_of_the_fingerprint)
{
    ls_sim sim = sim_of(giving, LS_COUNT_OF(giving));
    const ls_operation other = {&census_component, "other", add_census};
    ls_program *programs[2];
    assert_int_equal(ls_program_create(&sim, &programs[0], NULL), LS_OK);
    sim.operations = &other;
    assert_int_equal(ls_program_create(&sim, &programs[1], NULL), LS_OK);
    assert_memory_not_equal(programs[0]->fingerprint, programs[1]->fingerprint,
                            LS_FINGERPRINT_BYTES);
    ls_program_destroy(programs[0]);
    ls_program_destroy(programs[1]);
}

TEST(test_operations_that_are_wrong_are_refused)
{
    ls_sim sim = sim_of(giving, LS_COUNT_OF(giving));
    sim.operation_count = 0;
    assert_refused(&sim, LS_ERROR_USAGE, "\"census\"", "LS_COMBINE", ".operations");
    static const ls_component unlisted = LS_TAG_TABLE("unlisted");
    const ls_operation none = {&unlisted, "none", add_census};
    sim = sim_of(giving, LS_COUNT_OF(giving));
    sim.operations = &none;
    assert_refused(&sim, LS_ERROR_USAGE, "\"none\"", "\"unlisted\"", "no component");
    const ls_operation twice[] = {operations[0], {&census_component, "again", add_census}};
    sim.operations = twice;
    sim.operation_count = 2;
    assert_refused(&sim, LS_ERROR_USAGE, "\"add_census\"", "\"again\"", "\"census\"");
    const ls_operation nameless = {&census_component, NULL, add_census};
    sim.operations = &nameless;
    sim.operation_count = 1;
    assert_refused(&sim, LS_ERROR_USAGE, "operation 0", "lacks", "a name");
}
