#include "skirmish_terms.h"
#include <lockstep/world.h>

#include <stdarg.h>
#include <stdio.h>

static const ls_option options[OPTION_COUNT] = {
    [OPTION_UNITS] = {"units", "units of all armies together", 200, 50000, 1000},
    [OPTION_RESPAWN_S] = {"respawn_s", "seconds in which a fallen army returns", 5, 3600, 40},
    [OPTION_SCORE_LIMIT] = {"score_limit", "score that wins; 0 = no end", 0, 1000000, 0},
    [OPTION_SIDES] = {"sides", "alliances; 0 = every player alone, eight at most", 0,
                      SKIRMISH_SIDES_MAX, 0},
};

LS_COMPONENTS(components, skirmish_position, skirmish_velocity, skirmish_unit, skirmish_health,
              skirmish_target, skirmish_weapon, skirmish_wound, skirmish_blame, skirmish_shot,
              skirmish_dead, skirmish_standing, skirmish_roster, skirmish_lookout);

typedef struct text_line {
    char *text;
    size_t bytes, used;
} text_line;

LS_PRINTF(2, 3) static void append(text_line *line, const char *format, ...)
{
    if (line->used >= line->bytes)
        return;
    va_list arguments;
    va_start(arguments, format);
    int count = vsnprintf(line->text + line->used, line->bytes - line->used, format, arguments);
    va_end(arguments);
    line->used += count > 0 ? (size_t)count : 0;
}

LS_TERMS(shot_terms, WITH(skirmish_shot));

static uint32_t count_shots(const ls_world *world)
{
    uint32_t count = 0;
    ls_world_walk walk;
    for (ls_world_walk_begin(world, shot_terms, &walk); ls_world_walk_next(&walk);)
        count += walk.span.count;
    return count;
}

static void describe(const ls_world *world, char *text, size_t bytes)
{
    const skirmish_roster *roster = LS_WORLD_SINGLETON(world, skirmish_roster);
    skirmish_field field = skirmish_field_of(ls_world_match(world));
    text_line line = {.text = text, .bytes = bytes};
    for (uint32_t player = 0; player < field.players; player++) {
        uint32_t alive = field.army;
        for (uint32_t squad = 0; squad < SKIRMISH_SQUADS; squad++)
            alive -= roster->fallen[player][squad];
        append(&line, "p%u %u%s ", player, alive, roster->keep_tick[player] ? " (razed)" : "");
    }
    append(&line, "units, %u projectiles, score ", count_shots(world));
    for (uint32_t player = 0; player < field.players; player++)
        append(&line, "%s%u", player ? ":" : "", roster->score[player]);
    if (roster->winner)
        append(&line, ", side %u has won", roster->winner - 1);
}

const ls_sim ls_skirmish_sim = {
    .abi = LS_SIM_ABI,
    .name = "skirmish",
    .version = "2",
    .summary = "A battle in real time: footmen, archers and catapults before keeps",
    .source_hash = LS_SIM_SOURCE_HASH,
    .tick_rate = 20,
    .player_count = 4,
    .options = options,
    .option_count = OPTION_COUNT,
    .components = components,
    .component_count = LS_COUNT_OF(components),
    .lanes = skirmish_lanes,
    .lane_count = LS_COUNT_OF(skirmish_lanes),
    .systems = skirmish_systems,
    .system_count = SKIRMISH_SYSTEM_COUNT,
    .setup = &skirmish_setup,
    .input_is_valid = skirmish_input_is_valid,
    .bot = skirmish_bot,
    .describe = describe,
};
