/* Modules: their parts become parts of the simulation, under full names. */
#include "harness.h"

LS_COMPONENT(place, U32(x));
LS_COMPONENT(purse, U32(coins));
LS_COMPONENT(slope, U32(step));
static const ls_component *const physics_components[] = {&place_component};
static const ls_option physics_options[] = {{"gravity", "added in each tick", 1, 9, 3}};

static uint32_t count_slopes(const ls_match *match)
{
    (void)match;
    return 1;
}
static void fill_slopes(const ls_match *match, void *rows, uint32_t count)
{
    assert_true(count == 1 && match->option_count == 1);
    ((slope *)rows)->step = (uint32_t)match->options[0];
}
static const ls_match_table physics_tables[] = {{&slope_component, count_slopes, fill_slopes}};

LS_TERMS(falling, WRITES(place));
static void fall(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, falling);
    uint32_t count;
    const slope *rows = ls_match_rows(context, &slope_component, &count);
    LS_WRITE(context, place, entities[0])->x +=
        (uint32_t)ls_match_of(context)->options[0] * 10 + rows[0].step;
}
LS_TERMS(placing, SPAWNS_WITH(place), SPAWNS_WITH(purse));
static void put(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, placing);
    (void)entities;
    ls_entity made = ls_spawn(context, 0);
    LS_ATTACH(context, place, made, .x = 0);
    LS_ATTACH(context, purse, made, .coins = 0);
}
static const ls_system falls[] = {
    {.name = "fall", .mode = LS_SEQUENTIAL, .match = fall, .terms = falling}};
static const char *const lanes[] = {"folk"};
#define PHYSICS                                                                                    \
    .name = "physics", .options = physics_options, .option_count = 1,                              \
    .components = physics_components, .component_count = 1, .systems = falls, .system_count = 1,   \
    .tables = physics_tables, .table_count = 1, .lanes = lanes, .lane_count = 1
static const ls_module physics = {PHYSICS};
static const ls_module second = {PHYSICS};

LS_TERMS(earning, READS(place), WRITES(purse));
static void earn(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, earning);
    LS_WRITE(context, purse, entities[0])->coins =
        LS_READ(context, place, entities[0])->x + (uint32_t)ls_match_of(context)->options[0];
}
static const ls_component *const own_components[] = {&purse_component};
static const ls_option own_options[] = {{"pay", "added to the place", 0, 9, 7}};
static const ls_system after[] = {
    {.name = "earn", .mode = LS_SEQUENTIAL, .match = earn, .terms = earning, .after = "physics"}};
static const ls_system unordered[] = {
    {.name = "earn", .mode = LS_SEQUENTIAL, .match = earn, .terms = earning}};
static const ls_system setup = {
    .name = "put", .mode = LS_SEQUENTIAL, .match = put, .terms = placing, .lanes = "physics.folk"};
static const ls_module *const one[] = {&physics};
static const ls_module *const twice[] = {&physics, &physics};
static const ls_module *const named[] = {&physics, &second};

static ls_sim game(const ls_system *systems, const ls_module *const *modules, uint32_t count)
{
    return (ls_sim){.abi = LS_SIM_ABI,
                    .name = "game",
                    .version = "1",
                    .tick_rate = 20,
                    .player_count = 1,
                    .options = own_options,
                    .option_count = 1,
                    .components = own_components,
                    .component_count = 1,
                    .systems = systems,
                    .system_count = 1,
                    .modules = modules,
                    .module_count = count,
                    .setup = &setup};
}

LS_TERMS(placed, READS(place), READS(purse));

static void test_modules_runs_under_its_name(void **state)
{
    ls_sim sim = game(after, one, 1);
    ls_error error;
    ls_program *program;
    assert_true(ls_program_create(&sim, &program, &error) == LS_OK);
    assert_true(strcmp(ls_program_sim(program)->options[1].name, "physics.gravity") == 0);
    assert_true(strcmp(ls_program_component(program, 0)->name, "physics.place") == 0);
    assert_true(strcmp(ls_program_system(program, 0)->name, "physics.fall") == 0);
    ls_match match = ls_program_match(program, 1);
    ls_world *world;
    assert_true(ls_world_create(program, &match, &world, &error) == LS_OK);
    ls_executor *executor = harness_executor(1, 0);
    const ls_frame frame = {0};
    assert_true(ls_world_advance(world, &frame, executor, &error) == LS_OK);
    uint32_t found = 0;
    ls_world_walk walk;
    for (ls_world_walk_begin(world, placed, &walk); ls_world_walk_next(&walk); found++)
        assert_int_equal(LS_WALK_READ(placed, purse, &walk)->coins, 3 * 10 + 3 + 7);
    assert_int_equal(found, 1);
    ls_executor_destroy(executor);
    ls_world_destroy(world);
    ls_program_destroy(program);
}

static void refused(const ls_sim *sim, const char *text)
{
    ls_error error;
    ls_program *program;
    assert_true(ls_program_create(sim, &program, &error) != LS_OK);
    if (!strstr(error.text, text))
        fprintf(stderr, "%s\n", error.text);
    assert_true(strstr(error.text, text) != NULL);
}

static void test_modules_clashes_are_named(void **state)
{
    ls_sim sim = game(after, twice, 2);
    refused(&sim, "module \"physics\" is listed twice, by \"game\" and by \"game\"");
    sim = game(after, named, 2);
    refused(&sim, "two modules of \"game\" are named \"physics\"; rename one");
    sim = game(unordered, one, 1);
    refused(&sim, "systems \"earn\" and \"physics.fall\" have no order");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_modules_runs_under_its_name),
        cmocka_unit_test(test_modules_clashes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
