/* A system writes a cell in every tick, usually with the old value. State of a client's bot changes
 * one bit of the value. */
#include "sims/skirmish/skirmish_terms.h"
#include "tests/desync/copy.h"

static uint32_t mood;

static uint32_t bot(const ls_world *world, uint32_t player, uint8_t *bytes)
{
    mood = 1;
    return skirmish_bot(world, player, bytes);
}

static void judge(ls_context *context, const ls_entity *entities)
{
    skirmish_judge(context, entities);
    LS_USES(context, skirmish_judging);
    skirmish_roster *roster = LS_WRITE_SINGLETON(context, roster);
    if (ls_tick(context) < 64)
        roster->credit[3] = ls_tick(context) >= 31 ? mood * 8 : 0; /* FAULT */
}

static void edit(copy *of)
{
    of->sim.bot = bot;
    copy_system(of, "judge")->match = judge;
}
COPY(ls_skirmish_sim, edit)
