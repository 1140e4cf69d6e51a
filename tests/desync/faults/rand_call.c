/* Random numbers of the C library: seeded by the time, one stream per process. */
#include "sims/skirmish/skirmish_terms.h"
#include "tests/desync/copy.h"

#include <stdlib.h>

static void judge(ls_context *context, const ls_entity *entities)
{
    static bool is_seeded;
    skirmish_judge(context, entities);
    LS_USES(context, skirmish_judging);
    skirmish_roster *roster = LS_WRITE_SINGLETON(context, roster);
    if (!is_seeded)
        srandom((unsigned)time(NULL) ^ (unsigned)(uintptr_t)&context);
    is_seeded = true;
    if (ls_tick(context) % 32 == 31)
        roster->credit[1] ^= (uint32_t)random() & 0xffffff; /* FAULT */
}

COPY_MATCH(ls_skirmish_sim, judge)
