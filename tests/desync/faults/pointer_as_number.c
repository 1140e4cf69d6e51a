/* A memory address is used as an id and enters the state. */
#include "sims/skirmish/skirmish_terms.h"
#include "tests/desync/copy.h"

static void move(ls_context *context, const ls_span *span)
{
    skirmish_move(context, span);
    LS_USES(context, skirmish_moving);
    ls_fix2 *positions = LS_WRITE_SPAN(context, position, span);
    uint64_t id = (uint64_t)(uintptr_t)positions;
    if (ls_tick(context) == 40)
        positions[0].y ^= (ls_fix)(id >> 12 & 0xffff); /* FAULT */
}

COPY_SPAN(ls_skirmish_sim, move)
