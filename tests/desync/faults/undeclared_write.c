/* A system that declares a read of other entities' positions writes one through that pointer. */
#include "sims/skirmish/skirmish_terms.h"
#include "tests/desync/copy.h"

static void steer(ls_context *context, const ls_span *span)
{
    if (span->lane == 1)
        linger();
    skirmish_steer(context, span);
    ls_entity first = ls_entity_make(2, 0, ls_span_entity(span, 0) >> 32);
    LS_USES(context, skirmish_steering);
    ls_fix2 *at = (ls_fix2 *)LS_READ(context, others, first);
    if (at)
        at->x += at->x / 8 % (ls_fix)(span->lane * 7); /* FAULT */
}

COPY_SPAN(ls_skirmish_sim, steer)
