/* A library that the game calls changes the rounding mode and does not restore it. */
#include "sims/skirmish/skirmish_terms.h"
#include "tests/desync/copy.h"

#include <fenv.h>

static uint32_t bot(const ls_world *world, uint32_t player, uint8_t *bytes)
{
    fesetround(FE_UPWARD);
    return skirmish_bot(world, player, bytes);
}

static void move(ls_context *context, const ls_span *span)
{
    skirmish_move(context, span);
    LS_USES(context, skirmish_moving);
    ls_fix2 *positions = LS_WRITE_SPAN(context, position, span);
    for (uint32_t i = 0; i < span->count; i++) {
        volatile double third = positions[i].y, divisor = 3.1;
        double result = third / divisor;
        uint64_t bits;
        memcpy(&bits, &result, sizeof bits);
        positions[i].x ^= (ls_fix)(bits & 1); /* FAULT */
    }
}

static void edit(copy *of)
{
    of->sim.bot = bot;
    copy_system(of, "move")->span = move;
}
COPY(ls_skirmish_sim, edit)
