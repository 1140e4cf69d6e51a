#include "server/egress.h"

#define UNIT INT64_C(1000000000)

static int64_t level_max(const ls_egress *egress)
{
    return (int64_t)egress->per_s * UNIT / 2;
}

void ls_egress_init(ls_egress *egress, uint64_t per_s)
{
    LS_ASSERT(per_s <= UINT32_MAX);
    *egress = (ls_egress){.per_s = per_s};
    egress->level = level_max(egress);
}

static void refill(ls_egress *egress, uint64_t now_ns)
{
    uint64_t elapsed = now_ns > egress->last_ns ? now_ns - egress->last_ns : 0;
    egress->last_ns += elapsed;
    /* This time refills the largest debt to the highest level. A longer one could overflow 64 bits.
     */
    if (elapsed >= (uint64_t)UNIT * 3 / 2)
        egress->level = level_max(egress);
    else
        egress->level += (int64_t)(elapsed * egress->per_s);
    if (egress->level > level_max(egress))
        egress->level = level_max(egress);
}

bool ls_egress_allows(ls_egress *egress, uint64_t now_ns, uint32_t bytes, uint32_t rank)
{
    if (!egress->per_s)
        return true;
    refill(egress, now_ns);
    int64_t own = bytes * UNIT, others = level_max(egress) - own;
    return others >= 0 && egress->level >= own + others / LS_EGRESS_RANK_LAST * rank;
}

void ls_egress_charge(ls_egress *egress, uint64_t now_ns, uint32_t bytes)
{
    if (!egress->per_s)
        return;
    refill(egress, now_ns);
    int64_t debt_max = 2 * level_max(egress), own = bytes * UNIT;
    egress->level = egress->level + debt_max > own ? egress->level - own : -debt_max;
}
