#include "server/token_bucket.h"

#define UNIT UINT64_C(1000000000)

void ls_token_bucket_init(ls_token_bucket *budget, uint64_t per_s, uint64_t burst)
{
    LS_ASSERT(per_s >= 1 && burst >= 1 && burst <= UINT64_C(1) << 32);
    *budget = (ls_token_bucket){.level = burst * UNIT, .per_s = per_s, .burst = burst};
}

static void refill(ls_token_bucket *budget, uint64_t now_ns)
{
    uint64_t elapsed = now_ns > budget->last_ns ? now_ns - budget->last_ns : 0;
    uint64_t missing = budget->burst * UNIT - budget->level;
    budget->last_ns += elapsed;
    /* Compared by division: elapsed * per_s can exceed 64 bits after a long sleep. */
    if (elapsed > missing / budget->per_s)
        budget->level = budget->burst * UNIT;
    else
        budget->level += elapsed * budget->per_s;
}

bool ls_token_bucket_take(ls_token_bucket *budget, uint64_t now_ns, uint64_t amount)
{
    refill(budget, now_ns);
    if (amount > budget->burst || amount * UNIT > budget->level)
        return false;
    budget->level -= amount * UNIT;
    return true;
}

void ls_token_bucket_give(ls_token_bucket *budget, uint64_t amount)
{
    uint64_t missing = budget->burst * UNIT - budget->level;
    budget->level += amount > budget->burst || amount * UNIT > missing ? missing : amount * UNIT;
}
