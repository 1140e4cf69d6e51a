/* Arrows and boulders in flight. A shot stores its position in its own component, so shots move in
 * parallel with the steering of units and are not in the grid of units. */
#include "skirmish_terms.h"

enum { SHOT_TICKS_MAX = 100 };

void skirmish_launch(ls_context *context, const skirmish_unit *unit, ls_entity self, ls_fix2 from,
                     ls_entity enemy, ls_fix2 to)
{
    LS_USES(context, skirmish_fighting);
    skirmish_kind kind = skirmish_kind_of(unit->squad);
    skirmish_shot shot = {.target = enemy,
                          .x = from.x,
                          .y = from.y,
                          .aim_x = to.x,
                          .aim_y = to.y,
                          .damage = skirmish_rules(kind)->damage,
                          .ticks = SHOT_TICKS_MAX,
                          .kind = (uint16_t)kind,
                          .player = unit->player,
                          .lane = (uint8_t)ls_entity_lane(self)};
    LS_ATTACH_COPY(context, shot, ls_spawn(context, 0), &shot);
}

/* Moves a shot: arrows follow their target, boulders keep their aim. True on arrival. */
static bool advance(const ls_context *context, skirmish_shot *shot)
{
    LS_USES(context, skirmish_flying);
    const skirmish_kind_rules *rules = skirmish_rules((skirmish_kind)shot->kind);
    const ls_fix2 *target = rules->splash ? NULL : LS_READ(context, others, shot->target);
    if (target) {
        shot->aim_x = target->x;
        shot->aim_y = target->y;
    }
    int64_t dx = (int64_t)shot->aim_x - shot->x, dy = (int64_t)shot->aim_y - shot->y;
    int64_t squared = dx * dx + dy * dy;
    if (squared <= ls_fix_square_wide(rules->shot_speed)) {
        shot->x = shot->aim_x;
        shot->y = shot->aim_y;
        return true;
    }
    int64_t distance = ls_sqrt_u64((uint64_t)squared);
    shot->x += (ls_fix)(dx * rules->shot_speed / distance);
    shot->y += (ls_fix)(dy * rules->shot_speed / distance);
    return --shot->ticks == 0;
}

static void wound(ls_context *context, const skirmish_shot *shot, ls_entity unit)
{
    uint32_t damage = (uint32_t)shot->damage;
    LS_USES(context, skirmish_flying);
    LS_ACCUMULATE(context, wound, unit, .points = damage);
    LS_ACCUMULATE(context, blame, unit, .hit = damage << SKIRMISH_BLAME_SHIFT | shot->player);
}

static void hit_units(ls_context *context, const skirmish_shot *shot)
{
    LS_USES(context, skirmish_flying);
    ls_fix radius = skirmish_rules((skirmish_kind)shot->kind)->splash;
    const ls_fix2 *at = radius ? NULL : LS_READ(context, others, shot->target);
    ls_fix2 here = ls_fix2_make(shot->x, shot->y);
    if (at && ls_fix2_distance_squared(*at, here) <= ls_fix_square_wide(LS_FIX_ONE))
        wound(context, shot, shot->target);
    if (radius == 0)
        return;
    ls_grid_walk walk;
    ls_neighbour other;
    ls_grid_begin(context, 0, shot->x, shot->y, radius, &walk);
    while (ls_grid_next(&walk, &other)) {
        if (ls_entity_lane(other.entity) != shot->lane)
            wound(context, shot, other.entity);
    }
}

void skirmish_fly(ls_context *context, const ls_span *span)
{
    LS_USES(context, skirmish_flying);
    skirmish_shot *shots = LS_WRITE_SPAN(context, shot, span);
    for (uint32_t i = 0; i < span->count; i++) {
        if (!advance(context, &shots[i]))
            continue;
        hit_units(context, &shots[i]);
        ls_despawn(context, ls_span_entity(span, i));
    }
}
