/* The schedule of skirmish. Systems that read positions run before the step that writes them, so
 * one grid per tick serves all of them:
 *
 *   command, scout - acquire - steer - move ---------------- reinforce - judge
 *                        \---- fight --\                     /
 *   fly ---------------------/---------- suffer - bury -----/
 *
 * `move` also runs after `fight`. Damage is accumulated, so the systems that cause it need no order
 * between them. Only `bury` visits units one at a time.
 */
#include "skirmish_terms.h"

#define POSITION skirmish_position
#define VELOCITY skirmish_velocity
#define UNIT     skirmish_unit_component
#define HEALTH   skirmish_health_component
#define TARGET   skirmish_target_component
#define WEAPON   skirmish_weapon_component
#define SHOT     skirmish_shot_component
#define WOUND    skirmish_wound_component
#define BLAME    skirmish_blame_component
#define STANDING skirmish_standing_component
#define ROSTER   skirmish_roster_component
#define LOOKOUT  skirmish_lookout_component

#define UNIT_GRID                                                                                  \
    {                                                                                              \
        &POSITION, NULL, offsetof(ls_fix2, x), offsetof(ls_fix2, y), SKIRMISH_GRID_CELL, false     \
    }
#define ARMIES "army1, army2, army3, army4, army5, army6, army7, army8"

const char *const skirmish_lanes[SKIRMISH_SIDES_MAX + 1] = {
    "army1", "army2", "army3", "army4", "army5", "army6", "army7", "army8", "shots"};

const ls_system skirmish_setup = {
    .name = "muster",
    .mode = LS_SEQUENTIAL,
    .match = skirmish_muster,
    .terms = LS_TERM_LIST(
        [RAISE_POSITION] = LS_OTHERS_STRUCTURE(POSITION),
        [RAISE_VELOCITY] = LS_OTHERS_STRUCTURE(VELOCITY), [RAISE_UNIT] = LS_OTHERS_STRUCTURE(UNIT),
        [RAISE_HEALTH] = LS_OTHERS_STRUCTURE(HEALTH), [RAISE_TARGET] = LS_OTHERS_STRUCTURE(TARGET),
        [RAISE_WEAPON] = LS_OTHERS_STRUCTURE(WEAPON), [RAISE_WOUND] = LS_OTHERS_STRUCTURE(WOUND),
        [RAISE_BLAME] = LS_OTHERS_STRUCTURE(BLAME), [RAISE_ROSTER] = LS_OTHERS_WRITE(ROSTER),
        [RAISE_STANDING] = LS_OTHERS_WRITE(STANDING)),
    .lanes = ARMIES,
};

const ls_system skirmish_systems[SKIRMISH_SYSTEM_COUNT] = {
    {.name = "command",
     .mode = LS_SEQUENTIAL,
     .match = skirmish_command,
     .terms =
         LS_TERM_LIST([COMMAND_STANDING] = LS_OTHERS_WRITE(STANDING), [COMMAND_ROSTER] =
                                                                          LS_OTHERS_READ(ROSTER))},
    {.name = "scout",
     .mode = LS_SEQUENTIAL,
     .match = skirmish_scout,
     .terms = LS_TERM_LIST([SCOUT_LOOKOUT] = LS_OTHERS_WRITE(LOOKOUT)),
     .grids = LS_GRIDS(UNIT_GRID)},
    {.name = "acquire",
     .mode = LS_CONCURRENT,
     .span = skirmish_acquire,
     .terms = LS_TERM_LIST([ACQUIRE_POSITION] = LS_READS(POSITION), [ACQUIRE_UNIT] = LS_READS(UNIT),
                           [ACQUIRE_TARGET] = LS_WRITES(TARGET),
                           [ACQUIRE_OTHERS] = LS_OTHERS_READ(POSITION),
                           [ACQUIRE_STANDING] = LS_OTHERS_READ(STANDING),
                           [ACQUIRE_LOOKOUT] = LS_OTHERS_READ(LOOKOUT)),
     .grids = LS_GRIDS(UNIT_GRID),
     .after = "command, scout"},
    {.name = "steer",
     .mode = LS_CONCURRENT,
     .span = skirmish_steer,
     .terms = LS_TERM_LIST(
         [STEER_POSITION] = LS_READS(POSITION), [STEER_UNIT] = LS_READS(UNIT),
         [STEER_TARGET] = LS_READS(TARGET), [STEER_VELOCITY] = LS_WRITES(VELOCITY),
         [STEER_OTHERS] = LS_OTHERS_READ(POSITION), [STEER_STANDING] = LS_OTHERS_READ(STANDING)),
     .grids = LS_GRIDS(UNIT_GRID),
     .after = "acquire"},
    {.name = "fly",
     .mode = LS_CONCURRENT,
     .span = skirmish_fly,
     .terms = LS_TERM_LIST([FLY_SHOT] = LS_WRITES(SHOT), [FLY_OTHERS] = LS_OTHERS_READ(POSITION),
                           [FLY_WOUND] = LS_ACCUMULATES(WOUND, LS_ADD),
                           [FLY_BLAME] = LS_ACCUMULATES(BLAME, LS_MAX)),
     .grids = LS_GRIDS(UNIT_GRID)},
    {.name = "fight",
     .mode = LS_CONCURRENT,
     .span = skirmish_fight,
     .terms = LS_TERM_LIST(
         [FIGHT_POSITION] = LS_READS(POSITION), [FIGHT_UNIT] = LS_READS(UNIT),
         [FIGHT_TARGET] = LS_READS(TARGET), [FIGHT_WEAPON] = LS_WRITES(WEAPON),
         [FIGHT_OTHERS] = LS_OTHERS_READ(POSITION), [FIGHT_WOUND] = LS_ACCUMULATES(WOUND, LS_ADD),
         [FIGHT_BLAME] = LS_ACCUMULATES(BLAME, LS_MAX), [FIGHT_SHOT] = LS_SPAWNS_WITH(SHOT)),
     .lanes = "shots",
     .after = "acquire, fly"},
    {.name = "move",
     .mode = LS_CONCURRENT,
     .span = skirmish_move,
     .terms =
         LS_TERM_LIST([MOVE_POSITION] = LS_WRITES(POSITION), [MOVE_VELOCITY] = LS_READS(VELOCITY)),
     .after = "steer, fight"},
    {.name = "suffer",
     .mode = LS_CONCURRENT,
     .span = skirmish_suffer,
     .terms = LS_TERM_LIST([SUFFER_WOUND] = LS_WRITES(WOUND), [SUFFER_BLAME] = LS_WRITES(BLAME),
                           [SUFFER_HEALTH] = LS_WRITES(HEALTH),
                           [SUFFER_DEAD] = LS_ATTACHES(skirmish_dead)),
     .after = "fight"},
    {.name = "bury",
     .mode = LS_SEQUENTIAL,
     .match = skirmish_bury,
     .terms =
         LS_TERM_LIST([BURY_DEAD] = LS_WITH(skirmish_dead), [BURY_UNIT] = LS_READS(UNIT),
                      [BURY_HEALTH] = LS_READS(HEALTH), [BURY_ROSTER] = LS_OTHERS_WRITE(ROSTER)),
     .after = "suffer, command"},
    {.name = "reinforce",
     .mode = LS_SEQUENTIAL,
     .match = skirmish_reinforce,
     .terms = LS_TERM_LIST(
         [RAISE_POSITION] = LS_OTHERS_STRUCTURE(POSITION),
         [RAISE_VELOCITY] = LS_OTHERS_STRUCTURE(VELOCITY), [RAISE_UNIT] = LS_OTHERS_STRUCTURE(UNIT),
         [RAISE_HEALTH] = LS_OTHERS_STRUCTURE(HEALTH), [RAISE_TARGET] = LS_OTHERS_STRUCTURE(TARGET),
         [RAISE_WEAPON] = LS_OTHERS_STRUCTURE(WEAPON), [RAISE_WOUND] = LS_OTHERS_STRUCTURE(WOUND),
         [RAISE_BLAME] = LS_OTHERS_STRUCTURE(BLAME), [RAISE_ROSTER] = LS_OTHERS_WRITE(ROSTER)),
     .lanes = ARMIES,
     .after = "bury, move"},
    {.name = "judge",
     .mode = LS_SEQUENTIAL,
     .match = skirmish_judge,
     .terms = LS_TERM_LIST([JUDGE_ROSTER] = LS_OTHERS_WRITE(ROSTER), [JUDGE_STANDING] =
                                                                         LS_OTHERS_WRITE(STANDING)),
     .after = "reinforce"},
};
