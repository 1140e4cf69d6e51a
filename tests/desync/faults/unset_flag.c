/* An uninitialised flag in heap memory; only zero or nonzero matters. It is zero in fresh memory,
 * and nonzero where a bot used the block before. */
#include "sims/skirmish/skirmish_terms.h"
#include "tests/desync/copy.h"

#include <stdlib.h>

enum { WORDS = 7500, FLAG = 7000 };

static uint32_t bot(const ls_world *world, uint32_t player, uint8_t *bytes)
{
    volatile uint64_t *scratch = malloc(WORDS * sizeof *scratch);
    for (uint32_t i = 0; i < WORDS; i++)
        scratch[i] = i + 1;
    free((void *)scratch);
    return skirmish_bot(world, player, bytes);
}

static void move(ls_context *context, const ls_span *span)
{
    skirmish_move(context, span);
    LS_USES(context, skirmish_moving);
    ls_fix2 *positions = LS_WRITE_SPAN(context, position, span);
    volatile uint64_t *plan = malloc(WORDS * sizeof *plan);
    plan[0] = 1;
    if (span->lane == 1 && ls_tick(context) % 32 == 31 && plan[FLAG] != 0)
        positions[0].x += 64; /* FAULT */
    free((void *)plan);
}

static void edit(copy *of)
{
    of->sim.bot = bot;
    copy_system(of, "move")->span = move;
}
COPY(ls_skirmish_sim, edit)
