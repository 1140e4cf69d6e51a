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

LS_TERMS(steering, WRITES(picker));

/* Called for one picker after the other: takes over what its player has sent. */
void steer(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, steering);
    picker &who = *LS_WRITE(context, picker, entities[0]);
    const ls_input *input = ls_input_of(context, who.player);
    for (; input; input = ls_input_next(context, input)) { /* the last one counts */
        who.dx = ls_fix_from_int(input->data[0] - 1);
        who.dy = ls_fix_from_int(input->data[1] - 1);
    }
}

LS_TERMS(walking, WRITES(position), READS(picker));

/* Called with runs of pickers, on several threads at once. Changes its own only. */
void walk(ls_context *context, const ls_span *span)
{
    LS_USES(context, walking);
    const picker *who = LS_READ_SPAN(context, picker, span);
    for (position &here : lockstep::cells(LS_WRITE_SPAN(context, position, span), span->count)) {
        const picker &mover = *who++;
        here.x = ls_fix_clamp(here.x + ls_fix_mul(mover.dx, speed), 0, field);
        here.y = ls_fix_clamp(here.y + ls_fix_mul(mover.dy, speed), 0, field);
    }
}

LS_TERMS(collecting, READS(position), WRITES(picker),
         QUERY(1, WRITES(position, there), WITH(apple)));

/* Called for each picker with each apple. A found apple grows again elsewhere. */
void collect(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, collecting);
    ls_entity hand = entities[0], fruit = entities[1];
    const position &here = *LS_READ(context, position, hand);
    const position &there = *LS_READ(context, there, fruit);
    if (ls_fix_abs(here.x - there.x) > reach || ls_fix_abs(here.y - there.y) > reach)
        return;
    LS_WRITE(context, picker, hand)->apples++;
    position &place = *LS_WRITE(context, there, fruit);
    place.x = ls_random_fix_range(ls_random(context, fruit, 0), 0, field);
    place.y = ls_random_fix_range(ls_random(context, fruit, 1), 0, field);
}

constexpr ls_system systems[] = {
    lockstep::system("steer").sequential(steer).terms(steering),
    lockstep::system("walk").concurrent(walk).terms(walking).after("steer"),
    lockstep::system("collect").sequential(collect).terms(collecting).after("walk"),
};

position somewhere(ls_context *context, uint32_t number)
{
    position at;
    at.x = ls_random_fix_range(ls_random(context, LS_ENTITY_NULL, 2 * number), 0, field);
    at.y = ls_random_fix_range(ls_random(context, LS_ENTITY_NULL, 2 * number + 1), 0, field);
    return at;
}

LS_TERMS(planting, OTHERS_STRUCTURE(position), OTHERS_STRUCTURE(picker), OTHERS_STRUCTURE(apple));

/* The first state. */
void plant(ls_context *context, const ls_entity *)
{
    LS_USES(context, planting);
    const ls_match *match = ls_match_of(context);
    for (uint32_t i = 0; i < match->player_count; i++) {
        ls_entity hand = ls_spawn(context, 0);
        position at = somewhere(context, i);
        LS_ATTACH_COPY(context, position, hand, &at);
        LS_ATTACH(context, picker, hand, i, 0, 0, 0);
    }
    for (uint32_t i = 0; i < match->options[0]; i++) {
        ls_entity fruit = ls_spawn(context, 1);
        position at = somewhere(context, match->player_count + i);
        LS_ATTACH_COPY(context, position, fruit, &at);
        LS_ATTACH_TAG(context, apple, fruit);
    }
}

constexpr ls_system setup =
    lockstep::system("plant").sequential(plant).terms(planting).lanes("hands, fruit");

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
LS_COMPONENTS(components, position, picker, apple);
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
