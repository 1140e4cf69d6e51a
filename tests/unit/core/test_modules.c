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

TEST(test_modules_runs_under_its_name)
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

TEST(test_modules_clashes_are_named)
{
    ls_sim sim = game(after, twice, 2);
    refused(&sim, "module \"physics\" is listed twice, by \"game\" and by \"game\"");
    sim = game(after, named, 2);
    refused(&sim, "two modules of \"game\" are named \"physics\"; rename one");
    sim = game(unordered, one, 1);
    refused(&sim, "systems \"earn\" and \"physics.fall\" have no order");
}

/* A system writes its digit behind those of earlier ones: the trace is the order of a tick. */
LS_SINGLETON(trace, U64(digits));
LS_TERMS(tracing, WRITES_SINGLETON(trace));
static void note(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, tracing);
    trace *all = LS_WRITE_SINGLETON(context, trace);
    all->digits = all->digits * 10 + *(const uint32_t *)ls_system_data(context);
}
static const uint32_t digits[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
#define NOTE(digit, named, ...)                                                                    \
    {                                                                                              \
        .name = named, .mode = LS_SEQUENTIAL, .match = note, .terms = tracing,                     \
        .data = (void *)(uintptr_t)&digits[digit], __VA_ARGS__                                     \
    }
static const ls_component *const traced[] = {&trace_component};

/* The order of the setups, and of two ticks. */
static void expect_trace(ls_sim sim, uint64_t wanted)
{
    sim.abi = LS_SIM_ABI;
    sim.name = "traced";
    sim.version = "1";
    sim.tick_rate = 20;
    sim.player_count = 1;
    sim.components = traced;
    sim.component_count = 1;
    harness made;
    harness_begin(&made, &sim, 1);
    ls_executor *executor = harness_executor(1, 7);
    harness_tick(made.world, executor);
    harness_tick(made.world, executor);
    assert_int_equal(LS_WORLD_SINGLETON(made.world, trace)->digits, wanted);
    ls_executor_destroy(executor);
    harness_end(&made);
}

TEST(test_modules_set_up_before_their_users)
{
    static const ls_system inner_setup[] = {NOTE(1, "a")}, outer_setup[] = {NOTE(2, "a")};
    static const ls_system other_setup[] = {NOTE(3, "a"), NOTE(4, "b")}, own[] = {NOTE(5, "a")};
    static const ls_module inner = {.name = "inner", .setup = inner_setup};
    static const ls_module *const inners[] = {&inner};
    static const ls_module outer = {
        .name = "outer", .setup = outer_setup, .modules = inners, .module_count = 1};
    static const ls_module other = {.name = "other", .setup = other_setup, .setup_count = 2};
    static const ls_module *const all[] = {&outer, &other};
    expect_trace((ls_sim){.modules = all, .module_count = 2, .setup = own}, 12345);
    expect_trace((ls_sim){.modules = all, .module_count = 2}, 1234);
}

static const ls_system abc[] = {NOTE(1, "a"), NOTE(2, "b"), NOTE(3, "c")};
static const ls_algebra own_order = LS_THEN(LS_SEQ("a"), LS_SEQ("b"));
static const ls_algebra around = LS_THEN(LS_SEQ("c"), LS_SEQ("k.x"), LS_SEQ("b"), LS_SEQ("m.a"));
static const ls_algebra backwards = LS_THEN(LS_SEQ("c"), LS_SEQ("b"), LS_SEQ("a"));

TEST(test_modules_order_themselves_by_the_algebra)
{
    static const ls_system own[] = {NOTE(4, "a", .after = "m"), NOTE(5, "b")};
    static const ls_module m = {
        .name = "m", .systems = abc, .system_count = 3, .schedule = &backwards};
    static const ls_module *const all[] = {&m};
    expect_trace((ls_sim){.modules = all,
                          .module_count = 1,
                          .systems = own,
                          .system_count = 2,
                          .schedule = &own_order},
                 3214532145);
}

TEST(test_modules_algebra_knows_modules_within)
{
    static const ls_system within[] = {NOTE(6, "x")};
    static const ls_module k = {.name = "k", .systems = within, .system_count = 1};
    static const ls_module *const inners[] = {&k};
    static const ls_module m = {.name = "m",
                                .systems = abc,
                                .system_count = 3,
                                .schedule = &around,
                                .modules = inners,
                                .module_count = 1};
    static const ls_module *const all[] = {&m};
    expect_trace((ls_sim){.modules = all, .module_count = 1}, 36213621);
}

TEST(test_modules_have_pars)
{
    static const ls_system sides[] = {NOTE(1, "a"),
                                      {.name = "b", .mode = LS_SEQUENTIAL, .match = harness_match}};
    static const ls_par pars[] = {{.name = "both", .sides = "a, b"}};
    static const ls_module m = {
        .name = "m", .systems = sides, .system_count = 2, .pars = pars, .par_count = 1};
    static const ls_module *const all[] = {&m};
    static const ls_system own[] = {NOTE(2, "c", .after = "m.both")};
    expect_trace((ls_sim){.modules = all, .module_count = 1, .systems = own, .system_count = 1},
                 1212);
}

/* The greatest distance that a system of the module gives to its own component. */
static void farther(place *kept, const place *also)
{
    kept->x = also->x > kept->x ? also->x : kept->x;
}
LS_OPERATIONS(operations, OPERATION(place, farther));
LS_TERMS(reaching, READS(purse), ACCUMULATES(place, LS_COMBINE));
static void reach(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, reaching);
    (void)LS_ACCUMULATE(context, place, entities[0], .x = 40);
    (void)LS_ACCUMULATE(context, place, entities[0], .x = 30);
}

TEST(test_modules_have_operations)
{
    static const ls_system systems[] = {
        {.name = "reach", .mode = LS_SEQUENTIAL, .match = reach, .terms = reaching}};
    static const ls_module land = {.name = "physics",
                                   .components = physics_components,
                                   .component_count = 1,
                                   .systems = systems,
                                   .system_count = 1,
                                   .lanes = lanes,
                                   .lane_count = 1,
                                   .operations = operations,
                                   .operation_count = 1};
    static const ls_module *const all[] = {&land};
    ls_sim sim = game(NULL, all, 1);
    sim.system_count = 0;
    harness made;
    harness_begin(&made, &sim, 1);
    harness_tick(made.world, NULL);
    ls_entity entity = ls_entity_make(ls_program_find_lane(made.program, "physics.folk"), 0, 1);
    assert_int_equal(LS_WORLD_READ(made.world, place, entity)->x, 40);
    harness_end(&made);
}

static void ask(ls_context *context, const ls_entity *entities)
{
    ls_decide(context, ls_tick(context) == 1 ? LS_YES : LS_NO);
}

/* Two copies of one criterion would be two systems with one name. */
TEST(test_modules_conditions_share_a_criterion)
{
    static const ls_system criterion = {.name = "ask", .mode = LS_SEQUENTIAL, .match = ask};
    static const ls_set sets[] = {{.name = "odd", .when = {.criterion = &criterion}},
                                  {.name = "even", .when = {.criterion = &criterion}}};
    static const ls_system own[] = {NOTE(1, "a", .labels = "odd"),
                                    NOTE(2, "b", .labels = "even", .after = "a"),
                                    NOTE(3, "c", .after = "b")};
    static const ls_module m = {
        .name = "m", .systems = own, .system_count = 3, .sets = sets, .set_count = 2};
    static const ls_module *const all[] = {&m};
    expect_trace((ls_sim){.modules = all, .module_count = 1}, 3123);
}

TEST(test_modules_set_of_its_name_holds_for_all_of_it)
{
    static const ls_system inner_systems[] = {NOTE(2, "a")},
                           outer_systems[] = {NOTE(1, "a", .before = "inner")};
    static const ls_module inner = {.name = "inner", .systems = inner_systems, .system_count = 1};
    static const ls_module *const inners[] = {&inner};
    static const ls_module outer = {.name = "outer",
                                    .systems = outer_systems,
                                    .system_count = 1,
                                    .modules = inners,
                                    .module_count = 1};
    static const ls_module *const all[] = {&outer};
    static const ls_set sets[] = {{.name = "outer", .when = {.every = 2, .phase = 1}}};
    static const ls_system own[] = {NOTE(3, "a", .after = "outer")};
    expect_trace((ls_sim){.modules = all,
                          .module_count = 1,
                          .sets = sets,
                          .set_count = 1,
                          .systems = own,
                          .system_count = 1},
                 3123);
}

/* A component of a module hides one of the same name and other fields. */
LS_COMPONENT_NAMED(wide, "place", U64(far), U64(near));
static const ls_component *const wide_components[] = {&wide_component};
LS_TERMS(widening, SPAWNS_WITH(wide), SPAWNS_WITH(place));
static void widen(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, widening);
    ls_entity made = ls_spawn(context, 0);
    LS_ATTACH(context, wide, made, .far = 77);
    LS_ATTACH(context, place, made, .x = 8);
}

LS_TERMS(both, READS(place), READS(wide));

TEST(test_modules_components_are_found_by_their_fields)
{
    static const ls_system own = {.name = "widen",
                                  .mode = LS_SEQUENTIAL,
                                  .match = widen,
                                  .terms = widening,
                                  .lanes = "world"};
    ls_sim sim = game(NULL, one, 1);
    sim.components = wide_components;
    sim.system_count = 0;
    sim.setup = &own;
    harness made;
    harness_begin(&made, &sim, 1);
    harness_tick(made.world, NULL);
    ls_world_walk walk;
    ls_world_walk_begin(made.world, both, &walk);
    assert_true(ls_world_walk_next(&walk));
    assert_int_equal(LS_WALK_READ(both, place, &walk)->x, 8 + 3 * 10 + 3);
    assert_int_equal(LS_WALK_READ(both, wide, &walk)->far, 77);
    harness_end(&made);
}

LS_TERMS(local, WRITES(place), IN_LANE("folk"));
static void mark(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, local);
    uint32_t lane = ls_lane_named(context, "folk");
    assert_int_equal(ls_entity_lane(entities[0]), lane);
    assert_int_not_equal(lane, ls_lane_named(context, "world"));
    LS_WRITE(context, place, entities[0])->x += 100;
}
LS_TERMS(settling, SPAWNS_WITH(place));
static void settle(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, settling);
    for (uint32_t i = 0; i < 3; i++)
        LS_ATTACH(context, place, ls_spawn(context, i), .x = i);
}

/* "folk" is the simulation's lane in the simulation, and the module's in the module. */
TEST(test_modules_lanes_are_their_own)
{
    static const ls_system systems[] = {
        {.name = "mark", .mode = LS_SEQUENTIAL, .match = mark, .terms = local}};
    static const ls_system setups = {.name = "settle",
                                     .mode = LS_SEQUENTIAL,
                                     .match = settle,
                                     .terms = settling,
                                     .lanes = "folk, land.folk, world"};
    static const ls_module land = {.name = "land",
                                   .components = physics_components,
                                   .component_count = 1,
                                   .lanes = lanes,
                                   .lane_count = 1,
                                   .systems = systems,
                                   .system_count = 1};
    static const ls_module *const all[] = {&land};
    ls_sim sim = game(NULL, all, 1);
    sim.system_count = 0;
    sim.lanes = lanes;
    sim.lane_count = 1;
    sim.setup = &setups;
    harness made;
    harness_begin(&made, &sim, 1);
    harness_tick(made.world, NULL);
    const uint32_t lanes_of[] = {ls_program_find_lane(made.program, "folk"),
                                 ls_program_find_lane(made.program, "land.folk"),
                                 ls_program_find_lane(made.program, "world")};
    for (uint32_t i = 0; i < 3; i++) {
        ls_entity entity = ls_entity_make(lanes_of[i], 0, 1);
        assert_int_equal(LS_WORLD_READ(made.world, place, entity)->x, i + (i == 1 ? 100 : 0));
    }
    harness_end(&made);
}
