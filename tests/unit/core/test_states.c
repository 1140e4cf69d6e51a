/* States: which systems run in which tick, and that changes take effect between ticks. */
#include "harness.h"

LS_STATES(game, LOBBY, PLAYING, OVER);
LS_STATES(weather, DRY, WET);
LS_COMPONENTS(components, game, weather);

static char log_text[256]; /* the names of the systems that ran, with their ticks */

static void note(ls_context *context, const ls_entity *entities)
{
    size_t used = strlen(log_text);
    snprintf(log_text + used, sizeof log_text - used, "%s%u ",
             (const char *)ls_system_data(context), (unsigned)ls_tick(context));
}

static void (*script)(ls_context *context);
LS_TERMS(ruling, WRITES_SINGLETON(game), WRITES_SINGLETON(weather));
static void rule(ls_context *context, const ls_entity *entities)
{
    script(context);
}

static const ls_set sets[] = {
    {.name = "in_lobby", .when = LS_IN_STATE(game, LOBBY)},
    {.name = "in_round", .when = LS_IN_STATE(game, PLAYING)},
    {.name = "enter_lobby", .when = LS_ON_ENTER(game, LOBBY)},
    {.name = "enter_round", .when = LS_ON_ENTER(game, PLAYING)},
    {.name = "exit_lobby", .when = LS_ON_EXIT(game, LOBBY)},
    {.name = "exit_round", .when = LS_ON_EXIT(game, PLAYING)},
    {.name = "in_rain", .when = LS_IN_STATE(weather, WET), .labels = "in_round"},
    {.name = "enter_rain", .when = LS_ON_ENTER(weather, WET), .labels = "in_round"},
    {.name = "exit_rain", .when = LS_ON_EXIT(weather, WET), .labels = "in_round"},
    {.name = "first_rain", .when = LS_IN_STATE(weather, WET), .labels = "enter_round"},
    {.name = "last_rain", .when = LS_ON_EXIT(weather, WET), .labels = "exit_round"},
    {.name = "late_round", .when = LS_ON_ENTER(game, PLAYING)}, /* shares a criterion */
};
static const ls_stage stages[] = {{.name = "main"}, {.name = "late"}};
#define NOTES(word, set, ...)                                                                      \
    {                                                                                              \
        .name = set "_system", .mode = LS_SEQUENTIAL, .match = note, .data = word, .labels = set,  \
        .after = "rule", __VA_ARGS__                                                               \
    }
static const ls_system systems[] = {
    {.name = "rule", .mode = LS_SEQUENTIAL, .match = rule, .terms = ruling},
    NOTES("l", "in_lobby"),
    NOTES("p", "in_round"),
    NOTES("+l", "enter_lobby"),
    NOTES("+p", "enter_round"),
    NOTES("-l", "exit_lobby"),
    NOTES("-p", "exit_round"),
    NOTES("rain", "in_rain"),
    NOTES("+rain", "enter_rain"),
    NOTES("-rain", "exit_rain"),
    NOTES("first", "first_rain"),
    NOTES("last", "last_rain"),
    {.name = "late",
     .mode = LS_SEQUENTIAL,
     .match = note,
     .data = "late",
     .labels = "late_round",
     .stage = "late"},
};

static const ls_sim sim = HARNESS_TABLES(components, systems, .player_count = 1, .sets = sets,
                                         .set_count = LS_COUNT_OF(sets), .stages = stages,
                                         .stage_count = LS_COUNT_OF(stages));

/* Runs a tick and compares the systems that ran, which are listed by the name of the system. */
static void assert_runs(harness *self, const char *expected)
{
    log_text[0] = 0;
    harness_tick(self->world, NULL);
    assert_string_equal(log_text, expected);
}

static void play(ls_context *context)
{
    LS_USES(context, ruling);
    if (ls_tick(context) == 1)
        LS_ENTER_STATE(context, game, PLAYING);
    if (ls_tick(context) == 3)
        LS_ENTER_STATE(context, game, OVER);
    assert_int_equal(LS_STATE_OF(context, game), ls_tick(context) < 2   ? LOBBY
                                                 : ls_tick(context) < 4 ? PLAYING
                                                                        : OVER);
}

TEST(test_states_run_their_systems)
{
    harness self;
    script = play;
    harness_begin(&self, &sim, 1);
    assert_runs(&self, "+l0 l0 ");
    assert_runs(&self, "l1 ");
    assert_int_equal(LS_WORLD_STATE(self.world, game), PLAYING);
    assert_runs(&self, "+p2 -l2 p2 late2 ");
    assert_runs(&self, "p3 ");
    assert_runs(&self, "-p4 ");
    assert_runs(&self, "");
    assert_int_equal(LS_WORLD_STATE(self.world, game), OVER);
    harness_end(&self);
}

static void change_often(ls_context *context)
{
    LS_USES(context, ruling);
    switch (ls_tick(context)) {
    case 0: /* the last change counts */
        LS_ENTER_STATE(context, game, OVER);
        LS_ENTER_STATE(context, game, PLAYING);
        break;
    case 1: /* changed and taken back in the first tick of the state; "late" runs nevertheless */
        LS_ENTER_STATE(context, game, LOBBY);
        LS_ENTER_STATE(context, game, PLAYING);
        break;
    case 2: /* it is there already */
        LS_ENTER_STATE(context, game, PLAYING);
        break;
    case 3: /* back and forth, a tick each */
        LS_ENTER_STATE(context, game, LOBBY);
        break;
    case 4:
        LS_ENTER_STATE(context, game, PLAYING);
        break;
    default:
        break;
    }
}

TEST(test_states_change_between_ticks)
{
    harness self;
    script = change_often;
    harness_begin(&self, &sim, 1);
    assert_runs(&self, "+l0 l0 ");
    assert_runs(&self, "+p1 -l1 p1 late1 ");
    assert_runs(&self, "p2 ");
    assert_runs(&self, "p3 ");
    assert_runs(&self, "+l4 -p4 l4 ");
    assert_runs(&self, "+p5 -l5 p5 late5 ");
    harness_end(&self);
}

static void rain(ls_context *context)
{
    LS_USES(context, ruling);
    if (ls_tick(context) == 0)
        LS_ENTER_STATE(context, weather, WET);
    if (ls_tick(context) == 1)
        LS_ENTER_STATE(context, game, PLAYING);
    if (ls_tick(context) == 2)
        LS_ENTER_STATE(context, weather, DRY);
    if (ls_tick(context) == 3)
        LS_ENTER_STATE(context, weather, WET);
    if (ls_tick(context) == 4) {
        LS_ENTER_STATE(context, weather, DRY);
        LS_ENTER_STATE(context, game, OVER);
    }
}

/* A state inside another one is a set inside another one: being in it, entering and leaving it. The
 * rain that is there already when the round begins is entered outside of it. */
TEST(test_states_nest_as_sets)
{
    harness self;
    script = rain;
    harness_begin(&self, &sim, 1);
    assert_runs(&self, "+l0 l0 ");
    assert_runs(&self, "l1 ");
    assert_runs(&self, "+p2 -l2 first2 rain2 p2 late2 ");
    assert_runs(&self, "-rain3 p3 ");
    assert_runs(&self, "+rain4 rain4 p4 ");
    assert_runs(&self, "-p5 last5 ");
    harness_end(&self);
}

LS_STATES(tide, LOW, HIGH);
static const ls_component *const sea_components[] = {&tide_component};
LS_TERMS(pulling, WRITES_SINGLETON(tide));
static void pull(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, pulling);
    if (ls_tick(context) % 2)
        LS_ENTER_STATE_VALUE(context, tide, LS_STATE_OF(context, tide) == LOW ? HIGH : LOW);
}
static const ls_set sea_sets[] = {{.name = "high", .when = LS_IN_STATE(tide, HIGH)},
                                  {.name = "rising", .when = LS_ON_ENTER(tide, HIGH)},
                                  {.name = "falling", .when = LS_ON_EXIT(tide, HIGH)}};
#define SEA_NOTES(word, set)                                                                       \
    {                                                                                              \
        .name = set "_system", .mode = LS_SEQUENTIAL, .match = note, .data = word, .labels = set,  \
        .after = "moon"                                                                            \
    }
static const ls_system sea_systems[] = {
    {.name = "moon", .mode = LS_SEQUENTIAL, .match = pull, .terms = pulling},
    SEA_NOTES("h", "high"),
    SEA_NOTES("+h", "rising"),
    SEA_NOTES("-h", "falling"),
};
static const ls_module sea = {.name = "sea",
                              .components = sea_components,
                              .component_count = 1,
                              .sets = sea_sets,
                              .set_count = LS_COUNT_OF(sea_sets),
                              .systems = sea_systems,
                              .system_count = LS_COUNT_OF(sea_systems)};

/* Its criteria read the module's singleton, and the simulation's own systems join its sets. */
TEST(test_states_of_a_module)
{
    static const ls_system swims[] = {{.name = "swim",
                                       .mode = LS_SEQUENTIAL,
                                       .match = note,
                                       .data = "swim",
                                       .labels = "sea.high",
                                       .after = "sea"}};
    static const ls_module *const modules[] = {&sea};
    ls_sim beach = sim;
    beach.sets = NULL;
    beach.set_count = 0;
    beach.systems = swims;
    beach.system_count = LS_COUNT_OF(swims);
    beach.modules = modules;
    beach.module_count = 1;
    harness self;
    harness_begin(&self, &beach, 1);
    assert_runs(&self, "");
    assert_runs(&self, "");
    assert_int_equal(LS_WORLD_STATE(self.world, tide), HIGH);
    assert_runs(&self, "h2 +h2 swim2 ");
    assert_runs(&self, "h3 swim3 ");
    assert_runs(&self, "-h4 ");
    assert_runs(&self, "");
    assert_runs(&self, "h6 +h6 swim6 ");
    harness_end(&self);
}

/* A late joiner, and a rollback, enter the state in the same tick. */
TEST(test_states_are_in_snapshots)
{
    harness self;
    script = play;
    harness_begin(&self, &sim, 1);
    assert_runs(&self, "+l0 l0 ");
    assert_runs(&self, "l1 ");
    size_t count;
    uint8_t *bytes = harness_bytes(self.world, &count);
    ls_snapshot *snapshot = ls_world_snapshot(self.world);
    assert_runs(&self, "+p2 -l2 p2 late2 ");
    ls_world_restore(self.world, snapshot);
    assert_runs(&self, "+p2 -l2 p2 late2 ");
    assert_runs(&self, "p3 ");
    assert_int_equal(ls_world_decode(self.world, bytes, count, NULL), LS_OK);
    assert_runs(&self, "+p2 -l2 p2 late2 ");
    ls_snapshot_destroy(snapshot);
    ls_free(bytes);
    harness_end(&self);
}
