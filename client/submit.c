#include "client/submit.h"

static bool may_submit(const ls_playback *playback)
{
    return playback->is_playing && !ls_client_state_is_final(playback->connection->state);
}

/* Whether the known head is current. While a snapshot is loading, the server may have lost ticks
 * below the head. After a snapshot or an outage the head is outdated until TICKS arrive, so a state
 * for it would be late. The wait for TICKS is limited to LS_CLIENT_HEAD_NS. */
static bool has_head(const ls_playback *playback)
{
    const ls_connection *connection = playback->connection;
    bool is_known =
        !playback->head_old_ns || connection->now_ns - playback->head_old_ns >= LS_CLIENT_HEAD_NS;
    return ls_connection_session_state(connection) != LS_CLIENT_LOADING && is_known;
}

static bool is_too_far(const ls_playback *playback, uint64_t tick)
{
    return tick >= playback->frames.head && tick - playback->frames.head >= LS_CLIENT_STATE_AHEAD;
}

ls_status ls_submit_order(ls_playback *playback, uint64_t earliest_tick, const uint8_t *data,
                          uint32_t bytes)
{
    if (!may_submit(playback))
        return LS_ERROR_REFUSED;
    if (bytes < 1 || bytes > LS_INPUT_BYTES_MAX)
        return LS_ERROR_USAGE;
    ls_input input = {.player = playback->connection->accept.player,
                      .kind = LS_INPUT,
                      .bytes = (uint16_t)bytes,
                      .data = data};
    if (!ls_sim_accepts(ls_program_sim(playback->program), &playback->connection->accept.match,
                        &input))
        return LS_ERROR_USAGE;
    if (is_too_far(playback, earliest_tick) ||
        !ls_order_queue_submit(&playback->outbox->orders, earliest_tick, data, bytes))
        return LS_ERROR_LIMIT;
    ls_reporter_note_order(&playback->outbox->reporter, playback->outbox->orders.submitted,
                           playback->frames.next);
    playback->outbox->is_urgent = true;
    return LS_OK;
}

ls_status ls_submit_state(ls_playback *playback, uint64_t tick, const uint8_t *bytes)
{
    ls_connection *connection = playback->connection;
    const ls_sim *sim = ls_program_sim(playback->program);
    ls_input input = {.player = connection->accept.player,
                      .kind = LS_STATE,
                      .bytes = (uint16_t)sim->state_bytes,
                      .data = bytes};
    if (!may_submit(playback) || !has_head(playback))
        return LS_ERROR_REFUSED;
    if (!ls_sim_accepts(sim, &connection->accept.match, &input))
        return LS_ERROR_USAGE;
    if (is_too_far(playback, tick))
        return LS_ERROR_LIMIT;
    uint64_t head = playback->frames.head;
    uint64_t next = playback->outbox->states.next > head ? playback->outbox->states.next : tick;
    if (!ls_state_inputs_put(&playback->outbox->states, tick, bytes, head))
        return LS_ERROR_REFUSED;
    ls_input_delay_note_state(&playback->outbox->delay, next - head);
    ls_reporter_note_delay(&playback->outbox->reporter, playback->frames.next, tick);
    connection->stats.states_submitted++;
    return LS_OK;
}

static void submit_order(ls_playback *playback, const ls_sim *sim)
{
    uint8_t bytes[LS_INPUT_BYTES_MAX];
    uint32_t count = sim->bot(playback->world, playback->connection->accept.player, bytes);
    /* When the queue is full, the bot's order is dropped. */
    if (count)
        (void)!ls_submit_order(playback, 0, bytes, count);
}

static void submit_state(ls_playback *playback, const ls_sim *sim)
{
    uint8_t bytes[LS_STATE_BYTES_MAX] = {0};
    if (sim->bot_state)
        sim->bot_state(playback->world, playback->connection->accept.player, bytes);
    /* After a fall of the input delay the tick may already have its state; that refusal is ignored.
     */
    (void)!ls_submit_state(playback, playback->frames.head + playback->outbox->delay.ticks, bytes);
}

void ls_submit_by_bot(ls_playback *playback)
{
    const ls_sim *sim = ls_program_sim(playback->program);
    /* While the client catches up, the bot would react to ticks that are long over. */
    bool is_current = ls_playback_lag(playback) < LS_TICKS_WINDOW;
    if (!playback->is_bot || !playback->is_playing || !is_current)
        return;
    if (sim->bot)
        submit_order(playback, sim);
    if (sim->state_bytes)
        submit_state(playback, sim);
}
