/* The fault starts after two hundred ticks of its own count. A late joiner has not reached them,
 * and a run of a few ticks never does. */
#include "sims/skirmish/skirmish_terms.h"
#include "tests/desync/copy.h"

enum { WARM_TICKS = 200 };

static uint64_t ticks, last;

static void move(ls_context *context, const ls_span *span)
{
    skirmish_move(context, span);
    LS_USES(context, skirmish_moving);
    ls_fix2 *positions = LS_WRITE_SPAN(context, position, span);
    if (span->lane != 1)
        return;
    ticks += last != ls_tick(context) + 1;
    last = ls_tick(context) + 1;
    if (ticks > WARM_TICKS && last % 16 == 0)
        positions[0].x += 3; /* FAULT */
}

COPY_SPAN(ls_skirmish_sim, move)
