#include "tally_sim.h"
#include <lockstep/by_index.h>
#include <lockstep/context.h>

#include <string.h>

typedef struct unit {
    uint32_t x, y;
    uint32_t dx, dy;
    uint32_t owner;
} unit;

static const ls_field unit_fields[] = {
    LS_FIELD(unit, x, LS_TYPE_U32), LS_FIELD(unit, y, LS_TYPE_U32), LS_FIELD(unit, dx, LS_TYPE_U32),
    LS_FIELD(unit, dy, LS_TYPE_U32), LS_FIELD(unit, owner, LS_TYPE_U32)};
static const ls_field book_fields[] = {
    LS_FIELD(tally_book, joins, LS_TYPE_U32),    LS_FIELD(tally_book, leaves, LS_TYPE_U32),
    LS_FIELD(tally_book, inputs, LS_TYPE_U32),   LS_FIELD(tally_book, last, LS_TYPE_U32),
    LS_FIELD(tally_book, disorder, LS_TYPE_U32), LS_FIELD(tally_book, strangers, LS_TYPE_U32)};
static const ls_component unit_component = LS_COMPONENT_TABLE(unit, "unit", unit_fields);
static const ls_component book_component = LS_SINGLETON_TABLE(tally_book, "book", book_fields);
static const ls_component *const components[] = {&book_component, &unit_component};
static const char *const lanes[] = {"units"};

enum { KEEP_BOOK, KEEP_UNIT };

static uint32_t number_of(const uint8_t *data)
{
    return (uint32_t)data[0] | (uint32_t)data[1] << 8 | (uint32_t)data[2] << 16 |
           (uint32_t)data[3] << 24;
}

static void keep_input(tally_book *book, const ls_input *input)
{
    uint32_t number = number_of(input->data);
    book->strangers += book->joins[input->player] == book->leaves[input->player];
    book->disorder[input->player] += number <= book->last[input->player];
    book->last[input->player] = number;
    book->inputs[input->player]++;
}

static void keep(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    tally_book *book = ls_singleton_write(context, KEEP_BOOK);
    const ls_frame *frame = ls_inputs(context);
    for (uint32_t i = 0; i < frame->count; i++) {
        const ls_input *input = &frame->inputs[i];
        if (input->kind == LS_JOIN)
            book->joins[input->player]++;
        else if (input->kind == LS_LEAVE)
            book->leaves[input->player]++;
        else if (input->kind == LS_INPUT)
            keep_input(book, input);
    }
}

enum { DRIFT_UNIT, DRIFT_BOOK };

static void drift(ls_context *context, const ls_span *span)
{
    unit *units = ls_span_write(context, span, DRIFT_UNIT);
    const tally_book *book = ls_singleton_read(context, DRIFT_BOOK);
    for (uint32_t i = 0; i < span->count; i++) {
        uint64_t draw = ls_random(context, ls_span_entity(span, i), 0);
        units[i].dx += (uint32_t)(draw & 15) + book->last[units[i].owner];
        units[i].dy += (uint32_t)(draw >> 8 & 15);
        units[i].x += units[i].dx;
        units[i].y += units[i].dy;
    }
}

static const ls_system systems[] = {
    {.name = "keep",
     .mode = LS_SEQUENTIAL,
     .match = keep,
     .terms = LS_TERM_LIST([KEEP_BOOK] = LS_OTHERS_WRITE(book_component))},
    {.name = "drift",
     .mode = LS_CONCURRENT,
     .span = drift,
     .terms = LS_TERM_LIST([DRIFT_UNIT] = LS_WRITES(unit_component), [DRIFT_BOOK] = LS_OTHERS_READ(
                                                                         book_component)),
     .after = "keep"},
};

enum { START_UNIT };

static void start(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    for (uint32_t i = 0; i < TALLY_UNITS; i++)
        ls_cell_attach(context, START_UNIT, ls_spawn(context, 0),
                       &(unit){.x = i, .y = i * i, .owner = i % TALLY_PLAYERS});
}

static const ls_system setup = {
    .name = "start",
    .mode = LS_SEQUENTIAL,
    .match = start,
    .terms = LS_TERM_LIST([START_UNIT] = LS_OTHERS_STRUCTURE(unit_component)),
    .lanes = "units"};

static bool input_is_valid(const ls_match *match, uint32_t player, const uint8_t *bytes,
                           uint32_t count)
{
    return player < match->player_count && count >= 4 && number_of(bytes) != UINT32_MAX;
}

/* The input's number is the next tick, so numbers increase. */
static uint32_t bot(const ls_world *world, uint32_t player, uint8_t *bytes)
{
    uint32_t number = (uint32_t)ls_world_tick(world) + 1;
    memset(bytes, (int)player, 8);
    for (uint32_t i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(number >> 8 * i);
    return 8;
}

#define TALLY(hash)                                                                                \
    {                                                                                              \
        .abi = LS_SIM_ABI, .name = "tally", .version = "1", .summary = "keeps book of its inputs", \
        .source_hash = hash, .tick_rate = 60, .player_count = 4, .components = components,         \
        .component_count = LS_COUNT_OF(components), .lanes = lanes,                                \
        .lane_count = LS_COUNT_OF(lanes), .systems = systems,                                      \
        .system_count = LS_COUNT_OF(systems), .setup = &setup, .input_is_valid = input_is_valid,   \
        .bot = bot                                                                                 \
    }
const ls_sim tally_sim = TALLY("tally");
const ls_sim tally_other_sim = TALLY("tally, but another");

const tally_book *tally_of(const ls_world *world)
{
    return ls_world_singleton(world, &book_component);
}
