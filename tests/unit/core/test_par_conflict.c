/* Invalid pars, and ticks in which two sides change one cell. */
#include "par_sim.h"

#include "core/schedule/program_data.h"
#include "core/state/world_state.h"
#include <lockstep/json.h>
#include <lockstep/program_view.h>

/* Runs the tick twice on each executor: a failed tick must leave nothing behind. */
static void assert_clash(const ls_sim *sim, const char *const *words)
{
    static const uint32_t threads[] = {1, 2, 4, 1};
    for (uint32_t i = 0; i < LS_COUNT_OF(threads); i++) {
        harness self;
        harness_begin(&self, sim, 7);
        ls_executor *executor = harness_executor(threads[i], i == 3 ? 9 : 0);
        ls_error error;
        harness_assert_tick_refused(self.world, executor, words, &error);
        ls_executor_destroy(executor);
        harness_end(&self);
    }
}

#define assert_clashes(sim, ...) assert_clash(sim, (const char *const[]){__VA_ARGS__, NULL})

TESTS_AROUND(mutation_forget, NULL);

TEST(test_par_conflict_refuses_a_cell_that_two_sides_changed)
{
    population.count = PARALLEL_POPULATION;
    /* Entities of sixths with phase 1 are also in thirds with phase 1: entity 1 is the first
     * conflict. */
    const ls_system systems[] = {ADDER("one", 1), ADDER("two", 3)};
    assert_clashes(PAR_SIM(systems, par_of_two), "tick 0", "\"one\" and \"two\"", "par \"both\"",
                   "\"count\" of entity a/1;");
}

TEST(test_par_conflict_is_explained_of_a_stage_by_name)
{
    population.count = 600;
    const ls_system systems[] = {ADDER("one", 1), ADDER("two", 3)};
    harness self;
    ls_error error;
    harness_begin(&self, PAR_SIM(systems, par_of_two), 7);
    uint64_t root = ls_world_root(self.world);
    for (uint32_t again = 0; again < 2; again++) {
        assert_int_equal(ls_world_run_stage(self.world, "main", NULL, NULL, &error),
                         LS_ERROR_REFUSED);
        assert_non_null(strstr(error.text, "systems \"one\" and \"two\", in two sides of par"));
        assert_int_equal(ls_world_root(self.world), root);
    }
    harness_end(&self);
}

TEST(test_par_conflict_names_the_one_of_a_side_that_did_it)
{
    population.count = 600;
    const ls_system systems[] = {
        ADDER("before", 1),
        ADDER("a", 0, .labels = "left", .after = "before"),
        ADDER("b", 2, .labels = "left", .after = "a"),
        ADDER("c", 3, .labels = "left", .after = "b"),
        ADDER("d", 1, .labels = "right, inner"),
        ADDER("e", 2, .labels = "right"),
    };
    const ls_par pars[] = {{.name = "outer", .sides = "left, right"},
                           {.name = "nested", .sides = "e, d"}};
    assert_clashes(PAR_SIM(systems, pars), "\"c\" and \"d\"", "par \"outer\"",
                   "\"count\" of entity a/1;");
}

#define LINKED_ATTACHER(label, ...)                                                                \
    {                                                                                              \
        .name = label, .match = par_attach,                                                        \
        .terms = LS_TERM_LIST(LS_ATTACHES(extras), LS_WITH(links)), .labels = "left", __VA_ARGS__  \
    }

/* The inner par forks only "extra", and the outer par's second side has no "count". */
TEST(test_par_conflict_blames_nobody_who_does_not_touch_the_component)
{
    population.count = 600;
    const ls_system systems[] = {LINKED_ATTACHER("a"), LINKED_ATTACHER("b", .before = "c"),
                                 ADDER("c", 0, .labels = "left"), ADDER("d", 0)};
    const ls_par pars[] = {{.name = "outer", .sides = "left, d"},
                           {.name = "nested", .sides = "a, b"}};
    assert_clashes(PAR_SIM(systems, pars), "\"c\" and \"d\"", "par \"outer\"",
                   "\"count\" of entity a/0;");
}

static void repeat(ls_context *context, const ls_entity *unused)
{
    ls_decide(context, ls_iteration(context) == 0 ? LS_YES_AND_AGAIN : LS_YES);
}

static void add_at_first(ls_context *context, const ls_span *span)
{
    if (ls_iteration(context) == 0)
        par_add(context, span);
}

static void add_then(ls_context *context, const ls_span *span)
{
    if (ls_iteration(context) == 1)
        par_add(context, span);
}

#define LOOPER(label, function, ...)                                                               \
    {                                                                                              \
        .name = label, .span = function, .data = &par_parts[0],                                    \
        .terms = LS_TERM_LIST(LS_WRITES(counts)), __VA_ARGS__                                      \
    }

/* The write of "a" to the cell in an earlier iteration is forgotten. */
TEST(test_par_conflict_names_who_did_it_in_the_same_run)
{
    population.count = 600;
    static const ls_system again = {.name = "again", .mode = LS_SEQUENTIAL, .match = repeat};
    static const ls_set sets[] = {
        {.name = "loop", .when = {.criterion = &again, .iterations_max = 3}}};
    const ls_system systems[] = {
        LOOPER("a", add_at_first, .labels = "left, loop", .before = "b"),
        LOOPER("b", add_then, .labels = "left, loop"),
        LOOPER("c", add_then, .labels = "loop"),
    };
    const ls_par pars[] = {{.name = "both", .sides = "left, c"}};
    ls_sim sim = *PAR_SIM(systems, pars);
    sim.sets = sets;
    sim.set_count = 1;
    assert_clashes(&sim, "\"b\" and \"c\"");
}

static void add_one(ls_context *context, const ls_entity *entities)
{
    ls_accumulate(context, 1, entities[0], &(tally){1});
}

static void only_read(ls_context *context, const ls_entity *entities)
{
}

/* Without the reader in the par, the sums would combine. */
TEST(test_par_conflict_names_the_third_that_reads_a_sum)
{
    population.count = 600;
    const ls_system systems[] = {
        {.name = "one",
         .match = add_one,
         .terms = LS_TERM_LIST(LS_WITH(counts), LS_ACCUMULATES(counts, LS_ADD))},
        {.name = "two",
         .match = add_one,
         .terms = LS_TERM_LIST(LS_WITH(counts), LS_ACCUMULATES(counts, LS_ADD))},
        {.name = "three", .match = only_read, .terms = LS_TERM_LIST(LS_READS(counts))}};
    const ls_par pars[] = {{.name = "all", .sides = "one, two, three"}};
    assert_clashes(PAR_SIM(systems, pars), "systems \"one\" and \"two\"", "of entity a/",
                   ", where their values would combine, but \"three\" of the par reads it; take "
                   "\"three\" out of the par, order them outside of the par, or");
}

/* Writes only in the first run, so the search for the cause cannot reproduce the conflict. */
static void add_once(ls_context *context, const ls_span *span)
{
    static bool has_run;
    if (!has_run)
        par_add(context, span);
    has_run = true;
}

TEST(test_par_conflict_says_so_when_nobody_does_it_again)
{
    population.count = 100;
    const ls_system systems[] = {LOOPER("one", add_once), ADDER("two", 0)};
    harness self;
    harness_begin(&self, PAR_SIM(systems, par_of_two), 1);
    const ls_frame frame = {.tick = 0};
    ls_error error;
    assert_int_equal(ls_world_advance(self.world, &frame, NULL, &error), LS_ERROR_REFUSED);
    assert_non_null(
        strstr(error.text, "\"count\" of entity a/0, but not when the tick is run again"));
    assert_int_equal(ls_world_tick(self.world), 0);
    harness_end(&self);
}

static void add_five(ls_context *context, const ls_span *span)
{
    tally *own = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++)
        own[i].value += par_is_mine(context, span->first_slot + i) ? 5 : 0;
}

static uint32_t count_of(const ls_world *world, uint32_t slot)
{
    const tally *found = ls_world_cell(world, &counts, ls_entity_make(1, slot, 1));
    assert_non_null(found);
    return (uint32_t)found->value;
}

/* Both change a sixth of the entities. The changes that lose are counted, and the root covers the
 * counter. */
TEST(test_par_conflict_lets_the_first_side_win)
{
    population.count = 600;
    const ls_system systems[] = {ADDER("one", 1),
                                 {.name = "two",
                                  .span = add_five,
                                  .data = &par_parts[3],
                                  .terms = LS_TERM_LIST(LS_WRITES(counts))}};
    for (uint32_t turned = 0; turned < 2; turned++) {
        const ls_par pars[] = {{.name = "both",
                                .sides = turned ? "two, one" : "one, two",
                                .clash = LS_PAR_FIRST_WINS}};
        harness self;
        harness_begin(&self, PAR_SIM(systems, pars), 1);
        uint32_t both = count_of(self.world, 1), one = count_of(self.world, 4);
        harness_tick(self.world, NULL);
        assert_int_equal(count_of(self.world, 1) - both, turned ? 5 : 100000);
        assert_int_equal(count_of(self.world, 4) - one, 100000);
        char *text = ls_world_json(self.world);
        assert_non_null(strstr(text, "\"values\": \"100\""));
        ls_free(text);
        uint64_t root = ls_world_root(self.world);
        self.world->state.dropped[LS_DROPPED_VALUES]--;
        assert_true(ls_world_root(self.world) != root);
        harness_end(&self);
    }
    const ls_par wrong[] = {{.name = "both", .sides = "one, two", .clash = (ls_par_clash)2}};
    assert_refused(PAR_SIM(systems, wrong), LS_ERROR_USAGE, "par \"both\" has clash 2");
}

/* Another answer to a clash leads to other states, so the fingerprints differ. */
TEST(test_par_conflict_answers_are_in_the_fingerprint)
{
    const ls_system systems[] = {ADDER("one", 0), ADDER("two", 1)};
    const ls_par settled[] = {{.name = "both", .sides = "one, two", .clash = LS_PAR_FIRST_WINS}};
    harness fails, wins;
    harness_begin(&fails, PAR_SIM(systems, par_of_two), 1);
    harness_begin(&wins, PAR_SIM(systems, settled), 1);
    assert_memory_not_equal(ls_program_fingerprint(fails.program),
                            ls_program_fingerprint(wins.program), LS_FINGERPRINT_BYTES);
    harness_end(&fails);
    harness_end(&wins);
}

TEST(test_par_conflict_refuses_presence_that_two_sides_changed)
{
    population.count = 600;
    const ls_system systems[] = {ATTACHER("one", &par_parts[0]),
                                 ATTACHER("two", &((const part){5, 3}))};
    assert_clashes(PAR_SIM(systems, par_of_two), "\"one\" and \"two\"", "\"extra\" of entity a/3;");
}

static void raise_total(ls_context *context, const ls_entity *unused)
{
    ((total *)ls_singleton_write(context, 0))->few++;
}

TEST(test_par_conflict_refuses_a_singleton_that_two_sides_changed)
{
    const ls_system systems[] = {{.name = "one",
                                  .mode = LS_SEQUENTIAL,
                                  .match = raise_total,
                                  .terms = LS_TERM_LIST(LS_OTHERS_WRITE(totals))},
                                 {.name = "two",
                                  .mode = LS_SEQUENTIAL,
                                  .match = raise_total,
                                  .terms = LS_TERM_LIST(LS_OTHERS_WRITE(totals))}};
    assert_clashes(PAR_SIM(systems, par_of_two), "\"one\" and \"two\"",
                   "component \"total\" of the world");
}

TEST(test_par_conflict_refuses_what_makes_no_sense)
{
    static const ls_stage stages[] = {{.name = "main"}, {.name = "late"}};
    ls_system systems[] = {ADDER("one", 0), ADDER("two", 1), ADDER("three", 2), ADDER("four", 3)};
    const struct {
        ls_par pars[2];
        const char *says;
    } cases[] = {
        {{{"p", "one"}}, "par \"p\" has 1 sides; it takes at least two"},
        {{{"p", "one, five"}}, "\"five\" is to be a side of par \"p\""},
        {{{NULL, "one, two"}}, "par 0 of the list has no name"},
        {{{"p", "one, two, one"}}, "a system in two of its sides"},
        {{{"p", "one, two"}, {"q", "two, three"}}, "\"p\" and \"q\" share systems"},
        {{{"p", "one, two"}, {"p", "three, four"}}, "par \"p\" has the name of"},
        {{{"one", "two, three"}}, "par \"one\" has the name of a system, label, set"},
        {{{"p", "one, two"}}, "par \"p\" and system \"three\" have no order"},
    };
    for (uint32_t i = 0; i < LS_COUNT_OF(cases); i++) {
        ls_sim sim = *par_sim(systems, 4, cases[i].pars, cases[i].pars[1].sides ? 2 : 1);
        /* Systems that are in no par conflict, which is a finding as well. */
        assert_refused(&sim, LS_ERROR_REFUSED, cases[i].says);
    }
    ls_sim sim = *par_sim(systems, 2, par_of_two, 1);
    sim.stages = stages;
    sim.stage_count = 2;
    systems[1].stage = "late";
    assert_refused(&sim, LS_ERROR_REFUSED, "system \"two\" of par \"both\" is exclusive or of");
    systems[1].stage = NULL;
    systems[1].after = "one";
    assert_refused(&sim, LS_ERROR_REFUSED, "\"one\" and \"two\" are in two sides of par \"both\"");
    systems[1].after = "three";
    systems[2].after = "one";
    sim.system_count = 3;
    assert_refused(&sim, LS_ERROR_REFUSED, "the order has a cycle");
}

/* Between fork and merge the system would write to the pages of the first side, and change the same
 * cells. */
TEST(test_par_conflict_is_independent_of_nobody)
{
    static const char *const names[] = {"both", "one", "two"};
    const ls_system systems[] = {ADDER("one", 0), ADDER("two", 1), ADDER("three", 1)};
    for (uint32_t i = 0; i < LS_COUNT_OF(names); i++) {
        const ls_independence independences[] = {{names[i], "three", "sums do not tell"}};
        ls_sim sim = *PAR_SIM(systems, par_of_two);
        sim.independences = independences;
        sim.independence_count = 1;
        assert_refused(&sim, LS_ERROR_REFUSED, "par \"both\" and system \"three\" have no order",
                       "\"both\" in \"three\"");
    }
}

TEST(test_par_conflict_has_other_things_reported_once)
{
    static const ls_set sets[] = {{.name = "x"}, {.name = "x"}};
    const ls_system systems[] = {ADDER("one", 0), ADDER("two", 1)};
    ls_sim sim = *PAR_SIM(systems, par_of_two);
    sim.sets = sets;
    sim.set_count = LS_COUNT_OF(sets);
    ls_error error;
    assert_int_equal(harness_refusal(&sim, &error), LS_ERROR_USAGE);
    assert_string_equal(error.text, "two sets are named \"x\"; rename one");
}

TEST(test_par_conflict_keeps_no_lane_apart)
{
    const ls_system systems[] = {{.name = "one",
                                  .mode = LS_SEQUENTIAL,
                                  .match = par_bear,
                                  .terms = LS_TERM_LIST(LS_SPAWNS_WITH(counts)),
                                  .lanes = "b"},
                                 {.name = "two",
                                  .mode = LS_SEQUENTIAL,
                                  .match = par_bear,
                                  .terms = LS_TERM_LIST(LS_SPAWNS_WITH(extras)),
                                  .lanes = "b"}};
    assert_refused(PAR_SIM(systems, par_of_two), LS_ERROR_REFUSED, "both spawn into lane \"b\"");
}

/* Lanes settle the order of a spawner and a query of another lane. The two still read and write the
 * same pages, so they are kept apart in time. */
TEST(test_par_conflict_keeps_a_spawner_from_a_query_of_another_lane)
{
    const ls_system systems[] = {
        {.name = "one", .mode = LS_SEQUENTIAL, .match = par_bear, .lanes = "b"},
        {.name = "two", .span = harness_span, .terms = LS_TERM_LIST(LS_IN_LANE("c"))}};
    static const ls_term first[] = {LS_ACCUMULATES(counts, LS_MIN), {0}},
                         second[] = {LS_IN_LANE("c"), LS_ACCUMULATES(counts, LS_OR), {0}};
    ls_system forked[] = {systems[0], systems[1]};
    forked[0].terms = first;
    forked[1].terms = second;
    ls_program *program;
    assert_int_equal(ls_program_create(PAR_SIM(systems, par_of_two), &program, NULL), LS_OK);
    assert_int_equal(program->systems[0].apart_count, 1);
    assert_false(ls_program_is_ordered(program, 0, 1));
    ls_program_destroy(program);
    ls_error error = {""};
    if (ls_program_create(PAR_SIM(forked, par_of_two), &program, &error) != LS_OK)
        fail_msg("%s", error.text);
    ls_program_destroy(program);
}

/* The merge looks at no entities, so it cannot see half of a lane; a member that does is named. */
TEST(test_par_conflict_has_no_half_of_a_lane)
{
    static const ls_independence independences[] = {{"two", "three", "nothing looks at them"}};
    const ls_system systems[] = {
        ADDER("one", 0),
        {.name = "two",
         .mode = LS_SEQUENTIAL,
         .match = par_bear,
         .terms = LS_TERM_LIST(LS_SPAWNS_WITH(extras), LS_OTHERS_WRITE(counts)),
         .lanes = "b"},
        {.name = "three", .mode = LS_SEQUENTIAL, .match = par_bear, .lanes = "b"}};
    ls_sim sim = *PAR_SIM(systems, par_of_two);
    sim.independences = independences;
    sim.independence_count = LS_COUNT_OF(independences);
    ls_program *program;
    assert_ok(ls_program_create(&sim, &program, NULL));
    ls_program_destroy(program);
}
