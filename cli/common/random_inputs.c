#include "cli/common/random_inputs.h"

#include <string.h>

#define TRIES             8  /* attempts until the validator accepts an input */
#define PLAIN_BYTES_MAX   32 /* of a new random order; one in 16 may be longer */
#define LEAVES_ONE_IN     200
#define JOINS_ONE_IN      40
#define SUBSTITUTE_ONE_IN 16

/* The purpose of each draw from the random stream. States and orders use a range of numbers. */
enum { DRAW_PRESENCE, DRAW_KIND, DRAW_SUBSTITUTE, DRAW_STATE, DRAW_ORDERS = 64 };

static bool one_in(ls_random_stream stream, uint64_t draw, uint32_t count)
{
    return ls_random_below(ls_random_draw(stream, draw), count) == 0;
}

static void fill(ls_random_stream stream, uint8_t *bytes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)ls_random_draw(stream, i);
}

uint32_t ls_random_inputs_bytes(ls_random_stream stream, uint8_t *bytes, uint32_t count)
{
    ls_random_stream shape = ls_random_child(stream, 1);
    if (count && !one_in(shape, 0, 8)) {
        uint32_t changes = 1 + ls_random_below(ls_random_draw(shape, 1), 3);
        for (uint32_t i = 0; i < changes; i++) {
            uint32_t at = ls_random_below(ls_random_draw(shape, 2 + 2 * i), count);
            bytes[at] = (uint8_t)ls_random_draw(shape, 3 + 2 * i);
        }
        return count;
    }
    bool is_long = one_in(shape, 1, 16);
    count = 1 + ls_random_below(ls_random_draw(shape, 2),
                                is_long ? LS_INPUT_BYTES_MAX : PLAIN_BYTES_MAX);
    fill(stream, bytes, count);
    return count;
}

/* Adds the input, if the simulation accepts it and the frame has room. The bytes are already in the
 * player's storage. */
static bool add(ls_random_inputs *dice, const ls_world *world, ls_frame *frame, ls_input input)
{
    const ls_sim *sim = ls_program_sim(ls_world_program(world));
    bool is_event = input.kind == LS_JOIN || input.kind == LS_LEAVE;
    if (frame->count == LS_FRAME_INPUTS_MAX ||
        (!is_event && !ls_sim_accepts(sim, ls_world_match(world), &input)))
        return false;
    dice->inputs[frame->count++] = input;
    if (ls_frame_bytes(frame) <= LS_FRAME_BYTES_MAX)
        return true;
    frame->count--;
    return false;
}

/* Adds a state. Every tick needs one, so if no random state is accepted, zeros are added, as a
 * server does. */
static void add_state(ls_random_inputs *dice, const ls_world *world, ls_frame *frame,
                      uint32_t player, ls_random_stream stream)
{
    const ls_sim *sim = ls_program_sim(ls_world_program(world));
    uint8_t *state = dice->players[player].state;
    ls_input input = {(uint8_t)player, LS_STATE, (uint16_t)sim->state_bytes, state};
    bool is_bot = dice->mode == LS_RANDOM_INPUTS_BOTS ||
                  (dice->mode == LS_RANDOM_INPUTS_MIXED && one_in(stream, DRAW_KIND, 2));
    if (!is_bot && one_in(stream, DRAW_SUBSTITUTE, SUBSTITUTE_ONE_IN)) {
        if (sim->state_missing == LS_MISSING_NEUTRAL)
            memset(state, 0, sim->state_bytes);
        input.kind = LS_SUBSTITUTE;
        if (add(dice, world, frame, input))
            return;
        input.kind = LS_STATE;
    }
    for (uint32_t i = 0; !is_bot && i < TRIES; i++) {
        fill(ls_random_child(stream, DRAW_STATE + i), state, sim->state_bytes);
        if (add(dice, world, frame, input))
            return;
    }
    memset(state, 0, sim->state_bytes);
    if (is_bot && sim->bot_state)
        sim->bot_state(world, player, state);
    add(dice, world, frame, input);
}

static void add_bot_order(ls_random_inputs *dice, const ls_world *world, ls_frame *frame,
                          uint32_t player)
{
    const ls_sim *sim = ls_program_sim(ls_world_program(world));
    ls_random_inputs_player *seat = &dice->players[player];
    uint32_t count = sim->bot ? sim->bot(world, player, seat->orders[0]) : 0;
    LS_ASSERT(count <= LS_INPUT_BYTES_MAX);
    ls_input input = {(uint8_t)player, LS_INPUT, (uint16_t)count, seat->orders[0]};
    if (!count || !add(dice, world, frame, input))
        return;
    memcpy(seat->last, seat->orders[0], count);
    seat->last_bytes = count;
}

static void add_made_up_order(ls_random_inputs *dice, const ls_world *world, ls_frame *frame,
                              uint32_t player, ls_random_stream stream)
{
    ls_random_inputs_player *seat = &dice->players[player];
    uint8_t *bytes = seat->orders[1];
    for (uint32_t i = 0; i < TRIES; i++) {
        memcpy(bytes, seat->last, seat->last_bytes);
        uint32_t count = ls_random_inputs_bytes(ls_random_child(stream, DRAW_ORDERS + i), bytes,
                                                seat->last_bytes);
        ls_input input = {(uint8_t)player, LS_INPUT, (uint16_t)count, bytes};
        if (!add(dice, world, frame, input))
            continue;
        memcpy(seat->last, bytes, count);
        seat->last_bytes = count;
        return;
    }
}

/* Returns true if the player joins or leaves in this tick, or is absent, and so sends nothing. */
static bool comes_or_goes(ls_random_inputs *dice, const ls_world *world, ls_frame *frame,
                          uint32_t player, ls_random_stream stream)
{
    ls_random_inputs_player *seat = &dice->players[player];
    bool changes = frame->tick == 0;
    if (!changes && dice->mode != LS_RANDOM_INPUTS_BOTS)
        changes = one_in(stream, DRAW_PRESENCE, seat->is_joined ? LEAVES_ONE_IN : JOINS_ONE_IN);
    if (!changes)
        return !seat->is_joined;
    uint8_t kind = seat->is_joined ? LS_LEAVE : LS_JOIN;
    if (add(dice, world, frame, (ls_input){.player = (uint8_t)player, .kind = kind})) {
        seat->is_joined = !seat->is_joined;
        memset(seat->state, 0, sizeof seat->state);
    }
    return true;
}

ls_frame ls_random_inputs_frame(ls_random_inputs *dice, const ls_world *world)
{
    ls_frame frame = {.tick = ls_world_tick(world), .inputs = dice->inputs};
    const ls_sim *sim = ls_program_sim(ls_world_program(world));
    ls_random_stream tick = ls_random_child(ls_random_root(dice->seed), frame.tick);
    for (uint32_t i = 0; i < ls_world_match(world)->player_count; i++) {
        ls_random_stream own = ls_random_child(tick, i);
        if (comes_or_goes(dice, world, &frame, i, own))
            continue;
        if (sim->state_bytes)
            add_state(dice, world, &frame, i, own);
        if (dice->mode != LS_RANDOM_INPUTS_RANDOM)
            add_bot_order(dice, world, &frame, i);
        if (dice->mode != LS_RANDOM_INPUTS_BOTS && sim->input_is_valid)
            add_made_up_order(dice, world, &frame, i, own);
    }
    return frame;
}

const char *const ls_random_inputs_words[] = {"bots", "random", "mixed", NULL};
