/* A counter in a static variable: a late joiner has counted fewer ticks. */
#include "sims/skirmish/skirmish_terms.h"
#include "tests/desync/copy.h"

static uint32_t calls;

static void move(ls_context *context, const ls_span *span)
{
    skirmish_move(context, span);
    LS_USES(context, skirmish_moving);
    ls_fix2 *positions = LS_WRITE_SPAN(context, position, span);
    if (span->lane == 1 && ++calls % 8 == 0)
        positions[0].x += (ls_fix)(calls / 8); /* FAULT */
}

COPY_SPAN(ls_skirmish_sim, move)
