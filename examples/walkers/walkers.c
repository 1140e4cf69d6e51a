/* A simulation with state inputs (every player's stick in every tick), one order (fire) and
 * presentation events. */
#include "walkers.h"

#include <stdio.h>

#define SPEED       LS_FIX(0.2) /* steps per tick at full stick */
#define SHOT_SPEED  LS_FIX(0.6)
#define SHOT_TICKS  45
#define RELOAD      12 /* ticks between shots */
#define SHOT_RADIUS LS_FIX(0.65)
#define SCORE_MAX   UINT16_MAX

void walkers_state_encode(int stick_x, int stick_y, ls_angle aim,
                          uint8_t bytes[WALKERS_STATE_BYTES])
{
    bytes[0] = (uint8_t)stick_x;
    bytes[1] = (uint8_t)stick_y;
    bytes[2] = (uint8_t)aim;
    bytes[3] = (uint8_t)(aim >> 8);
}

static bool state_is_valid(const ls_match *match, uint32_t player, const uint8_t *bytes)
{
    (void)match, (void)player;
    return bytes[0] != 0x80 && bytes[1] != 0x80; /* refuse -128: it would be faster than 127 */
}

static bool order_is_valid(const ls_match *match, uint32_t player, const uint8_t *bytes,
                           uint32_t count)
{
    (void)match, (void)player;
    return count == 1 && bytes[0] == WALKERS_FIRE;
}

LS_TERMS(steering, WRITES(walker), READS(place), OTHERS_STRUCTURE(place, muzzle),
         OTHERS_STRUCTURE(shot), SENDS(bang));

static void hold(walker *self, const uint8_t *bytes)
{
    /* Limits the length of (dx, dy) to SPEED, so that a diagonal is no faster. */
    int32_t x = (int8_t)bytes[0], y = (int8_t)bytes[1];
    ls_fix length = ls_fix_max(ls_fix_sqrt(ls_fix_from_int(x * x + y * y)), ls_fix_from_int(127));
    self->dx = ls_fix_mul(ls_fix_div(ls_fix_from_int(x), length), SPEED);
    self->dy = ls_fix_mul(ls_fix_div(ls_fix_from_int(y), length), SPEED);
    self->aim = (ls_angle)(bytes[2] | bytes[3] << 8);
}

static void fire(ls_context *context, ls_entity entity, walker *self)
{
    LS_USES(context, steering);
    const place *from = LS_READ(context, place, entity);
    if (self->reload || !from)
        return;
    self->reload = RELOAD;
    ls_entity newborn = ls_spawn(context, 0);
    LS_ATTACH(context, muzzle, newborn, .x = from->x + ls_angle_cos(self->aim),
              .y = from->y + ls_angle_sin(self->aim));
    LS_ATTACH(context, shot, newborn, .player = self->player, .ticks = SHOT_TICKS,
              .aim = self->aim);
    LS_SEND(context, bang, .player = self->player);
}

/* Applies the inputs of this walker's player. */
static void steer(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, steering);
    walker *self = LS_WRITE(context, walker, entities[0]);
    if (self->reload)
        self->reload--;
    const ls_frame *frame = ls_inputs(context);
    for (uint32_t i = 0; i < frame->count; i++) {
        const ls_input *input = &frame->inputs[i];
        if (input->player != self->player)
            continue;
        if (input->kind == LS_JOIN || input->kind == LS_LEAVE) {
            self->is_here = input->kind == LS_JOIN;
            self->dx = self->dy = 0;
        } else if (input->kind == LS_STATE || input->kind == LS_SUBSTITUTE) {
            hold(self, input->data);
        } else if (input->kind == LS_INPUT) {
            fire(context, entities[0], self);
        }
    }
}

LS_TERMS(walking, WRITES(place), READS(walker));

static void walk(ls_context *context, const ls_span *span)
{
    LS_USES(context, walking);
    place *at = LS_WRITE_SPAN(context, place, span);
    const walker *who = LS_READ_SPAN(context, walker, span);
    for (uint32_t i = 0; i < span->count; i++) {
        at[i].x = ls_fix_clamp(at[i].x + who[i].dx, LS_FIX(1), LS_FIX(WALKERS_WIDTH - 1));
        at[i].y = ls_fix_clamp(at[i].y + who[i].dy, LS_FIX(1), LS_FIX(WALKERS_HEIGHT - 1));
    }
}

LS_TERMS(flying, WRITES(place), WRITES(shot));

static void fly(ls_context *context, const ls_span *span)
{
    LS_USES(context, flying);
    place *at = LS_WRITE_SPAN(context, place, span);
    shot *which = LS_WRITE_SPAN(context, shot, span);
    for (uint32_t i = 0; i < span->count; i++) {
        at[i].x += ls_fix_mul(ls_angle_cos(which[i].aim), SHOT_SPEED);
        at[i].y += ls_fix_mul(ls_angle_sin(which[i].aim), SHOT_SPEED);
        if (which[i].ticks-- == 1)
            ls_despawn(context, ls_span_entity(span, i));
    }
}

LS_TERMS(striking, READS(place), READS(shot), QUERY(1, WRITES(place, there), WRITES(walker)),
         SENDS(hit));

/* Called for each pair of shot and walker. */
static void strike(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, striking);
    const place *tip = LS_READ(context, place, entities[0]);
    const shot *flying_shot = LS_READ(context, shot, entities[0]);
    place *there = LS_WRITE(context, there, entities[1]);
    walker *victim = LS_WRITE(context, walker, entities[1]);
    if (!victim->is_here || victim->player == flying_shot->player ||
        ls_fix_abs(tip->x - there->x) > SHOT_RADIUS || ls_fix_abs(tip->y - there->y) > SHOT_RADIUS)
        return;
    LS_SEND(context, hit, .player = flying_shot->player, .victim = victim->player);
    there->x = ls_random_fix_range(ls_random(context, entities[1], 0), LS_FIX(2),
                                   LS_FIX(WALKERS_WIDTH - 2));
    there->y = ls_random_fix_range(ls_random(context, entities[1], 1), LS_FIX(2),
                                   LS_FIX(WALKERS_HEIGHT - 2));
    victim->moved++;
    ls_despawn(context, entities[0]);
}

LS_TERMS(counting, WRITES(walker), RECEIVES(hit));

/* Adds this tick's hits to the scores of the walkers that fired. */
static void count_points(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, counting);
    walker *self = LS_WRITE(context, walker, entities[0]);
    LS_EACH_EVENT(context, hit, news)
    {
        if (news->player == self->player && self->score < SCORE_MAX)
            self->score++;
    }
}

static const ls_system systems[] = {
    {.name = "steer", .mode = LS_SEQUENTIAL, .match = steer, .terms = steering, .lanes = "shots"},
    {.name = "walk", .mode = LS_CONCURRENT, .span = walk, .terms = walking, .after = "steer"},
    {.name = "fly", .mode = LS_CONCURRENT, .span = fly, .terms = flying, .after = "walk"},
    {.name = "strike", .mode = LS_SEQUENTIAL, .match = strike, .terms = striking, .after = "fly"},
    {.name = "count points",
     .mode = LS_SEQUENTIAL,
     .match = count_points,
     .terms = counting,
     .after = "strike"},
};

LS_TERMS(lining_up, OTHERS_STRUCTURE(place), OTHERS_STRUCTURE(walker));

static void line_up(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    LS_USES(context, lining_up);
    uint32_t count = ls_match_of(context)->player_count;
    for (uint32_t i = 0; i < count; i++) {
        ls_angle angle = (ls_angle)(i * 65536 / count);
        ls_entity entity = ls_spawn(context, 0);
        LS_ATTACH(context, place, entity,
                  .x = LS_FIX(WALKERS_WIDTH / 2) + ls_fix_mul(ls_angle_cos(angle), LS_FIX(7)),
                  .y = LS_FIX(WALKERS_HEIGHT / 2) + ls_fix_mul(ls_angle_sin(angle), LS_FIX(7)));
        LS_ATTACH(context, walker, entity, .player = i, .aim = ls_angle_add(angle, LS_ANGLE_HALF));
    }
}

static const ls_system setup = {.name = "line up",
                                .mode = LS_SEQUENTIAL,
                                .match = line_up,
                                .terms = lining_up,
                                .lanes = "walkers"};

LS_TERMS(walkers_terms, READS(place), READS(walker));

/* The position of the player's walker; with `is_other`, that of the nearest walker of another
 * player that has joined. */
static const place *find(const ls_world *world, uint32_t player, const place *from, bool is_other)
{
    const place *best = NULL;
    ls_fix best_distance = LS_FIX_MAX;
    ls_world_walk walk;
    for (ls_world_walk_begin(world, walkers_terms, &walk); ls_world_walk_next(&walk);) {
        const place *at = LS_WALK_READ(walkers_terms, place, &walk);
        const walker *who = LS_WALK_READ(walkers_terms, walker, &walk);
        for (uint32_t i = 0; i < walk.span.count; i++) {
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
static void bot_state(const ls_world *world, uint32_t player, uint8_t *bytes)
{
    const place *own = find(world, player, NULL, false);
    const place *other = find(world, player, own, true);
    ls_fix x = LS_FIX(WALKERS_WIDTH / 2) - own->x, y = LS_FIX(WALKERS_HEIGHT / 2) - own->y;
    uint32_t sway = (uint32_t)ls_world_tick(world) / 16 + 3 * player;
    /* Circles around the centre; the angle to it changes over time, to move inwards and
     * outwards. */
    ls_angle way = ls_angle_add(ls_angle_atan2(y, x), sway % 5 < 2   ? 8000
                                                      : sway % 5 < 4 ? 15000
                                                                     : 20000);
    ls_angle aim = other ? ls_angle_atan2(other->y - own->y, other->x - own->x) : way;
    walkers_state_encode(ls_fix_to_int(127 * ls_angle_cos(way)),
                         ls_fix_to_int(127 * ls_angle_sin(way)), aim, bytes);
}

static uint32_t bot(const ls_world *world, uint32_t player, uint8_t *bytes)
{
    bytes[0] = WALKERS_FIRE;
    return (ls_world_tick(world) + player * 11) % 40 == 0;
}

static void describe(const ls_world *world, char *text, size_t bytes)
{
    uint32_t score = 0;
    ls_world_walk walk;
    for (ls_world_walk_begin(world, walkers_terms, &walk); ls_world_walk_next(&walk);) {
        const walker *who = LS_WALK_READ(walkers_terms, walker, &walk);
        for (uint32_t i = 0; i < walk.span.count; i++)
            score += who[i].score;
    }
    snprintf(text, bytes, "hits=%u", (unsigned)score);
}

LS_COMPONENTS(components, place, walker, shot, bang, hit);
static const char *const lanes[] = {"walkers", "shots"};

const ls_sim walkers = {
    .abi = LS_SIM_ABI,
    .name = "walkers",
    .version = "1",
    .summary = "everybody steers one walker and fires at the others",
    .source_hash = LS_SIM_SOURCE_HASH,
    .tick_rate = 30,
    .player_count = 8,
    .components = components,
    .component_count = LS_COUNT_OF(components),
    .lanes = lanes,
    .lane_count = LS_COUNT_OF(lanes),
    .systems = systems,
    .system_count = LS_COUNT_OF(systems),
    .setup = &setup,
    .input_is_valid = order_is_valid,
    .state_bytes = WALKERS_STATE_BYTES,
    .state_missing = LS_MISSING_REPEAT,
    .state_is_valid = state_is_valid,
    .bot_state = bot_state,
    .bot = bot,
    .describe = describe,
};

LS_SIM_EXPORT const ls_sim *ls_sim_export(void);
LS_SIM_EXPORT const ls_sim *ls_sim_export(void)
{
    return &walkers;
}
