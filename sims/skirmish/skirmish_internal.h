/* Components, rules and helpers that the files of skirmish share. Cells are small, and split by the
 * system that writes them, so that a system dirties only the pages that it changes. */
#ifndef LS_SKIRMISH_INTERNAL_H
#define LS_SKIRMISH_INTERNAL_H
#include "skirmish.h"
#include <lockstep/context.h>

/* The units of one side share a lane, so the lane distinguishes friend from enemy. A system
 * can name any of them. */
#define SKIRMISH_SIDES_MAX 8
#define SKIRMISH_KEEP      SKIRMISH_SQUADS /* the squad number of a keep */
#define SKIRMISH_GRID_CELL LS_FIX(2.5)
/* The squares of the lookout map have an edge of eight map units and cover the largest map. */
#define SKIRMISH_LOOKOUT_SHIFT   (16 + 3)
#define SKIRMISH_LOOKOUT_COLUMNS 88

enum { OPTION_UNITS, OPTION_RESPAWN_S, OPTION_SCORE_LIMIT, OPTION_SIDES, OPTION_COUNT };

/* Constant while the unit lives. */
typedef struct skirmish_unit {
    uint16_t place; /* in the formation of its squad */
    uint8_t player;
    uint8_t squad;
} skirmish_unit;

typedef struct skirmish_health {
    int16_t points;    /* dead at 0 */
    uint16_t attacker; /* player with the hardest hit in the last tick with damage */
} skirmish_health;

typedef struct skirmish_target {
    ls_entity entity; /* may be dead */
} skirmish_target;

typedef struct skirmish_weapon {
    uint32_t ready_tick;
} skirmish_weapon;

/* The sum of all damage of one tick; the order of the strikes does not matter. */
typedef struct skirmish_wound {
    uint32_t points;
} skirmish_wound;

/* The hardest hit of the tick: damage in the high bits, player in the low ones. */
typedef struct skirmish_blame {
    uint32_t hit; /* damage << SKIRMISH_BLAME_SHIFT | player */
} skirmish_blame;

#define SKIRMISH_BLAME_SHIFT 8

typedef struct skirmish_shot {
    ls_entity target;
    ls_fix x, y;
    ls_fix aim_x, aim_y;
    int16_t damage;
    uint16_t ticks; /* ticks until it lands where it is */
    uint16_t kind;  /* kind of the unit that shot */
    uint8_t player;
    uint8_t lane; /* lane of the side that shot; its units take no damage */
} skirmish_shot;

/* Singleton: the last order of each squad. */
typedef struct skirmish_standing {
    ls_fix x[LS_PLAYERS_MAX][SKIRMISH_SQUADS];
    ls_fix y[LS_PLAYERS_MAX][SKIRMISH_SQUADS];
    uint8_t kind[LS_PLAYERS_MAX][SKIRMISH_SQUADS];
} skirmish_standing;

/* Singleton: scores, losses and respawns. */
typedef struct skirmish_roster {
    uint32_t score[LS_PLAYERS_MAX];
    uint32_t losses[LS_PLAYERS_MAX];
    uint32_t credit[LS_PLAYERS_MAX];    /* units that may respawn, in 1/65536 */
    uint32_t keep_tick[LS_PLAYERS_MAX]; /* when the keep is rebuilt; 0: it is not destroyed */
    uint16_t fallen[LS_PLAYERS_MAX][SKIRMISH_SQUADS];
    uint16_t next_place[LS_PLAYERS_MAX][SKIRMISH_SQUADS];
    uint32_t winner; /* 1 + side; 0: none yet */
} skirmish_roster;

/* Singleton: the lanes (modulo 8) that have units in each square of the map. A unit without
 * another lane nearby skips the search for enemies; on the march nearly all units do. */
typedef struct skirmish_lookout {
    uint8_t lanes[SKIRMISH_LOOKOUT_COLUMNS][SKIRMISH_LOOKOUT_COLUMNS]; /* [row][column] */
} skirmish_lookout;

extern const ls_component skirmish_position; /* ls_fix2; only units have one */
extern const ls_component skirmish_velocity; /* ls_fix2, per tick */
extern const ls_component skirmish_unit_component;
extern const ls_component skirmish_health_component;
extern const ls_component skirmish_target_component;
extern const ls_component skirmish_weapon_component;
extern const ls_component skirmish_wound_component;
extern const ls_component skirmish_blame_component;
extern const ls_component skirmish_shot_component;
extern const ls_component skirmish_dead; /* tag: `bury` removes the unit in this tick */
extern const ls_component skirmish_standing_component;
extern const ls_component skirmish_roster_component;
extern const ls_component skirmish_lookout_component;

/* The kinds of unit; lengths in map units, times in ticks. */
typedef enum skirmish_kind {
    SKIRMISH_FOOTMAN,
    SKIRMISH_ARCHER,
    SKIRMISH_CATAPULT,
    SKIRMISH_KEEP_KIND,
} skirmish_kind;

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
