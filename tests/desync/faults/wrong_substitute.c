/* When a player's state input is late, as in the first ticks, one side substitutes another input
 * than the server did. */
#include "sims/skirmish/skirmish_terms.h"
#include "tests/desync/copy.h"

#include <stdlib.h>

static void hold(const ls_world *world, uint32_t player, uint8_t *bytes)
{
    (void)world;
    bytes[0] = (uint8_t)(player + 1);
}

static void command(ls_context *context, const ls_entity *entities)
{
    static const uint8_t other[] = {9};
    skirmish_command(context, entities);
    LS_USES(context, skirmish_commanding);
    skirmish_standing *standing = LS_WRITE_SINGLETON(context, standing);
    const ls_frame *frame = ls_inputs(context);
    for (uint32_t i = 0; i < frame->count; i++) {
        ls_input *input = (ls_input *)&frame->inputs[i];
        if (input->kind == LS_SUBSTITUTE && getenv("LOCKSTEP_FAULT"))
            input->data = other; /* FAULT */
        if (input->kind == LS_STATE || input->kind == LS_SUBSTITUTE)
            standing->x[input->player][0] += (1 + input->data[0]) * LS_FIX_ONE;
    }
}

static void edit(copy *of)
{
    of->sim.state_bytes = 1;
    of->sim.bot_state = hold;
    copy_system(of, "command")->match = command;
}
COPY(ls_skirmish_sim, edit)
