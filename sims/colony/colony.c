#include "colony.h"

#include "prefabs.h"
#include "sims/modules/physics.h"
#include <lockstep/world.h>
#include <stdio.h>

enum { SEEDS, LIFE };
static const ls_option options[] = {
    [SEEDS] = {"seeds", "seeds that fall in 100 ticks", 0, 100, 20},
    [LIFE] = {"life", "ticks that a worker lives", 100, 10000, 1200},
};
enum { PRICE = 3, ROOMS_MAX = 7, ROOM_SEEDS = 5 };
static const ls_fix apart = LS_FIX(20), sky = LS_FIX(12), sight = LS_FIX(40), stride = LS_FIX(0.5);

LS_COMPONENT(nest, ENTITY_ARRAY(rooms, LS_NULL, ROOMS_MAX), U32(room_count), FIX(x), U32(player),
             U32(ants), U8_ITEMS(brood, 8));
LS_COMPONENT(room, ENTITY(parent, LS_PARENT), FIX2(at));
LS_COMPONENT(ant, ENTITY(home, LS_CASCADE), FIX(home_x));
LS_TAG(seed);
LS_SINGLETON(chronicle, U32(seeds), U32(deaths));
LS_COMPONENTS(components, nest, store, room, ant, life, basket, seed, chronicle);
static const char *const lanes[] = {"ants", "earth", "sky"};

/* Match data: how long each caste lives. */
static uint32_t count_lives(const ls_match *match)
{
    (void)match;
    return prefabs_nest;
}
static void fill_lives(const ls_match *match, void *rows, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        ((life *)rows)[i].ticks = (int32_t)match->options[LIFE] / (int32_t)(i + 1);
}
static const ls_match_table tables[] = {{&lifespan_component, count_lives, fill_lives}};

/* Seeds fall from the sky; the module moves them. A command spawns each at the sync point. */
LS_TERMS(raining, COMMANDED(body), COMMANDED(seed), WRITES_SINGLETON(chronicle));
static void rain(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    LS_USES(context, raining);
    const ls_match *match = ls_match_of(context);
    if ((int64_t)(ls_random(context, LS_ENTITY_NULL, 0) % 100) >= match->options[SEEDS])
        return;
    ls_fix width = apart * (int32_t)match->player_count;
    ls_fix x = ls_random_fix_range(ls_random(context, LS_ENTITY_NULL, 1), 0, width);
    LS_COMMAND_SPAWN_WITH(context, 0, VALUE(body, .at = ls_fix2_make(x, sky)), TAG(seed));
    LS_WRITE_SINGLETON(context, chronicle)->seeds++;
}

/* Moves the body along the ground; true when it has arrived. */
static bool walk(body *self, ls_fix x)
{
    self->at.x += ls_fix_clamp(x - self->at.x, -stride, stride);
    return self->at.x == x;
}

/* Two sides of a par: both move ants, and the basket tells which ones. */
LS_TERMS(foraging, WRITES(body), WRITES(basket), WITH(ant));
static void forage(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, foraging);
    ls_neighbour found;
    body *self = LS_WRITE(context, body, entities[0]);
    basket *load = LS_WRITE(context, basket, entities[0]);
    if (load->seeds == load->most ||
        !ls_grid_nearest(context, 0, self->at.x, 0, sight, 1, &found) || !walk(self, found.x) ||
        found.y > 0) /* it waits below */
        return;
    load->seeds++; /* two ants that reach a seed in one tick each get a whole one */
    ls_despawn(context, found.entity);
}
LS_TERMS(carrying, WRITES(body), WRITES(basket), READS(ant), ACCUMULATES(store, LS_ADD));
static void carry(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, carrying);
    const ant *who = LS_READ(context, ant, entities[0]);
    basket *load = LS_WRITE(context, basket, entities[0]);
    if (load->seeds < load->most || !walk(LS_WRITE(context, body, entities[0]), who->home_x))
        return;
    LS_ACCUMULATE(context, store, who->home, .seeds = (int32_t)load->seeds);
    load->seeds = 0;
}

LS_TERMS(ageing, WRITES(life));
static void age(ls_context *context, const ls_block *block)
{
    LS_USES(context, ageing);
    life *lives = LS_WRITE_BLOCK(context, life, block);
    uint64_t left = block->matches;
    for (uint32_t i; ls_mask_take(&left, &i);)
        if (--lives[i].ticks <= 0)
            ls_despawn(context, ls_block_entity(block, i));
}

LS_TERMS(mourning, WRITES_SINGLETON(chronicle), OBSERVES(ant));
static void mourn(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    LS_USES(context, mourning);
    LS_EACH_CHANGE(context, ant, change)
    LS_WRITE_SINGLETON(context, chronicle)->deaths += change.kind == LS_CELL_DESPAWNED;
}

/* A nest takes the orders of its player, and hatches the first ant that it can feed. */
LS_TERMS(hatching, WRITES(nest), WRITES(store), SPAWNS_WITH(body), SPAWNS_WITH(ant),
         SPAWNS_WITH(life), SPAWNS_WITH(basket));
static void hatch(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, hatching);
    nest *own = LS_WRITE(context, nest, entities[0]);
    store *stock = LS_WRITE(context, store, entities[0]);
    const ls_input *input = ls_input_of(context, own->player);
    for (; input; input = ls_input_next(context, input)) /* an order to a full nest is lost */
        ls_items_push(LS_ITEMS(own, brood, brood_count), input->data);
    if (own->brood_count == 0 || stock->seeds < PRICE)
        return;
    stock->seeds -= PRICE;
    ls_entity hatched = ls_spawn_prefab(context, 0, &prefabs[own->brood[0]]);
    LS_ATTACH(context, body, hatched, .at = ls_fix2_make(own->x, 0));
    LS_ATTACH(context, ant, hatched, .home = entities[0], .home_x = own->x);
    ls_items_remove(LS_ITEMS(own, brood, brood_count), 0);
}

/* A nest whose store has changed may need another room. Rooms are a binary tree: each has at most
 * two below it. */
LS_TERMS(digging, WRITES(nest), CHANGED(store), READS(store), SPAWNS_WITH(room));
static void dig(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, digging);
    nest *own = LS_WRITE(context, nest, entities[0]);
    uint32_t n = own->room_count;
    if (n == ROOMS_MAX || LS_READ(context, store, entities[0])->seeds <= ROOM_SEEDS * (int32_t)n)
        return;
    ls_entity parent = n > 0 ? own->rooms[(n - 1) / 2] : entities[0];
    own->rooms[own->room_count++] = LS_SPAWN_WITH(context, 0, VALUE(room, .parent = parent));
}

/* Parents first: the place of a room is that of its parent and a step, which is shorter below. */
LS_TERMS(arranging, WRITES(room), OTHERS_READ(nest));
static void arrange(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, arranging);
    room *own = LS_WRITE(context, room, entities[0]);
    const nest *top = LS_READ(context, nest, own->parent);
    ls_fix2 above = top ? ls_fix2_make(top->x, 0) : LS_READ(context, room, own->parent)->at;
    ls_join_walk twins;
    ls_entity first = LS_ENTITY_NULL;
    ls_join_begin(context, 0, own->parent, &twins);
    (void)ls_join_next(&twins, &first);
    ls_fix aside = first == entities[0] ? LS_FIX(-4) : LS_FIX(4), y = above.y - LS_FIX(2);
    own->at = ls_fix2_make(above.x + aside / (y / LS_FIX(-2)), y);
}
/* A nest without ants dies, and its rooms with it by LS_PARENT. */
LS_TERMS(resting, WRITES(nest));
static void rest(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, resting);
    nest *own = LS_WRITE(context, nest, entities[0]);
    own->ants = ls_join_count(context, 0, entities[0]);
    if (own->ants == 0)
        ls_despawn(context, entities[0]);
}

static void wake(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    ls_decide(context, ls_tick(context) % 400 >= 100 ? LS_YES : LS_NO);
}
static const ls_system is_day = {.name = "is_day", .mode = LS_SEQUENTIAL, .match = wake};
static const ls_set sets[] = {{.name = "work", .when = {.criterion = &is_day}}};
static const ls_stage stages[] = {{.name = "day"},
                                  {.name = "evening", .when = {.every = 20, .phase = 19}},
                                  {.name = "night", .within = "evening"}};
static const ls_independence independences[] = {{"rain", "mourn", "they count different things"}};
static const ls_algebra schedule =
    LS_THEN(LS_SEQ("rain"), LS_CONC("physics.move"), LS_PAR(LS_CONC("forage"), LS_CONC("carry")),
            LS_CONC("hatch"), LS_CONC("age"));
/* clang-format off */
static const ls_grid seeds[] = {
    {LS_POSITION(body, at.x, at.y), .with = &seed_component, .cell = LS_FIX(8), .start = true},
    {0}};
static const ls_system systems[] = { /* those without a mode are LS_CONCURRENT */
    {.name = "rain", .mode = LS_SEQUENTIAL, .match = rain, .terms = raining,
     .command_lanes = "sky"},
    {.name = "forage", .match = forage, .terms = foraging, .grids = seeds, .labels = "work"},
    {.name = "carry", .match = carry, .terms = carrying, .labels = "work"},
    {.name = "age", .block = age, .terms = ageing},
    {.name = "mourn", .mode = LS_SEQUENTIAL, .match = mourn, .terms = mourning, .before = "hatch"},
    {.name = "hatch", .match = hatch, .terms = hatching, .lanes = "ants"},
    {.name = "dig", .match = dig, .terms = digging, .lanes = "earth", .stage = "evening"},
    {.name = "arrange", .mode = LS_SEQUENTIAL, .match = arrange, .terms = arranging,
     .stage = "night", .parents_first = {LS_KEY(room, parent)},
     .joins = LS_JOINS({LS_KEY(room, parent)})},
    {.name = "rest", .mode = LS_SEQUENTIAL, .match = rest, .terms = resting, .stage = "night",
     .after = "arrange", .joins = LS_JOINS({LS_KEY(ant, home)})}};

LS_TERMS(founding, SPAWNS_WITH(nest), SPAWNS_WITH(store));
static void found(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    LS_USES(context, founding);
    for (uint32_t i = 0; i < ls_match_of(context)->player_count; i++) {
        ls_entity dug = ls_spawn_prefab(context, 0, LS_PREFAB_NAMED(prefabs, "nest"));
        LS_ATTACH(context, nest, dug, .x = apart * (int32_t)i, .player = i, .brood_count = 4);
    }
}
static const ls_system setup = {
    .name = "found", .mode = LS_SEQUENTIAL, .match = found, .terms = founding, .lanes = "earth"};

static bool is_order(const ls_match *match, uint32_t player, const uint8_t *bytes, uint32_t count)
{
    return player < match->player_count && count == COLONY_ORDER_BYTES && bytes[0] < prefabs_nest;
}

/* Orders one ant every 40 ticks: three workers, then a porter, and so on. */
static uint32_t bot(const ls_world *world, uint32_t player, uint8_t *bytes)
{
    uint64_t tick = ls_world_tick(world) + 10 * player;
    bytes[0] = tick % 160 == 0 ? prefabs_porter : prefabs_worker;
    return tick % 40 == 0 ? COLONY_ORDER_BYTES : 0;
}

LS_TERMS(nests, READS(nest));
static void describe(const ls_world *world, char *text, size_t bytes)
{
    size_t used = 0;
    ls_world_walk walk;
    for (ls_world_walk_begin(world, nests, &walk); ls_world_walk_next(&walk);) {
        const nest *own = LS_WALK_READ(nests, nest, &walk);
        for (uint32_t i = 0; i < walk.span.count && used < bytes; i++)
            used += (size_t)snprintf(text + used, bytes - used, "%sp%u %u ants %u rooms",
                                     used ? "  " : "", own[i].player, own[i].ants, own[i].room_count);
    }
}
static const ls_module *const modules[] = {&ls_physics};
const ls_sim ls_colony_sim = {
    .abi = LS_SIM_ABI, .name = "colony", .version = "1", .source_hash = LS_SIM_SOURCE_HASH,
    .summary = "Colonies of ants: an example of nearly all that a simulation can declare",
    .tick_rate = 20, .player_count = 4, .options = options, .option_count = LS_COUNT_OF(options),
    .components = components, .component_count = LS_COUNT_OF(components), .schedule = &schedule,
    .lanes = lanes, .lane_count = LS_COUNT_OF(lanes), .sets = sets, .set_count = LS_COUNT_OF(sets),
    .systems = systems, .system_count = LS_COUNT_OF(systems), .independences = independences,
    .independence_count = LS_COUNT_OF(independences), .tables = tables,
    .table_count = LS_COUNT_OF(tables), .modules = modules, .module_count = LS_COUNT_OF(modules),
    .stages = stages, .stage_count = LS_COUNT_OF(stages), .setup = &setup, .bot = bot,
    .input_is_valid = is_order, .describe = describe};
