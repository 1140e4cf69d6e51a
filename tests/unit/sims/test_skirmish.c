/* Whole matches between bots. */
#include "sims/skirmish/skirmish_internal.h"
#include "tests/support/test.h"
#include <lockstep/lockstep.h>

typedef struct battle_config {
    uint32_t units, players, sides, score_limit;
    uint32_t ticks;
    ls_executor_config executor; /* 0 threads: serial */
} battle_config;

/* The course of a battle, read from the world after each tick. */
struct battle {
    ls_program *program;
    ls_world *world;
    ls_executor *executor;
    ls_match match;
    uint64_t root;
    uint32_t shots_max, alive_min, returns;
    bool is_inside; /* every unit was on the map in every tick */
    uint32_t fallen;
};

static uint32_t army_fallen(const struct battle *battle)
{
    const skirmish_roster *roster = ls_world_singleton(battle->world, &skirmish_roster_component);
    uint32_t fallen = 0;
    for (uint32_t i = 0; i < battle->match.player_count; i++) {
        for (uint32_t squad = 0; squad < SKIRMISH_SQUADS; squad++)
            fallen += roster->fallen[i][squad];
    }
    return fallen;
}

static void watch(struct battle *battle)
{
    static const ls_term units[] = {LS_READS(skirmish_position), {NULL, 0, 0, 0}};
    static const ls_term shots[] = {LS_WITH(skirmish_shot_component), {NULL, 0, 0, 0}};
    ls_fix edge = skirmish_edge(&battle->match);
    uint32_t alive = 0, flying = 0, fallen = army_fallen(battle);
    ls_world_walk walk;
    for (ls_world_walk_begin(battle->world, units, &walk); ls_world_walk_next(&walk);) {
        const ls_fix2 *at = walk.span.const_cells[0];
        alive += walk.span.count;
        for (uint32_t i = 0; i < walk.span.count; i++)
            battle->is_inside &= at[i].x > 0 && at[i].x < edge && at[i].y > 0 && at[i].y < edge;
    }
    for (ls_world_walk_begin(battle->world, shots, &walk); ls_world_walk_next(&walk);)
        flying += walk.span.count;
    battle->shots_max = flying > battle->shots_max ? flying : battle->shots_max;
    battle->alive_min = alive < battle->alive_min ? alive : battle->alive_min;
    battle->returns += fallen < battle->fallen;
    battle->fallen = fallen;
}

static void advance(struct battle *battle)
{
    static uint8_t bytes[LS_PLAYERS_MAX][LS_INPUT_BYTES_MAX];
    ls_input inputs[LS_PLAYERS_MAX];
    ls_frame frame = {.tick = ls_world_tick(battle->world), .inputs = inputs};
    for (uint32_t player = 0; player < battle->match.player_count; player++) {
        uint32_t count = ls_skirmish_sim.bot(battle->world, player, bytes[player]);
        if (count == 0)
            continue;
        assert_true(ls_skirmish_sim.input_is_valid(&battle->match, player, bytes[player], count));
        inputs[frame.count++] = (ls_input){.player = (uint8_t)player,
                                           .kind = LS_INPUT,
                                           .bytes = (uint16_t)count,
                                           .data = bytes[player]};
    }
    ls_error error;
    if (ls_world_advance(battle->world, &frame, battle->executor, &error) != LS_OK)
        fail_msg("%s", error.text);
}

/* Continues in another world, from the bytes of the snapshot alone. */
static void restore_elsewhere(struct battle *battle)
{
    uint8_t *bytes;
    size_t count;
    ls_world *other;
    ls_snapshot *snapshot = ls_world_snapshot(battle->world);
    ls_snapshot_encode(snapshot, &bytes, &count);
    ls_snapshot_destroy(snapshot);
    assert_int_equal(ls_world_create(battle->program, &battle->match, &other, NULL), LS_OK);
    ls_error error;
    if (ls_world_decode(other, bytes, count, &error) != LS_OK)
        fail_msg("%s", error.text);
    assert_int_equal(ls_world_root(other), ls_world_root(battle->world));
    ls_free(bytes);
    ls_world_destroy(battle->world);
    battle->world = other;
}

static struct battle fight(const battle_config *config)
{
    struct battle battle = {.is_inside = true, .alive_min = UINT32_MAX};
    ls_error error;
    if (ls_program_create(&ls_skirmish_sim, &battle.program, &error) != LS_OK)
        fail_msg("%s", error.text);
    battle.match = ls_program_match(battle.program, 7);
    battle.match.options[OPTION_UNITS] = config->units;
    battle.match.options[OPTION_SIDES] = config->sides;
    battle.match.options[OPTION_SCORE_LIMIT] = config->score_limit;
    if (config->players)
        battle.match.player_count = config->players;
    assert_int_equal(ls_world_create(battle.program, &battle.match, &battle.world, &error), LS_OK);
    if (config->executor.threads)
        assert_int_equal(ls_executor_create(&config->executor, &battle.executor, &error), LS_OK);
    for (uint32_t tick = 0; tick < config->ticks; tick++) {
        advance(&battle);
        watch(&battle);
    }
    battle.root = ls_world_root(battle.world);
    return battle;
}

static void end(struct battle *battle)
{
    ls_executor_destroy(battle->executor);
    ls_world_destroy(battle->world);
    ls_program_destroy(battle->program);
}

static uint64_t fight_for_root(const battle_config *config)
{
    struct battle battle = fight(config);
    end(&battle);
    return battle.root;
}

static void check_battle(uint32_t units, uint32_t shots, uint32_t losses)
{
    struct battle battle = fight(&(battle_config){.units = units, .ticks = 600});
    const skirmish_roster *roster = ls_world_singleton(battle.world, &skirmish_roster_component);
    uint32_t lost = 0, keeps = 0;
    for (uint32_t player = 0; player < 4; player++) {
        lost += roster->losses[player];
        keeps += roster->keep_tick[player] == 0;
        assert_true(roster->score[player] > 0);
    }
    assert_true(battle.shots_max >= shots);
    assert_true(lost >= losses);
    assert_true(battle.returns > 0);
    assert_true(battle.is_inside);
    assert_true(battle.alive_min < units);
    /* A unit that is neither alive nor waiting to respawn is lost. */
    ls_world_walk walk;
    static const ls_term terms[] = {LS_WITH(skirmish_unit_component), {NULL, 0, 0, 0}};
    uint32_t alive = 0;
    for (ls_world_walk_begin(battle.world, terms, &walk); ls_world_walk_next(&walk);)
        alive += walk.span.count;
    assert_int_equal(alive, units - battle.fallen + keeps);
    end(&battle);
}

static void test_skirmish_with_200_units_is_a_battle(void **state)
{
    check_battle(200, 8, 60);
}

static void test_skirmish_with_2000_units_is_a_battle(void **state)
{
    check_battle(2000, 60, 300);
}

static void test_skirmish_is_the_same_twice(void **state)
{
    battle_config config = {.units = 600, .ticks = 400};
    assert_int_equal(fight_for_root(&config), fight_for_root(&config));
}

static void test_skirmish_does_not_depend_on_threads_or_order(void **state)
{
    static const ls_executor_config executors[] = {
        {1, 0}, {2, 0, .share_from = 1}, {4, 0, .share_from = 1}, {4, 0}, {1, 1}, {1, 99}};
    battle_config config = {.units = 2000, .ticks = 300};
    uint64_t root = fight_for_root(&config);
    for (uint32_t i = 0; i < LS_COUNT_OF(executors); i++) {
        config.executor = executors[i];
        assert_int_equal(fight_for_root(&config), root);
    }
}

/* Around tick 200 the armies have met: every component is in use. */
static void test_skirmish_survives_a_snapshot_each_tick(void **state)
{
    battle_config config = {.units = 200, .ticks = 250};
    struct battle plain = fight(&config), restored = fight(&config);
    for (uint32_t tick = 0; tick < 100; tick++) {
        advance(&plain);
        advance(&restored);
        restore_elsewhere(&restored);
        assert_int_equal(ls_world_root(restored.world), ls_world_root(plain.world));
    }
    end(&plain);
    end(&restored);
}

static void test_skirmish_takes_any_number_of_players_and_sides(void **state)
{
    static const battle_config configs[] = {
        {.units = 200, .players = 1, .ticks = 60},
        {.units = 201, .players = 2, .ticks = 60},
        {.units = 400, .players = 8, .sides = 2, .ticks = 300},
        {.units = 200, .players = LS_PLAYERS_MAX, .ticks = 60},
        {.units = 3000, .players = LS_PLAYERS_MAX, .sides = 3, .ticks = 60},
        {.units = 50000, .players = 2, .ticks = 3},
    };
    for (uint32_t i = 0; i < LS_COUNT_OF(configs); i++) {
        struct battle battle = fight(&configs[i]);
        char text[4096], cut[16];
        ls_skirmish_sim.describe(battle.world, text, sizeof text);
        ls_skirmish_sim.describe(battle.world, cut, sizeof cut);
        assert_true(battle.is_inside);
        assert_memory_equal(text, "p0 ", 3);
        assert_non_null(strstr(text, " projectiles, score "));
        assert_memory_equal(text, cut, sizeof cut - 1);
        end(&battle);
    }
}

static void test_skirmish_ends_at_the_score_limit(void **state)
{
    struct battle battle = fight(&(battle_config){.units = 200, .score_limit = 10, .ticks = 600});
    const skirmish_roster *roster = ls_world_singleton(battle.world, &skirmish_roster_component);
    const skirmish_standing *standing =
        ls_world_singleton(battle.world, &skirmish_standing_component);
    skirmish_field field = skirmish_field_of(&battle.match);
    assert_in_range(roster->winner, 1, 4);
    assert_true(roster->score[roster->winner - 1] >= 10);
    for (uint32_t player = 0; player < 4; player++)
        assert_int_equal(standing->x[player][0], skirmish_post(&field, player, 0).x);
    char text[256];
    ls_skirmish_sim.describe(battle.world, text, sizeof text);
    assert_non_null(strstr(text, "has won"));
    end(&battle);
}

int main(void)
{
    return RUN_TESTS(
        test_skirmish_with_200_units_is_a_battle, test_skirmish_with_2000_units_is_a_battle,
        test_skirmish_is_the_same_twice, test_skirmish_does_not_depend_on_threads_or_order,
        test_skirmish_survives_a_snapshot_each_tick,
        test_skirmish_takes_any_number_of_players_and_sides, test_skirmish_ends_at_the_score_limit);
}
