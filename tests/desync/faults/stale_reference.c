/* A pointer to a cell is kept across ticks, after the cell has moved or become unused. */
#include "sims/skirmish/skirmish_terms.h"
#include "tests/desync/copy.h"

static ls_fix2 *kept;

static void move(ls_context *context, const ls_span *span)
{
    skirmish_move(context, span);
    LS_USES(context, skirmish_moving);
    ls_fix2 *positions = LS_WRITE_SPAN(context, position, span);
    if (span->lane != 1 || span->count < 2)
        return;
    if (!kept)
        kept = &positions[1];
    if (ls_tick(context) % 16 == 15)
        positions[0].x += kept->x - positions[1].x + 1; /* FAULT */
}

COPY_SPAN(ls_skirmish_sim, move)
