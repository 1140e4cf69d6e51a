#include "cli/local_players.h"

static uint32_t add_joins(ls_local_players *players, uint32_t player_count)
{
    for (uint32_t i = 0; i < player_count; i++)
        players->inputs[i] = (ls_input){.player = (uint8_t)i, .kind = LS_JOIN};
    return player_count;
}

static uint32_t add_bots(ls_local_players *players, const ls_world *world)
{
    const ls_sim *sim = ls_program_sim(ls_world_program(world));
    const ls_match *match = ls_world_match(world);
    uint32_t count = 0;
    for (uint32_t i = 0; sim->bot && i < match->player_count; i++) {
        uint32_t bytes = sim->bot(world, i, players->bytes[i]);
        LS_ASSERT(bytes <= LS_INPUT_BYTES_MAX);
        if (!bytes || !sim->input_is_valid ||
            !sim->input_is_valid(match, i, players->bytes[i], bytes))
            continue;
        players->inputs[count] =
            (ls_input){(uint8_t)i, LS_INPUT, (uint16_t)bytes, players->bytes[i]};
        ls_frame frame = {0, count + 1, players->inputs};
        if (ls_frame_bytes(&frame) <= LS_FRAME_BYTES_MAX)
            count++;
    }
    return count;
}

ls_frame ls_local_players_frame(ls_local_players *players, const ls_world *world)
{
    ls_frame frame = {.tick = ls_world_tick(world), .inputs = players->inputs};
    frame.count = frame.tick ? add_bots(players, world)
                             : add_joins(players, ls_world_match(world)->player_count);
    return frame;
}
