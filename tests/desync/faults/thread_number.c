/* A system reads a thread-local variable: its value depends on which thread runs the page. */
#include "sims/skirmish/skirmish_terms.h"
#include "tests/desync/copy.h"

static _Thread_local uint32_t own;

static void move(ls_context *context, const ls_span *span)
{
    if (span->lane == 1)
        linger();
    skirmish_move(context, span);
    LS_USES(context, skirmish_moving);
    ls_fix2 *positions = LS_WRITE_SPAN(context, position, span);
    if (ls_tick(context) % 16 == 15)
        positions[0].x += (ls_fix)(own % 5); /* FAULT */
    own++;
}

COPY_SPAN(ls_skirmish_sim, move)
