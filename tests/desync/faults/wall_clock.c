/* The time of day enters the state. */
#include "sims/skirmish/skirmish_terms.h"
#include "tests/desync/copy.h"

static void judge(ls_context *context, const ls_entity *entities)
{
    skirmish_judge(context, entities);
    LS_USES(context, skirmish_judging);
    skirmish_roster *roster = LS_WRITE_SINGLETON(context, roster);
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (ls_tick(context) % 32 == 31)
        roster->credit[0] ^= (uint32_t)now.tv_nsec >> 4 & 0xffffff; /* FAULT */
}

COPY_MATCH(ls_skirmish_sim, judge)
