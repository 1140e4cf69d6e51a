/* Limits the snapshots that are sent to one session or one host, so that no client downloads them
 * forever. `bytes` limits the rate in bytes. `pace` limits how fast a session loads the next
 * snapshots, `volume` how many in the long run; both count whole snapshots of any size. A range is
 * charged each time that it is sent. */
#ifndef LS_LOAD_BUDGET_H
#define LS_LOAD_BUDGET_H

#include "server/egress.h"
#include "server/token_bucket.h"

/* Members are private. */
typedef struct ls_load_budget {
    ls_token_bucket bytes;
    ls_token_bucket pace, volume; /* in units of 2^-20 snapshots */
} ls_load_budget;

/* The limits of a host: whole snapshots in a minute, and bytes in a second. */
typedef struct ls_load_limits {
    uint32_t snapshots, bytes_per_s;
} ls_load_limits;

/* A new budget is full. If the server limits what it sends (`egress_per_s`; 0: no limit), a session
 * or a host gets at most half of that rate. */
void ls_load_budget_init_session(ls_load_budget *budget, uint64_t egress_per_s);
void ls_load_budget_init_host(ls_load_budget *budget, ls_load_limits limits, uint64_t egress_per_s);
/* Whether this number of whole snapshots can be sent without waiting. */
bool ls_load_budget_has(ls_load_budget *budget, uint64_t now_ns, uint32_t snapshots) LS_MUST_USE;
/* Charges a chunk of `bytes` from a snapshot of `snapshot_bytes`. False, and nothing is charged,
 * when one limit is reached. */
bool ls_load_budget_take(ls_load_budget *budget, uint64_t now_ns, uint32_t bytes,
                         uint32_t snapshot_bytes) LS_MUST_USE;
/* Refunds a charged chunk. */
void ls_load_budget_give(ls_load_budget *budget, uint32_t bytes, uint32_t snapshot_bytes);
/* The rank for ls_egress_allows(): from 0, no volume used, to LS_EGRESS_RANK_LAST, all used. */
uint32_t ls_load_budget_rank(ls_load_budget *budget, uint64_t now_ns);
/* True when not even a chunk of a small snapshot can be sent. */
bool ls_load_budget_is_spent(ls_load_budget *budget, uint64_t now_ns) LS_MUST_USE;

#endif
