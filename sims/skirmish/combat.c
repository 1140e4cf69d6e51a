/* Combat: which enemy a unit chooses, when it strikes, and the damage of a strike. */
#include "skirmish_terms.h"
#include <lockstep/random.h>

#include <string.h>

/* The radius of the first search; units in a fight find an enemy there and skip the second one. */
#define ACQUIRE_NEAR LS_FIX(3)
#define ARRIVED      LS_FIX(6) /* at this distance from its goal a moving unit searches for enemies */
enum { SCOUT_EVERY = 4, ACQUIRE_EVERY = 10, DAMAGE_SPREAD = 2, RELOAD_SPREAD_TICKS = 3 };

/* Clamped, because a snapshot may hold any position. */
static int32_t lookout_index(ls_fix coordinate)
{
    int32_t index = coordinate >> SKIRMISH_LOOKOUT_SHIFT;
    return index < 0 ? 0 : index < SKIRMISH_LOOKOUT_COLUMNS ? index : SKIRMISH_LOOKOUT_COLUMNS - 1;
}

void skirmish_scout(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    LS_USES(context, skirmish_scouting);
    if (ls_tick(context) % SCOUT_EVERY != 0)
        return;
    skirmish_lookout *lookout = LS_WRITE_SINGLETON(context, lookout);
    ls_fix half = skirmish_edge(ls_match_of(context)) / 2;
    memset(lookout, 0, sizeof *lookout);
    ls_grid_walk walk;
    ls_neighbour unit;
    ls_grid_begin(context, 0, half, half, 2 * half,
                  &walk); /* covers the corners, so every unit is found */
    while (ls_grid_next(&walk, &unit))
        lookout->lanes[lookout_index(unit.y)][lookout_index(unit.x)] |=
            (uint8_t)(1u << ls_entity_lane(unit.entity) % 8);
}

/* Whether the last scout found units of another lane within the radius or one square beyond. */
static bool may_see_enemies(const skirmish_lookout *lookout, ls_fix2 at, uint32_t lane,
                            ls_fix radius)
{
    int32_t left = lookout_index(ls_fix_sub(at.x, radius)),
            right = lookout_index(ls_fix_add(at.x, radius));
    int32_t bottom = lookout_index(ls_fix_add(at.y, radius));
    uint32_t seen = 0;
    for (int32_t row = lookout_index(ls_fix_sub(at.y, radius)); row <= bottom; row++) {
        for (int32_t column = left; column <= right; column++)
            seen |= lookout->lanes[row][column];
    }
    return seen & ~(1u << lane % 8);
}

/* The nearest unit of another side; ties go to the lowest lane, then the lowest slot. */
static ls_entity nearest_enemy(const ls_context *context, ls_fix2 at, uint32_t lane, ls_fix radius)
{
    ls_entity best = LS_ENTITY_NULL;
    int64_t best_squared = INT64_MAX;
    ls_grid_walk walk;
    ls_neighbour other;
    ls_grid_begin(context, 0, at.x, at.y, radius, &walk);
    while (ls_grid_next(&walk, &other)) {
        if (ls_entity_lane(other.entity) == lane)
            continue;
        int64_t dx = (int64_t)other.x - at.x, dy = (int64_t)other.y - at.y;
        int64_t squared = dx * dx + dy * dy;
        if (squared > best_squared ||
            (squared == best_squared && (uint32_t)other.entity > (uint32_t)best))
            continue;
        best = other.entity;
        best_squared = squared;
    }
    return best;
}

/* The search radius of a unit. A squad with SKIRMISH_MOVE ignores enemies until it arrives. */
static ls_fix sight(const skirmish_standing *standing, const skirmish_unit *unit, ls_fix2 at)
{
    const skirmish_kind_rules *rules = skirmish_rules(skirmish_kind_of(unit->squad));
    if (unit->squad == SKIRMISH_KEEP)
        return rules->sight;
    uint8_t kind = standing->kind[unit->player][unit->squad];
    if (kind == SKIRMISH_HOLD)
        return rules->reach;
    ls_fix2 to = ls_fix2_make(standing->x[unit->player][unit->squad],
                              standing->y[unit->player][unit->squad]);
    bool has_arrived = ls_fix2_distance_squared(at, to) <= ls_fix_square_wide(ARRIVED);
    return kind == SKIRMISH_MOVE && !has_arrived ? 0 : rules->sight;
}

static ls_entity choose(const ls_context *context, const skirmish_unit *unit, ls_fix2 at,
                        ls_entity current, uint32_t lane)
{
    LS_USES(context, skirmish_acquiring);
    const skirmish_standing *standing = LS_READ_SINGLETON(context, standing);
    const skirmish_kind_rules *rules = skirmish_rules(skirmish_kind_of(unit->squad));
    ls_fix radius = sight(standing, unit, at);
    if (radius == 0)
        return LS_ENTITY_NULL;
    const ls_fix2 *enemy = current ? LS_READ(context, others, current) : NULL;
    if (enemy && ls_fix2_distance_squared(at, *enemy) <= ls_fix_square_wide(rules->reach))
        return current;
    if (!may_see_enemies(LS_READ_SINGLETON(context, lookout), at, lane, radius))
        return LS_ENTITY_NULL;
    ls_entity found = nearest_enemy(context, at, lane, ls_fix_min(ACQUIRE_NEAR, radius));
    if (!found && radius > ACQUIRE_NEAR)
        found = nearest_enemy(context, at, lane, radius);
    return found;
}

/* Each unit searches for an enemy twice per second, a tenth of the units per tick. */
void skirmish_acquire(ls_context *context, const ls_span *span)
{
    LS_USES(context, skirmish_acquiring);
    const ls_fix2 *positions = LS_READ_SPAN(context, position, span);
    const skirmish_unit *units = LS_READ_SPAN(context, unit, span);
    skirmish_target *targets = LS_WRITE_SPAN(context, target, span);
    uint32_t phase = (uint32_t)(span->first_slot + ls_tick(context)) % ACQUIRE_EVERY;
    for (uint32_t i = (ACQUIRE_EVERY - phase) % ACQUIRE_EVERY; i < span->count; i += ACQUIRE_EVERY)
        targets[i].entity = choose(context, &units[i], positions[i], targets[i].entity, span->lane);
}

static void strike(ls_context *context, const skirmish_unit *unit, ls_entity self, ls_entity enemy)
{
    LS_USES(context, skirmish_fighting);
    const skirmish_kind_rules *rules = skirmish_rules(skirmish_kind_of(unit->squad));
    int32_t luck = ls_random_range(ls_random(context, self, 1), -DAMAGE_SPREAD, DAMAGE_SPREAD);
    uint32_t damage = (uint32_t)(rules->damage + luck);
    LS_ACCUMULATE(context, wound, enemy, .points = damage);
    LS_ACCUMULATE(context, blame, enemy, .hit = damage << SKIRMISH_BLAME_SHIFT | unit->player);
}

void skirmish_fight(ls_context *context, const ls_span *span)
{
    LS_USES(context, skirmish_fighting);
    const ls_fix2 *positions = LS_READ_SPAN(context, position, span);
    const skirmish_unit *units = LS_READ_SPAN(context, unit, span);
    const skirmish_target *targets = LS_READ_SPAN(context, target, span);
    skirmish_weapon *weapons = LS_WRITE_SPAN(context, weapon, span);
    uint32_t tick = (uint32_t)ls_tick(context);
    for (uint32_t i = 0; i < span->count; i++) {
        ls_entity enemy = targets[i].entity;
        if (!enemy || (int32_t)(tick - weapons[i].ready_tick) < 0)
            continue;
        const skirmish_kind_rules *rules = skirmish_rules(skirmish_kind_of(units[i].squad));
        const ls_fix2 *at = LS_READ(context, others, enemy);
        if (!at || ls_fix2_distance_squared(positions[i], *at) > ls_fix_square_wide(rules->reach))
            continue;
        ls_entity self = ls_span_entity(span, i);
        uint32_t late = ls_random_below(ls_random(context, self, 0), RELOAD_SPREAD_TICKS + 1);
        weapons[i].ready_tick = tick + rules->reload_ticks + late;
        if (rules->shot_speed)
            skirmish_launch(context, &units[i], self, positions[i], enemy, *at);
        else
            strike(context, &units[i], self, enemy);
    }
}
