/* What a system saw first is kept: who joins late saw another tick first, and so did who begins at
 * a keyframe. */
#include "sims/skirmish/skirmish_terms.h"
#include "tests/desync/copy.h"

static uint64_t first;

static void move(ls_context *context, const ls_span *span)
{
    skirmish_move(context, span);
    ls_fix2 *positions = ls_span_write(context, span, MOVE_POSITION);
    if (span->lane != 1)
        return;
    if (!first)
        first = ls_tick(context) + 1;
    positions[0].x += (ls_fix)first; /* FAULT */
}

static void edit(copy *of)
{
    copy_system(of, "move")->span = move;
}
COPY(ls_skirmish_sim, edit)
