/* Indexes of the terms of each system, and the functions of the systems. systems.c has the terms
 * and the schedule. */
#ifndef LS_SKIRMISH_TERMS_H
#define LS_SKIRMISH_TERMS_H

#include "skirmish_internal.h"

enum { COMMAND_STANDING, COMMAND_ROSTER };
ls_match_function skirmish_command;

enum { SCOUT_LOOKOUT };
ls_match_function skirmish_scout;

enum {
    ACQUIRE_POSITION,
    ACQUIRE_UNIT,
    ACQUIRE_TARGET,
    ACQUIRE_OTHERS,
    ACQUIRE_STANDING,
    ACQUIRE_LOOKOUT
};
ls_span_function skirmish_acquire;

enum { STEER_POSITION, STEER_UNIT, STEER_TARGET, STEER_VELOCITY, STEER_OTHERS, STEER_STANDING };
ls_span_function skirmish_steer;

enum { MOVE_POSITION, MOVE_VELOCITY };
ls_span_function skirmish_move;

enum {
    FIGHT_POSITION,
    FIGHT_UNIT,
    FIGHT_TARGET,
    FIGHT_WEAPON,
    FIGHT_OTHERS,
    FIGHT_WOUND,
    FIGHT_BLAME,
    FIGHT_SHOT
};
ls_span_function skirmish_fight;
/* Spawns a shot at an enemy. Only for "fight". */
void skirmish_launch(ls_context *context, const skirmish_unit *unit, ls_entity self, ls_fix2 from,
                     ls_entity enemy, ls_fix2 to);

enum { FLY_SHOT, FLY_OTHERS, FLY_WOUND, FLY_BLAME };
ls_span_function skirmish_fly;

enum { SUFFER_WOUND, SUFFER_BLAME, SUFFER_HEALTH, SUFFER_DEAD };
ls_span_function skirmish_suffer;

enum { BURY_DEAD, BURY_UNIT, BURY_HEALTH, BURY_ROSTER };
ls_match_function skirmish_bury;

/* The setup and "reinforce" spawn units with the same terms. */
enum {
    RAISE_POSITION,
    RAISE_VELOCITY,
    RAISE_UNIT,
    RAISE_HEALTH,
    RAISE_TARGET,
    RAISE_WEAPON,
    RAISE_WOUND,
    RAISE_BLAME,
    RAISE_ROSTER,
    RAISE_STANDING
};
ls_match_function skirmish_muster;
ls_match_function skirmish_reinforce;

enum { JUDGE_ROSTER, JUDGE_STANDING };
ls_match_function skirmish_judge;

enum { SKIRMISH_SYSTEM_COUNT = 11 };
extern const ls_system skirmish_systems[SKIRMISH_SYSTEM_COUNT];
extern const ls_system skirmish_setup;
extern const char *const skirmish_lanes[SKIRMISH_SIDES_MAX + 1];

#endif
