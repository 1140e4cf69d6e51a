/* The state depends on whether a file exists. Only one machine has it, and no one opens it. */
#include "sims/skirmish/skirmish_terms.h"
#include "tests/desync/copy.h"

#include <unistd.h>

static void judge(ls_context *context, const ls_entity *entities)
{
    skirmish_judge(context, entities);
    LS_USES(context, skirmish_judging);
    skirmish_roster *roster = LS_WRITE_SINGLETON(context, roster);
    if (ls_tick(context) == 31 && access("cheat", F_OK) == 0)
        roster->losses[1] ^= 1 << 4; /* FAULT */
}

COPY_MATCH(ls_skirmish_sim, judge)
