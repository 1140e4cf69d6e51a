#include "cli/common/local_players.h"

/* Adds a player's input to the frame, if the simulation accepts the input and the frame has room.
 * The bytes are already in the player's storage. */
static void add(ls_local_players *players, const ls_world *world, ls_frame *frame, ls_input input)
{
    const ls_sim *sim = ls_program_sim(ls_world_program(world));
    if (!ls_sim_accepts(sim, ls_world_match(world), &input))
        return;
    players->inputs[frame->count++] = input;
    if (ls_frame_bytes(frame) > LS_FRAME_BYTES_MAX)
        frame->count--;
}

static void add_bot(ls_local_players *players, const ls_world *world, ls_frame *frame,
                    uint32_t player)
{
    const ls_sim *sim = ls_program_sim(ls_world_program(world));
    ls_local_player *local = &players->players[player];
    if (sim->state_bytes) {
        for (uint32_t i = 0; i < sim->state_bytes; i++)
            local->state[i] = 0;
        if (sim->bot_state)
            sim->bot_state(world, player, local->state);
        add(players, world, frame,
            (ls_input){(uint8_t)player, LS_STATE, (uint16_t)sim->state_bytes, local->state});
    }
    uint32_t bytes = sim->bot ? sim->bot(world, player, local->order) : 0;
    LS_ASSERT(bytes <= LS_INPUT_BYTES_MAX);
    if (bytes)
        add(players, world, frame,
            (ls_input){(uint8_t)player, LS_INPUT, (uint16_t)bytes, local->order});
}

ls_frame ls_local_players_frame(ls_local_players *players, const ls_world *world)
{
    ls_frame frame = {.tick = ls_world_tick(world), .inputs = players->inputs};
    for (uint32_t i = 0; i < ls_world_match(world)->player_count; i++) {
        if (frame.tick)
            add_bot(players, world, &frame, i);
        else
            players->inputs[frame.count++] = (ls_input){.player = (uint8_t)i, .kind = LS_JOIN};
    }
    return frame;
}
