#include "regatta.h"

#include <lockstep/lockstep.h>
#include <lockstep/world.h>

#include <stdio.h>

enum { FULL = 100, BUOYS_MAX = 64 };
enum {
    TURN_MAX = 400 /* ls_angle per tick */,
    GLIDE = 97 /* percent of the speed kept per tick */
};
#define LAKE  LS_FIX(60)   /* its radius */
#define REACH LS_FIX(1.5)  /* distance at which a boat collects a buoy */
#define PUSH  LS_FIX(0.01) /* acceleration per tick at full throttle */

/* rudder and throttle: the player's state input. */
LS_COMPONENT(boat, FIX2(at), FIX2(speed), U32(player), U32(score), ANGLE(heading), I8(rudder),
             I8(throttle));
LS_COMPONENT(buoy, FIX2(at));
LS_COMPONENTS(components, boat, buoy);
static const char *const lanes[] = {"boats", "buoys"};
static const ls_option options[] = {{"buoys", "number of buoys", 1, BUOYS_MAX, 12}};

static ls_fix2 polar(ls_angle angle, ls_fix distance)
{
    return ls_fix2_scale(ls_fix2_make(ls_angle_cos(angle), ls_angle_sin(angle)), distance);
}

static ls_fix2 random_position(uint64_t angle, uint64_t distance)
{
    return polar((ls_angle)angle, ls_random_fix_range(distance, LS_FIX(0), LAKE));
}

LS_TERMS(boat_terms, WRITES(boat));

/* A boat keeps its rudder and throttle until its player sends other ones or leaves. */
static void steer(ls_context *context, const ls_span *span)
{
    LS_USES(context, boat_terms);
    boat *self = LS_WRITE_SPAN(context, boat, span);
    const ls_frame *frame = ls_inputs(context);
    for (uint32_t i = 0; i < frame->count; i++) {
        const ls_input *input = &frame->inputs[i];
        bool is_held = input->kind == LS_STATE || input->kind == LS_SUBSTITUTE;
        for (uint32_t k = 0; k < span->count; k++) {
            if (self[k].player != input->player || (!is_held && input->kind != LS_LEAVE))
                continue;
            self[k].rudder = is_held ? (int8_t)input->data[0] : 0;
            self[k].throttle = is_held ? (int8_t)input->data[1] : 0;
        }
    }
}

/* Rounds towards zero, so a boat without thrust stops. */
static ls_fix2 glide(ls_fix2 speed)
{
    return ls_fix2_make(speed.x * GLIDE / 100, speed.y * GLIDE / 100);
}

static void sail(ls_context *context, const ls_span *span)
{
    LS_USES(context, boat_terms);
    boat *first = LS_WRITE_SPAN(context, boat, span);
    for (uint32_t i = 0; i < span->count; i++) {
        boat *self = &first[i];
        self->heading = ls_angle_add(self->heading, self->rudder * TURN_MAX / FULL);
        ls_fix2 push = polar(self->heading, PUSH * self->throttle / FULL);
        self->speed = glide(ls_fix2_add(self->speed, push));
        self->at = ls_fix2_add(self->at, self->speed);
        if (ls_fix2_length(self->at) < LAKE)
            continue;
        self->at = ls_fix2_scale(ls_fix2_normalize(self->at), LAKE); /* aground */
        self->speed = ls_fix2_make(0, 0);
    }
}

LS_TERMS(collecting, WRITES(boat), QUERY(1, WRITES(buoy)));

/* If several boats reach a buoy in one tick, the first one gets it, because the buoy then moves. */
static void collect(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, collecting);
    boat *self = LS_WRITE(context, boat, entities[0]);
    buoy *found = LS_WRITE(context, buoy, entities[1]);
    if (ls_fix2_distance_squared(self->at, found->at) > ls_fix_square_wide(REACH))
        return;
    uint64_t angle = ls_random(context, entities[1], 0);
    uint64_t distance = ls_random(context, entities[1], 1);
    found->at = random_position(angle, distance);
    self->score++;
}

static const ls_system systems[] = {
    {.name = "steer", .mode = LS_CONCURRENT, .span = steer, .terms = boat_terms},
    {.name = "sail", .mode = LS_CONCURRENT, .span = sail, .terms = boat_terms, .after = "steer"},
    {.name = "collect",
     .mode = LS_SEQUENTIAL,
     .match = collect,
     .terms = collecting,
     .after = "sail"},
};

LS_TERMS(starting, OTHERS_STRUCTURE(boat), OTHERS_STRUCTURE(buoy));

/* Spawns the buoys, and for each seat a boat near the shore that heads for the centre. */
static void start(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    LS_USES(context, starting);
    const ls_match *match = ls_match_of(context);
    for (uint32_t i = 0; i < match->player_count; i++) {
        ls_angle angle = (ls_angle)(65536 * i / match->player_count);
        LS_ATTACH(context, boat, ls_spawn(context, 0), .at = polar(angle, LAKE - LS_FIX(1)),
                  .player = i, .heading = ls_angle_add(angle, LS_DEGREES(180)));
    }
    ls_random_stream seed = ls_random_root(match->seed);
    for (uint32_t i = 0; i < match->options[0]; i++) {
        LS_ATTACH(
            context, buoy, ls_spawn(context, 1),
            .at = random_position(ls_random_draw(seed, 2 * i), ls_random_draw(seed, 2 * i + 1)));
    }
}

static const ls_system setup = {
    .name = "start",
    .mode = LS_SEQUENTIAL,
    .match = start,
    .terms = starting,
    .lanes = "boats, buoys",
};

/* Refuses -128, which would be faster than full speed. */
static bool state_is_valid(const ls_match *match, uint32_t player, const uint8_t *bytes)
{
    (void)match, (void)player;
    int rudder = (int8_t)bytes[0], throttle = (int8_t)bytes[1];
    return rudder >= -FULL && rudder <= FULL && throttle >= -FULL && throttle <= FULL;
}

LS_TERMS(seen_boats, READS(boat));
LS_TERMS(seen_buoys, READS(buoy));

static const boat *find_boat(const ls_world *world, uint32_t player)
{
    ls_world_walk walk;
    for (ls_world_walk_begin(world, seen_boats, &walk); ls_world_walk_next(&walk);) {
        const boat *boats = LS_WALK_READ(seen_boats, boat, &walk);
        for (uint32_t i = 0; i < walk.span.count; i++)
            if (boats[i].player == player)
                return &boats[i];
    }
    return NULL;
}

static ls_fix2 nearest_buoy(const ls_world *world, ls_fix2 from)
{
    ls_fix2 found = {0, 0};
    int64_t min = INT64_MAX;
    ls_world_walk walk;
    for (ls_world_walk_begin(world, seen_buoys, &walk); ls_world_walk_next(&walk);) {
        const buoy *buoys = LS_WALK_READ(seen_buoys, buoy, &walk);
        for (uint32_t i = 0; i < walk.span.count; i++) {
            int64_t squared = ls_fix2_distance_squared(from, buoys[i].at);
            if (squared < min) {
                min = squared;
                found = buoys[i].at;
            }
        }
    }
    return found;
}

/* Steers for the nearest buoy; the sharper the turn, the slower the boat. */
static void bot_state(const ls_world *world, uint32_t player, uint8_t *bytes)
{
    const boat *own = find_boat(world, player);
    if (!own)
        return;
    ls_fix2 offset = ls_fix2_sub(nearest_buoy(world, own->at), own->at);
    int turn = ls_angle_turn(own->heading, ls_angle_atan2(offset.y, offset.x));
    int rudder = turn / (TURN_MAX * 8 / FULL);
    rudder = rudder > FULL ? FULL : rudder < -FULL ? -FULL : rudder;
    bytes[0] = (uint8_t)rudder;
    bytes[1] = (uint8_t)(FULL - (rudder < 0 ? -rudder : rudder) * 9 / 10);
}

static void describe(const ls_world *world, char *text, size_t bytes)
{
    size_t used = 0;
    for (uint32_t i = 0; i < ls_world_match(world)->player_count && used < bytes; i++) {
        const boat *own = find_boat(world, i);
        used += (size_t)snprintf(text + used, bytes - used, "%sp%u %u", i ? "  " : "", i,
                                 own ? own->score : 0);
    }
}

const ls_sim ls_regatta_sim = {
    .abi = LS_SIM_ABI,
    .name = "regatta",
    .version = "1",
    .summary = "Boats that race for buoys: an example of state inputs",
    .source_hash = LS_SIM_SOURCE_HASH,
    .tick_rate = 60,
    .player_count = 4,
    .options = options,
    .option_count = LS_COUNT_OF(options),
    .components = components,
    .component_count = LS_COUNT_OF(components),
    .lanes = lanes,
    .lane_count = LS_COUNT_OF(lanes),
    .systems = systems,
    .system_count = LS_COUNT_OF(systems),
    .setup = &setup,
    .state_bytes = REGATTA_STATE_BYTES,
    .state_is_valid = state_is_valid,
    .bot_state = bot_state,
    .describe = describe,
};
