#include "client/state_inputs.h"

#include "core/base/fault_injection.h"

#include <string.h>

_Static_assert(LS_CLIENT_STATES > LS_CLIENT_STATE_AHEAD, "all that wait have a slot");

void ls_state_inputs_init(ls_state_inputs *states, uint32_t state_bytes)
{
    LS_ASSERT(state_bytes <= LS_STATE_BYTES_MAX);
    *states = (ls_state_inputs){.bytes = state_bytes};
}

static uint8_t *slot_of(ls_state_inputs *states, uint64_t tick)
{
    return states->slots[tick % LS_CLIENT_STATES];
}

bool ls_state_inputs_put(ls_state_inputs *states, uint64_t tick, const uint8_t *bytes,
                         uint64_t head)
{
    if (tick < head || (tick < states->next && !LS_FAULT(STATE_SENT_TWICE)))
        return false;
    ls_state_inputs_close(states, head);
    if (states->first == states->next)
        states->first = states->next = tick;
    LS_ASSERT(tick - states->first < LS_CLIENT_STATES);
    for (; states->next < tick; states->next++)
        memcpy(slot_of(states, states->next), slot_of(states, states->next - 1), states->bytes);
    memcpy(slot_of(states, tick), bytes, states->bytes);
    states->next = tick + 1;
    return true;
}

void ls_state_inputs_close(ls_state_inputs *states, uint64_t head)
{
    if (head > states->first)
        states->first = head < states->next ? head : states->next;
}

void ls_state_inputs_backfill(ls_state_inputs *states, uint64_t head)
{
    if (states->first == states->next || states->next - head > LS_CLIENT_STATES)
        return;
    while (states->first > head) {
        states->first--;
        memcpy(slot_of(states, states->first), slot_of(states, states->first + 1), states->bytes);
    }
}

bool ls_state_inputs_are_waiting(const ls_state_inputs *states)
{
    return states->first != states->next;
}

bool ls_state_inputs_are_new(const ls_state_inputs *states)
{
    return ls_state_inputs_are_waiting(states) && states->unsent < states->next;
}

void ls_state_inputs_fill(ls_state_inputs *states, uint32_t most, ls_update *update)
{
    /* An update with new states sends the newest. A repeated update sends the oldest: the server
     * may wait for the state of the tick that it closes next. */
    bool is_newer = ls_state_inputs_are_new(states);
    uint64_t waiting = states->next - states->first;
    uint64_t unsent = is_newer ? states->next - states->unsent : 0;
    uint64_t limit = unsent > most ? unsent : most;
    limit = limit < LS_UPDATE_STATES_MAX ? limit : LS_UPDATE_STATES_MAX;
    uint32_t count = (uint32_t)(waiting < limit ? waiting : limit);
    states->unsent = states->next;
    update->state_bytes = states->bytes;
    update->state_count = count;
    if (!count)
        return;
    update->state_first = is_newer ? states->next - count : states->first;
    update->states = states->window;
    for (uint32_t i = 0; i < count; i++)
        memcpy(states->window + (size_t)i * states->bytes, slot_of(states, update->state_first + i),
               states->bytes);
}
