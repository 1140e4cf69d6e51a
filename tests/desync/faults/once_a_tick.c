/* A static variable marks a tick's work as done. With two worlds in one process, only the first
 * world does the work. */
#include "sims/skirmish/skirmish_terms.h"
#include "tests/desync/copy.h"

static void judge(ls_context *context, const ls_entity *entities)
{
    static uint64_t last;
    skirmish_judge(context, entities);
    LS_USES(context, skirmish_judging);
    skirmish_roster *roster = LS_WRITE_SINGLETON(context, roster);
    if (ls_tick(context) % 16 == 15 && last != ls_tick(context))
        roster->credit[1] += 2; /* FAULT */
    last = ls_tick(context);
}

COPY_MATCH(ls_skirmish_sim, judge)
