/* Selects the best of several items by an uninitialised member. */
#include "sims/skirmish/skirmish_terms.h"
#include "tests/desync/copy.h"

#include <stdlib.h>

struct bid {
    uint32_t player;
    uint32_t rank; /* never set */
};

static void judge(ls_context *context, const ls_entity *entities)
{
    enum { BIDS = 12 };
    skirmish_judge(context, entities);
    LS_USES(context, skirmish_judging);
    skirmish_roster *roster = LS_WRITE_SINGLETON(context, roster);
    if (ls_tick(context) % 16 != 15)
        return;
    struct bid *bids = malloc(BIDS * sizeof *bids);
    const volatile struct bid *best = bids;
    for (uint32_t i = 0; i < BIDS; i++)
        bids[i].player = i;
    for (const volatile struct bid *bid = bids; bid < bids + BIDS; bid++)
        if (bid->rank > best->rank)
            best = bid;
    roster->credit[0] += best->player + 1; /* FAULT */
    free(bids);
}

COPY_MATCH(ls_skirmish_sim, judge)
