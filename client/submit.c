#include "client/submit.h"

static bool may_offer(const ls_client *client)
{
    return client->stats.is_playing && !ls_client_is_final(client);
}

/* While a snapshot comes in, also after its session went silent, the head can be one that the
 * server has lost: a state for a tick from there on would keep those before it from being said.
 * Behind it, and behind an outage, it is an old one until ticks tell it, or none come: a state for
 * it would be late. */
static bool has_head(const ls_client *client)
{
    ls_client_state state = client->state == LS_CLIENT_RESUMING ? client->resumed : client->state;
    bool is_told =
        !client->head_since_ns || client->now_ns - client->head_since_ns >= LS_CLIENT_HEAD_NS;
    return state != LS_CLIENT_LOADING && is_told;
}

static bool is_too_far(const ls_client *client, uint64_t tick)
{
    return tick >= client->frames.head && tick - client->frames.head >= LS_CLIENT_STATE_AHEAD;
}

ls_status ls_submit_order(ls_client *client, uint64_t wish, const uint8_t *data, uint32_t bytes)
{
    if (!may_offer(client))
        return LS_ERROR_REFUSED;
    if (bytes < 1 || bytes > LS_INPUT_BYTES_MAX)
        return LS_ERROR_USAGE;
    ls_input input = {
        .player = client->accept.player, .kind = LS_INPUT, .bytes = (uint16_t)bytes, .data = data};
    if (!ls_sim_takes(ls_program_sim(client->program), &client->accept.match, &input))
        return LS_ERROR_USAGE;
    if (is_too_far(client, wish) || !ls_outbox_submit(&client->outbox, wish, data, bytes))
        return LS_ERROR_LIMIT;
    client->has_news = true;
    return LS_OK;
}

ls_status ls_submit_state(ls_client *client, uint64_t tick, const uint8_t *bytes)
{
    const ls_sim *sim = ls_program_sim(client->program);
    ls_input input = {.player = client->accept.player,
                      .kind = LS_STATE,
                      .bytes = (uint16_t)sim->state_bytes,
                      .data = bytes};
    if (!may_offer(client) || !has_head(client))
        return LS_ERROR_REFUSED;
    if (!ls_sim_takes(sim, &client->accept.match, &input))
        return LS_ERROR_USAGE;
    if (is_too_far(client, tick))
        return LS_ERROR_LIMIT;
    uint64_t head = client->frames.head;
    uint64_t next = client->states.next > head ? client->states.next : tick;
    if (!ls_state_inputs_put(&client->states, tick, bytes, head))
        return LS_ERROR_REFUSED;
    ls_input_delay_note(&client->lead, next - head);
    client->stats.states_submitted++;
    return LS_OK;
}

static void give_order(ls_client *client, const ls_sim *sim)
{
    uint8_t bytes[LS_INPUT_BYTES_MAX];
    uint32_t count = sim->bot(client->world, client->accept.player, bytes);
    /* With a full queue the bot loses a turn. */
    if (count)
        (void)!ls_submit_order(client, 0, bytes, count);
}

static void give_state(ls_client *client, const ls_sim *sim)
{
    uint8_t bytes[LS_STATE_BYTES_MAX] = {0};
    if (sim->bot_state)
        sim->bot_state(client->world, client->accept.player, bytes);
    /* While the lead falls, the tick may have its state. */
    (void)!ls_submit_state(client, client->frames.head + client->lead.ticks, bytes);
}

void ls_submit_by_bot(ls_client *client)
{
    const ls_sim *sim = ls_program_sim(client->program);
    /* A bot that catches up stays quiet: it would answer ticks that are long over. */
    bool is_current = client->frames.head - client->frames.next < LS_TICKS_WINDOW;
    if (!client->is_bot || !client->stats.is_playing || !is_current)
        return;
    if (sim->bot)
        give_order(client, sim);
    if (sim->state_bytes)
        give_state(client, sim);
}
