/* Code that displays the world writes to it. It runs only on clients with bots. */
#include "sims/skirmish/skirmish_terms.h"
#include "tests/desync/copy.h"

static uint32_t bot(const ls_world *world, uint32_t player, uint8_t *bytes)
{
    skirmish_roster *roster =
        (skirmish_roster *)ls_world_singleton(world, &skirmish_roster_component);
    roster->losses[player] += 3; /* FAULT */
    return skirmish_bot(world, player, bytes);
}

static void edit(copy *of)
{
    of->sim.bot = bot;
}
COPY(ls_skirmish_sim, edit)
