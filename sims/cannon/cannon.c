#include "cannon.h"

#include "sims/modules/physics.h"
#include <lockstep/world.h>

#include <stdio.h>

enum { ELEVATION_MAX = 179, CHARGE_MAX = 100 };
enum { DISTANCE, WIDTH };
static const ls_option options[] = {
    [DISTANCE] = {"distance", "between two cannons", 5, 100, 20},
    [WIDTH] = {"width", "of a cannon", 1, 5, 2},
};
LS_COMPONENT(cannon, FIX(x), U32(player), U32(score), U32(shots));
LS_COMPONENT(shot, U32(player));
LS_COMPONENTS(components, cannon, shot);
static const char *const lanes[] = {"cannons", "shots"};

LS_TERMS(firing, WRITES(cannon), SPAWNS_WITH(body), SPAWNS_WITH(shot));

static void fire(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, firing);
    cannon *self = LS_WRITE(context, cannon, entities[0]);
    for (const ls_input *input = ls_input_of(context, self->player); input;
         input = ls_input_next(context, input)) {
        ls_angle elevation = (ls_angle)(65536 * input->data[0] / 360);
        ls_fix speed = ls_fix_from_int(input->data[1]) / CHARGE_MAX;
        ls_entity fired = ls_spawn(context, 0);
        LS_ATTACH(context, body, fired, .at = ls_fix2_make(self->x, 0),
                  .speed = ls_fix2_make(ls_fix_mul(ls_angle_cos(elevation), speed),
                                        ls_fix_mul(ls_angle_sin(elevation), speed)));
        LS_ATTACH(context, shot, fired, .player = self->player);
        self->shots++;
    }
}

LS_TERMS(hitting, RECEIVES(landing), OTHERS_READ(shot), WRITES(cannon));

/* Counts the hits of one cannon: landings of its shots on another one. */
static void hit(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, hitting);
    cannon *self = LS_WRITE(context, cannon, entities[0]);
    const ls_match *match = ls_match_of(context);
    ls_fix distance = ls_fix_from_int((int32_t)match->options[DISTANCE]);
    ls_fix width = ls_fix_from_int((int32_t)match->options[WIDTH]);
    LS_EACH_EVENT(context, landing, news)
    {
        if (LS_READ(context, shot, news->body)->player != self->player)
            continue;
        for (uint32_t i = 0; i < match->player_count; i++) {
            ls_fix x = distance * (int32_t)i;
            self->score += i != self->player && ls_fix_abs(news->x - x) <= width / 2;
        }
    }
}

LS_TERMS(clearing, RECEIVES(landing));

static void clear(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    LS_USES(context, clearing);
    LS_EACH_EVENT(context, landing, news)
    ls_despawn(context, news->body);
}

static const ls_system systems[] = {
    {.name = "hit", .mode = LS_CONCURRENT, .match = hit, .terms = hitting, .after = "physics"},
    {.name = "clear", .mode = LS_SEQUENTIAL, .match = clear, .terms = clearing, .after = "hit"},
    {.name = "fire",
     .mode = LS_CONCURRENT,
     .match = fire,
     .terms = firing,
     .lanes = "shots",
     .after = "clear"},
};

LS_TERMS(starting, SPAWNS_WITH(cannon));

static void start(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    LS_USES(context, starting);
    const ls_match *match = ls_match_of(context);
    for (uint32_t i = 0; i < match->player_count; i++)
        LS_ATTACH(context, cannon, ls_spawn(context, 0),
                  .x = ls_fix_from_int((int32_t)(match->options[DISTANCE] * i)), .player = i);
}

static const ls_system setup = {
    .name = "start", .mode = LS_SEQUENTIAL, .match = start, .terms = starting, .lanes = "cannons"};

static bool input_is_valid(const ls_match *match, uint32_t player, const uint8_t *bytes,
                           uint32_t count)
{
    return player < match->player_count && count == CANNON_ORDER_BYTES && bytes[0] >= 1 &&
           bytes[0] <= ELEVATION_MAX && bytes[1] >= 1 && bytes[1] <= CHARGE_MAX;
}

/* Fires once in a second at random. */
static uint32_t bot(const ls_world *world, uint32_t player, uint8_t *bytes)
{
    if (ls_world_tick(world) % 20 != player % 20)
        return 0;
    ls_random_stream stream = ls_random_root(ls_world_match(world)->seed);
    stream = ls_random_child(ls_random_child(stream, ls_world_tick(world)), player);
    bytes[0] = (uint8_t)(30 + ls_random_draw(stream, 0) % 120);
    bytes[1] = (uint8_t)(40 + ls_random_draw(stream, 1) % 61);
    return CANNON_ORDER_BYTES;
}

LS_TERMS(cannons, READS(cannon));

static void describe(const ls_world *world, char *text, size_t bytes)
{
    size_t used = 0;
    ls_world_walk walk;
    for (ls_world_walk_begin(world, cannons, &walk); ls_world_walk_next(&walk);) {
        const cannon *first = LS_WALK_READ(cannons, cannon, &walk);
        for (uint32_t i = 0; i < walk.span.count && used < bytes; i++)
            used += (size_t)snprintf(text + used, bytes - used, "%sp%u %u of %u", used ? "  " : "",
                                     first[i].player, first[i].score, first[i].shots);
    }
}

static const ls_module *const modules[] = {&ls_physics};

const ls_sim ls_cannon_sim = {
    .abi = LS_SIM_ABI,
    .name = "cannon",
    .version = "1",
    .summary = "Cannons that fire at each other: an example of a module, with fountain",
    .source_hash = LS_SIM_SOURCE_HASH,
    .tick_rate = 20,
    .player_count = 4,
    .options = options,
    .option_count = LS_COUNT_OF(options),
    .components = components,
    .component_count = LS_COUNT_OF(components),
    .lanes = lanes,
    .lane_count = LS_COUNT_OF(lanes),
    .systems = systems,
    .system_count = LS_COUNT_OF(systems),
    .modules = modules,
    .module_count = LS_COUNT_OF(modules),
    .setup = &setup,
    .input_is_valid = input_is_valid,
    .bot = bot,
    .describe = describe,
};
