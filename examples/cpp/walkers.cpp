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

/* Applies the inputs of this walker's player. */
namespace steer
{
constexpr auto self = lockstep::writes<0>(Walker);
constexpr auto from = lockstep::reads<1>(Place);
constexpr auto new_place = lockstep::others_structure<2>(Place);
constexpr auto new_shot = lockstep::others_structure<3>(Shot);
constexpr auto noise = lockstep::sends<4>(Bang);

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
    const place *here = from.find(context, entity);
    if (who.reload || !here)
        return;
    who.reload = reload_ticks;
    ls_entity newborn = ls_spawn(context, 0);
    new_place.attach(context, newborn,
                     {here->x + ls_angle_cos(who.aim), here->y + ls_angle_sin(who.aim)});
    new_shot.attach(context, newborn, {who.player, shot_ticks, who.aim});
    noise.send(context, {who.player});
}

void run(ls_context *context, const ls_entity *entities)
{
    walker &who = *self.write(context, entities[0]);
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
} // namespace steer

namespace walk
{
constexpr auto at = lockstep::writes<0>(Place);
constexpr auto who = lockstep::reads<1>(Walker);

void run(ls_context *context, const ls_span *span)
{
    lockstep::cells<const walker> walkers = who.read(context, span);
    uint32_t i = 0;
    for (place &here : at.write(context, span)) {
        const walker &mover = walkers[i++];
        here.x = ls_fix_clamp(here.x + mover.dx, LS_FIX(1), LS_FIX(width - 1));
        here.y = ls_fix_clamp(here.y + mover.dy, LS_FIX(1), LS_FIX(height - 1));
    }
}
} // namespace walk

namespace fly
{
constexpr auto at = lockstep::writes<0>(Place);
constexpr auto which = lockstep::writes<1>(Shot);

void run(ls_context *context, const ls_span *span)
{
    lockstep::cells<place> places = at.write(context, span);
    lockstep::cells<shot> shots = which.write(context, span);
    for (uint32_t i = 0; i < span->count; i++) {
        places[i].x += ls_fix_mul(ls_angle_cos(shots[i].aim), shot_speed);
        places[i].y += ls_fix_mul(ls_angle_sin(shots[i].aim), shot_speed);
        if (shots[i].ticks-- == 1)
            ls_despawn(context, ls_span_entity(span, i));
    }
}
} // namespace fly

/* Called for each pair of shot and walker. */
namespace strike
{
constexpr auto tip_place = lockstep::reads<0>(Place);
constexpr auto shots = lockstep::reads<1>(Shot);
constexpr auto victim_place = lockstep::writes<2, 1>(Place);
constexpr auto victims = lockstep::writes<3, 1>(Walker);
constexpr auto news = lockstep::sends<4>(Hit);

void run(ls_context *context, const ls_entity *entities)
{
    const place &tip = *tip_place.find(context, entities[0]);
    const shot &flying = *shots.find(context, entities[0]);
    place &there = *victim_place.write(context, entities[1]);
    walker &victim = *victims.write(context, entities[1]);
    if (!victim.is_here || victim.player == flying.player ||
        ls_fix_abs(tip.x - there.x) > shot_radius || ls_fix_abs(tip.y - there.y) > shot_radius)
        return;
    news.send(context, {flying.player, victim.player});
    there.x = ls_random_fix_range(ls_random(context, entities[1], 0), LS_FIX(2), LS_FIX(width - 2));
    there.y =
        ls_random_fix_range(ls_random(context, entities[1], 1), LS_FIX(2), LS_FIX(height - 2));
    victim.moved++;
    ls_despawn(context, entities[0]);
}
} // namespace strike

/* Adds this tick's hits to the scores of the walkers that fired. */
namespace count_points
{
constexpr auto self = lockstep::writes<0>(Walker);
constexpr auto news = lockstep::receives<1>(Hit);

void run(ls_context *context, const ls_entity *entities)
{
    walker &who = *self.write(context, entities[0]);
    for (const hit &one : news.each(context)) {
        if (one.player == who.player && who.score < score_max)
            who.score++;
    }
}
} // namespace count_points

constexpr ls_system systems[] = {
    lockstep::system("steer")
        .sequential(steer::run)
        .terms<steer::self, steer::from, steer::new_place, steer::new_shot, steer::noise>()
        .lanes("shots"),
    lockstep::system("walk").concurrent(walk::run).terms<walk::at, walk::who>().after("steer"),
    lockstep::system("fly").concurrent(fly::run).terms<fly::at, fly::which>().after("walk"),
    lockstep::system("strike")
        .sequential(strike::run)
        .terms<strike::tip_place, strike::shots, strike::victim_place, strike::victims,
               strike::news>()
        .after("fly"),
    lockstep::system("count points")
        .sequential(count_points::run)
        .terms<count_points::self, count_points::news>()
        .after("strike"),
};

namespace line_up
{
constexpr auto places = lockstep::others_structure<0>(Place);
constexpr auto walkers = lockstep::others_structure<1>(Walker);

void run(ls_context *context, const ls_entity *)
{
    uint32_t count = ls_match_of(context)->player_count;
    for (uint32_t i = 0; i < count; i++) {
        ls_angle angle = static_cast<ls_angle>(i * 65536 / count);
        walker self = {};
        self.player = i;
        self.aim = ls_angle_add(angle, LS_ANGLE_HALF);
        ls_entity entity = ls_spawn(context, 0);
        places.attach(context, entity,
                      {LS_FIX(width / 2) + ls_fix_mul(ls_angle_cos(angle), LS_FIX(7)),
                       LS_FIX(height / 2) + ls_fix_mul(ls_angle_sin(angle), LS_FIX(7))});
        walkers.attach(context, entity, self);
    }
}
} // namespace line_up

constexpr ls_system setup = lockstep::system("line up")
                                .sequential(line_up::run)
                                .terms<line_up::places, line_up::walkers>()
                                .lanes("walkers");

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

constexpr const ls_component *components[] = {&Place, &Walker, &Shot, &Bang, &Hit};
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
