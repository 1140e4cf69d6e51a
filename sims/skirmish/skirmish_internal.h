/* Components, rules and helpers that the files of skirmish share. Cells are small, and split by the
 * system that writes them, so that a system dirties only the pages that it changes. */
#ifndef LS_SKIRMISH_INTERNAL_H
#define LS_SKIRMISH_INTERNAL_H
#include "skirmish.h"
#include <lockstep/uses.h>

/* The units of one side share a lane, so the lane distinguishes friend from enemy. A system
 * can name any of them. */
#define SKIRMISH_SIDES_MAX 8
#define SKIRMISH_KEEP      SKIRMISH_SQUADS /* the squad number of a keep */
#define SKIRMISH_GRID_CELL LS_FIX(2.5)
/* The squares of the lookout map have an edge of eight map units and cover the largest map. */
#define SKIRMISH_LOOKOUT_SHIFT   (16 + 3)
#define SKIRMISH_LOOKOUT_COLUMNS 88

enum { OPTION_UNITS, OPTION_RESPAWN_S, OPTION_SCORE_LIMIT, OPTION_SIDES, OPTION_COUNT };

/* The kinds of unit; lengths in map units, times in ticks. */
typedef enum skirmish_kind {
    SKIRMISH_FOOTMAN,
    SKIRMISH_ARCHER,
    SKIRMISH_CATAPULT,
    SKIRMISH_KEEP_KIND,
} skirmish_kind;

/* Only units have a position. */
LS_COMPONENT_OF(ls_fix2, skirmish_position, "Position", FIX(x), FIX(y));
LS_COMPONENT_OF(ls_fix2, skirmish_velocity, "Velocity", FIX(x), FIX(y)); /* per tick */

/* Fields that index a table have a maximum: a client takes its first state from a server, which may
 * be hostile. */

/* Constant while the unit lives. `place` is that in the formation of its squad. */
LS_COMPONENT_NAMED(skirmish_unit, "Unit", U16(place), U8_UP_TO(player, LS_PLAYERS_MAX - 1),
                   U8_UP_TO(squad, SKIRMISH_KEEP));

/* Dead at 0 points; `attacker` is the player with the hardest hit in the last tick with damage. */
LS_COMPONENT_NAMED(skirmish_health, "Health", I16(points), U16_UP_TO(attacker, LS_PLAYERS_MAX - 1));

/* The target may be dead. */
LS_COMPONENT_NAMED(skirmish_target, "Target", ENTITY(entity, LS_KEEP));
LS_COMPONENT_NAMED(skirmish_weapon, "Weapon", U32(ready_tick));

/* The sum of all damage of one tick; the order of the strikes does not matter. */
LS_COMPONENT_NAMED(skirmish_wound, "Wound", U32(points));

/* The hardest hit of the tick: damage in the high bits, player in the low ones. */
LS_COMPONENT_NAMED(skirmish_blame, "Blame", U32(hit));
#define SKIRMISH_BLAME_SHIFT 8

/* `ticks` is how long it flies on; `kind` that of the unit that shot; `lane` that of the side that
 * shot, whose units take no damage. */
LS_COMPONENT_NAMED(skirmish_shot, "Shot", ENTITY(target, LS_KEEP), FIX(x), FIX(y), FIX(aim_x),
                   FIX(aim_y), I16(damage), U16(ticks), U16_UP_TO(kind, SKIRMISH_KEEP_KIND),
                   U8_UP_TO(player, LS_PLAYERS_MAX - 1), U8(lane));

/* `bury` removes the unit in this tick. */
LS_TAG_NAMED(skirmish_dead, "Dead");

/* The last order of each squad. */
LS_SINGLETON_NAMED(skirmish_standing, "Standing", FIX_ARRAY(x, LS_PLAYERS_MAX, SKIRMISH_SQUADS),
                   FIX_ARRAY(y, LS_PLAYERS_MAX, SKIRMISH_SQUADS),
                   U8_ARRAY(kind, LS_PLAYERS_MAX, SKIRMISH_SQUADS));

/* Scores, losses and respawns. `credit` is how many units may respawn, in 1/65536; `keep_tick` is
 * when the keep is rebuilt, 0 while there is one; `winner` is 1 + side, 0 for none yet. */
LS_SINGLETON_NAMED(skirmish_roster, "Roster", U32_ARRAY(score, LS_PLAYERS_MAX),
                   U32_ARRAY(losses, LS_PLAYERS_MAX), U32_ARRAY(credit, LS_PLAYERS_MAX),
                   U32_ARRAY(keep_tick, LS_PLAYERS_MAX),
                   U16_ARRAY(fallen, LS_PLAYERS_MAX, SKIRMISH_SQUADS),
                   U16_ARRAY(next_place, LS_PLAYERS_MAX, SKIRMISH_SQUADS),
                   U32_UP_TO(winner, LS_PLAYERS_MAX));

/* The lanes (modulo 8) that have units in each square of the map, by row and column. A unit without
 * another lane nearby skips the search for enemies; on the march nearly all units do. */
LS_SINGLETON_NAMED(skirmish_lookout, "Lookout",
                   U8_ARRAY(lanes, SKIRMISH_LOOKOUT_COLUMNS, SKIRMISH_LOOKOUT_COLUMNS));

typedef struct skirmish_kind_rules {
    ls_fix speed;
    ls_fix reach;
    ls_fix sight;
    ls_fix shot_speed; /* 0: a melee unit */
    ls_fix splash;     /* radius around the aim; 0: the shot follows one target */
    int16_t health;
    int16_t damage;
    uint16_t reload_ticks;
} skirmish_kind_rules;

const skirmish_kind_rules *skirmish_rules(skirmish_kind kind);
skirmish_kind skirmish_kind_of(uint32_t squad);

/* Values that depend only on the match. */
typedef struct skirmish_field {
    ls_fix edge;
    uint32_t players, sides;
    uint32_t army; /* units per player, without the keep */
    uint16_t squad_size[SKIRMISH_SQUADS];
    uint16_t squad_width[SKIRMISH_SQUADS]; /* files of its formation */
} skirmish_field;

skirmish_field skirmish_field_of(const ls_match *match);
uint32_t skirmish_side_of(const skirmish_field *field, uint32_t player);
ls_fix2 skirmish_base(const skirmish_field *field, uint32_t player);
ls_fix2 skirmish_clamp(const skirmish_field *field, ls_fix2 at);
/* The offset of a place from the centre of its squad's formation. */
ls_fix2 skirmish_place_offset(const skirmish_field *field, uint32_t squad, uint32_t place);
/* The position of a squad in an army around `middle`: footmen in the first row, archers in the
 * second, catapults in the last. `facing` is a unit vector. */
ls_fix2 skirmish_array(const skirmish_field *field, ls_fix2 middle, ls_fix2 facing, uint32_t squad);
/* The squad's position in front of its own keep. */
ls_fix2 skirmish_post(const skirmish_field *field, uint32_t player, uint32_t squad);

bool skirmish_input_is_valid(const ls_match *match, uint32_t player, const uint8_t *bytes,
                             uint32_t count);
uint32_t skirmish_bot(const ls_world *world, uint32_t player, uint8_t *bytes);
/* Orders all squads of a player to their posts. */
void skirmish_send_home(const skirmish_field *field, uint32_t player, skirmish_standing *standing);

#endif
