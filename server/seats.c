#include "server/seats.h"

#include "proto/entropy.h"

#include <string.h>

_Static_assert(LS_PLAYERS_MAX <= LS_FRAME_INPUTS_MAX && 1 + 4 * LS_PLAYERS_MAX < LS_FRAME_BYTES_MAX,
               "one event of each seat always fits a frame");

void ls_seats_init(ls_seats *seats, const ls_sim *sim, const ls_match *match)
{
    memset(seats, 0, sizeof *seats);
    seats->sim = sim;
    seats->match = match;
    seats->items = ls_alloc(match->player_count * sizeof *seats->items);
}

void ls_seats_reset(ls_seats *seats)
{
    if (seats->items)
        ls_wipe(seats->items, seats->match->player_count * sizeof *seats->items);
    ls_free(seats->items);
    seats->items = NULL;
}

static bool secret_is(const ls_seat *seat, const uint8_t secret[LS_RESUME_BYTES])
{
    uint8_t difference = 0;
    for (uint32_t i = 0; i < LS_RESUME_BYTES; i++)
        difference |= (uint8_t)(seat->secret[i] ^ secret[i]);
    return seat->has_secret && difference == 0;
}

uint32_t ls_seats_find_secret(const ls_seats *seats, const uint8_t secret[LS_RESUME_BYTES])
{
    uint32_t found = LS_SEAT_NONE;
    for (uint32_t i = 0; i < seats->match->player_count; i++)
        found = secret_is(&seats->items[i], secret) ? i : found;
    return found;
}

uint32_t ls_seats_find_free(const ls_seats *seats)
{
    uint32_t best = LS_SEAT_NONE;
    for (uint32_t i = 0; i < seats->match->player_count; i++) {
        const ls_seat *seat = &seats->items[i];
        if (!seat->is_taken && (best == LS_SEAT_NONE || seat->freed < seats->items[best].freed))
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

void ls_seats_release(ls_seats *seats, uint32_t index)
{
    ls_seat *seat = &seats->items[index];
    LS_ASSERT(seat->is_taken);
    seat->is_taken = false;
    seat->freed = ++seats->freed_count;
    seat->wants_join = false;
    seat->wants_leave = seat->is_in_stream;
    seat->first = seat->count = 0;
}

void ls_seats_join(ls_seats *seats, uint32_t index)
{
    ls_seat *seat = &seats->items[index];
    LS_ASSERT(seat->is_taken);
    /* A LEAVE of the seat's last holder may still wait; then the JOIN follows a tick behind it. */
    seat->wants_join = !seat->is_in_stream || seat->wants_leave;
}

static bool input_is_valid(const ls_seats *seats, uint32_t seat, const ls_seat_offer *offer)
{
    if (offer->wish > offer->tick && offer->wish - offer->tick > LS_SERVER_INPUT_AHEAD)
        return false;
    return seats->sim->input_is_valid &&
           seats->sim->input_is_valid(seats->match, seat, offer->data, offer->bytes);
}

bool ls_seats_is_open(const ls_seats *seats, uint32_t index, uint32_t sequence)
{
    const ls_seat *seat = &seats->items[index];
    return sequence == seat->sequence + 1 && seat->is_in_stream && !seat->wants_leave &&
           seat->count < LS_SERVER_INPUT_QUEUE;
}

ls_offer ls_seats_offer(ls_seats *seats, uint32_t index, const ls_seat_offer *offer)
{
    ls_seat *seat = &seats->items[index];
    LS_ASSERT(offer->bytes >= 1 && offer->bytes <= LS_INPUT_BYTES_MAX);
    if (offer->sequence <= seat->sequence)
        return LS_OFFER_KNOWN;
    if (!ls_seats_is_open(seats, index, offer->sequence))
        return LS_OFFER_LATER;
    seat->sequence = offer->sequence;
    if (!input_is_valid(seats, index, offer))
        return LS_OFFER_REFUSED;
    ls_seat_input *input = &seat->queue[(seat->first + seat->count) % LS_SERVER_INPUT_QUEUE];
    input->wish = offer->wish;
    input->bytes = (uint16_t)offer->bytes;
    memcpy(input->data, offer->data, offer->bytes);
    seat->count++;
    return LS_OFFER_TAKEN;
}

/* At most one event of a seat in a tick: a seat that changes hands is empty for a tick. */
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

static ls_seat_input *head_input(ls_seat *seat, uint32_t skip)
{
    return &seat->queue[(seat->first + skip) % LS_SERVER_INPUT_QUEUE];
}

/* What a frame has taken so far. */
struct fill {
    size_t bytes;
    uint32_t count;
    uint8_t shares[LS_PLAYERS_MAX]; /* inputs of each seat */
};

/* Counts the seat's next input in, if one is ripe. False when it does not fit. */
static bool share_one(const ls_seats *seats, uint32_t index, uint64_t tick, struct fill *frame)
{
    ls_seat *seat = &seats->items[index];
    if (frame->shares[index] == seat->count)
        return true;
    const ls_seat_input *input = head_input(seat, frame->shares[index]);
    if (input->wish > tick)
        return true;
    size_t cost = 4 + (size_t)input->bytes;
    if (frame->count == LS_FRAME_INPUTS_MAX || frame->bytes + cost > LS_FRAME_BYTES_MAX)
        return false;
    frame->bytes += cost;
    frame->count++;
    frame->shares[index]++;
    return true;
}

/* How many inputs of each seat this frame takes: one a seat and turn. Whoever did not fit begins
 * the next frame. */
static void share_out(ls_seats *seats, uint64_t tick, struct fill *frame)
{
    uint32_t count = seats->match->player_count, start = seats->first_turn, before;
    do {
        before = frame->count;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t index = (start + i) % count;
            if (!share_one(seats, index, tick, frame)) {
                seats->first_turn = index;
                return;
            }
        }
    } while (frame->count != before);
}

static void take_inputs(ls_seats *seats, uint32_t index, uint32_t share, ls_frame *frame,
                        ls_seats_taken *taken)
{
    ls_seat *seat = &seats->items[index];
    for (uint32_t i = 0; i < share; i++) {
        const ls_seat_input *input = head_input(seat, 0);
        seats->frame_inputs[frame->count++] = (ls_input){
            .player = (uint8_t)index, .kind = LS_INPUT, .bytes = input->bytes, .data = input->data};
        taken->late += input->wish != 0 && input->wish < frame->tick;
        seat->first = (seat->first + 1) % LS_SERVER_INPUT_QUEUE;
        seat->count--;
    }
    taken->inputs += share;
}

void ls_seats_build(ls_seats *seats, uint64_t tick, ls_frame *frame, ls_seats_taken *taken)
{
    *frame = (ls_frame){.tick = tick, .inputs = seats->frame_inputs};
    *taken = (ls_seats_taken){0};
    ls_input_kind events[LS_PLAYERS_MAX];
    for (uint32_t i = 0; i < seats->match->player_count; i++) {
        events[i] = take_event(&seats->items[i]);
        taken->joins += events[i] == LS_JOIN;
        taken->leaves += events[i] == LS_LEAVE;
    }
    uint32_t count = taken->joins + taken->leaves;
    struct fill fill = {.count = count, .bytes = 1 + 4 * (size_t)count};
    share_out(seats, tick, &fill);
    for (uint32_t i = 0; i < seats->match->player_count; i++) {
        if (events[i] != LS_INPUT)
            seats->frame_inputs[frame->count++] =
                (ls_input){.player = (uint8_t)i, .kind = (uint8_t)events[i]};
        take_inputs(seats, i, fill.shares[i], frame, taken);
    }
}
