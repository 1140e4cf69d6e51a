/* Movement: units steer towards orders and enemies and away from neighbours, then move.
 * Steering reads the positions of other units, so a separate system writes them. */
#include "skirmish_terms.h"

#define SEPARATION_RADIUS LS_FIX(1.1)
#define SEPARATION_PUSH   LS_FIX(0.3)
/* SEPARATION_MAX: neighbours that push, the first ones of the grid query. */
enum { SEPARATION_MAX = 12, STEER_EVERY = 3 };

/* Limits the length of `delta` to `length`, exact to 1/65536. A fixed-point factor would be too
 * coarse for distant goals. */
static ls_fix2 limit_length(ls_fix2 delta, ls_fix length)
{
    int64_t squared = ls_fix2_distance_squared(delta, ls_fix2_make(0, 0));
    if (squared <= ls_fix_square_wide(length))
        return delta;
    int64_t distance = ls_sqrt_u64((uint64_t)squared);
    return ls_fix2_make((ls_fix)((int64_t)delta.x * length / distance),
                        (ls_fix)((int64_t)delta.y * length / distance));
}

/* Where the unit moves: nowhere if it holds or its enemy is close, else to its enemy, else to its
 * place in the squad. */
static ls_fix2 goal_of(const ls_context *context, const skirmish_field *field, ls_fix2 at,
                       const skirmish_unit *unit, ls_entity target)
{
    LS_USES(context, skirmish_steering);
    const skirmish_standing *standing = LS_READ_SINGLETON(context, standing);
    const ls_fix2 *enemy = target ? LS_READ(context, others, target) : NULL;
    if (standing->kind[unit->player][unit->squad] == SKIRMISH_HOLD)
        return at;
    if (enemy) {
        ls_fix reach = skirmish_rules(skirmish_kind_of(unit->squad))->reach;
        ls_fix close = ls_fix_sub(reach, LS_FIX(0.3));
        bool is_close = ls_fix2_distance_squared(at, *enemy) <= ls_fix_square_wide(close);
        return is_close ? at : *enemy;
    }
    ls_fix2 to = ls_fix2_make(standing->x[unit->player][unit->squad],
                              standing->y[unit->player][unit->squad]);
    ls_fix2 offset = skirmish_place_offset(field, unit->squad, unit->place);
    return skirmish_clamp(field, ls_fix2_add(to, offset));
}

/* The sum of pushes away from the first SEPARATION_MAX neighbours: each is the offset times (radius
 * squared - distance squared). If two units are at one point, the handles decide which goes which
 * way. */
static ls_fix2 separation(const ls_context *context, ls_fix2 at, ls_entity self)
{
    ls_fix2 push = {0, 0};
    ls_grid_walk walk;
    ls_neighbour other;
    ls_grid_begin(context, 0, at.x, at.y, SEPARATION_RADIUS, &walk);
    for (uint32_t count = 0; count < SEPARATION_MAX && ls_grid_next(&walk, &other);) {
        if (other.entity == self)
            continue;
        count++;
        ls_fix2 away = ls_fix2_make(at.x - other.x, at.y - other.y);
        int64_t squared = (int64_t)away.x * away.x + (int64_t)away.y * away.y;
        ls_fix weight = (ls_fix)((ls_fix_square_wide(SEPARATION_RADIUS) - squared) >> 16);
        if (squared == 0)
            away = ls_fix2_make(other.entity < self ? LS_FIX(0.5) : LS_FIX(-0.5), 0);
        push = ls_fix2_add(push, ls_fix2_scale(away, weight));
    }
    return ls_fix2_scale(push, SEPARATION_PUSH);
}

/* Each unit steers every third tick, a third of the units per tick. Averaging with the previous
 * velocity avoids jitter in crowds. */
void skirmish_steer(ls_context *context, const ls_span *span)
{
    LS_USES(context, skirmish_steering);
    const ls_fix2 *positions = LS_READ_SPAN(context, position, span);
    const skirmish_unit *units = LS_READ_SPAN(context, unit, span);
    const skirmish_target *targets = LS_READ_SPAN(context, target, span);
    ls_fix2 *velocities = LS_WRITE_SPAN(context, velocity, span);
    skirmish_field field = skirmish_field_of(ls_match_of(context));
    uint32_t phase = (uint32_t)(span->first_slot + ls_tick(context)) % STEER_EVERY;
    for (uint32_t i = (STEER_EVERY - phase) % STEER_EVERY; i < span->count; i += STEER_EVERY) {
        ls_fix speed = skirmish_rules(skirmish_kind_of(units[i].squad))->speed;
        ls_fix2 goal = goal_of(context, &field, positions[i], &units[i], targets[i].entity);
        ls_fix2 wanted = limit_length(ls_fix2_sub(goal, positions[i]), speed);
        ls_fix2 push = separation(context, positions[i], ls_span_entity(span, i));
        ls_fix2 next = limit_length(ls_fix2_add(wanted, push), speed);
        velocities[i].x = (velocities[i].x + next.x) / 2;
        velocities[i].y = (velocities[i].y + next.y) / 2;
    }
}

void skirmish_move(ls_context *context, const ls_span *span)
{
    LS_USES(context, skirmish_moving);
    ls_fix2 *positions = LS_WRITE_SPAN(context, position, span);
    const ls_fix2 *velocities = LS_READ_SPAN(context, velocity, span);
    skirmish_field field = skirmish_field_of(ls_match_of(context));
    for (uint32_t i = 0; i < span->count; i++)
        positions[i] = skirmish_clamp(&field, ls_fix2_add(positions[i], velocities[i]));
}
