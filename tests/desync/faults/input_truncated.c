/* One side truncates the inputs of a tick before it applies them. */
#include "sims/skirmish/skirmish_terms.h"
#include "tests/desync/copy.h"

#include <stdlib.h>

static void command(ls_context *context, const ls_entity *entities)
{
    ls_frame *frame = (ls_frame *)ls_inputs(context);
    if (getenv("LOCKSTEP_FAULT"))
        for (uint32_t i = 0; i < frame->count; i++)
            if (frame->inputs[i].kind == LS_INPUT) {
                frame->count = i; /* FAULT */
                break;
            }
    skirmish_command(context, entities);
}

COPY_MATCH(ls_skirmish_sim, command)
