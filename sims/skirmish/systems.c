/* The schedule of skirmish. What looks at positions comes before the step that changes them, so one
 * grid a tick serves all:
 *
 *   command, scout - acquire - steer ------------ move ---- reinforce - judge
 *                        \---- fight - launch ---/         /
 *   fly - land ------------------- hit - die - bury ------/
 *
 * where launch and hit come after both fight and land.
 */
#include "sims/skirmish/skirmish_terms.h"

#define POSITION skirmish_position
#define VELOCITY skirmish_velocity
#define UNIT     skirmish_unit_component
#define HEALTH   skirmish_health_component
#define TARGET   skirmish_target_component
#define WEAPON   skirmish_weapon_component
#define SHOT     skirmish_shot_component
#define STANDING skirmish_standing_component
#define ROSTER   skirmish_roster_component
#define LOOKOUT  skirmish_lookout_component

#define UNIT_GRID                                                                                  \
    {                                                                                              \
        &POSITION, NULL, offsetof(ls_fix2, x), offsetof(ls_fix2, y), SKIRMISH_GRID_CELL            \
    }
#define ARMIES "army1", "army2", "army3", "army4", "army5", "army6", "army7", "army8"

const char *const skirmish_lanes[SKIRMISH_SIDES_MAX + 1] = {ARMIES, "shots"};

const ls_system skirmish_setup = {
    .name = "muster",
    .mode = LS_SEQUENTIAL,
    .match = skirmish_muster,
    .terms = {[RAISE_POSITION] = LS_OTHERS_STRUCTURE(POSITION),
              [RAISE_VELOCITY] = LS_OTHERS_STRUCTURE(VELOCITY),
              [RAISE_UNIT] = LS_OTHERS_STRUCTURE(UNIT),
              [RAISE_HEALTH] = LS_OTHERS_STRUCTURE(HEALTH),
              [RAISE_TARGET] = LS_OTHERS_STRUCTURE(TARGET),
              [RAISE_WEAPON] = LS_OTHERS_STRUCTURE(WEAPON),
              [RAISE_ROSTER] = LS_OTHERS_WRITE(ROSTER),
              [RAISE_STANDING] = LS_OTHERS_WRITE(STANDING)},
    .lanes = {ARMIES},
};

const ls_system skirmish_systems[SKIRMISH_SYSTEM_COUNT] = {
    {.name = "command",
     .mode = LS_SEQUENTIAL,
     .match = skirmish_command,
     .terms = {[COMMAND_STANDING] = LS_OTHERS_WRITE(STANDING),
               [COMMAND_ROSTER] = LS_OTHERS_READ(ROSTER)}},
    {.name = "scout",
     .mode = LS_SEQUENTIAL,
     .match = skirmish_scout,
     .terms = {[SCOUT_LOOKOUT] = LS_OTHERS_WRITE(LOOKOUT)},
     .grids = {UNIT_GRID}},
    {.name = "acquire",
     .mode = LS_CONCURRENT,
     .span = skirmish_acquire,
     .terms = {[ACQUIRE_POSITION] = LS_READS(POSITION),
               [ACQUIRE_UNIT] = LS_READS(UNIT),
               [ACQUIRE_TARGET] = LS_WRITES(TARGET),
               [ACQUIRE_OTHERS] = LS_OTHERS_READ(POSITION),
               [ACQUIRE_STANDING] = LS_OTHERS_READ(STANDING),
               [ACQUIRE_LOOKOUT] = LS_OTHERS_READ(LOOKOUT)},
     .grids = {UNIT_GRID},
     .after = {"command", "scout"}},
    {.name = "steer",
     .mode = LS_CONCURRENT,
     .span = skirmish_steer,
     .terms = {[STEER_POSITION] = LS_READS(POSITION),
               [STEER_UNIT] = LS_READS(UNIT),
               [STEER_TARGET] = LS_READS(TARGET),
               [STEER_VELOCITY] = LS_WRITES(VELOCITY),
               [STEER_OTHERS] = LS_OTHERS_READ(POSITION),
               [STEER_STANDING] = LS_OTHERS_READ(STANDING)},
     .grids = {UNIT_GRID},
     .after = {"acquire"}},
    {.name = "fight",
     .mode = LS_CONCURRENT,
     .span = skirmish_fight,
     .terms = {[FIGHT_POSITION] = LS_READS(POSITION),
               [FIGHT_UNIT] = LS_READS(UNIT),
               [FIGHT_TARGET] = LS_READS(TARGET),
               [FIGHT_WEAPON] = LS_WRITES(WEAPON),
               [FIGHT_BLOW] = LS_ATTACHES(skirmish_blow),
               [FIGHT_VOLLEY] = LS_ATTACHES(skirmish_volley),
               [FIGHT_OTHERS] = LS_OTHERS_READ(POSITION)},
     .after = {"acquire"}},
    {.name = "fly",
     .mode = LS_CONCURRENT,
     .span = skirmish_fly,
     .terms = {[FLY_SHOT] = LS_WRITES(SHOT),
               [FLY_IMPACT] = LS_ATTACHES(skirmish_impact),
               [FLY_OTHERS] = LS_OTHERS_READ(POSITION)}},
    {.name = "land",
     .mode = LS_SEQUENTIAL,
     .match = skirmish_land,
     .terms = {[IMPACT_TAG] = LS_WITH(skirmish_impact),
               [IMPACT_SHOT] = LS_READS(SHOT),
               [IMPACT_POSITION] = LS_OTHERS_READ(POSITION),
               [IMPACT_HEALTH] = LS_OTHERS_WRITE(HEALTH)},
     .grids = {UNIT_GRID},
     .after = {"fly"}},
    {.name = "launch",
     .mode = LS_SEQUENTIAL,
     .match = skirmish_launch,
     .terms = {[LAUNCH_VOLLEY] = LS_DETACHES(skirmish_volley),
               [LAUNCH_UNIT] = LS_READS(UNIT),
               [LAUNCH_POSITION] = LS_READS(POSITION),
               [LAUNCH_SHOT] = LS_OTHERS_STRUCTURE(SHOT)},
     .lanes = {"shots"},
     .after = {"fight", "land"}},
    {.name = "move",
     .mode = LS_CONCURRENT,
     .span = skirmish_move,
     .terms = {[MOVE_POSITION] = LS_WRITES(POSITION), [MOVE_VELOCITY] = LS_READS(VELOCITY)},
     .after = {"steer", "launch"}},
    {.name = "hit",
     .mode = LS_SEQUENTIAL,
     .match = skirmish_hit,
     .terms = {[HIT_BLOW] = LS_DETACHES(skirmish_blow),
               [HIT_UNIT] = LS_READS(UNIT),
               [HIT_HEALTH] = LS_OTHERS_WRITE(HEALTH)},
     .after = {"fight", "land"}},
    {.name = "die",
     .mode = LS_CONCURRENT,
     .span = skirmish_die,
     .terms = {[DIE_HEALTH] = LS_READS(HEALTH), [DIE_DEAD] = LS_ATTACHES(skirmish_dead)},
     .after = {"hit"}},
    {.name = "bury",
     .mode = LS_SEQUENTIAL,
     .match = skirmish_bury,
     .terms = {[BURY_DEAD] = LS_WITH(skirmish_dead),
               [BURY_UNIT] = LS_READS(UNIT),
               [BURY_HEALTH] = LS_READS(HEALTH),
               [BURY_ROSTER] = LS_OTHERS_WRITE(ROSTER)},
     .after = {"die", "command"}},
    {.name = "reinforce",
     .mode = LS_SEQUENTIAL,
     .match = skirmish_reinforce,
     .terms = {[RAISE_POSITION] = LS_OTHERS_STRUCTURE(POSITION),
               [RAISE_VELOCITY] = LS_OTHERS_STRUCTURE(VELOCITY),
               [RAISE_UNIT] = LS_OTHERS_STRUCTURE(UNIT),
               [RAISE_HEALTH] = LS_OTHERS_STRUCTURE(HEALTH),
               [RAISE_TARGET] = LS_OTHERS_STRUCTURE(TARGET),
               [RAISE_WEAPON] = LS_OTHERS_STRUCTURE(WEAPON),
               [RAISE_ROSTER] = LS_OTHERS_WRITE(ROSTER)},
     .lanes = {ARMIES},
     .after = {"bury", "move"}},
    {.name = "judge",
     .mode = LS_SEQUENTIAL,
     .match = skirmish_judge,
     .terms =
         {[JUDGE_ROSTER] = LS_OTHERS_WRITE(ROSTER), [JUDGE_STANDING] = LS_OTHERS_WRITE(STANDING)},
     .after = {"reinforce"}},
};
