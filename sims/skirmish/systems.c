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

#define UNIT_GRID                                                                                  \
    {                                                                                              \
        LS_POSITION(skirmish_position, x, y), .cell = SKIRMISH_GRID_CELL                           \
    }
#define ARMIES "army1, army2, army3, army4, army5, army6, army7, army8"

const char *const skirmish_lanes[SKIRMISH_SIDES_MAX + 1] = {
    "army1", "army2", "army3", "army4", "army5", "army6", "army7", "army8", "shots"};

const ls_system skirmish_setup = {
    .name = "muster",
    .mode = LS_SEQUENTIAL,
    .match = skirmish_muster,
    .terms = skirmish_mustering,
    .lanes = ARMIES,
};

const ls_system skirmish_systems[SKIRMISH_SYSTEM_COUNT] = {
    {.name = "command",
     .mode = LS_SEQUENTIAL,
     .match = skirmish_command,
     .terms = skirmish_commanding},
    {.name = "scout",
     .mode = LS_SEQUENTIAL,
     .match = skirmish_scout,
     .terms = skirmish_scouting,
     .grids = LS_GRIDS(UNIT_GRID)},
    {.name = "acquire",
     .mode = LS_CONCURRENT,
     .span = skirmish_acquire,
     .terms = skirmish_acquiring,
     .grids = LS_GRIDS(UNIT_GRID),
     .after = "command, scout"},
    {.name = "steer",
     .mode = LS_CONCURRENT,
     .span = skirmish_steer,
     .terms = skirmish_steering,
     .grids = LS_GRIDS(UNIT_GRID),
     .after = "acquire"},
    {.name = "fly",
     .mode = LS_CONCURRENT,
     .span = skirmish_fly,
     .terms = skirmish_flying,
     .grids = LS_GRIDS(UNIT_GRID)},
    {.name = "fight",
     .mode = LS_CONCURRENT,
     .span = skirmish_fight,
     .terms = skirmish_fighting,
     .lanes = "shots",
     .after = "acquire, fly"},
    {.name = "move",
     .mode = LS_CONCURRENT,
     .span = skirmish_move,
     .terms = skirmish_moving,
     .after = "steer, fight"},
    {.name = "suffer",
     .mode = LS_CONCURRENT,
     .span = skirmish_suffer,
     .terms = skirmish_suffering,
     .after = "fight"},
    {.name = "bury",
     .mode = LS_SEQUENTIAL,
     .match = skirmish_bury,
     .terms = skirmish_burying,
     .after = "suffer, command"},
    {.name = "reinforce",
     .mode = LS_SEQUENTIAL,
     .match = skirmish_reinforce,
     .terms = skirmish_raising,
     .lanes = ARMIES,
     .after = "bury, move"},
    {.name = "judge",
     .mode = LS_SEQUENTIAL,
     .match = skirmish_judge,
     .terms = skirmish_judging,
     .after = "reinforce"},
};
