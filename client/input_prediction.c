#include "client/input_prediction.h"

#include <string.h>

void ls_input_prediction_init(ls_input_prediction *prediction, uint64_t next, uint32_t player_count,
                              uint8_t player)
{
    LS_ASSERT(player_count <= LS_PLAYERS_MAX);
    *prediction =
        (ls_input_prediction){.next = next, .player_count = player_count, .player = player};
}

static ls_input_prediction_state *own_state(ls_input_prediction *prediction, uint64_t tick)
{
    return &prediction->own[tick % LS_CLIENT_PREDICT_INPUT_TICKS];
}

static void put_state(ls_input_prediction_state *state, uint64_t tick, const ls_input *input)
{
    *state = (ls_input_prediction_state){
        .tick = tick, .kind = input->kind, .bytes = (uint8_t)input->bytes};
    memcpy(state->data, input->data, input->bytes);
}

static ls_status add_state(ls_input_prediction *prediction, uint64_t tick, const ls_input *input,
                           uint64_t *from)
{
    ls_input_prediction_state *state = own_state(prediction, tick);
    if (input->bytes > LS_STATE_BYTES_MAX)
        return LS_ERROR_USAGE;
    if (tick < prediction->next)
        return LS_ERROR_REFUSED;
    if (tick - prediction->next >= LS_CLIENT_PREDICT_INPUT_TICKS)
        return LS_ERROR_LIMIT;
    if (state->bytes && state->tick == tick)
        return LS_ERROR_REFUSED;
    put_state(state, tick, input);
    *from = tick;
    return LS_OK;
}

static ls_status add_order(ls_input_prediction *prediction, uint64_t tick, const ls_input *input,
                           uint64_t *from)
{
    if (input->bytes > LS_INPUT_BYTES_MAX)
        return LS_ERROR_USAGE;
    if (prediction->order_count == LS_CLIENT_INPUT_QUEUE)
        return LS_ERROR_LIMIT;
    ls_input_prediction_order *order = &prediction->orders[prediction->order_count];
    *from = tick > prediction->next ? tick : prediction->next;
    if (prediction->order_count && order[-1].earliest_tick > *from)
        *from = order[-1].earliest_tick; /* an order cannot overtake earlier ones */
    *order = (ls_input_prediction_order){.earliest_tick = *from, .bytes = input->bytes};
    memcpy(order->data, input->data, input->bytes);
    prediction->order_count++;
    return LS_OK;
}

ls_status ls_input_prediction_input(ls_input_prediction *prediction, uint64_t tick,
                                    const ls_input *input, uint64_t *from)
{
    if (input->bytes == 0 || prediction->player >= prediction->player_count)
        return LS_ERROR_USAGE;
    if (input->kind == LS_STATE)
        return add_state(prediction, tick, input, from);
    return input->kind == LS_INPUT ? add_order(prediction, tick, input, from) : LS_ERROR_USAGE;
}

static void drop_orders(ls_input_prediction *prediction, uint32_t count)
{
    prediction->order_count -= count;
    prediction->predicted_count -=
        count < prediction->predicted_count ? count : prediction->predicted_count;
    memmove(prediction->orders, prediction->orders + count,
            sizeof prediction->orders[0] * prediction->order_count);
}

/* Drops the executed order and all earlier ones: the server executes orders in turn, so earlier
 * ones cannot follow. */
static void drop_executed(ls_input_prediction *prediction, const ls_input *input)
{
    for (uint32_t i = 0; i < prediction->order_count; i++) {
        const ls_input_prediction_order *order = &prediction->orders[i];
        if (order->bytes == input->bytes && memcmp(order->data, input->data, order->bytes) == 0) {
            drop_orders(prediction, i + 1);
            return;
        }
    }
}

void ls_input_prediction_confirm(ls_input_prediction *prediction, const ls_frame *frame)
{
    LS_ASSERT(frame->tick == prediction->next);
    prediction->next++;
    for (uint32_t i = 0; i < frame->count; i++) {
        const ls_input *input = &frame->inputs[i];
        if (input->kind == LS_PAUSE || input->kind == LS_RESUME)
            prediction->is_paused = input->kind == LS_PAUSE;
        else if (input->kind == LS_STATE || input->kind == LS_SUBSTITUTE)
            put_state(&prediction->held[input->player], frame->tick, input);
        else if (input->kind == LS_LEAVE)
            prediction->held[input->player].bytes = 0;
        else if (input->kind == LS_INPUT && input->player == prediction->player)
            drop_executed(prediction, input);
    }
    while (prediction->order_count &&
           prediction->orders[0].earliest_tick + LS_CLIENT_PREDICT_INPUT_TICKS < prediction->next)
        drop_orders(prediction, 1);
}

void ls_input_prediction_rewind(ls_input_prediction *prediction)
{
    prediction->predicted_count = 0;
}

/* Returns the client's own state for the tick or the latest earlier one; without any, the player's
 * last confirmed state. */
static const ls_input_prediction_state *find_state(ls_input_prediction *prediction, uint64_t tick,
                                                   uint32_t player)
{
    for (uint64_t at = tick; player == prediction->player && at >= prediction->next; at--) {
        const ls_input_prediction_state *own = own_state(prediction, at);
        if (own->bytes && own->tick == at)
            return own;
        if (at == 0)
            break;
    }
    return &prediction->held[player];
}

static bool fits(uint32_t count, size_t used, size_t bytes)
{
    return count < LS_FRAME_INPUTS_MAX &&
           used + LS_INPUT_HEADER_BYTES + bytes <= LS_FRAME_BYTES_MAX;
}

static uint32_t add_orders(ls_input_prediction *prediction, uint64_t tick, uint32_t count,
                           size_t *used)
{
    while (prediction->predicted_count < prediction->order_count) {
        const ls_input_prediction_order *order = &prediction->orders[prediction->predicted_count];
        if (order->earliest_tick > tick || !fits(count, *used, order->bytes))
            break;
        prediction->inputs[count++] =
            (ls_input){prediction->player, LS_INPUT, order->bytes, order->data};
        *used += LS_INPUT_HEADER_BYTES + (size_t)order->bytes;
        prediction->predicted_count++;
    }
    return count;
}

ls_frame ls_input_prediction_frame(ls_input_prediction *prediction, uint64_t tick)
{
    uint32_t count = 0;
    size_t used = 1;
    LS_ASSERT(tick >= prediction->next && tick - prediction->next < LS_CLIENT_PREDICT_INPUT_TICKS);
    for (uint32_t player = 0; player < prediction->player_count; player++) {
        const ls_input_prediction_state *state = find_state(prediction, tick, player);
        if (state->bytes && fits(count, used, state->bytes)) {
            prediction->inputs[count++] =
                (ls_input){(uint8_t)player, state->kind, state->bytes, state->data};
            used += LS_INPUT_HEADER_BYTES + (size_t)state->bytes;
        }
        if (player == prediction->player)
            count = add_orders(prediction, tick, count, &used);
    }
    return (ls_frame){.tick = tick, .count = count, .inputs = prediction->inputs};
}
