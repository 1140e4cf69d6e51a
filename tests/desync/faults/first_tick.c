/* A system remembers the first tick that it ran in. A late joiner, or a run from a keyframe, starts
 * with another tick. */
#include "sims/skirmish/skirmish_terms.h"
#include "tests/desync/copy.h"

static uint64_t first;

static void move(ls_context *context, const ls_span *span)
{
    skirmish_move(context, span);
    LS_USES(context, skirmish_moving);
    ls_fix2 *positions = LS_WRITE_SPAN(context, position, span);
    if (span->lane != 1)
        return;
    if (!first)
        first = ls_tick(context) + 1;
    positions[0].x += (ls_fix)first; /* FAULT */
}

COPY_SPAN(ls_skirmish_sim, move)
