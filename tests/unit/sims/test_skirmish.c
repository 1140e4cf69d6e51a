/* Whole skirmish matches between bots. */
#include "sims/skirmish/skirmish_internal.h"
#include "tests/support/test.h"
#include <lockstep/lockstep.h>

typedef struct battle_config {
    uint32_t units, players, sides, score_limit;
    uint32_t ticks;
} battle_config;

/* Statistics of a battle, read from the world after each tick. */
struct battle {
    ls_program *program;
    ls_world *world;
    ls_match match;
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
    static const ls_term units[] = {LS_READS(skirmish_position_component), {NULL, 0, 0, 0}};
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
    if (ls_world_advance(battle->world, &frame, NULL, &error) != LS_OK)
        fail_msg("%s", error.text);
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
    assert_ok(ls_world_create(battle.program, &battle.match, &battle.world, &error));
    for (uint32_t tick = 0; tick < config->ticks; tick++) {
        advance(&battle);
        watch(&battle);
    }
    return battle;
}

static void end(struct battle *battle)
{
    ls_world_destroy(battle->world);
    ls_program_destroy(battle->program);
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
    /* Every unit is alive or waiting to respawn; a missing one would be lost. */
    ls_world_walk walk;
    static const ls_term terms[] = {LS_WITH(skirmish_unit_component), {NULL, 0, 0, 0}};
    uint32_t alive = 0;
    for (ls_world_walk_begin(battle.world, terms, &walk); ls_world_walk_next(&walk);)
        alive += walk.span.count;
    assert_int_equal(alive, units - battle.fallen + keeps);
    end(&battle);
}

TEST(test_skirmish_with_200_units_is_a_battle)
{
    check_battle(200, 8, 60);
}

TEST(test_skirmish_with_2000_units_is_a_battle)
{
    check_battle(2000, 60, 300);
}

TEST(test_skirmish_takes_any_number_of_players_and_sides)
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

TEST(test_skirmish_ends_at_the_score_limit)
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
