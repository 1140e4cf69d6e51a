/* examples/walkers in C++: the same components, names and arithmetic, so the same root in every
 * tick. */
#include "walkers.hpp"

#include <cstdio>

namespace walkers
{

namespace
{

constexpr ls_fix speed = LS_FIX(0.2); /* steps per tick at full stick */
constexpr ls_fix shot_speed = LS_FIX(0.6);
constexpr uint16_t shot_ticks = 45, reload_ticks = 12, score_max = UINT16_MAX;
constexpr ls_fix shot_radius = LS_FIX(0.65);

} // namespace

constexpr lockstep::component<place> Place(place_component);
constexpr lockstep::component<walker> Walker(walker_component);
constexpr lockstep::component<shot> Shot(shot_component);
constexpr lockstep::event<bang> Bang(bang_component);
constexpr lockstep::event<hit> Hit(hit_component);

void encode_state(int stick_x, int stick_y, ls_angle aim, uint8_t bytes[state_bytes])
{
    bytes[0] = static_cast<uint8_t>(stick_x);
    bytes[1] = static_cast<uint8_t>(stick_y);
    bytes[2] = static_cast<uint8_t>(aim);
    bytes[3] = static_cast<uint8_t>(aim >> 8);
}

namespace
{

bool state_is_valid(const ls_match *, uint32_t, const uint8_t *bytes)
{
    return bytes[0] != 0x80 && bytes[1] != 0x80; /* refuse -128: it would be faster than 127 */
}

bool order_is_valid(const ls_match *, uint32_t, const uint8_t *bytes, uint32_t count)
{
    return count == 1 && bytes[0] == fire_order;
}

LS_TERMS(steering, WRITES(walker), READS(place), OTHERS_STRUCTURE(place, muzzle),
         OTHERS_STRUCTURE(shot), SENDS(bang));

void hold(walker &who, const uint8_t *bytes)
{
    /* Limits the length of (dx, dy) to the speed, so that a diagonal is no faster. */
    int32_t x = static_cast<int8_t>(bytes[0]), y = static_cast<int8_t>(bytes[1]);
    ls_fix length = ls_fix_max(ls_fix_sqrt(ls_fix_from_int(x * x + y * y)), ls_fix_from_int(127));
    who.dx = ls_fix_mul(ls_fix_div(ls_fix_from_int(x), length), speed);
    who.dy = ls_fix_mul(ls_fix_div(ls_fix_from_int(y), length), speed);
    who.aim = static_cast<ls_angle>(bytes[2] | bytes[3] << 8);
}

void fire(ls_context *context, ls_entity entity, walker &who)
{
    LS_USES(context, steering);
    const place *here = LS_READ(context, place, entity);
    if (who.reload || !here)
        return;
    who.reload = reload_ticks;
    ls_entity newborn = ls_spawn(context, 0);
    LS_ATTACH(context, muzzle, newborn, here->x + ls_angle_cos(who.aim),
              here->y + ls_angle_sin(who.aim));
    LS_ATTACH(context, shot, newborn, who.player, shot_ticks, who.aim);
    LS_SEND(context, bang, who.player);
}

/* Applies the inputs of this walker's player. */
void steer(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, steering);
    walker &who = *LS_WRITE(context, walker, entities[0]);
    if (who.reload)
        who.reload--;
    const ls_frame *frame = ls_inputs(context);
    for (uint32_t i = 0; i < frame->count; i++) {
        const ls_input &input = frame->inputs[i];
        if (input.player != who.player)
            continue;
        if (input.kind == LS_JOIN || input.kind == LS_LEAVE) {
            who.is_here = input.kind == LS_JOIN;
            who.dx = who.dy = 0;
        } else if (input.kind == LS_STATE || input.kind == LS_SUBSTITUTE) {
            hold(who, input.data);
        } else if (input.kind == LS_INPUT) {
            fire(context, entities[0], who);
        }
    }
}

LS_TERMS(walking, WRITES(place), READS(walker));

void walk(ls_context *context, const ls_span *span)
{
    LS_USES(context, walking);
    const walker *who = LS_READ_SPAN(context, walker, span);
    for (place &here : lockstep::cells(LS_WRITE_SPAN(context, place, span), span->count)) {
        const walker &mover = *who++;
        here.x = ls_fix_clamp(here.x + mover.dx, LS_FIX(1), LS_FIX(width - 1));
        here.y = ls_fix_clamp(here.y + mover.dy, LS_FIX(1), LS_FIX(height - 1));
    }
}

LS_TERMS(flying, WRITES(place), WRITES(shot));

void fly(ls_context *context, const ls_span *span)
{
    LS_USES(context, flying);
    place *places = LS_WRITE_SPAN(context, place, span);
    shot *shots = LS_WRITE_SPAN(context, shot, span);
    for (uint32_t i = 0; i < span->count; i++) {
        places[i].x += ls_fix_mul(ls_angle_cos(shots[i].aim), shot_speed);
        places[i].y += ls_fix_mul(ls_angle_sin(shots[i].aim), shot_speed);
        if (shots[i].ticks-- == 1)
            ls_despawn(context, ls_span_entity(span, i));
    }
}

LS_TERMS(striking, READS(place), READS(shot), QUERY(1, WRITES(place, there), WRITES(walker)),
         SENDS(hit));

/* Called for each pair of shot and walker. */
void strike(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, striking);
    const place &tip = *LS_READ(context, place, entities[0]);
    const shot &arrow = *LS_READ(context, shot, entities[0]);
    place &there = *LS_WRITE(context, there, entities[1]);
    walker &victim = *LS_WRITE(context, walker, entities[1]);
    if (!victim.is_here || victim.player == arrow.player ||
        ls_fix_abs(tip.x - there.x) > shot_radius || ls_fix_abs(tip.y - there.y) > shot_radius)
        return;
    LS_SEND(context, hit, arrow.player, victim.player);
    there.x = ls_random_fix_range(ls_random(context, entities[1], 0), LS_FIX(2), LS_FIX(width - 2));
    there.y =
        ls_random_fix_range(ls_random(context, entities[1], 1), LS_FIX(2), LS_FIX(height - 2));
    victim.moved++;
    ls_despawn(context, entities[0]);
}

LS_TERMS(counting, WRITES(walker), RECEIVES(hit));

/* Adds this tick's hits to the scores of the walkers that fired. */
void count_points(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, counting);
    walker &who = *LS_WRITE(context, walker, entities[0]);
    LS_EACH_EVENT(context, hit, news)
    {
        if (news->player == who.player && who.score < score_max)
            who.score++;
    }
}

constexpr ls_system systems[] = {
    lockstep::system("steer").sequential(steer).terms(steering).lanes("shots"),
    lockstep::system("walk").concurrent(walk).terms(walking).after("steer"),
    lockstep::system("fly").concurrent(fly).terms(flying).after("walk"),
    lockstep::system("strike").sequential(strike).terms(striking).after("fly"),
    lockstep::system("count points").sequential(count_points).terms(counting).after("strike"),
};

LS_TERMS(lining_up, OTHERS_STRUCTURE(place), OTHERS_STRUCTURE(walker));

void line_up(ls_context *context, const ls_entity *)
{
    LS_USES(context, lining_up);
    uint32_t count = ls_match_of(context)->player_count;
    for (uint32_t i = 0; i < count; i++) {
        ls_angle angle = static_cast<ls_angle>(i * 65536 / count);
        walker self = {};
        self.player = i;
        self.aim = ls_angle_add(angle, LS_ANGLE_HALF);
        ls_entity entity = ls_spawn(context, 0);
        LS_ATTACH(context, place, entity,
                  LS_FIX(width / 2) + ls_fix_mul(ls_angle_cos(angle), LS_FIX(7)),
                  LS_FIX(height / 2) + ls_fix_mul(ls_angle_sin(angle), LS_FIX(7)));
        LS_ATTACH_COPY(context, walker, entity, &self);
    }
}

constexpr ls_system setup =
    lockstep::system("line up").sequential(line_up).terms(lining_up).lanes("walkers");

/* The position of the player's walker; with `is_other`, that of the nearest walker of another
 * player that has joined. */
const place *find(const ls_world *world, uint32_t player, const place *from, bool is_other)
{
    const place *best = nullptr;
    ls_fix best_distance = LS_FIX_MAX;
    for (auto [span, at, who] : lockstep::rows(world, Place, Walker)) {
        for (uint32_t i = 0; i < span.count; i++) {
            if ((who[i].player == player) == is_other || (is_other && !who[i].is_here))
                continue;
            ls_fix distance =
                from ? ls_fix_abs(at[i].x - from->x) + ls_fix_abs(at[i].y - from->y) : 0;
            if (distance < best_distance) {
                best = &at[i];
                best_distance = distance;
            }
        }
    }
    return best;
}

/* The bot's decision is a pure function of the world, so it is the same on every machine. */
void bot_state(const ls_world *world, uint32_t player, uint8_t *bytes)
{
    const place *own = find(world, player, nullptr, false);
    const place *other = find(world, player, own, true);
    ls_fix x = LS_FIX(width / 2) - own->x, y = LS_FIX(height / 2) - own->y;
    uint32_t sway = static_cast<uint32_t>(ls_world_tick(world)) / 16 + 3 * player;
    /* Circles around the centre; the angle to it changes over time, to move inwards and outwards.
     */
    ls_angle way = ls_angle_add(ls_angle_atan2(y, x), sway % 5 < 2   ? 8000
                                                      : sway % 5 < 4 ? 15000
                                                                     : 20000);
    ls_angle aim = other ? ls_angle_atan2(other->y - own->y, other->x - own->x) : way;
    encode_state(ls_fix_to_int(127 * ls_angle_cos(way)), ls_fix_to_int(127 * ls_angle_sin(way)),
                 aim, bytes);
}

uint32_t bot(const ls_world *world, uint32_t player, uint8_t *bytes)
{
    bytes[0] = fire_order;
    return (ls_world_tick(world) + player * 11) % 40 == 0;
}

void describe(const ls_world *world, char *text, size_t bytes)
{
    uint32_t score = 0;
    for (auto [span, who] : lockstep::rows(world, Walker)) {
        for (const walker &one : lockstep::cells<const walker>(who, span.count))
            score += one.score;
    }
    std::snprintf(text, bytes, "hits=%u", static_cast<unsigned>(score));
}

LS_COMPONENTS(components, place, walker, shot, bang, hit);
constexpr const char *lanes[] = {"walkers", "shots"};

constexpr ls_sim sim = lockstep::simulation("walkers", "1", LS_SIM_SOURCE_HASH)
                           .summary("everybody steers one walker and fires at the others")
                           .defaults(30, 8)
                           .components(components)
                           .lanes(lanes)
                           .systems(systems)
                           .setup(setup)
                           .orders(order_is_valid)
                           .states(state_bytes, LS_MISSING_REPEAT, state_is_valid)
                           .bots(bot, bot_state)
                           .describe(describe);

} // namespace

} // namespace walkers

LS_SIM_EXPORT const ls_sim *ls_sim_export(void)
{
    return &walkers::sim;
}
