/* Rules that depend only on the match: kinds of units, armies, the map. */
#include "skirmish_internal.h"

static const skirmish_kind_rules kinds[] = {
    [SKIRMISH_FOOTMAN] = {.speed = LS_FIX(0.17),
                          .reach = LS_FIX(1.3),
                          .sight = LS_FIX(7),
                          .health = 70,
                          .damage = 9,
                          .reload_ticks = 18},
    [SKIRMISH_ARCHER] = {.speed = LS_FIX(0.16),
                         .reach = LS_FIX(9),
                         .sight = LS_FIX(10.5),
                         .shot_speed = LS_FIX(0.8),
                         .health = 40,
                         .damage = 8,
                         .reload_ticks = 32},
    [SKIRMISH_CATAPULT] = {.speed = LS_FIX(0.11),
                           .reach = LS_FIX(15),
                           .sight = LS_FIX(16),
                           .shot_speed = LS_FIX(0.5),
                           .splash = LS_FIX(2),
                           .health = 90,
                           .damage = 28,
                           .reload_ticks = 90},
    [SKIRMISH_KEEP_KIND] = {.reach = LS_FIX(12),
                            .sight = LS_FIX(12),
                            .shot_speed = LS_FIX(0.9),
                            .health = 1500,
                            .damage = 14,
                            .reload_ticks = 6},
};

const skirmish_kind_rules *skirmish_rules(skirmish_kind kind)
{
    return &kinds[kind];
}

skirmish_kind skirmish_kind_of(uint32_t squad)
{
    return squad < 4   ? SKIRMISH_FOOTMAN
           : squad < 7 ? SKIRMISH_ARCHER
           : squad < 8 ? SKIRMISH_CATAPULT
                       : SKIRMISH_KEEP_KIND;
}

#define PLACE_SPACING                                                                              \
    LS_FIX(1.2) /* between files and ranks; slightly more than separation pushes units apart */
#define MAP_MARGIN LS_FIX(1)

/* Grows with the square root of the unit count, so density and the cost of neighbour searches stay
 * constant. At most 703, far below the range of ls_fix and of squared distances. */
ls_fix skirmish_edge(const ls_match *match)
{
    uint64_t units = (uint64_t)match->options[OPTION_UNITS];
    return ls_fix_add(LS_FIX(32), ls_fix_saturate(ls_sqrt_u64((9 * units) << 32)));
}

/* Divides `count` between `squads`; the first ones get the remainder. */
static void divide(uint16_t *sizes, uint32_t squads, uint32_t count)
{
    for (uint32_t i = 0; i < squads; i++)
        sizes[i] = (uint16_t)(count / squads + (i < count % squads));
}

skirmish_field skirmish_field_of(const ls_match *match)
{
    skirmish_field field = {.edge = skirmish_edge(match), .players = match->player_count};
    uint32_t sides = (uint32_t)match->options[OPTION_SIDES];
    if (sides == 0 || sides > match->player_count)
        sides = match->player_count;
    field.sides = sides > SKIRMISH_SIDES_MAX ? SKIRMISH_SIDES_MAX : sides;
    field.army = (uint32_t)match->options[OPTION_UNITS] / match->player_count;
    uint32_t archers = field.army * 3 / 8, catapults = field.army / 16;
    divide(field.squad_size, 4, field.army - archers - catapults);
    divide(field.squad_size + 4, 3, archers);
    divide(field.squad_size + 7, 1, catapults);
    for (uint32_t i = 0; i < SKIRMISH_SQUADS; i++)
        field.squad_width[i] = (uint16_t)(ls_sqrt_u64(field.squad_size[i]) + 1);
    return field;
}

uint32_t skirmish_side_of(const skirmish_field *field, uint32_t player)
{
    return player % field->sides;
}

/* Bases are on a circle; allies are next to each other. */
static ls_fix2 base_direction(const skirmish_field *field, uint32_t player)
{
    uint32_t allies = (field->players + field->sides - 1) / field->sides;
    uint32_t seat = skirmish_side_of(field, player) * allies + player / field->sides;
    return ls_fix2_from_angle((ls_angle)((2 * seat + 1) * 32768 / (field->sides * allies)));
}

ls_fix2 skirmish_base(const skirmish_field *field, uint32_t player)
{
    ls_fix radius = ls_fix_mul(field->edge, LS_FIX(0.38));
    ls_fix2 middle = ls_fix2_make(field->edge / 2, field->edge / 2);
    return ls_fix2_add(middle, ls_fix2_scale(base_direction(field, player), radius));
}

ls_fix2 skirmish_clamp(const skirmish_field *field, ls_fix2 at)
{
    ls_fix high = ls_fix_sub(field->edge, MAP_MARGIN);
    return ls_fix2_make(ls_fix_clamp(at.x, MAP_MARGIN, high), ls_fix_clamp(at.y, MAP_MARGIN, high));
}

ls_fix2 skirmish_place_offset(const skirmish_field *field, uint32_t squad, uint32_t place)
{
    uint32_t width = field->squad_width[squad];
    int32_t file = 2 * (int32_t)(place % width) - (int32_t)width + 1;
    int32_t rank = 2 * (int32_t)(place / width) - (int32_t)width + 1;
    return ls_fix2_make(file * (PLACE_SPACING / 2), rank * (PLACE_SPACING / 2));
}

ls_fix2 skirmish_array(const skirmish_field *field, ls_fix2 middle, ls_fix2 facing, uint32_t squad)
{
    static const int8_t across[SKIRMISH_SQUADS] = {-1, 1, -3, 3, 0, -2, 2, 0}; /* half blocks */
    static const int8_t along[SKIRMISH_SQUADS] = {1, 1, 1, 1, 0, 0, 0, -1};
    ls_fix block = ls_fix_add(field->squad_width[0] * PLACE_SPACING, LS_FIX(1.5));
    ls_fix2 right = ls_fix2_make(ls_fix_neg(facing.y), facing.x);
    ls_fix2 at = ls_fix2_add(middle, ls_fix2_scale(right, across[squad] * (block / 2)));
    return skirmish_clamp(field, ls_fix2_add(at, ls_fix2_scale(facing, along[squad] * block)));
}

ls_fix2 skirmish_post(const skirmish_field *field, uint32_t player, uint32_t squad)
{
    ls_fix2 facing = ls_fix2_neg(base_direction(field, player));
    return skirmish_array(field, skirmish_base(field, player), facing, squad);
}
