#include <lockstep/sim.h>

bool ls_sim_accepts(const ls_sim *sim, const ls_match *match, const ls_input *input)
{
    if (input->player >= match->player_count)
        return false;
    if (input->kind == LS_INPUT)
        return sim->input_is_valid && input->bytes >= 1 && input->bytes <= LS_INPUT_BYTES_MAX &&
               sim->input_is_valid(match, input->player, input->data, input->bytes);
    if (input->kind != LS_STATE && input->kind != LS_SUBSTITUTE)
        return false;
    return sim->state_bytes && input->bytes == sim->state_bytes &&
           (!sim->state_is_valid || sim->state_is_valid(match, input->player, input->data));
}
