/* A token bucket over virtual time. It limits the work that an unauthenticated sender or a client
 * can cause. */
#ifndef LS_TOKEN_BUCKET_H
#define LS_TOKEN_BUCKET_H

#include <lockstep/base.h>

/* Members are private. */
typedef struct ls_token_bucket {
    uint64_t level; /* in 1e-9 units, so that fractions are not lost */
    uint64_t per_s, burst;
    uint64_t last_ns;
} ls_token_bucket;

/* Begins full. Asserts 1 <= per_s and 1 <= burst <= 2^32. */
void ls_token_bucket_init(ls_token_bucket *bucket, uint64_t per_s, uint64_t burst);
bool ls_token_bucket_has(ls_token_bucket *bucket, uint64_t now_ns, uint64_t amount) LS_MUST_USE;
/* Takes `amount` units. False, and nothing is taken, when fewer are left. */
bool ls_token_bucket_take(ls_token_bucket *bucket, uint64_t now_ns, uint64_t amount) LS_MUST_USE;
/* Returns the units that are missing from a full bucket. */
uint64_t ls_token_bucket_missing(ls_token_bucket *bucket, uint64_t now_ns);
/* Refunds units, up to the burst. */
void ls_token_bucket_give(ls_token_bucket *bucket, uint64_t amount);

#endif
