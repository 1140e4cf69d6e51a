#include "skirmish_internal.h"

/* Fields that index a table have a maximum, because a client loads its first state from a server.
 */

static const ls_field vector_fields[] = {
    LS_FIELD(ls_fix2, x, LS_TYPE_FIX),
    LS_FIELD(ls_fix2, y, LS_TYPE_FIX),
};
const ls_component skirmish_position = LS_COMPONENT(ls_fix2, "Position", vector_fields);
const ls_component skirmish_velocity = LS_COMPONENT(ls_fix2, "Velocity", vector_fields);

static const ls_field unit_fields[] = {
    LS_FIELD(skirmish_unit, place, LS_TYPE_U16),
    LS_FIELD_UP_TO(skirmish_unit, player, LS_TYPE_U8, LS_PLAYERS_MAX - 1),
    LS_FIELD_UP_TO(skirmish_unit, squad, LS_TYPE_U8, SKIRMISH_KEEP),
};
const ls_component skirmish_unit_component = LS_COMPONENT(skirmish_unit, "Unit", unit_fields);

static const ls_field health_fields[] = {
    LS_FIELD(skirmish_health, points, LS_TYPE_I16),
    LS_FIELD_UP_TO(skirmish_health, attacker, LS_TYPE_U16, LS_PLAYERS_MAX - 1),
};
const ls_component skirmish_health_component =
    LS_COMPONENT(skirmish_health, "Health", health_fields);

static const ls_field target_fields[] = {LS_FIELD(skirmish_target, entity, LS_TYPE_ENTITY)};
const ls_component skirmish_target_component =
    LS_COMPONENT(skirmish_target, "Target", target_fields);

static const ls_field weapon_fields[] = {LS_FIELD(skirmish_weapon, ready_tick, LS_TYPE_U32)};
const ls_component skirmish_weapon_component =
    LS_COMPONENT(skirmish_weapon, "Weapon", weapon_fields);

static const ls_field wound_fields[] = {LS_FIELD(skirmish_wound, points, LS_TYPE_U32)};
const ls_component skirmish_wound_component = LS_COMPONENT(skirmish_wound, "Wound", wound_fields);

static const ls_field blame_fields[] = {LS_FIELD(skirmish_blame, hit, LS_TYPE_U32)};
const ls_component skirmish_blame_component = LS_COMPONENT(skirmish_blame, "Blame", blame_fields);

static const ls_field shot_fields[] = {
    LS_FIELD(skirmish_shot, target, LS_TYPE_ENTITY),
    LS_FIELD(skirmish_shot, x, LS_TYPE_FIX),
    LS_FIELD(skirmish_shot, y, LS_TYPE_FIX),
    LS_FIELD(skirmish_shot, aim_x, LS_TYPE_FIX),
    LS_FIELD(skirmish_shot, aim_y, LS_TYPE_FIX),
    LS_FIELD(skirmish_shot, damage, LS_TYPE_I16),
    LS_FIELD(skirmish_shot, ticks, LS_TYPE_U16),
    LS_FIELD_UP_TO(skirmish_shot, kind, LS_TYPE_U16, SKIRMISH_KEEP_KIND),
    LS_FIELD_UP_TO(skirmish_shot, player, LS_TYPE_U8, LS_PLAYERS_MAX - 1),
    LS_FIELD(skirmish_shot, lane, LS_TYPE_U8),
};
const ls_component skirmish_shot_component = LS_COMPONENT(skirmish_shot, "Shot", shot_fields);

const ls_component skirmish_dead = LS_TAG("Dead");

static const ls_field standing_fields[] = {
    LS_FIELD(skirmish_standing, x, LS_TYPE_FIX),
    LS_FIELD(skirmish_standing, y, LS_TYPE_FIX),
    LS_FIELD(skirmish_standing, kind, LS_TYPE_U8),
};
const ls_component skirmish_standing_component =
    LS_SINGLETON(skirmish_standing, "Standing", standing_fields);

static const ls_field lookout_fields[] = {LS_FIELD(skirmish_lookout, lanes, LS_TYPE_U8)};
const ls_component skirmish_lookout_component =
    LS_SINGLETON(skirmish_lookout, "Lookout", lookout_fields);

static const ls_field roster_fields[] = {
    LS_FIELD(skirmish_roster, score, LS_TYPE_U32),
    LS_FIELD(skirmish_roster, losses, LS_TYPE_U32),
    LS_FIELD(skirmish_roster, credit, LS_TYPE_U32),
    LS_FIELD(skirmish_roster, keep_tick, LS_TYPE_U32),
    LS_FIELD(skirmish_roster, fallen, LS_TYPE_U16),
    LS_FIELD(skirmish_roster, next_place, LS_TYPE_U16),
    LS_FIELD_UP_TO(skirmish_roster, winner, LS_TYPE_U32, LS_PLAYERS_MAX),
};
const ls_component skirmish_roster_component =
    LS_SINGLETON(skirmish_roster, "Roster", roster_fields);
