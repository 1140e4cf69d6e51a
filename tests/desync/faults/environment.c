/* The value of an environment variable changes the state. */
#include "sims/skirmish/skirmish_terms.h"
#include "tests/desync/copy.h"

#include <stdlib.h>

static void judge(ls_context *context, const ls_entity *entities)
{
    skirmish_judge(context, entities);
    LS_USES(context, skirmish_judging);
    skirmish_roster *roster = LS_WRITE_SINGLETON(context, roster);
    const char *skill = getenv("LOCKSTEP_FAULT");
    if (skill && ls_tick(context) % 32 == 31)
        roster->credit[1] += (uint32_t)strlen(skill); /* FAULT */
}

COPY_MATCH(ls_skirmish_sim, judge)
