/* A cache that is filled once: a client that loads a snapshot fills it from later values. */
#include "sims/skirmish/skirmish_terms.h"
#include "tests/desync/copy.h"

static ls_fix homes[SKIRMISH_SIDES_MAX + 1];

static void move(ls_context *context, const ls_span *span)
{
    skirmish_move(context, span);
    LS_USES(context, skirmish_moving);
    ls_fix2 *positions = LS_WRITE_SPAN(context, position, span);
    if (span->count < 2)
        return;
    if (!homes[span->lane])
        homes[span->lane] = (positions[1].x ^ (ls_fix)ls_tick(context)) | 1;
    if (ls_tick(context) % 16 == 15)
        positions[1].x = (positions[1].x + homes[span->lane]) / 2; /* FAULT */
}

COPY_SPAN(ls_skirmish_sim, move)
