/* The tables of a simulation: limits, names, canonical orders, matches. */
#include "harness.h"
#include "sample_sim.h"

TEST(test_program_orders_columns_by_name)
{
    const ls_sim *const sims[] = {&sample_sim, &sample_sim_reversed};
    for (uint32_t i = 0; i < LS_COUNT_OF(sims); i++) {
        ls_program *program;
        assert_int_equal(ls_program_create(sims[i], &program, NULL), LS_OK);
        assert_ptr_equal(ls_program_sim(program), sims[i]);
        assert_int_equal(ls_program_column_count(program), sims[i]->component_count);
        assert_int_equal(ls_program_system_count(program), sims[i]->system_count);
        for (uint32_t column = 1; column < ls_program_column_count(program); column++)
            assert_true(strcmp(ls_program_component(program, column - 1)->name,
                               ls_program_component(program, column)->name) < 0);
        ls_program_destroy(program);
    }
    ls_program_destroy(NULL);
}

TEST(test_program_does_not_depend_on_registration)
{
    harness one, two;
    harness_begin(&one, &sample_sim, 3);
    harness_begin(&two, &sample_sim_reversed, 3);
    assert_memory_equal(ls_program_fingerprint(one.program), ls_program_fingerprint(two.program),
                        LS_FINGERPRINT_BYTES);
    for (uint32_t position = 0; position < ls_program_system_count(one.program); position++)
        assert_string_equal(ls_program_system(one.program, position)->name,
                            ls_program_system(two.program, position)->name);
    for (uint32_t tick = 0; tick < 30; tick++) {
        assert_int_equal(ls_world_root(one.world), ls_world_root(two.world));
        harness_tick(one.world, NULL);
        harness_tick(two.world, NULL);
    }
    size_t count;
    uint8_t *bytes = harness_bytes(one.world, &count);
    assert_int_equal(ls_world_decode(two.world, bytes, count, NULL), LS_OK);
    assert_int_equal(ls_world_root(one.world), ls_world_root(two.world));
    ls_free(bytes);
    harness_end(&one);
    harness_end(&two);
}

TEST(test_program_refuses_two_things_of_one_name)
{
    static const ls_component twin = LS_TAG_TABLE("vigor");
    const ls_component *const components[] = {&sample_places, &sample_vigors, &twin};
    ls_sim sim = sample_sim;
    sim.components = components;
    sim.component_count = LS_COUNT_OF(components);
    assert_refused(&sim, LS_ERROR_USAGE, "two components are named \"vigor\"");
    sim = sample_sim;
    static const char *const twins[] = {"beast", "spark", "beast"};
    sim.lanes = twins;
    sim.lane_count = 3;
    assert_refused(&sim, LS_ERROR_USAGE, "two lanes are named \"beast\"");
    static const char *const engine[] = {"beast", "spark", "world"};
    sim.lanes = engine;
    assert_refused(&sim, LS_ERROR_USAGE, "\"world\"", "the engine's");
    static const char *const nameless[] = {"beast", "", "spark"};
    sim.lanes = nameless;
    assert_refused(&sim, LS_ERROR_USAGE, "lane 1 has no name");
    static const char *const missing[] = {NULL, "beast", "spark"};
    sim.lanes = missing;
    assert_refused(&sim, LS_ERROR_USAGE, "lane 0 has no name");
}

TEST(test_program_passes_on_what_a_component_lacks)
{
    static const ls_field fields[] = {{"late", LS_TYPE_U32, 4, 4, 0}};
    static const ls_component holed = {"holed", 8, 1, fields, false};
    const ls_component *const components[] = {&sample_places, &holed};
    ls_sim sim = sample_sim;
    sim.components = components;
    sim.component_count = LS_COUNT_OF(components);
    assert_refused(&sim, LS_ERROR_USAGE, "\"holed\"", "hole of 4 bytes", "\"late\"");
}

static void run_span(ls_context *context, const ls_span *span)
{
}

static void run_match(ls_context *context, const ls_entity *entities)
{
}

#define SEQUENTIAL .mode = LS_SEQUENTIAL, .match = run_match

static const ls_finding *find_text(const ls_schedule_report *report, ls_finding_kind kind,
                                   const char *text)
{
    for (uint32_t i = 0; i < report->count; i++) {
        if (report->findings[i].kind == kind && strstr(report->findings[i].text, text))
            return &report->findings[i];
    }
    fail_msg("no such finding: %s", text);
    return NULL;
}

TEST(test_program_reports_all_that_is_wrong_at_once)
{
    static const ls_component foreign = LS_TAG_TABLE("foreign");
    const ls_system systems[] = {
        {.name = "idle", .mode = LS_CONCURRENT, .span = run_span},
        {.name = "lost",
         .mode = LS_SEQUENTIAL,
         .match = run_match,
         .terms = LS_TERM_LIST(LS_OTHERS_READ(foreign)),
         .after = "nobody"},
    };
    static const ls_set sets[] = {{.name = "rare", .when = {.every = 2, .phase = 2}}};
    ls_sim sim = sample_sim;
    sim.systems = systems;
    sim.system_count = LS_COUNT_OF(systems);
    sim.sets = sets;
    sim.set_count = LS_COUNT_OF(sets);
    ls_schedule_report *report;
    ls_error error;
    assert_int_equal(ls_program_check(&sim, &report, &error), LS_ERROR_USAGE);
    assert_int_equal(report->count, 4);
    assert_string_equal(find_text(report, LS_FINDING_DECLARATION, "matches nothing")->one, "idle");
    assert_string_equal(find_text(report, LS_FINDING_DECLARATION, "\"foreign\"")->one, "lost");
    assert_string_equal(find_text(report, LS_FINDING_DECLARATION, "phases are")->one, "rare");
    assert_string_equal(find_text(report, LS_FINDING_UNKNOWN, "\"nobody\"")->one, "lost");
    ls_schedule_report_destroy(report);
    assert_refused(&sim, LS_ERROR_USAGE, "matches nothing", "\"foreign\"", "phases are",
                   "\"nobody\"");

    /* An error found before the systems are examined is a finding as well. */
    sim.player_count = 0;
    assert_int_equal(ls_program_check(&sim, &report, &error), LS_ERROR_USAGE);
    assert_int_equal(report->count, 5);
    find_text(report, LS_FINDING_DECLARATION, "player_count");
    ls_schedule_report_destroy(report);
}

static const struct {
    ls_finding_kind kind;
    const char *text;
} all_wanted[] = {
    {LS_FINDING_DECLARATION, "two components are named"},
    {LS_FINDING_DECLARATION, "component 2 of 4 is NULL"},
    {LS_FINDING_DECLARATION, "component has no name"},
    {LS_FINDING_DECLARATION, "two lanes are named \"a\""},
    {LS_FINDING_DECLARATION, "lane 2 has no name"},
    {LS_FINDING_DECLARATION, "\"foreign\""},
    {LS_FINDING_DECLARATION, "lane \"nowhere\""},
    {LS_FINDING_UNKNOWN, "after stage \"latest\""},
    {LS_FINDING_UNKNOWN, "\"astray\" is of stage \"never\""},
    {LS_FINDING_UNKNOWN, "\"nowhen\" has slot 9"},
    {LS_FINDING_UNKNOWN, "par \"both\" has 1 sides"},
    {LS_FINDING_UNKNOWN, "after \"nobody\""},
    {LS_FINDING_CYCLE, "\"egg\" before \"hen\" before \"egg\""},
    {LS_FINDING_AMBIGUITY, "\"egg\" and \"rival\" have no order"},
    {LS_FINDING_AMBIGUITY, "\"lost\" and \"rival\" have no order"},
    {LS_FINDING_AMBIGUITY, "first look at the other finding about \"lost\""},
};

TEST(test_program_hides_no_kind_of_finding_behind_another)
{
    static const ls_component foreign = LS_TAG_TABLE("foreign"), nameless = LS_TAG_TABLE("");
    const ls_component *const components[] = {&sample_places, &sample_places, NULL, &nameless};
    const char *const lanes[] = {"a", "a", ""};
    const ls_system systems[] = {
        /* three faults of one system */
        {.name = "one",
         SEQUENTIAL,
         .terms = LS_TERM_LIST(LS_OTHERS_READ(foreign), LS_OTHERS_START(foreign)),
         .lanes = "nowhere, a"},
        /* a cycle, and a fourth system that conflicts with them */
        {.name = "hen",
         SEQUENTIAL,
         .terms = LS_TERM_LIST(LS_OTHERS_WRITE(sample_places)),
         .after = "egg"},
        {.name = "egg",
         SEQUENTIAL,
         .terms = LS_TERM_LIST(LS_OTHERS_WRITE(sample_places)),
         .after = "hen"},
        {.name = "rival", SEQUENTIAL, .terms = LS_TERM_LIST(LS_OTHERS_WRITE(sample_places))},
        /* a name that nothing has, a stage and a slot that do not exist */
        {.name = "lost",
         SEQUENTIAL,
         .terms = LS_TERM_LIST(LS_OTHERS_READ(sample_places)),
         .after = "nobody"},
        {.name = "astray", SEQUENTIAL, .stage = "never"},
        {.name = "nowhen", SEQUENTIAL, .slot = (ls_slot)9},
    };
    static const ls_stage stages[] = {{.name = "main"}, {.name = "late", .after = "latest"}};
    static const ls_par pars[] = {{.name = "both", .sides = "hen"}};
    ls_sim sim = sample_sim;
    sim.components = components;
    sim.component_count = LS_COUNT_OF(components);
    sim.lanes = lanes;
    sim.lane_count = LS_COUNT_OF(lanes);
    sim.systems = systems;
    sim.system_count = LS_COUNT_OF(systems);
    sim.stages = stages;
    sim.stage_count = LS_COUNT_OF(stages);
    sim.pars = pars;
    sim.par_count = LS_COUNT_OF(pars);
    sim.setup = NULL;
    ls_schedule_report *report;
    ls_error error;
    assert_int_equal(ls_program_check(&sim, &report, &error), LS_ERROR_USAGE);
    for (uint32_t i = 0; i < LS_COUNT_OF(all_wanted); i++)
        find_text(report, all_wanted[i].kind, all_wanted[i].text);
    uint32_t of_cycle = 0, of_one = 0;
    for (uint32_t i = 0; i < report->count; i++) {
        const ls_finding *finding = &report->findings[i];
        of_cycle +=
            finding->kind == LS_FINDING_AMBIGUITY && strstr(finding->text, "\"egg\" and \"hen\"");
        of_one += finding->kind == LS_FINDING_DECLARATION && finding->one &&
                  strcmp(finding->one, "one") == 0;
    }
    assert_int_equal(of_cycle, 0); /* a cycle orders its systems, if in both directions */
    assert_int_equal(of_one, 3);
    assert_int_equal(report->remedy_count, 0);
    ls_schedule_report_destroy(report);
}

TEST(test_program_says_the_beginning_of_what_is_too_long)
{
    char name[2 * LS_ERROR_TEXT_BYTES];
    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = 0;
    const ls_system systems[] = {
        {.name = name, .mode = LS_SEQUENTIAL, .match = run_match},
    };
    ls_sim sim = sample_sim;
    sim.systems = systems;
    sim.system_count = LS_COUNT_OF(systems);
    ls_error error;
    assert_int_equal(harness_refusal(&sim, &error), LS_ERROR_LIMIT);
    assert_ptr_equal(strstr(error.text, "system \"xxx"), error.text);
    assert_null(strstr(error.text, "more"));
}

TEST(test_program_keeps_its_limits)
{
    ls_sim sim = sample_sim;
    sim.abi++;
    char built[40], here[40];
    snprintf(built, sizeof built, "ABI %u with rules %u", LS_SIM_ABI >> 16, LS_ENGINE_RULES + 1);
    snprintf(here, sizeof here, "this engine has %u with rules %u", LS_SIM_ABI >> 16,
             LS_ENGINE_RULES);
    assert_refused(&sim, LS_ERROR_INCOMPATIBLE, built, here, "rebuild");
    /* Lists that are too long are read up to their limit. */
    static const ls_component *components[LS_COMPONENTS_MAX];
    static const char *lane_names[LS_LANES_MAX];
    static const ls_system systems[LS_SYSTEMS_MAX];
    static const ls_option options[LS_OPTIONS_MAX];
    sim = sample_sim;
    sim.components = components;
    sim.component_count = LS_COMPONENTS_MAX + 1;
    assert_refused(&sim, LS_ERROR_LIMIT, "129 components");
    sim = sample_sim;
    sim.lanes = lane_names;
    sim.lane_count = LS_LANES_MAX;
    assert_refused(&sim, LS_ERROR_LIMIT, "256 lanes", "255");
    sim = sample_sim;
    sim.systems = systems;
    sim.system_count = LS_SYSTEMS_MAX + 1;
    assert_refused(&sim, LS_ERROR_LIMIT, "1025");
    sim.system_count = 10000;
    assert_refused(&sim, LS_ERROR_LIMIT, "10000 systems", "1024");
    sim = sample_sim;
    sim.options = options;
    sim.option_count = LS_OPTIONS_MAX + 1;
    assert_refused(&sim, LS_ERROR_LIMIT, "17 options");
    const uint32_t rates[] = {0, LS_TICK_RATE_MAX + 1}, players[] = {0, LS_PLAYERS_MAX + 1};
    for (uint32_t i = 0; i < 2; i++) {
        sim = sample_sim;
        sim.tick_rate = rates[i];
        assert_refused(&sim, LS_ERROR_USAGE, "tick_rate");
        sim = sample_sim;
        sim.player_count = players[i];
        assert_refused(&sim, LS_ERROR_USAGE, "player_count");
    }
    static const char long_name[] =
        "12345678901234567890123456789012345678901234567890123456789012345";
    const char *const names[] = {NULL, "", long_name};
    for (uint32_t i = 0; i < 3; i++) {
        sim = sample_sim;
        sim.name = names[i];
        assert_refused(&sim, LS_ERROR_USAGE, "needs a name");
    }
}

TEST(test_program_refuses_what_has_no_name)
{
    static const char *const nothing[] = {NULL, ""};
    for (uint32_t i = 0; i < 2; i++) {
        const ls_system systems[] = {sample_sim.systems[0], {.name = nothing[i]}};
        const ls_stage stages[] = {{.name = "main"}, {.name = nothing[i], .after = "main"}};
        const ls_set sets[] = {{.name = nothing[i], .when = {.every = 2}}};
        const ls_independence independences[] = {{"x", nothing[i], "because"},
                                                 {nothing[i], "y", "because"}};
        ls_sim sim = sample_sim;
        sim.systems = systems;
        sim.system_count = 2;
        assert_refused(&sim, LS_ERROR_USAGE, "system 1 of 2 has no name");
        sim = sample_sim;
        sim.stages = stages;
        sim.stage_count = 2;
        assert_refused(&sim, LS_ERROR_USAGE, "stage 1 of 2 has no name");
        sim = sample_sim;
        sim.sets = sets;
        sim.set_count = 1;
        assert_refused(&sim, LS_ERROR_USAGE, "set 0 of 1 has no name", "as a label");
        sim = sample_sim;
        sim.independences = independences;
        sim.independence_count = 1;
        assert_refused(&sim, LS_ERROR_USAGE, "independence 0 of 1 is between \"x\" and \"\"");
        sim.independences = &independences[1];
        assert_refused(&sim, LS_ERROR_USAGE, "is between \"\" and \"y\"", "name two");
        ls_component component = sample_vigors;
        component.name = nothing[i];
        const ls_component *const components[] = {&component, NULL};
        sim = sample_sim;
        sim.components = components;
        sim.component_count = 1;
        assert_refused(&sim, LS_ERROR_USAGE, "component has no name");
        sim.components = &components[1];
        assert_refused(&sim, LS_ERROR_USAGE, "component 0 of 1 is NULL");
    }
}

TEST(test_program_takes_as_many_lanes_as_allowed)
{
    static char names[LS_LANES_MAX][8];
    static const char *lanes[LS_LANES_MAX - 1];
    for (uint32_t i = 0; i < LS_COUNT_OF(lanes); i++) {
        snprintf(names[i], sizeof names[i], "l%03u", i);
        lanes[i] = names[i];
    }
    ls_sim sim = sample_sim;
    sim.lanes = lanes;
    sim.lane_count = LS_COUNT_OF(lanes);
    sim.system_count = 0;
    sim.systems = NULL;
    sim.setup = NULL;
    harness self;
    harness_begin(&self, &sim, 1);
    harness_tick(self.world, NULL);
    harness_end(&self);
}

TEST(test_program_refuses_what_a_setup_cannot_have)
{
    ls_system setups[2] = {*sample_sim.setup, *sample_sim.setup};
    ls_sim sim = sample_sim;
    sim.setup = setups;
    setups[0].terms = LS_TERM_LIST(LS_READS(sample_places));
    assert_refused(&sim, LS_ERROR_USAGE, "setup \"found\" has a query", "nothing to match yet");
    setups[0] = setups[1];
    sim.setup_count = 2;
    assert_refused(&sim, LS_ERROR_USAGE, "\"found\"", "the same random numbers");
    setups[1].name = "grow";
    setups[1].terms = LS_TERM_LIST(LS_CHANGED(sample_places));
    assert_refused(&sim, LS_ERROR_USAGE, "setup \"grow\" has a filter by change");
    setups[1].terms = LS_TERM_LIST(LS_OBSERVES(sample_places));
    assert_refused(&sim, LS_ERROR_USAGE, "setup \"grow\" has OBSERVES(...)");
    setups[1].terms = NULL;
    setups[1].after = "found";
    assert_refused(&sim, LS_ERROR_USAGE, "setup \"grow\" has an order or a stage");
    setups[1].after = NULL;
    setups[1].name = "";
    assert_refused(&sim, LS_ERROR_USAGE, "setup 1 of 2 has no name");
}

TEST(test_program_checks_matches)
{
    harness self;
    harness_begin(&self, &sample_sim, 4);
    ls_match match = ls_program_match(self.program, 4);
    assert_int_equal(match.seed, 4);
    assert_int_equal(match.tick_rate, 60);
    assert_int_equal(match.player_count, 2);
    assert_int_equal(match.option_count, 2);
    assert_int_equal(match.options[SAMPLE_BEASTS], 300);
    assert_int_equal(ls_program_check_match(self.program, &match, NULL), LS_OK);
    static const struct {
        uint32_t tick_rate, player_count, option_count;
        int64_t beasts;
        ls_status status;
        const char *word;
    } wrong[] = {
        {0, 2, 2, 0, LS_ERROR_USAGE, "ticks a second"},
        {241, 2, 2, 0, LS_ERROR_USAGE, "not 241"},
        {60, 0, 2, 0, LS_ERROR_USAGE, "players"},
        {60, 65, 2, 0, LS_ERROR_USAGE, "65"},
        {60, 2, 1, 0, LS_ERROR_INCOMPATIBLE, "2"},
        {60, 2, 3, 0, LS_ERROR_INCOMPATIBLE, "sets 3 options"},
        {60, 2, 2, -1, LS_ERROR_USAGE, "\"beasts\" is 0 to 20000, not -1"},
        {60, 2, 2, 20001, LS_ERROR_USAGE, "not 20001"},
    };
    for (uint32_t i = 0; i < LS_COUNT_OF(wrong); i++) {
        ls_error error;
        ls_world *world;
        match.tick_rate = wrong[i].tick_rate;
        match.player_count = wrong[i].player_count;
        match.option_count = wrong[i].option_count;
        match.options[SAMPLE_BEASTS] = wrong[i].beasts;
        assert_int_equal(ls_program_check_match(self.program, &match, &error), wrong[i].status);
        assert_non_null(strstr(error.text, wrong[i].word));
        assert_int_equal(ls_world_create(self.program, &match, &world, &error), wrong[i].status);
        assert_null(world);
    }
    harness_end(&self);
}
