/* Sorts items of equal rank by address, which malloc decides. */
#include "sims/skirmish/skirmish_terms.h"
#include "tests/desync/copy.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    /* Equal ranks: the author wrongly assumes that any order is fine. */
    uintptr_t x = *(const uintptr_t *)a * 0x9e3779b97f4a7c15u;
    uintptr_t y = *(const uintptr_t *)b * 0x9e3779b97f4a7c15u;
    return (x > y) - (x < y);
}

static void judge(ls_context *context, const ls_entity *entities)
{
    skirmish_judge(context, entities);
    LS_USES(context, skirmish_judging);
    skirmish_roster *roster = LS_WRITE_SINGLETON(context, roster);
    if (ls_tick(context) % 16 != 15)
        return;
    uint32_t *bids[64];
    for (uint32_t i = 0; i < LS_COUNT_OF(bids); i++) {
        bids[i] = malloc(48);
        *bids[i] = i;
    }
    qsort(bids, LS_COUNT_OF(bids), sizeof bids[0], compare);
    roster->credit[0] += *bids[0] * LS_COUNT_OF(bids) + *bids[1]; /* FAULT */
    for (uint32_t i = 0; i < LS_COUNT_OF(bids); i++)
        free(bids[i]);
}

COPY_MATCH(ls_skirmish_sim, judge)
