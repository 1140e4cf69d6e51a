#include "sample_sim.h"

#include <lockstep/by_index.h>
#include <lockstep/bytes.h>

#include <string.h>

static const ls_field place_fields[] = {LS_FIELD(sample_place, x, LS_TYPE_FIX),
                                        LS_FIELD(sample_place, y, LS_TYPE_FIX)};
static const ls_field motion_fields[] = {
    LS_FIELD(sample_motion, x, LS_TYPE_FIX), LS_FIELD(sample_motion, y, LS_TYPE_FIX),
    LS_FIELD(sample_motion, heading, LS_TYPE_ANGLE), LS_FIELD(sample_motion, turns, LS_TYPE_U16)};
static const ls_field vigor_fields[] = {
    LS_FIELD(sample_vigor, points, LS_TYPE_I32), LS_FIELD(sample_vigor, mood, LS_TYPE_I16),
    LS_FIELD(sample_vigor, level, LS_TYPE_U8), LS_FIELD(sample_vigor, is_angry, LS_TYPE_BOOL)};
static const ls_field prey_fields[] = {LS_FIELD(sample_prey, of, LS_TYPE_ENTITY),
                                       LS_FIELD(sample_prey, since, LS_TYPE_U64)};
static const ls_field memo_fields[] = {LS_FIELD(sample_memo, marks, LS_TYPE_U32),
                                       LS_FIELD(sample_memo, small, LS_TYPE_I8)};
static const ls_field glow_fields[] = {LS_FIELD(sample_glow, life, LS_TYPE_U32),
                                       LS_FIELD(sample_glow, hue, LS_TYPE_U32)};
static const ls_field score_fields[] = {
    LS_FIELD(sample_score, ticks, LS_TYPE_U64),       LS_FIELD(sample_score, balance, LS_TYPE_I64),
    LS_FIELD(sample_score, births, LS_TYPE_U32),      LS_FIELD(sample_score, deaths, LS_TYPE_U32),
    LS_FIELD(sample_score, last_fed, LS_TYPE_ENTITY), LS_FIELD(sample_score, joined, LS_TYPE_U8)};

const ls_component sample_places = LS_COMPONENT_TABLE(sample_place, "place", place_fields);
const ls_component sample_motions = LS_COMPONENT_TABLE(sample_motion, "motion", motion_fields);
const ls_component sample_vigors = LS_COMPONENT_TABLE(sample_vigor, "vigor", vigor_fields);
const ls_component sample_preys = LS_COMPONENT_TABLE(sample_prey, "prey", prey_fields);
const ls_component sample_memos = LS_COMPONENT_TABLE(sample_memo, "memo", memo_fields);
const ls_component sample_glows = LS_COMPONENT_TABLE(sample_glow, "glow", glow_fields);
const ls_component sample_frozen = LS_TAG_TABLE("frozen");
const ls_component sample_elite = LS_TAG_TABLE("elite");
const ls_component sample_scores = LS_SINGLETON_TABLE(sample_score, "score", score_fields);

enum { MAP = 128 << 16, NEAR = 2 << 16, DOOMED = -1000000 };

/* Wraps around instead of overflowing, because a damaged snapshot may hold any value. */
static int32_t plus(int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)a + (uint32_t)b);
}

/* Turns towards the middle of the neighbours. */
static void turn(ls_context *context, const ls_span *span)
{
    const sample_place *place = ls_span_read(context, span, 0);
    sample_motion *motion = ls_span_write(context, span, 1);
    for (uint32_t i = 0; i < span->count; i++) {
        ls_grid_walk walk;
        ls_neighbour near;
        int32_t count = 0;
        uint64_t x = 0, y = 0;
        ls_grid_begin(context, 0, place[i].x, place[i].y, NEAR, &walk);
        while (ls_grid_next(&walk, &near)) {
            /* Not commutative, so a wrong order of neighbours changes the result. */
            x = x * 3 + (uint64_t)((int64_t)near.x - place[i].x);
            y = y * 3 + (uint64_t)((int64_t)near.y - place[i].y);
            count++;
        }
        motion[i].x = (int32_t)((int64_t)x % 60000) / count;
        motion[i].y = (int32_t)((int64_t)y % 60000) / count;
        motion[i].heading = (uint16_t)(motion[i].heading + count);
        motion[i].turns++;
    }
}

static void move(ls_context *context, const ls_span *span)
{
    sample_place *place = ls_span_write(context, span, 0);
    const sample_motion *motion = ls_span_read(context, span, 1);
    for (uint32_t i = 0; i < span->count; i++) {
        place[i].x = (int32_t)((uint32_t)plus(place[i].x, motion[i].x) % MAP);
        place[i].y = (int32_t)((uint32_t)plus(place[i].y, motion[i].y) % MAP);
    }
}

static void freeze(ls_context *context, const ls_span *span)
{
    const sample_vigor *vigor = ls_span_read(context, span, 0);
    bool is_frozen = ls_cell_has(context, 1, ls_span_entity(span, 0));
    for (uint32_t i = 0; i < span->count; i++) {
        ls_entity entity = ls_span_entity(span, i);
        uint32_t dice = ls_random_below(ls_random(context, entity, 0), 16);
        if (is_frozen && dice < 6)
            ls_cell_detach(context, 1, entity);
        else if (!is_frozen && dice == 15 && vigor[i].level % 2)
            ls_cell_attach(context, 1, entity, NULL);
    }
}

static void wither(ls_context *context, const ls_span *span)
{
    sample_vigor *vigor = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++) {
        vigor[i].points = plus(vigor[i].points, -1);
        vigor[i].mood = (int16_t)(vigor[i].mood - 7);
        vigor[i].is_angry = vigor[i].points % 5 == 0;
    }
}

/* Entities without prey take the strongest neighbour. */
static void aim(ls_context *context, const ls_span *span)
{
    const sample_place *place = ls_span_read(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++) {
        sample_prey prey = {LS_ENTITY_NULL, ls_tick(context)};
        ls_entity self = ls_span_entity(span, i);
        int32_t best = 0;
        ls_grid_walk walk;
        ls_neighbour near;
        ls_grid_begin(context, 0, place[i].x, place[i].y, NEAR, &walk);
        while (ls_grid_next(&walk, &near)) {
            const sample_vigor *vigor = ls_cell_find(context, 2, near.entity);
            if (near.entity != self && vigor && vigor->points > best) {
                best = vigor->points;
                prey.of = near.entity;
            }
        }
        if (prey.of)
            ls_cell_attach(context, 1, self, &prey);
    }
}

static void hunt(ls_context *context, const ls_entity *entities)
{
    const sample_prey *prey = ls_cell_find(context, 0, entities[0]);
    sample_vigor *vigor = ls_cell_write(context, 1, prey->of);
    sample_score *score = ls_singleton_write(context, 2);
    if (!vigor) {
        ls_cell_detach(context, 0, entities[0]);
        return;
    }
    vigor->points = plus(vigor->points, -3);
    vigor->level++;
    score->balance = (int64_t)((uint64_t)score->balance + (uint64_t)vigor->points);
    if (vigor->points < 0) {
        score->deaths += vigor->points > DOOMED;
        vigor->points = DOOMED * 2; /* others may hit it again before the despawn */
        ls_despawn(context, prey->of);
        ls_cell_detach(context, 0, entities[0]);
    }
}

/* Runs over every pair of the elite; the second entity may lose its rank during the roll. */
static void duel(ls_context *context, const ls_entity *entities)
{
    sample_vigor *left = ls_cell_write(context, 2, entities[0]);
    sample_vigor *right = ls_cell_write(context, 3, entities[1]);
    if (entities[0] == entities[1] || !left || !right)
        return;
    left->points = plus(left->points, right->mood % 5);
    right->mood = (int16_t)(right->mood + 3);
    if (right->mood % 11 == 0)
        ls_cell_detach(context, 1, entities[1]);
}

static ls_entity bear(ls_context *context, uint32_t number)
{
    ls_entity beast = ls_spawn(context, 0);
    sample_place place = {
        ls_random_fix_range(ls_random(context, LS_ENTITY_NULL, number * 4), 0, MAP),
        ls_random_fix_range(ls_random(context, LS_ENTITY_NULL, number * 4 + 1), 0, MAP)};
    sample_motion motion = {.heading =
                                (uint16_t)ls_random(context, LS_ENTITY_NULL, number * 4 + 2)};
    sample_vigor vigor = {
        .points =
            20 + (int32_t)ls_random_below(ls_random(context, LS_ENTITY_NULL, number * 4 + 3), 200)};
    sample_memo memo = {.marks = {number}, .small = {-1, 1}};
    ls_cell_attach(context, 0, beast, &place);
    ls_cell_attach(context, 1, beast, &motion);
    ls_cell_attach(context, 2, beast, &vigor);
    if (number % 3)
        ls_cell_attach(context, 3, beast, &memo);
    if (number % 500 == 3)
        ls_cell_attach(context, 4, beast, NULL);
    return beast;
}

static void feed(ls_context *context, sample_score *score, const ls_input *input)
{
    if (input->kind != LS_INPUT) {
        score->joined[input->player] = input->kind == LS_JOIN;
        return;
    }
    ls_reader reader;
    ls_reader_init(&reader, input->data, input->bytes);
    ls_entity entity = ls_read_u64(&reader);
    sample_vigor *vigor = ls_cell_write(context, 2, entity);
    if (!vigor)
        return;
    vigor->points = plus(vigor->points, 50);
    score->last_fed = entity;
}

static void breed(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    sample_score *score = ls_singleton_write(context, 5);
    score->ticks++;
    const ls_frame *frame = ls_inputs(context);
    for (uint32_t i = 0; i < frame->count; i++)
        feed(context, score, &frame->inputs[i]);
    uint32_t wanted = (uint32_t)ls_match_of(context)->options[SAMPLE_BEASTS] + score->deaths;
    for (uint32_t i = 0; score->births < wanted && i < 400; i++) {
        bear(context, score->births);
        score->births++;
    }
}

static void found(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    sample_score *score = ls_singleton_write(context, 5);
    for (; score->births < ls_match_of(context)->options[SAMPLE_BEASTS]; score->births++)
        bear(context, score->births);
}

static void sparkle(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    for (uint32_t i = 0; i < ls_match_of(context)->options[SAMPLE_SPARKS]; i++) {
        ls_entity spark = ls_spawn(context, 0);
        sample_glow glow = {1 + ls_random_below(ls_random(context, spark, i), 12), i};
        ls_cell_attach(context, 0, spark, &glow);
    }
}

static void fade(ls_context *context, const ls_span *span)
{
    sample_glow *glow = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++) {
        glow[i].hue = glow[i].hue * 33 + span->first_slot + i;
        if (--glow[i].life == 0)
            ls_despawn(context, ls_span_entity(span, i));
    }
}

static void note(ls_context *context, const ls_span *span)
{
    sample_memo *memo = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++) {
        uint64_t bits = ls_random(context, ls_span_entity(span, i), 1);
        memo[i].marks[bits % 4] += (uint32_t)(bits >> 32);
        memo[i].small[bits % 8]--;
    }
}

#define BIRTH_TERMS                                                                                \
    LS_TERM_LIST(LS_OTHERS_STRUCTURE(sample_places), LS_OTHERS_STRUCTURE(sample_motions),          \
                 LS_OTHERS_STRUCTURE(sample_vigors), LS_OTHERS_STRUCTURE(sample_memos),            \
                 LS_OTHERS_STRUCTURE(sample_elite), LS_OTHERS_WRITE(sample_scores))

static const ls_system setup = {
    .name = "found", .mode = LS_SEQUENTIAL, .match = found, .terms = BIRTH_TERMS, .lanes = "beast"};

#define TURN                                                                                       \
    {                                                                                              \
        .name = "turn", .span = turn, .grids = LS_GRIDS(PLACE_GRID),                               \
        .terms = LS_TERM_LIST(LS_READS(sample_places), LS_WRITES(sample_motions),                  \
                              LS_WITHOUT(sample_frozen)),                                          \
        .before = "move",                                                                          \
    }
#define PLACE_GRID                                                                                 \
    {                                                                                              \
        &sample_places, NULL, offsetof(sample_place, x), offsetof(sample_place, y), NEAR           \
    }
#define MOVE                                                                                       \
    {                                                                                              \
        .name = "move", .span = move, .labels = "motion",                                          \
        .terms = LS_TERM_LIST(LS_WRITES(sample_places), LS_READS(sample_motions),                  \
                              LS_WITHOUT(sample_frozen)),                                          \
    }
#define FREEZE                                                                                     \
    {                                                                                              \
        .name = "freeze", .span = freeze, .after = "motion, wither",                               \
        .terms = LS_TERM_LIST(LS_READS(sample_vigors), LS_ATTACHES(sample_frozen)),                \
    }
#define WITHER                                                                                     \
    {                                                                                              \
        .name = "wither", .span = wither, .terms = LS_TERM_LIST(LS_WRITES(sample_vigors)),         \
    }
#define AIM                                                                                        \
    {                                                                                              \
        .name = "aim", .span = aim, .grids = LS_GRIDS(PLACE_GRID), .after = "motion, wither",      \
        .terms = LS_TERM_LIST(LS_READS(sample_places), LS_ATTACHES(sample_preys),                  \
                              LS_OTHERS_READ(sample_vigors), LS_WITHOUT(sample_preys)),            \
    }
#define HUNT                                                                                       \
    {                                                                                              \
        .name = "hunt", .mode = LS_SEQUENTIAL, .match = hunt, .after = "aim, freeze",              \
        .terms = LS_TERM_LIST(LS_DETACHES(sample_preys), LS_OTHERS_WRITE(sample_vigors),           \
                              LS_OTHERS_WRITE(sample_scores)),                                     \
    }
#define DUEL                                                                                       \
    {                                                                                              \
        .name = "duel", .mode = LS_SEQUENTIAL, .match = duel, .after = "hunt",                     \
        .terms = LS_TERM_LIST(LS_TERM(0, LS_INCLUDE, LS_ACCESS_PRESENCE, sample_elite),            \
                              LS_TERM(1, LS_INCLUDE, LS_ACCESS_STRUCTURE, sample_elite),           \
                              LS_TERM(0, LS_INCLUDE, LS_ACCESS_WRITE, sample_vigors),              \
                              LS_TERM(1, LS_INCLUDE, LS_ACCESS_WRITE, sample_vigors)),             \
    }
#define BREED                                                                                      \
    {                                                                                              \
        .name = "breed", .mode = LS_SEQUENTIAL, .match = breed, .terms = BIRTH_TERMS,              \
        .lanes = "beast", .after = "duel, note",                                                   \
    }
#define SPARKLE                                                                                    \
    {                                                                                              \
        .name = "sparkle", .mode = LS_SEQUENTIAL, .match = sparkle,                                \
        .terms = LS_TERM_LIST(LS_OTHERS_STRUCTURE(sample_glows)), .lanes = "spark",                \
        .before = "fade",                                                                          \
    }
#define FADE                                                                                       \
    {                                                                                              \
        .name = "fade", .span = fade, .terms = LS_TERM_LIST(LS_WRITES(sample_glows)),              \
    }
#define NOTE                                                                                       \
    {                                                                                              \
        .name = "note", .span = note, .terms = LS_TERM_LIST(LS_WRITES(sample_memos)),              \
    }

static const ls_system systems[] = {TURN, MOVE,  FREEZE,  WITHER, AIM, HUNT,
                                    DUEL, BREED, SPARKLE, FADE,   NOTE};
static const ls_system reversed_systems[] = {NOTE, FADE,   SPARKLE, BREED, DUEL, HUNT,
                                             AIM,  WITHER, FREEZE,  MOVE,  TURN};
static const ls_component *const components[] = {&sample_places, &sample_motions, &sample_vigors,
                                                 &sample_preys,  &sample_memos,   &sample_glows,
                                                 &sample_frozen, &sample_elite,   &sample_scores};
static const ls_component *const reversed_components[] = {
    &sample_scores, &sample_elite,  &sample_frozen,  &sample_glows, &sample_memos,
    &sample_preys,  &sample_vigors, &sample_motions, &sample_places};
static const char *const lanes[] = {"beast", "spark"};
static const char *const reversed_lanes[] = {"spark", "beast"};
static const ls_option options[] = {
    [SAMPLE_BEASTS] = {"beasts", "how many the world keeps up", 0, 20000, 300},
    [SAMPLE_SPARKS] = {"sparks", "born each tick", 0, 1000, 10},
};

static bool input_is_valid(const ls_match *match, uint32_t player, const uint8_t *bytes,
                           uint32_t count)
{
    (void)bytes;
    return player < match->player_count && count == 8;
}

#define SAMPLE_SIM(prefix)                                                                         \
    {                                                                                              \
        .abi = LS_SIM_ABI, .name = "sample", .version = "1", .summary = "beasts and sparks",       \
        .source_hash = "", .tick_rate = 60, .player_count = SAMPLE_PLAYERS, .options = options,    \
        .option_count = LS_COUNT_OF(options), .components = prefix##components,                    \
        .component_count = LS_COUNT_OF(prefix##components), .lanes = prefix##lanes,                \
        .lane_count = LS_COUNT_OF(prefix##lanes), .systems = prefix##systems,                      \
        .system_count = LS_COUNT_OF(prefix##systems), .setup = &setup,                             \
        .input_is_valid = input_is_valid,                                                          \
    }

const ls_sim sample_sim = SAMPLE_SIM();
const ls_sim sample_sim_reversed = SAMPLE_SIM(reversed_);

void sample_frame_init(sample_frame *sample, const ls_world *world)
{
    uint64_t tick = ls_world_tick(world);
    *sample = (sample_frame){.frame = {.tick = tick, .inputs = sample->inputs}};
    for (uint8_t player = 0; player < SAMPLE_PLAYERS; player++) {
        uint64_t noise = (tick + 1) * 0x9e3779b97f4a7c15 * (player + 1u);
        ls_input *input = &sample->inputs[sample->frame.count];
        if (tick > 0 && noise >> 60 < 8)
            continue;
        *input = (ls_input){.player = player, .kind = LS_JOIN};
        sample->frame.count++;
        if (tick == 0)
            continue;
        ls_writer writer;
        ls_writer_init(&writer, sample->bytes[player], sizeof sample->bytes[player]);
        ls_write_u64(&writer, ls_entity_make(1, noise >> 32 & 0xff, 1));
        *input = (ls_input){player, LS_INPUT, 8, sample->bytes[player]};
    }
}
