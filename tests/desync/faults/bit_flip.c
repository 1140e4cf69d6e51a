/* Memory fails once: one bit of one cell, while no system stores there. */
#include "sims/skirmish/skirmish_terms.h"
#include "tests/desync/copy.h"

/* Defined in the preloaded library on that machine: failing memory makes no call that the
 * diagnosis could see. */
extern bool memory_fails(void) __attribute__((weak));

static void judge(ls_context *context, const ls_entity *entities)
{
    skirmish_judge(context, entities);
    skirmish_roster *roster = ls_singleton_write(context, JUDGE_ROSTER);
    if (memory_fails && memory_fails() && ls_tick(context) == 40)
        roster->losses[1] ^= 1 << 5; /* FAULT */
}

static void edit(copy *of)
{
    copy_system(of, "judge")->match = judge;
}
COPY(ls_skirmish_sim, edit)
