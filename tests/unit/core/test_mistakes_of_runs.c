/* The messages for mistakes that only a run shows: docs/mistakes.md has a row for each, with the
 * same words. */
#include "mistakes_page.h"

LS_COMPONENT(leaf, ENTITY(parent, LS_PARENT));
LS_COMPONENT(married, ENTITY(spouse, LS_KEEP));
LS_COMPONENT(purse, I32(coins));
LS_COMPONENT_OF(purse, wages, "wages", I32(coins));
LS_TAG(asleep);
LS_TAG(grazing);
LS_SINGLETON(sum, I32(coins));
LS_STATES(game, LOBBY, PLAYING);
LS_COMPONENTS(components, leaf, married, purse, asleep, grazing, sum, game);
static const char *const lanes[] = {"a"};
static const ls_incompatibility never[] = {LS_NEVER_BOTH(asleep, grazing)};
LS_PREFABS(folk, PREFAB(sleeper, TAG(asleep)), PREFAB(heir, ROW(purse, wages, 2)));

static ls_entity nth(uint32_t slot)
{
    return ls_entity_make(1, slot, 1);
}

/* Four entities: 0 and 1 have leaves and the spouse 2, 2 has a purse, 3 sleeps. */
LS_TERMS(founding, OTHERS_STRUCTURE(leaf), OTHERS_STRUCTURE(married), OTHERS_STRUCTURE(purse),
         OTHERS_STRUCTURE(asleep), OTHERS_STRUCTURE(grazing));
static void found(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, founding);
    ls_entity made[4];
    ls_spawn_many(context, 0, LS_COUNT_OF(made), made);
    for (uint32_t i = 0; i < 2; i++) {
        LS_ATTACH(context, leaf, made[i], 0);
        LS_ATTACH(context, married, made[i], .spouse = made[2]);
    }
    LS_ATTACH(context, purse, made[2], .coins = 1);
    LS_ATTACH_TAG(context, asleep, made[3]);
}

static void found_in_a_circle(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, founding);
    found(context, entities);
    LS_ATTACH(context, leaf, nth(0), .parent = nth(1));
    LS_ATTACH(context, leaf, nth(1), .parent = nth(0));
}

static void found_with_both(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, founding);
    found(context, entities);
    LS_ATTACH_TAG(context, grazing, nth(3));
}

/* Each becomes the parent of the other. */
LS_TERMS(turning, OTHERS_WRITE(leaf));
static void turn(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, turning);
    LS_WRITE(context, leaf, nth(1))->parent = nth(0);
    LS_WRITE(context, leaf, nth(0))->parent = nth(1);
}

static void take_the_second(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, turning);
    LS_WRITE(context, leaf, nth(0))->parent = nth(1);
}

LS_TERMS(turning_later, COMMANDED(leaf));
static void turn_later(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, turning_later);
    LS_COMMAND_ATTACH(context, leaf, nth(0), .parent = nth(0));
}

LS_TERMS(paying, READS(married), PARTNER_WRITES(purse));
LS_TERMS(giving, READS(married), OPTIONALLY_READS(leaf), PARTNER_WRITES(leaf, theirs));
static void do_nothing(ls_context *context, const ls_entity *entities)
{
}

LS_TERMS(marrying, OTHERS_WRITE(married));
static void marry(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, marrying);
    LS_WRITE(context, married, nth(0))->spouse = nth(1);
    LS_WRITE(context, married, nth(1))->spouse = nth(3);
}

LS_TERMS(rousing, WITH(asleep), ATTACHES(grazing));
static void rouse(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, rousing);
    LS_ATTACH_TAG(context, grazing, entities[0]);
}

LS_TERMS(rousing_later, WITH(asleep), COMMANDED(grazing));
static void rouse_later(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, rousing_later);
    LS_COMMAND_ATTACH_TAG(context, grazing, entities[0]);
}

static void ask_again(ls_context *context, const ls_entity *entities)
{
    ls_decide(context, LS_YES_AND_AGAIN);
}

static void spawn_sleeper(ls_context *context, const ls_entity *entities)
{
    ls_spawn_prefab(context, 0, &folk[folk_sleeper]);
}

static void spawn_stranger(ls_context *context, const ls_entity *entities)
{
    ls_spawn_prefab(context, 0, LS_PREFAB_NAMED(folk, "stranger"));
}

LS_TERMS(inheriting, SPAWNS_WITH(purse));
static void spawn_heir(ls_context *context, const ls_entity *entities)
{
    ls_spawn_prefab(context, 0, &folk[folk_heir]);
}

LS_TERMS(governing, WRITES_SINGLETON(game));
static void enter_the_third_state(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, governing);
    LS_ENTER_STATE_VALUE(context, game, (game_state)(LS_STATE_OF(context, game) + 2));
}

static void use_another_list(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, rousing);
}

LS_TERMS(reckoning, ACCUMULATES(sum, LS_COMBINE));
static void reckon(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, reckoning);
    for (int32_t i = 1; i <= 3; i++)
        LS_ACCUMULATE(context, sum, LS_ENTITY_NULL, .coins = i * i);
}

static void subtract(sum *from, const sum *other)
{
    from->coins -= other->coins;
}
static void average(sum *to, const sum *other)
{
    to->coins = (to->coins + other->coins) / 2;
}
LS_OPERATIONS(subtracting, OPERATION(sum, subtract));
LS_OPERATIONS(averaging, OPERATION(sum, average));

static uint32_t count_wages(const ls_match *match)
{
    return 2;
}

static void fill_wages(const ls_match *match, void *rows, uint32_t count)
{
}

#define ROLL(called, function, ...)                                                                \
    {                                                                                              \
        .name = called, .mode = LS_SEQUENTIAL, .match = function, __VA_ARGS__                      \
    }
static const ls_system asking = ROLL("ask", ask_again);

typedef struct mistake {
    const char *what;
    ls_system systems[2];     /* the second may be missing */
    ls_match_function *setup; /* NULL: found() */
    ls_set set;
    ls_par par;
    const ls_operation *operation;
} mistake;

#define BY_SPOUSE .partner = {LS_KEY(married, spouse)}
static const mistake refusals[] = {
    {"a setup makes an entity its own ancestor",
     {ROLL("one", do_nothing)},
     .setup = found_in_a_circle},
    {"a system makes an entity its own ancestor", {ROLL("one", turn, .terms = turning)}},
    {"a command makes an entity its own ancestor",
     {ROLL("one", turn_later, .terms = turning_later)}},
    {"two sides of a par change one cell",
     {ROLL("one", take_the_second, .terms = turning),
      ROLL("two", take_the_second, .terms = turning)},
     .par = {.name = "both", .sides = "one, two"}},
    {"two matches have one partner",
     {{.name = "one", .match = do_nothing, .terms = paying, BY_SPOUSE}}},
    {"a match is the partner of another",
     {{.name = "one", .match = do_nothing, .terms = giving, BY_SPOUSE, .after = "two"},
      ROLL("two", marry, .terms = marrying)}},
    {"a setup attaches components that exclude each other",
     {ROLL("one", do_nothing)},
     .setup = found_with_both},
    {"a system attaches components that exclude each other",
     {{.name = "one", .match = rouse, .terms = rousing}}},
    {"commands attach components that exclude each other",
     {{.name = "one", .match = rouse_later, .terms = rousing_later}}},
    {"a criterion asks for more runs than its set allows",
     {ROLL("one", do_nothing, .labels = "owls")},
     .set = {.name = "owls", .when = {.criterion = &asking, .iterations_max = 3}}},
};

static const mistake stops[] = {
    {"a prefab has a component that the system does not spawn with",
     {ROLL("one", spawn_sleeper, .lanes = "a")}},
    {"a system spawns a prefab that its list lacks", {ROLL("one", spawn_stranger, .lanes = "a")}},
    {"a prefab takes a row that the table lacks",
     {ROLL("one", spawn_heir, .terms = inheriting, .lanes = "a")}},
    {"a system enters a state that there is not",
     {ROLL("one", enter_the_third_state, .terms = governing)}},
    {"a function uses the list of another system",
     {ROLL("one", use_another_list, .terms = turning),
      {.name = "two", .match = rouse, .terms = rousing}}},
    {"a criterion asks again without a limit",
     {ROLL("one", do_nothing, .labels = "owls")},
     .set = {.name = "owls", .when = {.criterion = &asking}}},
};

static const mistake unlawful[] = {
    {"an operation is not commutative",
     {ROLL("one", reckon, .terms = reckoning)},
     .operation = subtracting},
    {"an operation is not associative",
     {ROLL("one", reckon, .terms = reckoning)},
     .operation = averaging},
};

/* Advances a world of the simulation; it may already be refused. */
static ls_status run(const mistake *given, ls_executor *executor, ls_error *error)
{
    static const ls_match_table tables[] = {{&wages_component, count_wages, fill_wages}};
    const ls_system setup =
        ROLL("found", given->setup ? given->setup : found, .terms = founding, .lanes = "a");
    ls_sim sim = HARNESS_SIM(components, lanes, given->systems);
    sim.system_count = 1 + (given->systems[1].name != NULL);
    sim.setup = &setup;
    sim.tables = tables;
    sim.table_count = LS_COUNT_OF(tables);
    sim.incompatibilities = never;
    sim.incompatibility_count = LS_COUNT_OF(never);
    sim.sets = &given->set;
    sim.set_count = given->set.name != NULL;
    sim.pars = &given->par;
    sim.par_count = given->par.name != NULL;
    sim.operations = given->operation;
    sim.operation_count = given->operation != NULL;
    ls_program *program;
    ls_world *world;
    ls_error reason;
    if (ls_program_create(&sim, &program, &reason) != LS_OK)
        fail_msg("%s", reason.text);
    const ls_match match = ls_program_match(program, 1);
    const ls_frame frame = {.tick = 0};
    ls_status status = ls_world_create(program, &match, &world, error);
    if (status == LS_OK)
        status = ls_world_advance(world, &frame, executor, error);
    ls_world_destroy(world);
    ls_program_destroy(program);
    return status;
}

TEST(test_mistakes_of_runs_fail_with_the_messages_of_the_page)
{
    const char *page = mistakes_page("\nThese build", "\nThese stop");
    uint32_t missing = 0;
    for (uint32_t i = 0; i < LS_COUNT_OF(refusals); i++) {
        ls_error error = {""};
        assert_int_not_equal(run(&refusals[i], NULL, &error), LS_OK);
        missing += mistakes_row_is_missing(page, refusals[i].what, error.text);
    }
    assert_int_equal(missing, 0);
    assert_int_equal(mistakes_count_rows(page), LS_COUNT_OF(refusals));
}

static void run_to_the_stop(void *given)
{
    ls_error error;
    (void)run(given, NULL, &error);
}

TEST(test_mistakes_of_runs_stop_with_the_messages_of_the_page)
{
    const char *page = mistakes_page("\nThese stop", "\n`lockstep check`");
    for (uint32_t i = 0; i < LS_COUNT_OF(stops); i++) {
        char message[1024], row[256];
        snprintf(row, sizeof row, "\n| %s | ", stops[i].what);
        const char *at = strstr(page, row);
        if (!at)
            print_message("not in " MISTAKES_PAGE ": %s", row + 1);
        const char *text = at ? at + strlen(row) : "the page has no such row |";
        snprintf(message, sizeof message, "%.*s\n", (int)(strstr(text, " |") - text), text);
        assert_dies(run_to_the_stop, (void *)(uintptr_t)&stops[i], message);
    }
    assert_int_equal(mistakes_count_rows(page), LS_COUNT_OF(stops));
}

TEST(test_mistakes_of_runs_are_found_by_check)
{
    const char *page = mistakes_page("\n`lockstep check`", NULL);
    uint32_t missing = 0;
    for (uint32_t i = 0; i < LS_COUNT_OF(unlawful); i++) {
        ls_executor *executor = harness_checker();
        ls_error error = {""};
        assert_int_equal(run(&unlawful[i], executor, &error), LS_ERROR_DIVERGED);
        missing += mistakes_row_is_missing(page, unlawful[i].what, error.text);
        ls_executor_destroy(executor);
    }
    assert_int_equal(missing, 0);
    assert_int_equal(mistakes_count_rows(page), LS_COUNT_OF(unlawful));
}
