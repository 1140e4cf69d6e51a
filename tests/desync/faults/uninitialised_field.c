/* A cell is computed from a heap block with one uninitialised member. */
#include "sims/skirmish/skirmish_terms.h"
#include "tests/desync/copy.h"

#include <stdlib.h>

struct plan {
    uint64_t bonus; /* never set */
    uint64_t rest[7];
};

static void move(ls_context *context, const ls_span *span)
{
    skirmish_move(context, span);
    LS_USES(context, skirmish_moving);
    ls_fix2 *positions = LS_WRITE_SPAN(context, position, span);
    free(malloc(sizeof(struct plan)));
    struct plan *plan = malloc(sizeof *plan);
    plan->rest[0] = 1;
    if (span->lane == 1 && ls_tick(context) % 32 == 31)
        positions[0].x ^= (ls_fix)(*(volatile uint64_t *)&plan->bonus >> 4 & 0xffff); /* FAULT */
    free(plan);
}

COPY_SPAN(ls_skirmish_sim, move)
