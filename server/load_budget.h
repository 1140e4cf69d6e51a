/* Limits the snapshots that one session or one host is sent: a rate in bytes, and a pace and a
 * volume in whole snapshots of any size, so that no client pulls them for ever. A range counts each
 * time that it is sent. */
#ifndef LS_LOAD_BUDGET_H
#define LS_LOAD_BUDGET_H

#include "server/egress.h"
#include "server/token_bucket.h"

/* Members are private. */
typedef struct ls_load_budget {
    ls_token_bucket bytes;
    ls_token_bucket pace, volume; /* in 2^-20 of a snapshot */
} ls_load_budget;

/* Full at the start. When the server has a limit of what it sends in a second (0: none), a session
 * or a host gets at most half of that. */
void ls_load_budget_init_session(ls_load_budget *budget, uint64_t egress_per_s);
void ls_load_budget_init_host(ls_load_budget *budget, uint64_t egress_per_s);
/* Takes the bytes of a chunk of a snapshot of `snapshot_bytes`; false, and nothing taken: there are
 * too few. */
bool ls_load_budget_take(ls_load_budget *budget, uint64_t now_ns, uint32_t bytes,
                         uint32_t snapshot_bytes) LS_MUST_USE;
/* Refunds what was taken. */
void ls_load_budget_give(ls_load_budget *budget, uint32_t bytes, uint32_t snapshot_bytes);
/* For ls_egress_has_room: 0 when nothing of the volume is used, LS_EGRESS_RANK_LAST when all is. */
uint32_t ls_load_budget_rank(ls_load_budget *budget, uint64_t now_ns);
/* True when not even a chunk of a small snapshot can be sent. */
bool ls_load_budget_is_spent(ls_load_budget *budget, uint64_t now_ns) LS_MUST_USE;

#endif
