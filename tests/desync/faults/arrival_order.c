/* Pages that run in parallel append their names to one list, in the order of thread arrival. */
#include "sims/skirmish/skirmish_terms.h"
#include "tests/desync/copy.h"

#include <stdatomic.h>

static uint32_t list[64];
static atomic_uint count;

static void move(ls_context *context, const ls_span *span)
{
    if (span->lane == 1)
        linger();
    list[atomic_fetch_add(&count, 1) % LS_COUNT_OF(list)] = span->lane;
    skirmish_move(context, span);
}

static void judge(ls_context *context, const ls_entity *entities)
{
    skirmish_judge(context, entities);
    LS_USES(context, skirmish_judging);
    skirmish_roster *roster = LS_WRITE_SINGLETON(context, roster);
    roster->credit[2] ^= list[0]; /* FAULT */
    atomic_store(&count, 0);
}

static void edit(copy *of)
{
    copy_system(of, "move")->span = move;
    copy_system(of, "judge")->match = judge;
}
COPY(ls_skirmish_sim, edit)
