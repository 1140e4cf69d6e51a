/* The bot. Once per second it reads the world and gives orders to four waves of footmen with
 * archers or catapults: strong waves attack an enemy's keep, weak ones retreat, and waves at home
 * defend the keep when enemies are near. It has no state of its own: its earlier decisions are in
 * the squads' orders. */
#include "skirmish_internal.h"
#include <lockstep/random.h>
#include <lockstep/world.h>

enum {
    THINK_TICKS = 20,
    THINK_PHASE = 7,   /* distributes the players over the second */
    EPOCH_TICKS = 600, /* how long it prefers the same enemy */
    WAVES = 4,
    STRONG_PERCENT = 70,
    WORN_PERCENT = 30,
};

typedef struct bot_view {
    skirmish_field field;
    const skirmish_standing *standing;
    const skirmish_roster *roster;
    uint32_t player;
    ls_fix2 base;
    ls_fix home_radius;
    uint32_t alive[SKIRMISH_SQUADS];
    uint32_t guards;  /* own units around the base */
    uint32_t raiders; /* enemies around the base */
    int64_t raiders_x, raiders_y;
    ls_random_stream random;
} bot_view;

static void see_unit(bot_view *view, const skirmish_unit *unit, ls_fix2 at)
{
    int64_t squared = ls_fix2_distance_squared(at, view->base);
    bool is_near = squared <= ls_fix_square_wide(view->home_radius);
    uint32_t side = skirmish_side_of(&view->field, view->player);
    if (unit->squad == SKIRMISH_KEEP)
        return;
    if (skirmish_side_of(&view->field, unit->player) == side) {
        view->guards += is_near;
        view->alive[unit->squad] += unit->player == view->player;
    } else if (is_near) {
        view->raiders++;
        view->raiders_x += at.x;
        view->raiders_y += at.y;
    }
}

LS_TERMS(unit_terms, READS(skirmish_position, position), READS(skirmish_unit, unit));

static void read_world(const ls_world *world, uint32_t player, bot_view *view)
{
    const ls_match *match = ls_world_match(world);
    uint64_t epoch = ls_world_tick(world) / EPOCH_TICKS;
    *view = (bot_view){.field = skirmish_field_of(match), .player = player};
    view->standing = LS_WORLD_SINGLETON(world, skirmish_standing);
    view->roster = LS_WORLD_SINGLETON(world, skirmish_roster);
    view->base = skirmish_base(&view->field, player);
    view->home_radius = view->field.edge / 5;
    view->random = ls_random_child(ls_random_child(ls_random_root(match->seed), epoch), player);
    ls_world_walk walk;
    for (ls_world_walk_begin(world, unit_terms, &walk); ls_world_walk_next(&walk);) {
        const ls_fix2 *positions = LS_WALK_READ(unit_terms, position, &walk);
        const skirmish_unit *units = LS_WALK_READ(unit_terms, unit, &walk);
        for (uint32_t i = 0; i < walk.span.count; i++)
            see_unit(view, &units[i], positions[i]);
    }
}

/* The percentage of the player's army that is alive. */
static uint32_t army_percent(const bot_view *view, uint32_t player)
{
    uint32_t fallen = 0;
    for (uint32_t squad = 0; squad < SKIRMISH_SQUADS; squad++)
        fallen += view->roster->fallen[player][squad];
    return (view->field.army - fallen) * 100 / view->field.army;
}

/* The enemy with the lowest cost: near, with a keep, and strong, because otherwise all bots would
 * attack the weakest one. A random term varies the choice. */
static uint32_t favourite_enemy(const bot_view *view)
{
    uint32_t best = view->player;
    int64_t best_cost = INT64_MAX;
    for (uint32_t enemy = 0; enemy < view->field.players; enemy++) {
        if (skirmish_side_of(&view->field, enemy) == skirmish_side_of(&view->field, view->player))
            continue;
        int64_t cost = ls_fix2_distance(view->base, skirmish_base(&view->field, enemy));
        cost +=
            ls_random_below(ls_random_draw(view->random, enemy), (uint32_t)(view->field.edge / 2));
        cost += (int64_t)view->field.edge * (100 - army_percent(view, enemy)) / 100;
        if (view->roster->keep_tick[enemy])
            cost += view->field.edge;
        if (cost < best_cost) {
            best_cost = cost;
            best = enemy;
        }
    }
    return best;
}

static uint32_t wave_of(uint32_t squad)
{
    return squad % WAVES;
}

static uint32_t wave_percent(const bot_view *view, uint32_t wave)
{
    uint32_t alive = 0, full = 0;
    for (uint32_t squad = wave; squad < SKIRMISH_SQUADS; squad += WAVES) {
        alive += view->alive[squad];
        full += view->field.squad_size[squad];
    }
    return full ? alive * 100 / full : 0;
}

static ls_fix2 standing_goal(const bot_view *view, uint32_t squad)
{
    return ls_fix2_make(view->standing->x[view->player][squad],
                        view->standing->y[view->player][squad]);
}

static bool wave_is_out(const bot_view *view, uint32_t wave)
{
    ls_fix2 post = skirmish_post(&view->field, view->player, wave);
    return ls_fix2_distance_squared(standing_goal(view, wave), post) >
           ls_fix_square_wide(view->home_radius);
}

/* The order of one squad for the next second. */
static skirmish_order plan_squad(const bot_view *view, uint32_t squad, uint32_t enemy)
{
    uint32_t wave = wave_of(squad);
    uint32_t percent = wave_percent(view, wave);
    bool is_out = wave_is_out(view, wave);
    skirmish_order order = {.kind = SKIRMISH_ATTACK, .squads = (uint8_t)(1u << squad)};
    order.to = skirmish_post(&view->field, view->player, squad);
    bool is_raided = view->raiders > 2 && view->raiders * 3 > view->guards;
    if (is_raided && !is_out) {
        order.to = ls_fix2_make((ls_fix)(view->raiders_x / view->raiders),
                                (ls_fix)(view->raiders_y / view->raiders));
        return order;
    }
    if (is_out && percent < WORN_PERCENT) {
        order.kind = SKIRMISH_MOVE;
        return order;
    }
    /* The last wave stays at home in half of the epochs. */
    bool is_reserve = wave == WAVES - 1 && ls_random_draw(view->random, LS_PLAYERS_MAX) % 2;
    if (enemy == view->player || (!is_out && (percent < STRONG_PERCENT || is_reserve)))
        return order;
    ls_fix2 goal = skirmish_base(&view->field, enemy);
    ls_fix2 facing = ls_fix2_normalize(ls_fix2_sub(goal, view->base));
    order.to = skirmish_array(&view->field, goal, facing, squad);
    return order;
}

static bool is_changed(const bot_view *view, uint32_t squad, const skirmish_order *order)
{
    return view->standing->kind[view->player][squad] != order->kind ||
           ls_fix2_distance_squared(standing_goal(view, squad), order->to) >
               ls_fix_square_wide(LS_FIX(2));
}

uint32_t skirmish_bot(const ls_world *world, uint32_t player, uint8_t *bytes)
{
    if ((ls_world_tick(world) + (uint64_t)player * THINK_PHASE) % THINK_TICKS != 0)
        return 0;
    bot_view view;
    read_world(world, player, &view);
    if (view.roster->winner)
        return 0;
    uint32_t enemy = favourite_enemy(&view);
    skirmish_order orders[SKIRMISH_SQUADS];
    uint32_t count = 0;
    for (uint32_t squad = 0; squad < SKIRMISH_SQUADS; squad++) {
        orders[count] = plan_squad(&view, squad, enemy);
        count += is_changed(&view, squad, &orders[count]);
    }
    return count ? skirmish_orders_encode(orders, count, bytes) : 0;
}
