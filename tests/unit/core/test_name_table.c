/* Names must be unique where they select a system's random numbers. */
#include "harness.h"

static const ls_component mark = LS_TAG_TABLE("mark");
static const ls_component *const components[] = {&mark};
static const char *const lanes[] = {"a"};

static void match(ls_context *context, const ls_entity *entities)
{
}

#define SEQ .mode = LS_SEQUENTIAL, .match = match

TEST(test_name_table_refuse_two_systems_of_one_name)
{
    const ls_system systems[] = {
        {.name = "twin", SEQ}, {.name = "other", SEQ}, {.name = "twin", SEQ}};
    ls_sim sim = HARNESS_SIM(components, lanes, systems);
    assert_refused(&sim, LS_ERROR_USAGE, "two systems are named \"twin\"");
    const ls_system setup = {.name = "other", SEQ};
    sim.setup = &setup;
    sim.system_count = 2;
    assert_refused(&sim, LS_ERROR_USAGE, "a system and a setup are named \"other\"");
}

static void decide(ls_context *context, const ls_entity *entities)
{
    ls_decide(context, LS_YES);
}

/* Two criteria of one name would draw the same random numbers. Sets may share one criterion. */
TEST(test_name_table_refuse_a_criterion_of_the_name_of_another)
{
    const ls_system systems[] = {{.name = "one", SEQ}, {.name = "two", SEQ}};
    const ls_system setup = {.name = "begin", SEQ};
    ls_system first = {.name = "ask", .mode = LS_SEQUENTIAL, .match = decide}, second = first;
    ls_set sets[] = {{.name = "a", .when = {.criterion = &first}},
                     {.name = "b", .when = {.criterion = &first}}};
    ls_stage stage = {.name = "main"};
    ls_sim sim = HARNESS_SIM(components, lanes, systems);
    sim.sets = sets;
    sim.set_count = 2;
    sim.stages = &stage;
    sim.stage_count = 1;
    sim.setup = &setup;
    harness self;
    harness_begin(&self, &sim, 1);
    harness_end(&self);
    sets[1].when.criterion = &second;
    assert_refused(&sim, LS_ERROR_USAGE, "two criteria are named \"ask\"");
    second.name = "two";
    assert_refused(&sim, LS_ERROR_USAGE, "a system and a criterion are named \"two\"",
                   "the same random numbers");
    second.name = "begin";
    assert_refused(&sim, LS_ERROR_USAGE, "a setup and a criterion are named \"begin\"");
    sets[1].when.criterion = &first;
    stage.when.criterion = &systems[0];
    assert_refused(&sim, LS_ERROR_USAGE, "a system and a criterion are named \"one\"");
}
