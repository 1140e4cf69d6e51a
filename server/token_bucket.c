#include "server/token_bucket.h"

#define UNIT UINT64_C(1000000000)

void ls_token_bucket_init(ls_token_bucket *bucket, uint64_t per_s, uint64_t burst)
{
    LS_ASSERT(per_s >= 1 && burst >= 1 && burst <= UINT64_C(1) << 32);
    *bucket = (ls_token_bucket){.level = burst * UNIT, .per_s = per_s, .burst = burst};
}

static void refill(ls_token_bucket *bucket, uint64_t now_ns)
{
    uint64_t elapsed = now_ns > bucket->last_ns ? now_ns - bucket->last_ns : 0;
    uint64_t missing = bucket->burst * UNIT - bucket->level;
    bucket->last_ns += elapsed;
    /* Compares by division, because elapsed * per_s can exceed 64 bits after a long suspension. */
    if (elapsed > missing / bucket->per_s)
        bucket->level = bucket->burst * UNIT;
    else
        bucket->level += elapsed * bucket->per_s;
}

bool ls_token_bucket_has(ls_token_bucket *bucket, uint64_t now_ns, uint64_t amount)
{
    refill(bucket, now_ns);
    return amount <= bucket->burst && amount * UNIT <= bucket->level;
}

bool ls_token_bucket_take(ls_token_bucket *bucket, uint64_t now_ns, uint64_t amount)
{
    if (!ls_token_bucket_has(bucket, now_ns, amount))
        return false;
    bucket->level -= amount * UNIT;
    return true;
}

uint64_t ls_token_bucket_missing(ls_token_bucket *bucket, uint64_t now_ns)
{
    refill(bucket, now_ns);
    return bucket->burst - bucket->level / UNIT;
}

void ls_token_bucket_give(ls_token_bucket *bucket, uint64_t amount)
{
    uint64_t missing = bucket->burst * UNIT - bucket->level;
    bucket->level += amount > bucket->burst || amount * UNIT > missing ? missing : amount * UNIT;
}
