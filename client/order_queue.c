#include "client/order_queue.h"

#include "core/base/fault_injection.h"

#include <string.h>

static ls_order *order_of(ls_order_queue *queue, uint32_t number)
{
    return &queue->orders[number % LS_CLIENT_INPUTS_KEPT];
}

/* Returns the highest number whose slot was reused; the later orders are all still stored. */
static uint32_t oldest_of(const ls_order_queue *queue)
{
    return queue->submitted > LS_CLIENT_INPUTS_KEPT ? queue->submitted - LS_CLIENT_INPUTS_KEPT : 0;
}

bool ls_order_queue_submit(ls_order_queue *queue, uint64_t earliest_tick, const uint8_t *data,
                           uint32_t bytes)
{
    LS_ASSERT(bytes >= 1 && bytes <= LS_INPUT_BYTES_MAX);
    /* The queue refuses orders long before numbers could wrap. */
    if (queue->submitted - queue->acked >= LS_CLIENT_INPUT_QUEUE ||
        queue->submitted >= UINT32_MAX - 2 * LS_UPDATE_INPUTS_MAX)
        return false;
    ls_order *order = order_of(queue, ++queue->submitted);
    order->earliest_tick = earliest_tick;
    order->bytes = (uint16_t)bytes;
    memcpy(order->data, data, bytes);
    return true;
}

bool ls_order_queue_acknowledge(ls_order_queue *queue, uint32_t sequence)
{
    /* While paused, no order was sent in this session. */
    uint32_t given = queue->is_paused ? 0 : queue->submitted - queue->base;
    if (sequence > given)
        return false;
    if (sequence && queue->base + sequence > queue->acked)
        queue->acked = queue->base + sequence;
    /* An acknowledged order that may be in a frame the client never saw counts as executed. */
    uint32_t unseen = queue->acked < queue->uncertain ? queue->acked : queue->uncertain;
    if (unseen > queue->executed)
        queue->executed = unseen;
    return true;
}

static bool is_same(const ls_order *own, const ls_input *input)
{
    return own->bytes == input->bytes && memcmp(own->data, input->data, own->bytes) == 0;
}

void ls_order_queue_note_executed(ls_order_queue *queue, const ls_input *input)
{
    /* The search may skip orders: one that the server took and dropped is in no frame. Orders that
     * lost their slot are not searched: they were acknowledged long ago. */
    uint32_t oldest = oldest_of(queue);
    uint32_t from = queue->executed > oldest ? queue->executed : oldest;
    for (uint32_t number = from + 1; number <= queue->submitted; number++)
        if (is_same(order_of(queue, number), input)) {
            queue->executed = number;
            return;
        }
}

void ls_order_queue_pause(ls_order_queue *queue)
{
    queue->old = queue->is_paused ? queue->old : queue->submitted;
    queue->is_paused = true;
}

/* Counts the orders up to `number` as lost if they are neither acknowledged nor executed. No order
 * up to the highest of `number`, `acked` and `executed` is sent again. */
static void give_up(ls_order_queue *queue, uint32_t number)
{
    uint32_t known = queue->acked > queue->executed ? queue->acked : queue->executed;
    if (number > known) {
        queue->lost += number - known;
        known = number;
    }
    queue->acked = queue->executed = known;
}

void ls_order_queue_resume(ls_order_queue *queue)
{
    if (!queue->is_paused)
        return;
    if (queue->uncertain > queue->executed)
        give_up(queue, queue->uncertain);
    queue->is_paused = false;
    /* Acknowledged orders that are in no frame were lost with the old session. They are sent again
     * too, if they are still stored. */
    uint32_t oldest = oldest_of(queue);
    if (oldest > queue->executed)
        queue->lost += oldest - queue->executed;
    queue->base =
        queue->executed > oldest && !LS_FAULT(ORDERS_SENT_TWICE) ? queue->executed : oldest;
    queue->acked = queue->base;
}

void ls_order_queue_skip(ls_order_queue *queue, uint64_t tick_max)
{
    for (uint32_t number = oldest_of(queue) + 1; number <= queue->submitted; number++)
        if (order_of(queue, number)->earliest_tick > tick_max)
            order_of(queue, number)->earliest_tick = 0;
    if (queue->is_paused)
        give_up(queue, queue->old);
    else if (queue->acked > queue->executed)
        queue->executed = queue->acked;
    queue->uncertain = queue->is_paused ? queue->old : queue->submitted;
}

void ls_order_queue_drop(ls_order_queue *queue)
{
    give_up(queue, queue->submitted);
}

bool ls_order_queue_is_waiting(const ls_order_queue *queue)
{
    return !queue->is_paused && queue->submitted != queue->acked;
}

void ls_order_queue_fill(const ls_order_queue *queue, ls_update *update)
{
    uint32_t waiting = queue->is_paused ? 0 : queue->submitted - queue->acked;
    update->input_count = waiting < LS_UPDATE_INPUTS_MAX ? waiting : LS_UPDATE_INPUTS_MAX;
    for (uint32_t i = 0; i < update->input_count; i++) {
        uint32_t number = queue->acked + 1 + i;
        const ls_order *order = &queue->orders[number % LS_CLIENT_INPUTS_KEPT];
        update->inputs[i] = (ls_update_input){.sequence = number - queue->base,
                                              .tick = order->earliest_tick,
                                              .bytes = order->bytes,
                                              .data = order->data};
    }
    update->input_count = ls_update_inputs_fit(update);
}
