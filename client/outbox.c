#include "client/outbox.h"

#include <string.h>

void ls_outbox_init(ls_outbox *outbox)
{
    *outbox = (ls_outbox){0};
}

static ls_outbox_input *input_of(ls_outbox *outbox, uint32_t sequence)
{
    return &outbox->inputs[sequence % LS_CLIENT_INPUT_QUEUE];
}

bool ls_outbox_submit(ls_outbox *outbox, const uint8_t *data, uint32_t bytes)
{
    LS_ASSERT(bytes >= 1 && bytes <= LS_INPUT_BYTES_MAX);
    /* The numbers end long before they could wrap; a session that gets so far takes no more. */
    if (outbox->submitted - outbox->acked == LS_CLIENT_INPUT_QUEUE ||
        outbox->submitted >= UINT32_MAX - 2 * LS_UPDATE_INPUTS_MAX)
        return false;
    ls_outbox_input *input = input_of(outbox, ++outbox->submitted);
    input->bytes = (uint16_t)bytes;
    memcpy(input->data, data, bytes);
    return true;
}

bool ls_outbox_acknowledge(ls_outbox *outbox, uint32_t sequence)
{
    if (sequence > outbox->submitted)
        return false;
    if (sequence > outbox->acked)
        outbox->acked = sequence;
    return true;
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
    return outbox->unsent_roots >= LS_UPDATE_ROOTS_MAX;
}

void ls_outbox_fill(ls_outbox *outbox, ls_update *update)
{
    update->root_count = outbox->root_count;
    memcpy(update->roots, outbox->roots, outbox->root_count * sizeof *outbox->roots);
    outbox->roots_sent += outbox->unsent_roots;
    outbox->unsent_roots = 0;
    uint32_t waiting = outbox->submitted - outbox->acked;
    update->input_count = waiting < LS_UPDATE_INPUTS_MAX ? waiting : LS_UPDATE_INPUTS_MAX;
    for (uint32_t i = 0; i < update->input_count; i++) {
        uint32_t sequence = outbox->acked + 1 + i;
        const ls_outbox_input *input = input_of(outbox, sequence);
        update->inputs[i] =
            (ls_update_input){.sequence = sequence, .bytes = input->bytes, .data = input->data};
    }
    update->input_count = ls_update_inputs_fit(update);
}
