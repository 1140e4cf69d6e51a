#include "client/outbox.h"

#include "core/base/bounds.h"
#include "core/base/fault_injection.h"
#include "proto/congestion_level.h"

void ls_outbox_init(ls_outbox *outbox, ls_connection *connection, uint32_t state_bytes)
{
    *outbox = (ls_outbox){.connection = connection};
    ls_state_inputs_init(&outbox->states, state_bytes);
    ls_input_delay_init(&outbox->delay, 1); /* a placeholder until the match gives the tick rate */
}

void ls_outbox_forget_gap(ls_outbox *outbox)
{
    outbox->gap_asked_ns = outbox->gap_end = 0;
}

void ls_outbox_add_root(ls_outbox *outbox, uint64_t tick, uint64_t root)
{
    ls_root_queue_add(&outbox->roots, tick, root);
    outbox->has_unsent = true;
}

void ls_outbox_restart(ls_outbox *outbox, bool is_spectator)
{
    outbox->is_spectator = outbox->roots.is_sparse = is_spectator;
    outbox->ack_echo_us = outbox->ack_held_us = 0;
    ls_root_queue_restart(&outbox->roots);
    ls_reporter_restart(&outbox->reporter, outbox->connection->now_ns);
    outbox->is_urgent = true;
}

/* Adapts the length of gap requests: halves it when an answer is missing, doubles it otherwise.
 * Over a slow line a long answer would displace all other packets. */
static void fit_gap(ls_outbox *outbox, bool is_answered)
{
    uint32_t max = is_answered ? 2 * outbox->gap_max : outbox->gap_max / 2;
    max = max > LS_TICKS_MAX ? max : LS_TICKS_MAX;
    outbox->gap_max = max < LS_GAP_TICKS_MAX ? max : LS_GAP_TICKS_MAX;
}

/* True when missing ticks, from `first` on, are to be requested: for the first time, or again after
 * a timeout. */
static bool is_gap_due(const ls_outbox *outbox, const ls_frames *frames, uint64_t *first,
                       uint32_t *count)
{
    uint64_t timeout_ns = 2 * outbox->connection->stats.rtt_ns;
    if (timeout_ns < LS_CLIENT_GAP_NS)
        timeout_ns = LS_CLIENT_GAP_NS;
    return ls_frames_gap(frames, first, count) &&
           (*first >= outbox->gap_end ||
            outbox->connection->now_ns - outbox->gap_asked_ns >= timeout_ns);
}

static void fill_gap(ls_outbox *outbox, const ls_frames *frames, ls_update *update)
{
    ls_connection *connection = outbox->connection;
    uint64_t first;
    uint32_t count;
    if (!is_gap_due(outbox, frames, &first, &count))
        return;
    fit_gap(outbox, first >= outbox->gap_end);
    count = count < outbox->gap_max ? count : outbox->gap_max;
    outbox->gap_asked_ns = connection->now_ns;
    outbox->gap_end = first + count;
    connection->stats.gaps++;
    update->gap_first = first;
    update->gap_count = count;
}

/* A player's first state is for a tick ahead of the head. A server that closes no tick without a
 * state would wait forever for the states of the ticks before that. So when the head has not risen
 * for a while, these ticks get the same state. */
static void reach_head(ls_outbox *outbox, uint64_t head)
{
    const ls_connection *connection = outbox->connection;
    uint64_t timeout_ns = LS_CLIENT_HEAD_NS + 2 * outbox->delay.tick_ns;
    if (connection->now_ns - connection->stats.head_ns >= timeout_ns)
        ls_state_inputs_backfill(&outbox->states, head);
}

/* A packet is overtaken only by packets that were sent at most this much later. An echo that seems
 * older by more has wrapped: the server was silent for half an hour, as in a pause. */
static const uint32_t overtaken_us = 10 * 1000000;

/* False for a packet that was overtaken by one that the server sent later. Remembers the newest. */
static bool is_newest(ls_outbox *outbox, const ls_ticks *ticks)
{
    uint32_t older_us = outbox->ack_echo_us - ticks->echo_us;
    bool is_older = older_us ? outbox->ack_echo_us && older_us < overtaken_us
                             : ticks->held_us < outbox->ack_held_us;
    if (is_older)
        return false;
    outbox->ack_echo_us = ticks->echo_us;
    outbox->ack_held_us = ticks->held_us;
    return true;
}

void ls_outbox_note_ticks(ls_outbox *outbox, const ls_frames *frames, const ls_ticks *ticks,
                          bool is_repeat)
{
    uint64_t first;
    uint32_t count;
    ls_state_inputs_close(&outbox->states, frames->head);
    outbox->has_unsent = true;
    outbox->is_urgent |= is_gap_due(outbox, frames, &first, &count);
    /* A spectator sends few updates, so it acknowledges repeated ticks at once: the server repeats
     * ticks until they are acknowledged. */
    outbox->is_urgent |= is_repeat && outbox->is_spectator;
    /* An outdated acknowledgement would request roots again. */
    if (is_newest(outbox, ticks))
        outbox->is_urgent |=
            ls_root_queue_acknowledge(&outbox->roots, ticks->root_ack, ticks->echo_us);
}

/* The timeout of an acknowledgement: a round trip and up to one tick, because the server sends it
 * with its next ticks; and a margin. */
static uint64_t root_timeout_ns(const ls_outbox *outbox)
{
    uint64_t rtt_ns = outbox->connection->stats.rtt_ns;
    return rtt_ns + rtt_ns / 4 + 3 * outbox->delay.tick_ns / 2 + LS_CLIENT_ROOT_NS;
}

static uint32_t level_of(const ls_outbox *outbox)
{
    return LS_FAULT(LEVEL_UNSAID) ? 0 : outbox->connection->congestion.level;
}

void ls_outbox_send(ls_outbox *outbox, const ls_frames *frames)
{
    ls_connection *connection = outbox->connection;
    ls_update update = {.ack = LS_FAULT(ACK_BEFORE_FRAME) ? frames->head : frames->have,
                        .stamp_us = ls_connection_stamp_us(connection),
                        .congestion = level_of(outbox)};
    fill_gap(outbox, frames, &update);
    reach_head(outbox, frames->head);
    ls_state_inputs_fill(&outbox->states,
                         ls_congestion_level_window(update.congestion, LS_UPDATE_STATES_MAX),
                         &update);
    ls_root_queue_fill(&outbox->roots, connection->now_ns, root_timeout_ns(outbox), &update);
    ls_order_queue_fill(&outbox->orders, &update);
    outbox->has_reported |= update.root_count > 0;
    ls_plain plain;
    LS_ASSERT(ls_update_encode(&update, &plain));
    outbox->update_ns = connection->now_ns;
    outbox->has_unsent = outbox->is_urgent = false;
    ls_connection_send(connection, &plain);
}

/* The time between the updates of two ticks: a little less than a tick when its TICKS have come, a
 * little more when they are late. An update with a new state is also the update of its tick, so
 * TICKS that come between two states cause none of their own. */
static uint64_t update_period_ns(const ls_outbox *outbox)
{
    uint64_t tick_ns = outbox->delay.tick_ns;
    bool has_states = ls_state_inputs_are_waiting(&outbox->states);
    bool has_orders = ls_order_queue_is_waiting(&outbox->orders) &&
                      !ls_congestion_level_spacing_ns(level_of(outbox));
    /* The updates of short ticks repeat orders often enough. */
    bool repeats_orders = has_orders && tick_ns > LS_CLIENT_INPUTS_NS * 5 / 4;
    uint64_t max_ns = repeats_orders ? LS_CLIENT_INPUTS_NS : LS_CLIENT_UPDATE_MAX_NS;
    if (outbox->has_unsent && !has_states)
        return ls_clamp(tick_ns * 3 / 4, LS_CLIENT_UPDATE_MIN_NS, max_ns);
    uint64_t min_ns = outbox->has_unsent || has_orders ? LS_CLIENT_INPUTS_NS : LS_CLIENT_UPDATE_NS;
    return ls_clamp(tick_ns * 5 / 4, min_ns, max_ns);
}

uint64_t ls_outbox_due_ns(const ls_outbox *outbox)
{
    uint64_t spacing_ns = ls_congestion_level_spacing_ns(level_of(outbox));
    if (outbox->is_urgent)
        return outbox->update_ns + LS_CLIENT_UPDATE_MIN_NS;
    if (outbox->is_spectator && ls_root_queue_is_sparse(&outbox->roots))
        return outbox->update_ns + LS_CLIENT_SPECTATOR_NS;
    /* After a gap was filled: the roots of many ticks wait. */
    if (ls_root_queue_is_full(&outbox->roots))
        return outbox->update_ns + ls_max(spacing_ns / 2, LS_CLIENT_UPDATE_MIN_NS);
    uint64_t period_ns = ls_state_inputs_are_new(&outbox->states) ? LS_CLIENT_UPDATE_MIN_NS
                                                                  : update_period_ns(outbox);
    return outbox->update_ns + ls_max(period_ns, spacing_ns);
}
