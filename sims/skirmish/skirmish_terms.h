/* The terms of each system, and the functions of the systems. systems.c has the schedule. */
#ifndef LS_SKIRMISH_TERMS_H
#define LS_SKIRMISH_TERMS_H

#include "skirmish_internal.h"

LS_TERMS(skirmish_commanding, WRITES_SINGLETON(skirmish_standing, standing),
         READS_SINGLETON(skirmish_roster, roster));
ls_match_function skirmish_command;

LS_TERMS(skirmish_scouting, WRITES_SINGLETON(skirmish_lookout, lookout));
ls_match_function skirmish_scout;

LS_TERMS(skirmish_acquiring, READS(skirmish_position, position), READS(skirmish_unit, unit),
         WRITES(skirmish_target, target), OTHERS_READ(skirmish_position, others),
         READS_SINGLETON(skirmish_standing, standing), READS_SINGLETON(skirmish_lookout, lookout));
ls_span_function skirmish_acquire;

LS_TERMS(skirmish_steering, READS(skirmish_position, position), READS(skirmish_unit, unit),
         READS(skirmish_target, target), WRITES(skirmish_velocity, velocity),
         OTHERS_READ(skirmish_position, others), READS_SINGLETON(skirmish_standing, standing));
ls_span_function skirmish_steer;

LS_TERMS(skirmish_moving, WRITES(skirmish_position, position), READS(skirmish_velocity, velocity));
ls_span_function skirmish_move;

LS_TERMS(skirmish_fighting, READS(skirmish_position, position), READS(skirmish_unit, unit),
         READS(skirmish_target, target), WRITES(skirmish_weapon, weapon),
         OTHERS_READ(skirmish_position, others), ACCUMULATES(skirmish_wound, LS_ADD, wound),
         ACCUMULATES(skirmish_blame, LS_MAX, blame), SPAWNS_WITH(skirmish_shot, shot));
ls_span_function skirmish_fight;
/* Spawns a shot at an enemy. Only for "fight". */
void skirmish_launch(ls_context *context, const skirmish_unit *unit, ls_entity self, ls_fix2 from,
                     ls_entity enemy, ls_fix2 to);

LS_TERMS(skirmish_flying, WRITES(skirmish_shot, shot), OTHERS_READ(skirmish_position, others),
         ACCUMULATES(skirmish_wound, LS_ADD, wound), ACCUMULATES(skirmish_blame, LS_MAX, blame));
ls_span_function skirmish_fly;

LS_TERMS(skirmish_suffering, WRITES(skirmish_wound, wound), WRITES(skirmish_blame, blame),
         WRITES(skirmish_health, health), ATTACHES(skirmish_dead, dead));
ls_span_function skirmish_suffer;

LS_TERMS(skirmish_burying, WITH(skirmish_dead, dead), READS(skirmish_unit, unit),
         READS(skirmish_health, health), WRITES_SINGLETON(skirmish_roster, roster));
ls_match_function skirmish_bury;

/* The setup and "reinforce" spawn units with the same terms. */
LS_TERMS(skirmish_raising, OTHERS_STRUCTURE(skirmish_position, position),
         OTHERS_STRUCTURE(skirmish_velocity, velocity), OTHERS_STRUCTURE(skirmish_unit, unit),
         OTHERS_STRUCTURE(skirmish_health, health), OTHERS_STRUCTURE(skirmish_target, target),
         OTHERS_STRUCTURE(skirmish_weapon, weapon), OTHERS_STRUCTURE(skirmish_wound, wound),
         OTHERS_STRUCTURE(skirmish_blame, blame), WRITES_SINGLETON(skirmish_roster, roster));
LS_TERMS(skirmish_mustering, OTHERS_STRUCTURE(skirmish_position, position),
         OTHERS_STRUCTURE(skirmish_velocity, velocity), OTHERS_STRUCTURE(skirmish_unit, unit),
         OTHERS_STRUCTURE(skirmish_health, health), OTHERS_STRUCTURE(skirmish_target, target),
         OTHERS_STRUCTURE(skirmish_weapon, weapon), OTHERS_STRUCTURE(skirmish_wound, wound),
         OTHERS_STRUCTURE(skirmish_blame, blame), WRITES_SINGLETON(skirmish_roster, roster),
         WRITES_SINGLETON(skirmish_standing, standing));
ls_match_function skirmish_muster;
ls_match_function skirmish_reinforce;

LS_TERMS(skirmish_judging, WRITES_SINGLETON(skirmish_roster, roster),
         WRITES_SINGLETON(skirmish_standing, standing));
ls_match_function skirmish_judge;

enum { SKIRMISH_SYSTEM_COUNT = 11 };
extern const ls_system skirmish_systems[SKIRMISH_SYSTEM_COUNT];
extern const ls_system skirmish_setup;
extern const char *const skirmish_lanes[SKIRMISH_SIDES_MAX + 1];

#endif
