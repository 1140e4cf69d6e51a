/* Prefabs: what an entity gets, by which systems, and the messages of mistakes. */
#include "harness.h"

#include <lockstep/prefab.h>

LS_COMPONENT(place, FIX(x), FIX(y));
LS_COMPONENT(life, I32(points));
LS_COMPONENT(dream, U32(points));
LS_TAG(asleep);
LS_COMPONENTS(components, place, life, dream, asleep);
LS_COMPONENT_OF(life, lives, "lives", I32(points));
LS_COMPONENT_OF(life, unlisted, "unlisted", I32(points));
static const char *const lanes[] = {"a"};

static uint32_t count_lives(const ls_match *match)
{
    return 2;
}
static void fill_lives(const ls_match *match, void *rows, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        ((life *)rows)[i].points = (int32_t)(100 * i + match->seed);
}
static const ls_match_table tables[] = {{&lives_component, count_lives, fill_lives}};

LS_PREFABS(animals, PREFAB(sheep, VALUE(life, .points = 10), VALUE(place, .x = 1, .y = 2)),
           PREFAB(lamb, VALUE(life, .points = 3), TAG(asleep)), PREFAB(wolf, ROW(life, lives, 1)),
           PREFAB(hole, ROW(life, lives, 2)), PREFAB(ghost, ROW(life, unlisted, 0)),
           PREFAB(giant, ROW(place, lives, 0)), PREFAB(dreamer, ROW(dream, lives, 0)));

LS_TERMS(spawning, SPAWNS_WITH(life), SPAWNS_WITH(place), SPAWNS_WITH(asleep), SPAWNS_WITH(dream));
static const ls_term others[] = {LS_OTHERS_STRUCTURE(life_component),
                                 LS_OTHERS_STRUCTURE(place_component),
                                 LS_OTHERS_STRUCTURE(asleep_component),
                                 {0}};
LS_TERMS(commanding, COMMANDED(life), COMMANDED(place), COMMANDED(asleep));
LS_TERMS(placing, SPAWNS_WITH(place));
LS_TERMS(none, COMMANDED(place), SPAWNS_WITH(life));

static const char *wanted;

static void spawn(ls_context *context, const ls_entity *entities)
{
    assert_true(ls_spawn_prefab(context, 0, LS_PREFAB_NAMED(animals, wanted)));
}
static void command(ls_context *context, const ls_entity *entities)
{
    assert_true(ls_command_spawn_prefab(context, 0, LS_PREFAB_NAMED(animals, wanted)));
}

static void run(const char *prefab, const ls_term *terms, ls_match_function *function,
                bool is_setup, harness *self)
{
    static ls_system system; /* they last as long as the world */
    static ls_sim sim;
    system = (ls_system){.name = "breed",
                         .mode = LS_SEQUENTIAL,
                         .match = function,
                         .terms = terms,
                         .lanes = "a",
                         .command_lanes = is_setup ? NULL : "a"};
    sim = (ls_sim){.abi = LS_SIM_ABI,
                   .name = "prefabs",
                   .version = "1",
                   .source_hash = "",
                   .tick_rate = 20,
                   .player_count = 1,
                   .components = components,
                   .component_count = LS_COUNT_OF(components),
                   .lanes = lanes,
                   .lane_count = LS_COUNT_OF(lanes),
                   .tables = tables,
                   .table_count = LS_COUNT_OF(tables),
                   .setup = is_setup ? &system : NULL,
                   .systems = is_setup ? NULL : &system,
                   .system_count = !is_setup};
    wanted = prefab;
    harness_begin(self, &sim, 1);
    if (!is_setup)
        harness_tick(self->world, NULL);
}

static void expect(const harness *self, int32_t points, bool has_place, bool is_asleep)
{
    ls_entity entity = ls_entity_make(1, 0, 1);
    const place *at = LS_WORLD_READ(self->world, place, entity);
    assert_int_equal(LS_WORLD_READ(self->world, life, entity)->points, points);
    assert_int_equal(at != NULL, has_place);
    assert_int_equal(LS_WORLD_READ(self->world, asleep, entity) != NULL, is_asleep);
    if (at) {
        assert_int_equal(at->x, 1);
        assert_int_equal(at->y, 2);
    }
}

TEST(test_prefab_gives_its_components)
{
    static const struct {
        const ls_term *terms;
        ls_match_function *function;
        bool is_setup;
    } ways[] = {{spawning, spawn, true},
                {spawning, spawn, false},
                {others, spawn, false},
                {commanding, command, false}};
    for (uint32_t i = 0; i < LS_COUNT_OF(ways); i++) {
        harness self;
        run("sheep", ways[i].terms, ways[i].function, ways[i].is_setup, &self);
        expect(&self, 10, true, false);
        harness_end(&self);
        run("lamb", ways[i].terms, ways[i].function, ways[i].is_setup, &self);
        expect(&self, 3, false, true);
        harness_end(&self);
        run("wolf", ways[i].terms, ways[i].function, ways[i].is_setup, &self);
        expect(&self, 101, false, false); /* row 1, and the seed is 1 */
        harness_end(&self);
    }
}

TEST(test_prefab_is_found_by_name)
{
    assert_int_equal(animals_count, 7);
    assert_ptr_equal(LS_PREFAB_NAMED(animals, "lamb"), &animals[animals_lamb]);
    assert_string_equal(animals[animals_wolf].name, "wolf");
    assert_null(LS_PREFAB_NAMED(animals, "lam"));
    assert_null(ls_prefab_find(NULL, 0, "lamb"));
}

static const char *name;
static const ls_term *terms;
static ls_match_function *function;

static void breed(void *argument)
{
    harness self;
    run(name, terms, function, false, &self);
    harness_end(&self);
}

static void expect_death(const char *prefab, const char *says)
{
    name = prefab;
    assert_dies(breed, NULL, "\"breed\"", says);
}

TEST(test_prefab_mistakes_name_prefab_and_part)
{
    terms = placing;
    function = spawn;
    expect_death("sheep", "the prefab \"sheep\", but has no term SPAWNS_WITH for its component "
                          "\"life\"");
    terms = none;
    function = command;
    expect_death("lamb", "the prefab \"lamb\", but has no term COMMANDED for its component "
                         "\"life\"");
    terms = spawning;
    function = spawn;
    expect_death("hole", "the prefab \"hole\", but row 2 is not among the 2 rows of match data "
                         "table \"lives\"");
    expect_death("ghost", "the prefab \"ghost\", but there is no match data table \"unlisted\"");
    expect_death("giant", "the prefab \"giant\", but a row of match data table \"lives\" is no "
                          "\"place\"");
    expect_death("dreamer", "the prefab \"dreamer\", but a row of match data table \"lives\" is "
                            "no \"dream\"");
    expect_death("stranger", "spawns no prefab: its list has none of that name");
    function = command;
    expect_death("stranger", "spawns no prefab: its list has none of that name");
}
