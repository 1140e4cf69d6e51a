/* Access to the whole world: the conflicts that it has, and the calls. */
#include "harness.h"

LS_COMPONENT(place, FIX(x), FIX(y));
LS_COMPONENT(life, I32(points));
LS_TAG(asleep);
LS_SINGLETON(score, U32(points), U32(seen));
LS_EVENT(bell, U32(number));
LS_COMPONENT(unlisted, U32(number));
LS_COMPONENTS(components, place, life, asleep, score, bell);
static const char *const lanes[] = {"a"};

LS_TERMS(starting, SPAWNS_WITH(place), SPAWNS_WITH(life));
static void start(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, starting);
    for (int32_t i = 0; i < 3; i++) {
        ls_entity made = ls_spawn(context, 0);
        LS_ATTACH(context, place, made, .x = i);
        LS_ATTACH(context, life, made, .points = 10);
    }
}
static const ls_system setup = {
    .name = "start", .mode = LS_SEQUENTIAL, .match = start, .terms = starting, .lanes = "a"};

static ls_sim sim_of(const ls_system *systems, uint32_t count)
{
    return (ls_sim){.abi = LS_SIM_ABI,
                    .name = "whole",
                    .version = "1",
                    .source_hash = "",
                    .tick_rate = 20,
                    .player_count = 1,
                    .components = components,
                    .component_count = LS_COUNT_OF(components),
                    .lanes = lanes,
                    .lane_count = LS_COUNT_OF(lanes),
                    .setup = &setup,
                    .systems = systems,
                    .system_count = count};
}

static ls_entity nth(uint32_t i)
{
    return ls_entity_make(1, i, 1);
}

LS_TERMS(resetting, WRITES_WORLD, WALKS(1, WITH(place)), SENDS(bell));
static void reset(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, resetting);
    LS_EACH_MATCH(context, 1, entity)
    {
        const place *at = LS_READ_ANY(context, place, entity);
        assert_int_equal(at->x, ls_entity_slot(entity));
        LS_WRITE_ANY(context, place, entity)->y = at->x + 1;
        if (at->x == 1) {
            assert_true(LS_DETACH_ANY(context, life, entity));
            assert_false(LS_HAS_ANY(context, life, entity));
            assert_true(LS_ATTACH_ANY_TAG(context, asleep, entity));
        } else {
            assert_true(LS_ATTACH_ANY(context, life, entity, .points = 7));
        }
        LS_WRITE_ANY_SINGLETON(context, score)->points++;
    }
    LS_SEND(context, bell, .number = LS_READ_ANY_SINGLETON(context, score)->points);
}

/* Terms of the list keep their indexes beside that of the world. */
LS_TERMS(reading, WRITES(place), READS_WORLD, ACCUMULATES(score, LS_ADD));
static void read(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, reading);
    const life *other = LS_READ_ANY(context, life, nth(2));
    LS_WRITE(context, place, entities[0])->y += other ? other->points : 100;
    LS_ACCUMULATE(context, score, LS_ENTITY_NULL, .seen = 1);
}
LS_TERMS(watching, READS(life), READS_WORLD, ACCUMULATES(score, LS_ADD));
static void watch(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, watching);
    const place *other = LS_READ_ANY(context, place, nth(2));
    LS_ACCUMULATE(context, score, LS_ENTITY_NULL, .seen = (uint32_t)other->x);
}

TEST(test_whole_world_reaches_every_component)
{
    static const ls_system systems[] = {
        {.name = "reset", .mode = LS_SEQUENTIAL, .match = reset, .terms = resetting},
        {.name = "watch",
         .mode = LS_CONCURRENT,
         .match = watch,
         .terms = watching,
         .after = "reset"}};
    const ls_sim sim = sim_of(systems, 2);
    ls_executor *executors[] = {NULL, harness_executor(2, 0), harness_checker()};
    for (uint32_t i = 0; i < LS_COUNT_OF(executors); i++) {
        harness self;
        harness_begin(&self, &sim, 1);
        harness_tick(self.world, executors[i]);
        assert_int_equal(LS_WORLD_READ(self.world, place, nth(2))->y, 3);
        assert_null(LS_WORLD_READ(self.world, life, nth(1)));
        assert_non_null(LS_WORLD_READ(self.world, asleep, nth(1)));
        assert_int_equal(LS_WORLD_READ(self.world, life, nth(2))->points, 7);
        assert_int_equal(LS_WORLD_SINGLETON(self.world, score)->points, 3);
        assert_int_equal(LS_WORLD_SINGLETON(self.world, score)->seen, 2 * 2);
        harness_end(&self);
        ls_executor_destroy(executors[i]);
    }
}

/* A concurrent system that writes what it reads of others is refused, as with terms of its own. */
TEST(test_whole_world_of_a_concurrent_system_is_that_of_others)
{
    const ls_system systems[] = {
        {.name = "read", .mode = LS_CONCURRENT, .match = read, .terms = reading}};
    const ls_sim sim = sim_of(systems, 1);
    assert_refused(&sim, LS_ERROR_REFUSED, "conflicts with itself", "\"place\"");
}

/* Another system, and whether it needs an order with one that reads the world, or writes it. */
static const struct {
    const char *what;
    ls_system system;
    bool with_reader, with_writer;
} others[] = {
    {"nothing", {.terms = NULL}, false, false},
    {"presence",
     {.terms = LS_TERM_LIST(LS_TERM(0, LS_OTHERS, LS_ACCESS_PRESENCE, life_component))},
     false,
     true},
    {"read", {.terms = LS_TERM_LIST(LS_OTHERS_READ(life_component))}, false, true},
    {"write", {.terms = LS_TERM_LIST(LS_OTHERS_WRITE(life_component))}, true, true},
    {"structure", {.terms = LS_TERM_LIST(LS_OTHERS_STRUCTURE(asleep_component))}, true, true},
    {"accumulate", {.terms = LS_TERM_LIST(LS_ACCUMULATES(life_component, LS_ADD))}, true, true},
    {"read singleton", {.terms = LS_TERM_LIST(LS_OTHERS_READ(score_component))}, false, true},
    {"write singleton", {.terms = LS_TERM_LIST(LS_OTHERS_WRITE(score_component))}, true, true},
    {"observe", {.terms = LS_TERM_LIST(LS_OBSERVES(place_component))}, false, true},
    {"spawn", {.lanes = "a"}, true, true},
    {"spawn with",
     {.lanes = "a", .terms = LS_TERM_LIST(LS_SPAWNS_WITH(place_component))},
     true,
     true},
    {"command", {.terms = LS_TERM_LIST(LS_COMMANDED(place_component))}, false, false},
    {"send", {.terms = LS_TERM_LIST(LS_SENDS(bell_component))}, false, false},
    {"read the world", {.terms = LS_TERM_LIST(LS_READS_WORLD)}, false, true},
    {"write the world", {.terms = LS_TERM_LIST(LS_WRITES_WORLD)}, true, true},
};

TEST(test_whole_world_conflicts_with_all_access)
{
    static const ls_term all[2][2] = {{LS_READS_WORLD, {0}}, {LS_WRITES_WORLD, {0}}};
    for (uint32_t i = 0; i < 2 * LS_COUNT_OF(others); i++) {
        ls_system systems[2] = {
            {.name = "one", .mode = LS_SEQUENTIAL, .match = harness_match, .terms = all[i % 2]},
            others[i / 2].system};
        systems[1].name = "two";
        systems[1].mode = LS_SEQUENTIAL;
        systems[1].match = harness_match;
        const ls_sim sim = sim_of(systems, 2);
        bool wanted = i % 2 ? others[i / 2].with_writer : others[i / 2].with_reader;
        ls_error error = {""};
        ls_program *program = NULL;
        ls_status status = ls_program_create(&sim, &program, &error);
        if (status != (wanted ? LS_ERROR_REFUSED : LS_OK))
            fail_msg("%s: %s", others[i / 2].what, error.text);
        ls_program_destroy(program);
        systems[1].after = "one";
        assert_int_equal(ls_program_create(&sim, &program, &error), LS_OK);
        ls_program_destroy(program);
    }
}

static uint32_t (*deed)(ls_context *context);

static uint32_t ask_for_unlisted(ls_context *context)
{
    return ls_world_term(context, &unlisted_component);
}

static uint32_t write_what_it_reads(ls_context *context)
{
    return ls_cell_write(context, ls_world_term(context, &life_component), nth(0)) != NULL;
}

static uint32_t ask_for_life(ls_context *context)
{
    return ls_world_term(context, &life_component);
}

static void do_deed(ls_context *context, const ls_entity *entities)
{
    (void)deed(context);
}

static void tick_with(const ls_term *terms)
{
    const ls_system systems[] = {
        {.name = "guilty", .mode = LS_SEQUENTIAL, .match = do_deed, .terms = terms}};
    const ls_sim sim = sim_of(systems, 1);
    harness self;
    harness_begin(&self, &sim, 1);
    harness_tick(self.world, NULL);
    harness_end(&self);
}

static void tick_with_world(void *argument)
{
    tick_with(LS_TERM_LIST(LS_READS_WORLD));
}

static void tick_without(void *argument)
{
    tick_with(LS_TERM_LIST(LS_OTHERS_READ(life_component)));
}

TEST(test_whole_world_needs_its_term)
{
    deed = ask_for_life;
    assert_dies(tick_without, NULL, "\"guilty\"", "list READS_WORLD or WRITES_WORLD");
    tick_with_world(NULL);
    deed = ask_for_unlisted;
    assert_dies(tick_with_world, NULL, "\"guilty\"", "the simulation does not list");
    deed = write_what_it_reads;
    assert_dies(tick_with_world, NULL, "\"guilty\"", "\"life\"");
}
