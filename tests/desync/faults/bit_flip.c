/* A memory error: one bit of one cell changes once, although no system writes the cell. */
#include "sims/skirmish/skirmish_terms.h"
#include "tests/desync/copy.h"

/* Defined only in the preloaded library. Real memory errors make no call that the diagnosis could
 * see, so this call is hidden there too. */
extern bool memory_fails(void) __attribute__((weak));

static void judge(ls_context *context, const ls_entity *entities)
{
    skirmish_judge(context, entities);
    LS_USES(context, skirmish_judging);
    skirmish_roster *roster = LS_WRITE_SINGLETON(context, roster);
    if (memory_fails && memory_fails() && ls_tick(context) == 40)
        roster->losses[1] ^= 1 << 5; /* FAULT */
}

COPY_MATCH(ls_skirmish_sim, judge)
