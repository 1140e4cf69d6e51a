/* The game of docs/tutorial.md in C++: pickers walk over a field and collect apples. The same names
 * and arithmetic, so the same root in every tick. */
#include <lockstep/lockstep.hpp>

#include <cstdio>

namespace
{

constexpr ls_fix field = LS_FIX(100);  /* the field is field x field */
constexpr ls_fix reach = LS_FIX(1.5);  /* how near a picker must come to an apple */
constexpr ls_fix speed = LS_FIX(0.25); /* steps a tick */

LS_COMPONENT(position, FIX(x), FIX(y));
constexpr lockstep::component<position> Position(position_component);

/* dx and dy: where the player wants to go, each -1, 0 or 1. */
LS_COMPONENT(picker, U32(player), U32(apples), FIX(dx), FIX(dy));
constexpr lockstep::component<picker> Picker(picker_component);

LS_TAG(apple);
constexpr lockstep::tag Apple(apple_component);

/* The input: two bytes, each a direction 0, 1 or 2 for -1, 0, 1. */
bool input_is_valid(const ls_match *, uint32_t, const uint8_t *bytes, uint32_t count)
{
    return count == 2 && bytes[0] <= 2 && bytes[1] <= 2;
}

/* Called for one picker after the other: takes over what its player has sent. */
namespace steer
{
constexpr auto self = lockstep::writes<0>(Picker);

void run(ls_context *context, const ls_entity *entities)
{
    picker &who = *self.write(context, entities[0]);
    const ls_input *input = ls_input_of(context, who.player);
    for (; input; input = ls_input_next(context, input)) { /* the last one counts */
        who.dx = ls_fix_from_int(input->data[0] - 1);
        who.dy = ls_fix_from_int(input->data[1] - 1);
    }
}
} // namespace steer

/* Called with runs of pickers, on several threads at once. Changes its own only. */
namespace walk
{
constexpr auto at = lockstep::writes<0>(Position);
constexpr auto who = lockstep::reads<1>(Picker);

void run(ls_context *context, const ls_span *span)
{
    lockstep::cells<const picker> pickers = who.read(context, span);
    uint32_t i = 0;
    for (position &here : at.write(context, span)) {
        const picker &mover = pickers[i++];
        here.x = ls_fix_clamp(here.x + ls_fix_mul(mover.dx, speed), 0, field);
        here.y = ls_fix_clamp(here.y + ls_fix_mul(mover.dy, speed), 0, field);
    }
}
} // namespace walk

/* Called for each picker with each apple. A found apple grows again elsewhere. */
namespace collect
{
constexpr auto hand_place = lockstep::reads<0>(Position);
constexpr auto hands = lockstep::writes<1>(Picker);
constexpr auto fruit_place = lockstep::writes<2, 1>(Position);
constexpr auto fruits = lockstep::with<3, 1>(Apple);

void run(ls_context *context, const ls_entity *entities)
{
    ls_entity hand = entities[0], fruit = entities[1];
    const position &here = *hand_place.find(context, hand);
    const position &there = *fruit_place.find(context, fruit);
    if (ls_fix_abs(here.x - there.x) > reach || ls_fix_abs(here.y - there.y) > reach)
        return;
    hands.write(context, hand)->apples++;
    position &place = *fruit_place.write(context, fruit);
    place.x = ls_random_fix_range(ls_random(context, fruit, 0), 0, field);
    place.y = ls_random_fix_range(ls_random(context, fruit, 1), 0, field);
}
} // namespace collect

constexpr ls_system systems[] = {
    lockstep::system("steer").sequential(steer::run).terms<steer::self>(),
    lockstep::system("walk").concurrent(walk::run).terms<walk::at, walk::who>().after("steer"),
    lockstep::system("collect")
        .sequential(collect::run)
        .terms<collect::hand_place, collect::hands, collect::fruit_place, collect::fruits>()
        .after("walk"),
};

/* The first state. */
namespace plant
{
constexpr auto positions = lockstep::others_structure<0>(Position);
constexpr auto pickers = lockstep::others_structure<1>(Picker);
constexpr auto apples = lockstep::others_structure<2>(Apple);

position somewhere(ls_context *context, uint32_t number)
{
    position at;
    at.x = ls_random_fix_range(ls_random(context, LS_ENTITY_NULL, 2 * number), 0, field);
    at.y = ls_random_fix_range(ls_random(context, LS_ENTITY_NULL, 2 * number + 1), 0, field);
    return at;
}

void run(ls_context *context, const ls_entity *)
{
    const ls_match *match = ls_match_of(context);
    for (uint32_t i = 0; i < match->player_count; i++) {
        ls_entity hand = ls_spawn(context, 0);
        positions.attach(context, hand, somewhere(context, i));
        pickers.attach(context, hand, {i, 0, 0, 0});
    }
    for (uint32_t i = 0; i < match->options[0]; i++) {
        ls_entity fruit = ls_spawn(context, 1);
        positions.attach(context, fruit, somewhere(context, match->player_count + i));
        apples.attach(context, fruit);
    }
}
} // namespace plant

constexpr ls_system setup = lockstep::system("plant")
                                .sequential(plant::run)
                                .terms<plant::positions, plant::pickers, plant::apples>()
                                .lanes("hands, fruit");

/* A computer player, and a line for people who watch. */
ls_fix distance(position a, position b)
{
    return ls_fix_max(ls_fix_abs(a.x - b.x), ls_fix_abs(a.y - b.y));
}

/* 0, 1 or 2: which way from `from` to `to`; stands still when it is near enough. */
uint8_t direction(ls_fix from, ls_fix to)
{
    if (ls_fix_abs(to - from) < speed)
        return 1;
    return to > from ? 2 : 0;
}

position nearest_apple(const ls_world *world, position from)
{
    position best = from;
    ls_fix best_distance = LS_FIX_MAX;
    for (auto [span, at, is_apple] : lockstep::rows(world, Position, Apple)) {
        (void)is_apple;
        for (const position &one : lockstep::cells<const position>(at, span.count)) {
            if (distance(from, one) < best_distance) {
                best = one;
                best_distance = distance(from, one);
            }
        }
    }
    return best;
}

uint32_t bot(const ls_world *world, uint32_t player, uint8_t *bytes)
{
    for (auto [span, at, who] : lockstep::rows(world, Position, Picker)) {
        for (uint32_t i = 0; i < span.count; i++) {
            if (who[i].player != player)
                continue;
            position goal = nearest_apple(world, at[i]);
            bytes[0] = direction(at[i].x, goal.x);
            bytes[1] = direction(at[i].y, goal.y);
            return 2;
        }
    }
    return 0;
}

void describe(const ls_world *world, char *text, size_t bytes)
{
    uint32_t apples = 0;
    for (auto [span, who] : lockstep::rows(world, Picker)) {
        for (uint32_t i = 0; i < span.count; i++)
            apples += who[i].apples;
    }
    std::snprintf(text, bytes, "apples=%u", static_cast<unsigned>(apples));
}

constexpr ls_option options[] = {{"apples", "apples on the field", 1, 1000, 40}};
constexpr const ls_component *components[] = {&Position, &Picker, &Apple};
constexpr const char *lanes[] = {"hands", "fruit"};

constexpr ls_sim harvest = lockstep::simulation("harvest", "1", LS_SIM_SOURCE_HASH)
                               .summary("pickers collect apples")
                               .defaults(20, 4)
                               .options(options)
                               .components(components)
                               .lanes(lanes)
                               .systems(systems)
                               .setup(setup)
                               .orders(input_is_valid)
                               .bots(bot)
                               .describe(describe);

} // namespace

LS_SIM_EXPORT const ls_sim *ls_sim_export(void)
{
    return &harvest;
}
