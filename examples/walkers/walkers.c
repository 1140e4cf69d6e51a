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

static const ls_field place_fields[] = {LS_FIELD(place, x, LS_TYPE_FIX),
                                        LS_FIELD(place, y, LS_TYPE_FIX)};
static const ls_field walker_fields[] = {
    LS_FIELD(walker, player, LS_TYPE_U32),   LS_FIELD(walker, score, LS_TYPE_U16),
    LS_FIELD(walker, reload, LS_TYPE_U16),   LS_FIELD(walker, dx, LS_TYPE_FIX),
    LS_FIELD(walker, dy, LS_TYPE_FIX),       LS_FIELD(walker, aim, LS_TYPE_ANGLE),
    LS_FIELD(walker, is_here, LS_TYPE_BOOL), LS_FIELD(walker, moved, LS_TYPE_U8),
};
static const ls_field shot_fields[] = {LS_FIELD(shot, player, LS_TYPE_U32),
                                       LS_FIELD(shot, ticks, LS_TYPE_U16),
                                       LS_FIELD(shot, aim, LS_TYPE_ANGLE)};
static const ls_field bang_fields[] = {LS_FIELD(bang, player, LS_TYPE_U32)};
static const ls_field hit_fields[] = {LS_FIELD(hit, player, LS_TYPE_U32),
                                      LS_FIELD(hit, victim, LS_TYPE_U32)};

const ls_component Place = LS_COMPONENT(place, "place", place_fields);
const ls_component Walker = LS_COMPONENT(walker, "walker", walker_fields);
const ls_component Shot = LS_COMPONENT(shot, "shot", shot_fields);
const ls_component Bang = LS_EVENT(bang, "bang", bang_fields);
const ls_component Hit = LS_EVENT(hit, "hit", hit_fields);

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

enum { STEER_WALKER, STEER_PLACE, STEER_NEW_PLACE, STEER_SHOT, STEER_BANG };

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
    const place *from = LS_CELL_FIND(place, context, STEER_PLACE, entity);
    if (self->reload || !from)
        return;
    self->reload = RELOAD;
    place at = {from->x + ls_angle_cos(self->aim), from->y + ls_angle_sin(self->aim)};
    bang noise = {self->player};
    shot flying = {self->player, SHOT_TICKS, self->aim};
    ls_entity newborn = ls_spawn(context, 0);
    LS_CELL_ATTACH(context, STEER_NEW_PLACE, newborn, &at);
    LS_CELL_ATTACH(context, STEER_SHOT, newborn, &flying);
    LS_EVENT_SEND(context, STEER_BANG, &noise);
}

/* Applies the inputs of this walker's player. */
static void steer(ls_context *context, const ls_entity *entities)
{
    walker *self = LS_CELL_WRITE(walker, context, STEER_WALKER, entities[0]);
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

static void walk(ls_context *context, const ls_span *span)
{
    place *at = LS_SPAN_WRITE(place, context, span, 0);
    const walker *who = LS_SPAN_READ(walker, context, span, 1);
    for (uint32_t i = 0; i < span->count; i++) {
        at[i].x = ls_fix_clamp(at[i].x + who[i].dx, LS_FIX(1), LS_FIX(WALKERS_WIDTH - 1));
        at[i].y = ls_fix_clamp(at[i].y + who[i].dy, LS_FIX(1), LS_FIX(WALKERS_HEIGHT - 1));
    }
}

static void fly(ls_context *context, const ls_span *span)
{
    place *at = LS_SPAN_WRITE(place, context, span, 0);
    shot *which = LS_SPAN_WRITE(shot, context, span, 1);
    for (uint32_t i = 0; i < span->count; i++) {
        at[i].x += ls_fix_mul(ls_angle_cos(which[i].aim), SHOT_SPEED);
        at[i].y += ls_fix_mul(ls_angle_sin(which[i].aim), SHOT_SPEED);
        if (which[i].ticks-- == 1)
            ls_despawn(context, ls_span_entity(span, i));
    }
}

/* Called for each pair of shot and walker. */
static void strike(ls_context *context, const ls_entity *entities)
{
    const place *tip = LS_CELL_FIND(place, context, 0, entities[0]);
    const shot *flying = LS_CELL_FIND(shot, context, 1, entities[0]);
    place *there = LS_CELL_WRITE(place, context, 2, entities[1]);
    walker *victim = LS_CELL_WRITE(walker, context, 3, entities[1]);
    if (!victim->is_here || victim->player == flying->player ||
        ls_fix_abs(tip->x - there->x) > SHOT_RADIUS || ls_fix_abs(tip->y - there->y) > SHOT_RADIUS)
        return;
    hit news = {flying->player, victim->player};
    LS_EVENT_SEND(context, 4, &news);
    there->x = ls_random_fix_range(ls_random(context, entities[1], 0), LS_FIX(2),
                                   LS_FIX(WALKERS_WIDTH - 2));
    there->y = ls_random_fix_range(ls_random(context, entities[1], 1), LS_FIX(2),
                                   LS_FIX(WALKERS_HEIGHT - 2));
    victim->moved++;
    ls_despawn(context, entities[0]);
}

/* Adds this tick's hits to the scores of the walkers that fired. */
static void count_points(ls_context *context, const ls_entity *entities)
{
    walker *self = LS_CELL_WRITE(walker, context, 0, entities[0]);
    ls_event_walk walk;
    ls_event_begin(context, 1, &walk);
    for (const hit *news; (news = ls_event_next(&walk)) != NULL;) {
        if (news->player == self->player && self->score < SCORE_MAX)
            self->score++;
    }
}

static const ls_system systems[] = {
    {.name = "steer",
     .mode = LS_SEQUENTIAL,
     .match = steer,
     .terms = LS_TERM_LIST(LS_WRITES(Walker), LS_READS(Place), LS_OTHERS_STRUCTURE(Place),
                           LS_OTHERS_STRUCTURE(Shot), LS_SENDS(Bang)),
     .lanes = "shots"},
    {.name = "walk",
     .mode = LS_CONCURRENT,
     .span = walk,
     .terms = LS_TERM_LIST(LS_WRITES(Place), LS_READS(Walker)),
     .after = "steer"},
    {.name = "fly",
     .mode = LS_CONCURRENT,
     .span = fly,
     .terms = LS_TERM_LIST(LS_WRITES(Place), LS_WRITES(Shot)),
     .after = "walk"},
    {.name = "strike",
     .mode = LS_SEQUENTIAL,
     .match = strike,
     .terms =
         LS_TERM_LIST(LS_TERM(0, LS_INCLUDE, LS_READ, Place), LS_TERM(0, LS_INCLUDE, LS_READ, Shot),
                      LS_TERM(1, LS_INCLUDE, LS_WRITE, Place),
                      LS_TERM(1, LS_INCLUDE, LS_WRITE, Walker), LS_SENDS(Hit)),
     .after = "fly"},
    {.name = "count points",
     .mode = LS_SEQUENTIAL,
     .match = count_points,
     .terms = LS_TERM_LIST(LS_WRITES(Walker), LS_RECEIVES(Hit)),
     .after = "strike"},
};

static void line_up(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    uint32_t count = ls_match_of(context)->player_count;
    for (uint32_t i = 0; i < count; i++) {
        ls_angle angle = (ls_angle)(i * 65536 / count);
        place at = {LS_FIX(WALKERS_WIDTH / 2) + ls_fix_mul(ls_angle_cos(angle), LS_FIX(7)),
                    LS_FIX(WALKERS_HEIGHT / 2) + ls_fix_mul(ls_angle_sin(angle), LS_FIX(7))};
        walker self = {.player = i, .aim = ls_angle_add(angle, LS_ANGLE_HALF)};
        ls_entity entity = ls_spawn(context, 0);
        LS_CELL_ATTACH(context, 0, entity, &at);
        LS_CELL_ATTACH(context, 1, entity, &self);
    }
}

static const ls_system setup = {
    .name = "line up",
    .mode = LS_SEQUENTIAL,
    .match = line_up,
    .terms = LS_TERM_LIST(LS_OTHERS_STRUCTURE(Place), LS_OTHERS_STRUCTURE(Walker)),
    .lanes = "walkers"};

static const ls_term walkers_terms[] = {LS_READS(Place), LS_READS(Walker), {0}};

/* The position of the player's walker; with `is_other`, that of the nearest walker of another
 * player that has joined. */
static const place *find(const ls_world *world, uint32_t player, const place *from, bool is_other)
{
    const place *best = NULL;
    ls_fix best_distance = LS_FIX_MAX;
    ls_world_walk walk;
    for (ls_world_walk_begin(world, walkers_terms, &walk); ls_world_walk_next(&walk);) {
        const place *at = walk.span.const_cells[0];
        const walker *who = walk.span.const_cells[1];
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
        const walker *who = walk.span.const_cells[1];
        for (uint32_t i = 0; i < walk.span.count; i++)
            score += who[i].score;
    }
    snprintf(text, bytes, "hits=%u", (unsigned)score);
}

static const ls_component *const components[] = {&Place, &Walker, &Shot, &Bang, &Hit};
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
