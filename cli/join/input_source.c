#include "cli/join/input_source.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* TRIES: the most draws for one input that the validator accepts. ORDER_ONCE_IN: one tick in this
 * many has an order. */
#define TRIES         256
#define ORDER_ONCE_IN 4
/* The longest order that is drawn: most orders are short. */
#define ORDER_BYTES_DRAWN 32

/* One turn: a source makes the input of one tick for a client. */
struct turn {
    ls_input_source *source;
    ls_client *client;
    ls_session *session;
    const ls_sim *sim;
    const ls_match *match;
    const ls_world *world; /* NULL for a light client, which no bot plays */
    uint64_t tick;
    uint8_t player;
};

static void give_order(const struct turn *turn, const uint8_t *data, uint32_t bytes)
{
    /* With a full queue the order is dropped. */
    if (turn->session)
        (void)!ls_session_submit(turn->session, data, bytes);
    else
        (void)!ls_client_submit_at(turn->client, turn->tick, data, bytes);
}

static void give_state(const struct turn *turn, const uint8_t *data)
{
    if (turn->session)
        (void)!ls_session_submit_state(turn->session, data);
    else
        (void)!ls_client_submit_state(turn->client, turn->tick, data);
}

static void play_bot(const struct turn *turn)
{
    uint8_t bytes[LS_INPUT_BYTES_MAX] = {0};
    if (!turn->world)
        return;
    uint32_t count = turn->sim->bot ? turn->sim->bot(turn->world, turn->player, bytes) : 0;
    if (count)
        give_order(turn, bytes, count);
    if (!turn->sim->state_bytes)
        return;
    uint8_t state[LS_STATE_BYTES_MAX] = {0};
    if (turn->sim->bot_state)
        turn->sim->bot_state(turn->world, turn->player, state);
    give_state(turn, state);
}

bool ls_input_source_draw(const ls_sim *sim, const ls_match *match, ls_random_stream random,
                          ls_input *input, uint8_t *data)
{
    uint64_t draw = 0;
    input->data = data;
    for (uint32_t try = 0; try < TRIES; try++) {
        input->bytes = (uint16_t)sim->state_bytes;
        if (input->kind == LS_INPUT)
            input->bytes =
                (uint16_t)(1 + ls_random_below(ls_random_draw(random, draw++), ORDER_BYTES_DRAWN));
        for (uint32_t i = 0; i < input->bytes; i++) {
            /* Half of the bytes are 0 to 3, because counts and kinds in inputs are small numbers.
             */
            uint64_t bits = ls_random_draw(random, draw++);
            data[i] = (uint8_t)(bits & 256 ? bits & 3 : bits);
        }
        if (ls_sim_accepts(sim, match, input))
            return true;
    }
    return false;
}

static void play_random(const struct turn *turn)
{
    ls_input_source *source = turn->source;
    ls_random_stream tick = ls_random_child(source->random, turn->tick);
    uint8_t data[LS_INPUT_BYTES_MAX];
    ls_input order = {.player = turn->player, .kind = LS_INPUT};
    if (ls_random_below(ls_random_draw(tick, 0), ORDER_ONCE_IN) == 0 &&
        ls_input_source_draw(turn->sim, turn->match, ls_random_child(tick, 1), &order, data))
        give_order(turn, data, order.bytes);
    ls_input state = {.player = turn->player, .kind = LS_STATE};
    if (!turn->sim->state_bytes)
        return;
    if (ls_input_source_draw(turn->sim, turn->match, ls_random_child(tick, 2), &state, data))
        memcpy(source->state, data, turn->sim->state_bytes);
    give_state(turn, source->state);
}

static void warn(const ls_input_source *source, const ls_script_line *line, const char *what)
{
    fprintf(stderr, "lockstep join: warning: %s:%u: %s\n", source->script_path, line->number, what);
}

/* Submits orders and states as early as the client accepts them, so that they are in time over any
 * network. */
static void play_script(ls_input_source *source, ls_client *client)
{
    const ls_script *script = source->script;
    for (; source->next_order < script->orders.count; source->next_order++) {
        const ls_script_line *line = &script->orders.items[source->next_order];
        ls_status status = ls_client_submit_at(client, line->tick, line->data, line->bytes);
        if (status == LS_ERROR_LIMIT || status == LS_ERROR_REFUSED)
            break;
        if (status)
            warn(source, line, "the simulation does not take this order");
    }
    for (; source->next_state < script->states.count; source->next_state++) {
        const ls_script_line *line = &script->states.items[source->next_state];
        ls_status status = ls_client_submit_state(client, line->tick, line->data);
        if (status == LS_ERROR_LIMIT)
            break;
        if (status)
            warn(source, line,
                 status == LS_ERROR_REFUSED ? "its tick is closed"
                                            : "the simulation does not take this state");
    }
}

void ls_input_source_play(ls_input_source *source, ls_client *client, ls_session *session)
{
    ls_client_stats stats = ls_client_get_stats(client);
    if (!stats.is_playing || ls_client_get_state(client) != LS_CLIENT_PLAYING)
        return;
    if (source->kind == LS_INPUT_SOURCE_SCRIPT) {
        play_script(source, client);
        return;
    }
    struct turn turn = {.source = source,
                        .client = client,
                        .session = session,
                        .sim = source->sim,
                        .match = ls_client_match(client),
                        .world = session ? ls_session_view_of(session).predicted
                                         : ls_client_world(client),
                        .tick = session ? ls_session_get_stats(session).input_tick
                                        : stats.head + stats.input_delay_ticks,
                        .player = stats.player};
    if (turn.tick < source->next_tick)
        return;
    source->next_tick = turn.tick + 1;
    if (source->kind == LS_INPUT_SOURCE_BOT)
        play_bot(&turn);
    else
        play_random(&turn);
}
