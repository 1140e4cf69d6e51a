#include "client/outbox.h"

#include "core/base/fault_injection.h"

#include <string.h>

void ls_outbox_init(ls_outbox *outbox)
{
    *outbox = (ls_outbox){0};
}

static ls_outbox_input *input_of(ls_outbox *outbox, uint32_t number)
{
    return &outbox->inputs[number % LS_CLIENT_INPUTS_KEPT];
}

/* The orders after this one still have their slots. */
static uint32_t oldest_of(const ls_outbox *outbox)
{
    return outbox->submitted > LS_CLIENT_INPUTS_KEPT ? outbox->submitted - LS_CLIENT_INPUTS_KEPT
                                                     : 0;
}

bool ls_outbox_submit(ls_outbox *outbox, uint64_t wish, const uint8_t *data, uint32_t bytes)
{
    LS_ASSERT(bytes >= 1 && bytes <= LS_INPUT_BYTES_MAX);
    /* The numbers end long before they could wrap; a client that gets so far gives no more. */
    if (outbox->submitted - outbox->acked >= LS_CLIENT_INPUT_QUEUE ||
        outbox->submitted >= UINT32_MAX - 2 * LS_UPDATE_INPUTS_MAX)
        return false;
    ls_outbox_input *input = input_of(outbox, ++outbox->submitted);
    input->wish = wish;
    input->bytes = (uint16_t)bytes;
    memcpy(input->data, data, bytes);
    return true;
}

bool ls_outbox_acknowledge(ls_outbox *outbox, uint32_t sequence)
{
    /* A paused outbox has sent nothing in this session. */
    uint32_t given = outbox->is_paused ? 0 : outbox->submitted - outbox->base;
    if (sequence > given)
        return false;
    if (sequence && outbox->base + sequence > outbox->acked)
        outbox->acked = outbox->base + sequence;
    /* Of what may have landed unseen, taken counts as landed. */
    uint32_t unseen = outbox->acked < outbox->blind ? outbox->acked : outbox->blind;
    if (unseen > outbox->landed)
        outbox->landed = unseen;
    return true;
}

static bool is_same(const ls_outbox_input *own, const ls_input *input)
{
    return own->bytes == input->bytes && memcmp(own->data, input->data, own->bytes) == 0;
}

void ls_outbox_land(ls_outbox *outbox, const ls_input *input)
{
    /* An order that the server took and threw away never lands: the search passes it. Those whose
     * slots were used again have an acknowledgement, and that is long ago. */
    uint32_t oldest = oldest_of(outbox);
    uint32_t from = outbox->landed > oldest ? outbox->landed : oldest;
    for (uint32_t number = from + 1; number <= outbox->submitted; number++)
        if (is_same(input_of(outbox, number), input)) {
            outbox->landed = number;
            return;
        }
}

void ls_outbox_pause(ls_outbox *outbox)
{
    outbox->old = outbox->is_paused ? outbox->old : outbox->submitted;
    outbox->is_paused = true;
}

/* What is not known to be taken or landed is given up. */
static void give_up(ls_outbox *outbox, uint32_t number)
{
    uint32_t known = outbox->acked > outbox->landed ? outbox->acked : outbox->landed;
    if (number > known) {
        outbox->lost += number - known;
        known = number;
    }
    outbox->acked = outbox->landed = known;
}

void ls_outbox_resume(ls_outbox *outbox)
{
    if (!outbox->is_paused)
        return;
    if (outbox->blind > outbox->landed)
        give_up(outbox, outbox->blind);
    outbox->is_paused = false;
    /* What was taken and did not land went with the old session, so it is offered again too, as far
     * as it is still here. */
    uint32_t oldest = oldest_of(outbox);
    if (oldest > outbox->landed)
        outbox->lost += oldest - outbox->landed;
    outbox->base =
        outbox->landed > oldest && !LS_FAULT(ORDERS_SENT_TWICE) ? outbox->landed : oldest;
    outbox->acked = outbox->base;
}

void ls_outbox_skip(ls_outbox *outbox, uint64_t wish_max)
{
    for (uint32_t number = oldest_of(outbox) + 1; number <= outbox->submitted; number++)
        if (input_of(outbox, number)->wish > wish_max)
            input_of(outbox, number)->wish = 0;
    if (outbox->is_paused)
        give_up(outbox, outbox->old);
    else if (outbox->acked > outbox->landed)
        outbox->landed = outbox->acked;
    outbox->blind = outbox->is_paused ? outbox->old : outbox->submitted;
}

void ls_outbox_drop_orders(ls_outbox *outbox)
{
    give_up(outbox, outbox->submitted);
}

bool ls_outbox_is_waiting(const ls_outbox *outbox)
{
    return !outbox->is_paused && outbox->submitted != outbox->acked;
}

void ls_outbox_add_root(ls_outbox *outbox, uint64_t tick, uint64_t root)
{
    if (outbox->root_count == LS_UPDATE_ROOTS_MAX) {
        memmove(outbox->roots, outbox->roots + 1,
                (LS_UPDATE_ROOTS_MAX - 1) * sizeof *outbox->roots);
        outbox->root_count--;
    }
    outbox->roots[outbox->root_count++] = (ls_update_root){.tick = tick, .root = root};
    outbox->unsent_roots++;
}

void ls_outbox_drop_roots(ls_outbox *outbox)
{
    outbox->root_count = outbox->unsent_roots = 0;
}

bool ls_outbox_is_full(const ls_outbox *outbox)
{
    return outbox->unsent_roots >= LS_UPDATE_ROOTS_MAX / 2;
}

void ls_outbox_fill(ls_outbox *outbox, ls_update *update)
{
    update->root_count = outbox->root_count;
    memcpy(update->roots, outbox->roots, outbox->root_count * sizeof *outbox->roots);
    outbox->roots_sent += outbox->unsent_roots;
    outbox->unsent_roots = 0;
    uint32_t waiting = outbox->is_paused ? 0 : outbox->submitted - outbox->acked;
    update->input_count = waiting < LS_UPDATE_INPUTS_MAX ? waiting : LS_UPDATE_INPUTS_MAX;
    for (uint32_t i = 0; i < update->input_count; i++) {
        uint32_t number = outbox->acked + 1 + i;
        const ls_outbox_input *input = input_of(outbox, number);
        update->inputs[i] = (ls_update_input){.sequence = number - outbox->base,
                                              .tick = input->wish,
                                              .bytes = input->bytes,
                                              .data = input->data};
    }
    update->input_count = ls_update_inputs_fit(update);
}
