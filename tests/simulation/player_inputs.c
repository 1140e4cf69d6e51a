#include "player_inputs.h"

#include "held_sim.h"

#include "client/client_internal.h"

#include <inttypes.h>
#include <string.h>

/* Makes an order. A rising number makes each order unique; simulations without numbers get the
 * bot's order. */
static uint32_t make_order(struct player *self, uint8_t bytes[LS_INPUT_BYTES_MAX])
{
    const ls_sim *sim = ls_program_sim(self->shared->program);
    if (self->shared->plan.sim == PLAN_SKIRMISH)
        return sim->bot(ls_client_world(self->client), ls_client_get_stats(self->client).player,
                        bytes);
    uint32_t number = ++self->number;
    uint32_t count = (uint32_t)draws_range(&self->draws, 8, self->plan->order_bytes);
    memset(bytes, (int)self->index, count);
    for (uint32_t i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(number >> 8 * i);
    return count;
}

static ls_status submit(struct player *self, const uint8_t *bytes, uint32_t count)
{
    return self->view.session ? ls_session_submit(self->view.session, bytes, count)
                              : ls_client_submit(self->client, bytes, count);
}

/* Returns the tick that the state of `tick` is made from: a quiet player keeps a state for several
 * ticks. */
static uint64_t said_at(const struct player *self, uint64_t tick)
{
    return self->shared->is_quiet ? tick - tick % RUN_HELD_TICKS : tick;
}

static bool give_order(struct player *self)
{
    uint8_t bytes[LS_INPUT_BYTES_MAX];
    uint32_t count = make_order(self, bytes);
    if (!count || submit(self, bytes, count) != LS_OK)
        return false;
    orders_give(&self->orders, self->life, bytes, count);
    return true;
}

void player_inputs_give_orders(struct player *self)
{
    for (uint32_t i = 0; i < self->plan->order_burst && !self->shared->is_quiet; i++)
        if (draws_percent(&self->draws, self->plan->order_percent))
            give_order(self);
}

static void submit_state(struct player *self)
{
    uint8_t bytes[HELD_BYTES];
    uint64_t tick = ls_session_get_stats(self->view.session).input_tick;
    held_state(self->index, self->life, said_at(self, tick), bytes);
    ls_status status = ls_session_submit_state(self->view.session, bytes);
    if (status != LS_OK && status != LS_ERROR_REFUSED)
        verdict_fail(&self->shared->verdict, SOUND, "%s may not submit a state for tick %" PRIu64,
                     self->name, tick);
}

static void give_states(struct player *self)
{
    ls_client_stats stats = ls_client_get_stats(self->client);
    uint8_t bytes[HELD_BYTES];
    bool was_taken = false;
    for (uint64_t tick = stats.head; tick <= stats.head + stats.input_delay_ticks; tick++) {
        held_state(self->index, self->life, said_at(self, tick), bytes);
        was_taken = ls_client_submit_state(self->client, tick, bytes) == LS_OK;
    }
    if (was_taken &&
        ls_client_submit_state(self->client, stats.head + stats.input_delay_ticks, bytes) == LS_OK)
        verdict_fail(&self->shared->verdict, INPUT_ONCE, "%s may say a state twice", self->name);
}

void player_inputs_contradict(struct player *self)
{
    ls_state_inputs *states = &self->client->outbox.states;
    if (self->plan->role != ROLE_CONTRARIAN || self->shared->is_calm)
        return;
    for (uint64_t tick = states->first; tick < states->next; tick++)
        states->slots[tick % LS_CLIENT_STATES][HELD_BYTES - 1] ^= (uint8_t)draws_next(&self->draws);
}

void player_inputs_act(struct player *self)
{
    if (ls_client_get_stats(self->client).inputs_lost)
        self->is_excused = true;
    if (!self->client->playback.is_playing)
        return;
    if (self->shared->plan.sim == PLAN_HELD && self->view.session)
        submit_state(self);
    else if (self->shared->plan.sim == PLAN_HELD)
        give_states(self);
    for (; self->turns; self->turns--)
        player_inputs_give_orders(self);
    for (uint32_t i = 0; self->shared->now_ns < self->flood_until_ns && i < LS_CLIENT_INPUT_QUEUE;
         i++)
        if (!give_order(self))
            break;
}
