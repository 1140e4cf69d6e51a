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

typedef struct regatta_boat {
    ls_fix2 at, speed;
    uint32_t player, score;
    ls_angle heading;
    int8_t rudder, throttle; /* the player's state input */
} regatta_boat;

typedef struct regatta_buoy {
    ls_fix2 at;
} regatta_buoy;

static const ls_field boat_fields[] = {
    LS_FIELD(regatta_boat, at, LS_TYPE_FIX2),       LS_FIELD(regatta_boat, speed, LS_TYPE_FIX2),
    LS_FIELD(regatta_boat, player, LS_TYPE_U32),    LS_FIELD(regatta_boat, score, LS_TYPE_U32),
    LS_FIELD(regatta_boat, heading, LS_TYPE_ANGLE), LS_FIELD(regatta_boat, rudder, LS_TYPE_I8),
    LS_FIELD(regatta_boat, throttle, LS_TYPE_I8)};
static const ls_field buoy_fields[] = {LS_FIELD(regatta_buoy, at, LS_TYPE_FIX2)};
static const ls_component Boat = LS_COMPONENT(regatta_boat, "boat", boat_fields);
static const ls_component Buoy = LS_COMPONENT(regatta_buoy, "buoy", buoy_fields);
static const ls_component *const components[] = {&Boat, &Buoy};
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

/* A boat keeps its rudder and throttle until its player sends other ones or leaves. */
static void steer(ls_context *context, const ls_span *span)
{
    regatta_boat *boats = LS_SPAN_WRITE(regatta_boat, context, span, 0);
    const ls_frame *frame = ls_inputs(context);
    for (uint32_t i = 0; i < frame->count; i++) {
        const ls_input *input = &frame->inputs[i];
        bool is_held = input->kind == LS_STATE || input->kind == LS_SUBSTITUTE;
        for (uint32_t k = 0; k < span->count; k++) {
            if (boats[k].player != input->player || (!is_held && input->kind != LS_LEAVE))
                continue;
            boats[k].rudder = is_held ? (int8_t)input->data[0] : 0;
            boats[k].throttle = is_held ? (int8_t)input->data[1] : 0;
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
    regatta_boat *boats = LS_SPAN_WRITE(regatta_boat, context, span, 0);
    for (uint32_t i = 0; i < span->count; i++) {
        regatta_boat *boat = &boats[i];
        boat->heading = ls_angle_add(boat->heading, boat->rudder * TURN_MAX / FULL);
        ls_fix2 push = polar(boat->heading, PUSH * boat->throttle / FULL);
        boat->speed = glide(ls_fix2_add(boat->speed, push));
        boat->at = ls_fix2_add(boat->at, boat->speed);
        if (ls_fix2_length(boat->at) < LAKE)
            continue;
        boat->at = ls_fix2_scale(ls_fix2_normalize(boat->at), LAKE); /* aground */
        boat->speed = ls_fix2_make(0, 0);
    }
}

enum { COLLECT_BOAT, COLLECT_BUOY };

/* If several boats reach a buoy in one tick, the first one gets it, because the buoy then moves. */
static void collect(ls_context *context, const ls_entity *entities)
{
    regatta_boat *boat = LS_CELL_WRITE(regatta_boat, context, COLLECT_BOAT, entities[0]);
    regatta_buoy *buoy = LS_CELL_WRITE(regatta_buoy, context, COLLECT_BUOY, entities[1]);
    if (ls_fix2_distance_squared(boat->at, buoy->at) > ls_fix_square_wide(REACH))
        return;
    uint64_t angle = ls_random(context, entities[1], 0);
    uint64_t distance = ls_random(context, entities[1], 1);
    buoy->at = random_position(angle, distance);
    boat->score++;
}

static const ls_system systems[] = {
    {.name = "steer", .mode = LS_CONCURRENT, .span = steer, .terms = LS_TERM_LIST(LS_WRITES(Boat))},
    {.name = "sail",
     .mode = LS_CONCURRENT,
     .span = sail,
     .terms = LS_TERM_LIST(LS_WRITES(Boat)),
     .after = "steer"},
    {.name = "collect",
     .mode = LS_SEQUENTIAL,
     .match = collect,
     .terms = LS_TERM_LIST([COLLECT_BOAT] = LS_TERM(0, LS_INCLUDE, LS_WRITE, Boat),
                           [COLLECT_BUOY] = LS_TERM(1, LS_INCLUDE, LS_WRITE, Buoy)),
     .after = "sail"},
};

enum { START_BOATS, START_BUOYS };

/* Spawns a boat for each seat on the shore, heading for the centre. */
static void start(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    const ls_match *match = ls_match_of(context);
    for (uint32_t i = 0; i < match->player_count; i++) {
        ls_angle angle = (ls_angle)(65536 * i / match->player_count);
        regatta_boat boat = {.at = polar(angle, LAKE - LS_FIX(1)),
                             .player = i,
                             .heading = ls_angle_add(angle, LS_DEGREES(180))};
        LS_CELL_ATTACH(context, START_BOATS, ls_spawn(context, 0), &boat);
    }
    ls_random_stream seed = ls_random_root(match->seed);
    for (uint32_t i = 0; i < match->options[0]; i++) {
        regatta_buoy buoy = {
            .at = random_position(ls_random_draw(seed, 2 * i), ls_random_draw(seed, 2 * i + 1))};
        LS_CELL_ATTACH(context, START_BUOYS, ls_spawn(context, 1), &buoy);
    }
}

static const ls_system setup = {
    .name = "start",
    .mode = LS_SEQUENTIAL,
    .match = start,
    .terms = LS_TERM_LIST([START_BOATS] = LS_OTHERS_STRUCTURE(Boat), [START_BUOYS] =
                                                                         LS_OTHERS_STRUCTURE(Buoy)),
    .lanes = "boats, buoys",
};

/* Refuses -128, which would be faster than full speed. */
static bool state_is_valid(const ls_match *match, uint32_t player, const uint8_t *bytes)
{
    (void)match, (void)player;
    int rudder = (int8_t)bytes[0], throttle = (int8_t)bytes[1];
    return rudder >= -FULL && rudder <= FULL && throttle >= -FULL && throttle <= FULL;
}

static const regatta_boat *find_boat(const ls_world *world, uint32_t player)
{
    static const ls_term terms[] = {LS_READS(Boat), {NULL, 0, 0, 0}};
    ls_world_walk walk;
    for (ls_world_walk_begin(world, terms, &walk); ls_world_walk_next(&walk);) {
        const regatta_boat *boats = walk.span.const_cells[0];
        for (uint32_t i = 0; i < walk.span.count; i++)
            if (boats[i].player == player)
                return &boats[i];
    }
    return NULL;
}

static ls_fix2 nearest_buoy(const ls_world *world, ls_fix2 from)
{
    static const ls_term terms[] = {LS_READS(Buoy), {NULL, 0, 0, 0}};
    ls_fix2 found = {0, 0};
    int64_t min = INT64_MAX;
    ls_world_walk walk;
    for (ls_world_walk_begin(world, terms, &walk); ls_world_walk_next(&walk);) {
        const regatta_buoy *buoys = walk.span.const_cells[0];
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
    const regatta_boat *boat = find_boat(world, player);
    if (!boat)
        return;
    ls_fix2 offset = ls_fix2_sub(nearest_buoy(world, boat->at), boat->at);
    int turn = ls_angle_turn(boat->heading, ls_angle_atan2(offset.y, offset.x));
    int rudder = turn / (TURN_MAX * 8 / FULL);
    rudder = rudder > FULL ? FULL : rudder < -FULL ? -FULL : rudder;
    bytes[0] = (uint8_t)rudder;
    bytes[1] = (uint8_t)(FULL - (rudder < 0 ? -rudder : rudder) * 9 / 10);
}

static void describe(const ls_world *world, char *text, size_t bytes)
{
    size_t used = 0;
    for (uint32_t i = 0; i < ls_world_match(world)->player_count && used < bytes; i++) {
        const regatta_boat *boat = find_boat(world, i);
        used += (size_t)snprintf(text + used, bytes - used, "%sp%u %u", i ? "  " : "", i,
                                 boat ? boat->score : 0);
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
