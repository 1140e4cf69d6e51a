/* Arrows and boulders in the air. A shot keeps its place in its own component: it flies in parallel
 * with the steering of units, and no grid of units has to skip it. */
#include "sims/skirmish/skirmish_terms.h"

enum { SHOT_TICKS_MAX = 100 };

void skirmish_launch(ls_context *context, const ls_entity *entities)
{
    ls_entity self = entities[0];
    const skirmish_strike *volley = ls_cell_find(context, LAUNCH_VOLLEY, self);
    const skirmish_unit *unit = ls_cell_find(context, LAUNCH_UNIT, self);
    const ls_fix2 *from = ls_cell_find(context, LAUNCH_POSITION, self);
    const ls_fix2 *to = ls_cell_find(context, LAUNCH_POSITION, volley->target);
    skirmish_kind kind = skirmish_kind_of(unit->squad);
    skirmish_shot shot = {.target = volley->target,
                          .x = from->x,
                          .y = from->y,
                          .damage = skirmish_rules(kind)->damage,
                          .ticks = SHOT_TICKS_MAX,
                          .kind = (uint16_t)kind,
                          .player = unit->player,
                          .lane = (uint8_t)ls_entity_lane(self)};
    if (to) {
        shot.aim_x = to->x;
        shot.aim_y = to->y;
        ls_entity entity = ls_spawn(context, 0);
        ls_cell_attach(context, LAUNCH_SHOT, entity, &shot);
    }
    ls_cell_detach(context, LAUNCH_VOLLEY, self);
}

/* Arrows follow their target, boulders go where they were aimed. True on arrival. */
static bool advance(const ls_context *context, skirmish_shot *shot)
{
    const skirmish_kind_rules *rules = skirmish_rules((skirmish_kind)shot->kind);
    const ls_fix2 *target = rules->splash ? NULL : ls_cell_find(context, FLY_OTHERS, shot->target);
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

void skirmish_fly(ls_context *context, const ls_span *span)
{
    skirmish_shot *shots = ls_span_write(context, span, FLY_SHOT);
    for (uint32_t i = 0; i < span->count; i++) {
        if (advance(context, &shots[i]))
            ls_cell_attach(context, FLY_IMPACT, ls_span_entity(span, i), NULL);
    }
}
