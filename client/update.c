#include "client/update.h"

#include "client/wire.h"
#include "core/base/fault_injection.h"

/* Over a narrow line the answer to a long gap would crowd itself out, and all else. */
static void fit_gap(ls_client *client, bool is_answered)
{
    uint32_t most = is_answered ? 2 * client->gap_max : client->gap_max / 2;
    most = most > LS_TICKS_MAX ? most : LS_TICKS_MAX;
    client->gap_max = most < LS_GAP_TICKS_MAX ? most : LS_GAP_TICKS_MAX;
}

/* A gap is asked for once, then again only when the answer does not come. */
static void fill_gap(ls_client *client, ls_update *update)
{
    uint64_t first, patience_ns = 2 * client->stats.rtt_ns;
    uint32_t count;
    if (patience_ns < LS_CLIENT_GAP_NS)
        patience_ns = LS_CLIENT_GAP_NS;
    if (!ls_frames_gap(&client->frames, &first, &count))
        return;
    bool is_new = first >= client->gap_end;
    if (!is_new && client->now_ns - client->gap_asked_ns < patience_ns)
        return;
    fit_gap(client, is_new);
    count = count < client->gap_max ? count : client->gap_max;
    client->gap_asked_ns = client->now_ns;
    client->gap_end = first + count;
    client->stats.gaps++;
    update->gap_first = first;
    update->gap_count = count;
}

/* Who begins to hold something says it for a tick ahead. A server that lets no tick pass without it
 * would wait for those before for ever. */
static void reach_head(ls_client *client)
{
    uint64_t patience_ns = LS_CLIENT_HEAD_NS + 2 * client->lead.tick_ns;
    if (client->now_ns - client->stats.head_ns >= patience_ns)
        ls_state_inputs_reach(&client->states, client->frames.head);
}

void ls_update_send(ls_client *client)
{
    ls_update update = {.ack =
                            LS_FAULT(ACK_BEFORE_FRAME) ? client->frames.head : client->frames.have,
                        .stamp_us = ls_wire_stamp_us(client)};
    fill_gap(client, &update);
    reach_head(client);
    ls_state_inputs_fill(&client->states, &update);
    ls_outbox_fill(&client->outbox, &update);
    client->has_reported |= update.root_count > 0;
    ls_plain plain;
    LS_ASSERT(ls_update_encode(&update, &plain));
    client->update_ns = client->now_ns;
    client->has_news = false;
    ls_wire_send(client, &plain);
}

uint64_t ls_update_due_ns(const ls_client *client)
{
    if (client->has_news || client->states.is_new)
        return client->update_ns + LS_CLIENT_UPDATE_LEAST_NS;
    bool is_waiting =
        ls_state_inputs_are_waiting(&client->states) || ls_outbox_is_waiting(&client->outbox);
    return client->update_ns + (is_waiting ? LS_CLIENT_INPUTS_NS : LS_CLIENT_UPDATE_NS);
}
