#include "server/seats.h"

#include "core/base/fault_injection.h"
#include "proto/secret.h"
#include <lockstep/entropy.h>

#include <string.h>

_Static_assert(LS_PLAYERS_MAX + 1 <= LS_FRAME_INPUTS_MAX &&
                   1 + 4 * (LS_PLAYERS_MAX + 1) < LS_FRAME_BYTES_MAX,
               "one event of each seat, and one of the match, always fit a frame");
_Static_assert(LS_SERVER_STATES == 64 && LS_SERVER_INPUT_AHEAD < LS_SERVER_STATES,
               "a bit for each state, and no two of one bit");

void ls_seats_init(ls_seats *seats, const ls_sim *sim, const ls_match *match)
{
    memset(seats, 0, sizeof *seats);
    seats->sim = sim;
    seats->match = match;
    seats->items = ls_alloc(match->player_count * sizeof *seats->items);
    if (!sim->state_bytes)
        return;
    size_t bytes = (LS_SERVER_STATES + 1) * (size_t)sim->state_bytes;
    seats->states = ls_alloc(match->player_count * bytes);
    for (uint32_t i = 0; i < match->player_count; i++)
        seats->items[i].states = seats->states + i * bytes;
}

/* Returns the slot of a tick's state. */
static uint8_t *state_of(const ls_seats *seats, const ls_seat *seat, uint64_t tick)
{
    return seat->states + tick % LS_SERVER_STATES * seats->sim->state_bytes;
}

static uint8_t *last_state(const ls_seats *seats, const ls_seat *seat)
{
    return seat->states + LS_SERVER_STATES * seats->sim->state_bytes;
}

static uint64_t state_bit(uint64_t tick)
{
    return UINT64_C(1) << tick % LS_SERVER_STATES;
}

void ls_seats_reset(ls_seats *seats)
{
    if (seats->items)
        ls_wipe(seats->items, seats->match->player_count * sizeof *seats->items);
    ls_free(seats->items);
    ls_free(seats->states);
    seats->items = NULL;
    seats->states = NULL;
}

uint32_t ls_seats_find_secret(const ls_seats *seats, const uint8_t secret[LS_RESUME_BYTES])
{
    uint32_t found = LS_SEAT_NONE;
    for (uint32_t i = 0; i < seats->match->player_count; i++)
        found = seats->items[i].has_secret &&
                        (ls_secret_equal(seats->items[i].secret, secret, LS_RESUME_BYTES) ||
                         LS_FAULT(RESUME_UNCHECKED))
                    ? i
                    : found;
    return found;
}

uint32_t ls_seats_find_client(const ls_seats *seats, const char *client)
{
    for (uint32_t i = 0; client[0] && i < seats->match->player_count; i++)
        if (strcmp(seats->items[i].client, client) == 0)
            return i;
    return LS_SEAT_NONE;
}

uint32_t ls_seats_find_free(const ls_seats *seats)
{
    uint32_t best = LS_SEAT_NONE;
    for (uint32_t i = 0; i < seats->match->player_count; i++) {
        const ls_seat *seat = &seats->items[i];
        if (!seat->is_taken && !seat->absent_until_ns &&
            (best == LS_SEAT_NONE || seat->freed < seats->items[best].freed))
            best = i;
    }
    return best;
}

void ls_seats_take(ls_seats *seats, uint32_t index)
{
    ls_seat *seat = &seats->items[index];
    LS_ASSERT(!seat->is_taken && seat->count == 0);
    seat->is_taken = true;
    seat->sequence = 0;
}

void ls_seats_set_secret(ls_seats *seats, uint32_t index, const uint8_t secret[LS_RESUME_BYTES])
{
    ls_seat *seat = &seats->items[index];
    LS_ASSERT(seat->is_taken);
    seat->has_secret = true;
    memcpy(seat->secret, secret, LS_RESUME_BYTES);
}

/* Frees the seat and drops all inputs that the session has left in it. */
static void clear(ls_seats *seats, ls_seat *seat)
{
    LS_ASSERT(seat->is_taken);
    seat->is_taken = false;
    seat->freed = ++seats->freed_count;
    seat->wants_join = false;
    seat->count = seat->byte_count = 0;
    seat->has_state = LS_FAULT(STATE_OF_PAST_SESSION) ? UINT64_MAX : 0;
}

void ls_seats_release(ls_seats *seats, uint32_t index)
{
    ls_seat *seat = &seats->items[index];
    clear(seats, seat);
    seat->absent_until_ns = 0;
    seat->wants_leave = seat->is_in_stream;
}

void ls_seats_lose(ls_seats *seats, uint32_t index, uint64_t until_ns)
{
    ls_seat *seat = &seats->items[index];
    clear(seats, seat);
    if (seat->absent_until_ns)
        return;
    if (seat->is_in_stream && !seat->wants_leave && until_ns)
        seat->absent_until_ns = until_ns;
    else
        seat->wants_leave = seat->is_in_stream;
}

void ls_seats_extend(ls_seats *seats, uint64_t time_ns)
{
    for (uint32_t i = 0; i < seats->match->player_count; i++)
        if (seats->items[i].absent_until_ns)
            seats->items[i].absent_until_ns += time_ns;
}

void ls_seats_expire(ls_seats *seats, uint64_t now_ns)
{
    for (uint32_t i = 0; i < seats->match->player_count; i++) {
        ls_seat *seat = &seats->items[i];
        if (!seat->absent_until_ns || now_ns < seat->absent_until_ns || LS_FAULT(ABSENT_STAYS))
            continue;
        seat->absent_until_ns = 0;
        seat->wants_leave = true;
    }
}

bool ls_seats_has_absent(const ls_seats *seats)
{
    for (uint32_t i = 0; i < seats->match->player_count; i++)
        if (seats->items[i].absent_until_ns)
            return true;
    return false;
}

bool ls_seats_join(ls_seats *seats, uint32_t index)
{
    ls_seat *seat = &seats->items[index];
    LS_ASSERT(seat->is_taken);
    if (seat->absent_until_ns) {
        seat->absent_until_ns = 0;
        return true;
    }
    /* The LEAVE of the seat's previous player may still wait; the JOIN then follows one tick later.
     */
    seat->wants_join = !seat->is_in_stream || seat->wants_leave;
    return false;
}

static bool is_too_far(uint64_t wanted_tick, uint64_t next)
{
    return wanted_tick > next && wanted_tick - next > LS_SERVER_INPUT_AHEAD;
}

static bool takes(const ls_seats *seats, ls_input input)
{
    return ls_sim_accepts(seats->sim, seats->match, &input);
}

bool ls_seats_is_open(const ls_seats *seats, uint32_t index, uint32_t sequence)
{
    const ls_seat *seat = &seats->items[index];
    return sequence == seat->sequence + 1 && seat->is_in_stream && !seat->wants_leave &&
           !seat->absent_until_ns && seat->count < LS_SERVER_INPUT_QUEUE;
}

ls_submit_result ls_seats_submit(ls_seats *seats, uint32_t index, const ls_seat_input *input)
{
    ls_seat *seat = &seats->items[index];
    LS_ASSERT(input->bytes >= 1 && input->bytes <= LS_INPUT_BYTES_MAX);
    if (input->sequence <= seat->sequence)
        return LS_SUBMIT_KNOWN;
    if (LS_FAULT(ACK_BEFORE_QUEUE) && input->sequence == seat->sequence + 1 &&
        seat->count >= LS_SERVER_INPUT_QUEUE / 4) {
        seat->sequence++;
        return LS_SUBMIT_TAKEN;
    }
    if (!ls_seats_is_open(seats, index, input->sequence) ||
        seat->byte_count + input->bytes > LS_SERVER_INPUT_BYTES)
        return LS_SUBMIT_LATER;
    seat->sequence = input->sequence;
    if (is_too_far(input->wanted_tick, input->tick) ||
        !takes(seats, (ls_input){(uint8_t)index, LS_INPUT, (uint16_t)input->bytes, input->data}))
        return LS_SUBMIT_REFUSED;
    seat->queue[seat->count++] =
        (ls_seat_order){.wanted_tick = input->wanted_tick, .bytes = (uint16_t)input->bytes};
    memcpy(seat->bytes + seat->byte_count, input->data, input->bytes);
    seat->byte_count += input->bytes;
    return LS_SUBMIT_TAKEN;
}

/* Whether each tick holds a state of the player, its own or a substitute: from the tick after its
 * JOIN on. */
static bool holds_states(const ls_seat *seat)
{
    return seat->states && seat->is_in_stream && !seat->wants_leave;
}

static bool takes_states(const ls_seat *seat)
{
    return holds_states(seat) && !seat->absent_until_ns;
}

ls_submit_result ls_seats_submit_state(ls_seats *seats, uint32_t index, uint64_t next,
                                       uint64_t tick, const uint8_t *data)
{
    ls_seat *seat = &seats->items[index];
    uint32_t bytes = seats->sim->state_bytes;
    if (tick < next && !LS_FAULT(STATE_LATE_IS_TAKEN))
        return LS_SUBMIT_LATE;
    if (!takes_states(seat))
        return LS_SUBMIT_LATER;
    if (is_too_far(tick, next))
        return LS_SUBMIT_REFUSED;
    if ((seat->has_state & state_bit(tick)) && !LS_FAULT(STATE_LAST_WINS))
        return LS_SUBMIT_KNOWN;
    if (!takes(seats, (ls_input){(uint8_t)index, LS_STATE, (uint16_t)bytes, data}))
        return LS_SUBMIT_REFUSED;
    memcpy(state_of(seats, seat, tick), data, bytes);
    seat->has_state |= state_bit(tick);
    return LS_SUBMIT_TAKEN;
}

bool ls_seats_is_ready(const ls_seats *seats, uint32_t index, uint64_t tick)
{
    const ls_seat *seat = &seats->items[index];
    return !takes_states(seat) || (seat->has_state & state_bit(tick));
}

/* Takes the seat's next event. A seat has at most one event a tick, so it is empty for one tick
 * between two players. */
static ls_input_kind take_event(ls_seat *seat)
{
    if (seat->wants_leave) {
        seat->wants_leave = false;
        seat->is_in_stream = false;
        return LS_LEAVE;
    }
    if (seat->wants_join) {
        seat->wants_join = false;
        seat->is_in_stream = true;
        return LS_JOIN;
    }
    return LS_INPUT;
}

/* Space used in the frame. */
struct fill {
    size_t bytes;
    uint32_t count;
    uint8_t shares[LS_PLAYERS_MAX]; /* number of orders of each seat */
};

/* Reserves space for the seat's next order, if one is due. False when it does not fit. */
static bool reserve_order(const ls_seats *seats, uint32_t index, uint64_t tick, struct fill *frame)
{
    const ls_seat *seat = &seats->items[index];
    if (frame->shares[index] == seat->count)
        return true;
    const ls_seat_order *order = &seat->queue[frame->shares[index]];
    if (order->wanted_tick > tick)
        return true;
    size_t cost = LS_INPUT_HEADER_BYTES + (size_t)order->bytes;
    if (frame->count == LS_FRAME_INPUTS_MAX || frame->bytes + cost > LS_FRAME_BYTES_MAX)
        return false;
    frame->bytes += cost;
    frame->count++;
    frame->shares[index]++;
    return true;
}

/* Shares the frame between seats round-robin. The first seat with an order that did not fit begins
 * the next frame. */
static void reserve_orders(ls_seats *seats, uint64_t tick, struct fill *frame)
{
    uint32_t count = seats->match->player_count, start = seats->first_seat, before;
    do {
        before = frame->count;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t index = (start + i) % count;
            if (!reserve_order(seats, index, tick, frame)) {
                if (LS_FAULT(FULL_FRAME_DROPS))
                    seats->items[index].count = frame->shares[index];
                seats->first_seat = index;
                return;
            }
        }
    } while (frame->count != before);
}

/* Moves the seat's first `share` orders into the frame. `used` counts the bytes of all orders in
 * it. */
static void take_orders(ls_seats *seats, uint32_t index, uint32_t share, ls_frame *frame,
                        size_t *used, ls_seats_taken *taken)
{
    ls_seat *seat = &seats->items[index];
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < share; i++) {
        const ls_seat_order *order = &seat->queue[i];
        seats->frame_inputs[frame->count++] =
            (ls_input){.player = (uint8_t)index,
                       .kind = LS_INPUT,
                       .bytes = order->bytes,
                       .data = seats->order_bytes + *used + bytes};
        taken->late += order->wanted_tick != 0 && order->wanted_tick < frame->tick;
        bytes += order->bytes;
    }
    if (!share)
        return;
    memcpy(seats->order_bytes + *used, seat->bytes, bytes);
    *used += bytes;
    seat->count -= share;
    seat->byte_count -= bytes;
    memmove(seat->queue, seat->queue + share, seat->count * sizeof seat->queue[0]);
    memmove(seat->bytes, seat->bytes + bytes, seat->byte_count);
    taken->inputs += share;
}

/* Adds the player's state of this tick, or a substitute if it is missing. */
static void take_state(ls_seats *seats, uint32_t index, ls_frame *frame, ls_seats_taken *taken)
{
    ls_seat *seat = &seats->items[index];
    uint32_t bytes = seats->sim->state_bytes;
    bool is_there = (seat->has_state & state_bit(frame->tick)) != 0;
    uint8_t *last = last_state(seats, seat);
    if (is_there)
        memcpy(last, state_of(seats, seat, frame->tick), bytes);
    else if (seats->sim->state_missing == LS_MISSING_NEUTRAL || LS_FAULT(SUBSTITUTE_FORGETS))
        memset(last, 0, bytes);
    seat->has_state &= ~state_bit(frame->tick);
    seats->frame_inputs[frame->count++] = (ls_input){.player = (uint8_t)index,
                                                     .kind = is_there ? LS_STATE : LS_SUBSTITUTE,
                                                     .bytes = (uint16_t)bytes,
                                                     .data = last};
    taken->states += is_there;
    taken->substitutes += !is_there;
}

/* The event or state that each seat adds to the frame, before the orders. */
struct plan {
    ls_input_kind events[LS_PLAYERS_MAX]; /* LS_STATE: a state, no event; LS_INPUT: neither */
};

/* Clears the seat's last state, because a new player has none. */
static void forget_last_state(const ls_seats *seats, ls_seat *seat)
{
    if (seat->states && !LS_FAULT(LAST_STATE_STAYS))
        memset(last_state(seats, seat), 0, seats->sim->state_bytes);
}

static void plan_seats(ls_seats *seats, struct plan *plan, struct fill *fill, ls_seats_taken *taken)
{
    for (uint32_t i = 0; i < seats->match->player_count; i++) {
        ls_seat *seat = &seats->items[i];
        bool has_state = holds_states(seat);
        plan->events[i] = take_event(seat);
        if (plan->events[i] == LS_JOIN)
            forget_last_state(seats, seat);
        taken->joins += plan->events[i] == LS_JOIN;
        taken->leaves += plan->events[i] == LS_LEAVE;
        if (plan->events[i] == LS_INPUT && has_state)
            plan->events[i] = LS_STATE;
        if (plan->events[i] == LS_INPUT)
            continue;
        fill->count++;
        fill->bytes += LS_INPUT_HEADER_BYTES;
        if (plan->events[i] == LS_STATE)
            fill->bytes += seats->sim->state_bytes;
    }
}

void ls_seats_build(ls_seats *seats, uint64_t tick, ls_seats_event event, ls_frame *frame,
                    ls_seats_taken *taken)
{
    *frame = (ls_frame){.tick = tick, .inputs = seats->frame_inputs};
    *taken = (ls_seats_taken){0};
    struct plan plan;
    struct fill fill = {.bytes = 1};
    plan_seats(seats, &plan, &fill, taken);
    if (event.kind != LS_INPUT) {
        fill.count++;
        fill.bytes += LS_INPUT_HEADER_BYTES;
    }
    reserve_orders(seats, tick, &fill);
    size_t used = 0;
    for (uint32_t i = 0; i <= seats->match->player_count; i++) {
        if (event.kind != LS_INPUT && event.player == i)
            seats->frame_inputs[frame->count++] =
                (ls_input){.player = (uint8_t)i, .kind = (uint8_t)event.kind};
        if (i == seats->match->player_count)
            break;
        if (plan.events[i] == LS_STATE)
            take_state(seats, i, frame, taken);
        else if (plan.events[i] != LS_INPUT)
            seats->frame_inputs[frame->count++] =
                (ls_input){.player = (uint8_t)i, .kind = (uint8_t)plan.events[i]};
        take_orders(seats, i, fill.shares[i], frame, &used, taken);
    }
}

void ls_seats_replay(ls_seats *seats, const ls_frame *frame)
{
    for (uint32_t i = 0; i < frame->count; i++) {
        const ls_input *input = &frame->inputs[i];
        if (input->player >= seats->match->player_count)
            continue;
        ls_seat *seat = &seats->items[input->player];
        if (input->kind == LS_JOIN || input->kind == LS_LEAVE) {
            seat->is_in_stream = input->kind == LS_JOIN;
            forget_last_state(seats, seat);
        } else if (seat->states && input->bytes == seats->sim->state_bytes &&
                   (input->kind == LS_STATE || input->kind == LS_SUBSTITUTE))
            memcpy(last_state(seats, seat), input->data, input->bytes);
    }
}

void ls_seats_begin_within(ls_seats *seats, uint64_t taken)
{
    for (uint32_t i = 0; i < seats->match->player_count; i++) {
        seats->items[i].is_in_stream = taken >> i & 1;
        forget_last_state(seats, &seats->items[i]);
    }
}
