/* The terms of each system, which name its access, and the functions of the systems. systems.c
 * holds the lists and the schedule. */
#ifndef LS_SKIRMISH_TERMS_H
#define LS_SKIRMISH_TERMS_H

#include "sims/skirmish/skirmish_internal.h"

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
    FIGHT_BLOW,
    FIGHT_VOLLEY,
    FIGHT_OTHERS
};
ls_span_function skirmish_fight;

enum { HIT_BLOW, HIT_UNIT, HIT_HEALTH };
ls_match_function skirmish_hit;

enum { LAUNCH_VOLLEY, LAUNCH_UNIT, LAUNCH_POSITION, LAUNCH_SHOT };
ls_match_function skirmish_launch;

enum { FLY_SHOT, FLY_IMPACT, FLY_OTHERS };
ls_span_function skirmish_fly;

enum { IMPACT_TAG, IMPACT_SHOT, IMPACT_POSITION, IMPACT_HEALTH };
ls_match_function skirmish_land;

enum { DIE_HEALTH, DIE_DEAD };
ls_span_function skirmish_die;

enum { BURY_DEAD, BURY_UNIT, BURY_HEALTH, BURY_ROSTER };
ls_match_function skirmish_bury;

/* Setup and reinforce raise units in the same way. */
enum {
    RAISE_POSITION,
    RAISE_VELOCITY,
    RAISE_UNIT,
    RAISE_HEALTH,
    RAISE_TARGET,
    RAISE_WEAPON,
    RAISE_ROSTER,
    RAISE_STANDING
};
ls_match_function skirmish_muster;
ls_match_function skirmish_reinforce;

enum { JUDGE_ROSTER, JUDGE_STANDING };
ls_match_function skirmish_judge;

enum { SKIRMISH_SYSTEM_COUNT = 14 };
extern const ls_system skirmish_systems[SKIRMISH_SYSTEM_COUNT];
extern const ls_system skirmish_setup;
extern const char *const skirmish_lanes[SKIRMISH_SIDES_MAX + 1];

#endif
