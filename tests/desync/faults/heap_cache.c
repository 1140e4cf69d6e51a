/* A cache on the heap, outside snapshots and static variables: a late joiner counts from zero. */
#include "sims/skirmish/skirmish_terms.h"
#include "tests/desync/copy.h"

#include <stdlib.h>

enum { PERIOD = 16 };

struct memo {
    uint64_t ticks;
};

static struct memo *memo;

static void move(ls_context *context, const ls_span *span)
{
    skirmish_move(context, span);
    LS_USES(context, skirmish_moving);
    ls_fix2 *positions = LS_WRITE_SPAN(context, position, span);
    if (span->lane != 1 || ls_entity_slot(ls_span_entity(span, 0)) >= LS_PAGE_SLOTS)
        return;
    if (!memo)
        memo = calloc(1, sizeof *memo);
    if (++memo->ticks % PERIOD == 0)
        positions[0].x += (ls_fix)memo->ticks; /* FAULT */
}

COPY_SPAN(ls_skirmish_sim, move)
