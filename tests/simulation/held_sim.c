#include "held_sim.h"
#include <lockstep/by_index.h>
#include <lockstep/context.h>

#include <string.h>

typedef struct held_book {
    uint32_t held[HELD_PLAYERS];
    uint32_t sums[HELD_PLAYERS];
    uint32_t orders[HELD_PLAYERS];
    uint32_t events;
} held_book;

static const ls_field book_fields[] = {
    LS_FIELD(held_book, held, LS_TYPE_U32), LS_FIELD(held_book, sums, LS_TYPE_U32),
    LS_FIELD(held_book, orders, LS_TYPE_U32), LS_FIELD(held_book, events, LS_TYPE_U32)};
static const ls_component book_component = LS_SINGLETON_TABLE(held_book, "book", book_fields);

/* The presentation event of an order, and every few ticks of what the players hold. */
typedef struct held_shout {
    uint32_t player, what;
} held_shout;

static const ls_field shout_fields[] = {LS_FIELD(held_shout, player, LS_TYPE_U32),
                                        LS_FIELD(held_shout, what, LS_TYPE_U32)};
static const ls_component shouts = LS_EVENT_TABLE(held_shout, "shout", shout_fields);
static const ls_component *const components[] = {&book_component, &shouts};

enum { KEEP_BOOK, KEEP_SHOUTS };

static uint32_t hash_of(const ls_input *input)
{
    uint32_t hash = 2166136261u;
    for (uint32_t i = 0; i < input->bytes; i++)
        hash = (hash ^ input->data[i]) * 16777619u;
    return hash;
}

static void keep(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    held_book *book = ls_singleton_write(context, KEEP_BOOK);
    const ls_frame *frame = ls_inputs(context);
    for (uint32_t i = 0; i < frame->count; i++) {
        const ls_input *input = &frame->inputs[i];
        uint32_t player = input->player % HELD_PLAYERS;
        if (input->kind == LS_STATE || input->kind == LS_SUBSTITUTE)
            book->held[player] = hash_of(input);
        else if (input->kind == LS_INPUT)
            book->orders[player] = book->orders[player] * 31 + hash_of(input);
        else
            book->events = book->events * 31 + input->kind + player * 8u;
        if (input->kind == LS_INPUT || book->sums[player] % 8 == 0)
            ls_event_send(context, KEEP_SHOUTS, &(held_shout){player, hash_of(input)});
    }
    for (uint32_t i = 0; i < HELD_PLAYERS; i++)
        book->sums[i] += book->held[i];
}

static const ls_system systems[] = {
    {.name = "keep",
     .mode = LS_SEQUENTIAL,
     .match = keep,
     .terms = LS_TERM_LIST([KEEP_BOOK] = LS_OTHERS_WRITE(book_component), [KEEP_SHOUTS] =
                                                                              LS_SENDS(shouts))}};

static void start(ls_context *context, const ls_entity *entities)
{
    (void)context;
    (void)entities;
}

static const ls_system setup = {.name = "start", .mode = LS_SEQUENTIAL, .match = start};

static bool input_is_valid(const ls_match *match, uint32_t player, const uint8_t *bytes,
                           uint32_t count)
{
    (void)bytes;
    return player < match->player_count && count >= 4;
}

const ls_sim held_sim = {
    .abi = LS_SIM_ABI,
    .name = "held",
    .version = "1",
    .summary = "keeps what its players hold",
    .source_hash = "held",
    .tick_rate = 60,
    .player_count = 4,
    .components = components,
    .component_count = LS_COUNT_OF(components),
    .systems = systems,
    .system_count = LS_COUNT_OF(systems),
    .setup = &setup,
    .input_is_valid = input_is_valid,
    .state_bytes = HELD_BYTES,
};

void held_state(uint32_t client, uint32_t life, uint64_t tick, uint8_t bytes[HELD_BYTES])
{
    bytes[0] = (uint8_t)(client + 1);
    bytes[1] = (uint8_t)life;
    bytes[2] = (uint8_t)(life >> 8);
    for (uint32_t i = 3; i < HELD_BYTES; i++)
        bytes[i] = (uint8_t)(tick >> 8 * (i - 3));
}
