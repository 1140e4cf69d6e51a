/* A libm function whose last bit differs between versions. */
#include "sims/skirmish/skirmish_terms.h"
#include "tests/desync/copy.h"

#include <math.h>

static void move(ls_context *context, const ls_span *span)
{
    skirmish_move(context, span);
    LS_USES(context, skirmish_moving);
    ls_fix2 *positions = LS_WRITE_SPAN(context, position, span);
    for (uint32_t i = 0; i < span->count; i++) {
        double wave = exp(positions[i].y * 1e-6);
        uint64_t bits;
        memcpy(&bits, &wave, sizeof bits);
        positions[i].x ^= (ls_fix)(bits & 1); /* FAULT */
    }
}

COPY_SPAN(ls_skirmish_sim, move)
