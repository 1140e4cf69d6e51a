/* A system reads state that a bot keeps in its client process, outside the world. */
#include "sims/skirmish/skirmish_terms.h"
#include "tests/desync/copy.h"

static uint32_t seen;

static uint32_t bot(const ls_world *world, uint32_t player, uint8_t *bytes)
{
    seen = player + 1;
    return skirmish_bot(world, player, bytes);
}

static void judge(ls_context *context, const ls_entity *entities)
{
    skirmish_judge(context, entities);
    LS_USES(context, skirmish_judging);
    skirmish_roster *roster = LS_WRITE_SINGLETON(context, roster);
    if (ls_tick(context) % 32 == 31)
        roster->score[0] += 3 * seen; /* FAULT */
}

static void edit(copy *of)
{
    of->sim.bot = bot;
    copy_system(of, "judge")->match = judge;
}
COPY(ls_skirmish_sim, edit)
