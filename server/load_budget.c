#include "server/load_budget.h"

#include <lockstep/limits.h>

#define SNAPSHOT (UINT64_C(1) << 20)
/* The most bytes that are sent to one session at once: a client's largest window, or half a
 * second's bytes if these are fewer. */
#define BURST_BYTES LS_CLIENT_WINDOW_MAX_BYTES

static void init(ls_load_budget *budget, uint64_t bytes_per_s, uint64_t egress_per_s,
                 uint64_t burst_bytes)
{
    if (egress_per_s && egress_per_s / 2 < bytes_per_s)
        bytes_per_s = egress_per_s / 2;
    ls_token_bucket_init(&budget->bytes, bytes_per_s,
                         bytes_per_s / 2 < burst_bytes ? bytes_per_s / 2 : burst_bytes);
}

void ls_load_budget_init_session(ls_load_budget *budget, uint64_t egress_per_s)
{
    init(budget, LS_SERVER_SNAPSHOT_BYTES_PER_S, egress_per_s, BURST_BYTES);
    ls_token_bucket_init(&budget->pace, SNAPSHOT * LS_SECOND_NS / LS_SERVER_LOAD_PACE_NS,
                         SNAPSHOT * LS_SERVER_LOADS_AT_ONCE);
    ls_token_bucket_init(&budget->volume, SNAPSHOT * LS_SECOND_NS / LS_SERVER_LOAD_AGAIN_NS,
                         SNAPSHOT * LS_SERVER_LOADS);
}

/* A host has no pace of its own, since its sessions have one; `pace` is a copy of `volume`. */
void ls_load_budget_init_host(ls_load_budget *budget, ls_load_limits limits, uint64_t egress_per_s)
{
    uint64_t first =
        limits.snapshots > LS_SERVER_LOADS_PER_HOST ? limits.snapshots : LS_SERVER_LOADS_PER_HOST;
    init(budget, limits.bytes_per_s, egress_per_s, 4 * BURST_BYTES);
    ls_token_bucket_init(&budget->volume, SNAPSHOT * limits.snapshots / 60, SNAPSHOT * first);
    budget->pace = budget->volume;
}

bool ls_load_budget_has(ls_load_budget *budget, uint64_t now_ns, uint32_t snapshots)
{
    return ls_token_bucket_has(&budget->volume, now_ns, SNAPSHOT * snapshots);
}

/* Returns the part of a snapshot that `bytes` are, rounded up so that no chunk is free. */
static uint64_t volume_of(uint32_t bytes, uint32_t snapshot_bytes)
{
    uint64_t whole =
        snapshot_bytes > LS_SERVER_LOAD_BYTES_MIN ? snapshot_bytes : LS_SERVER_LOAD_BYTES_MIN;
    return (bytes * SNAPSHOT + whole - 1) / whole;
}

bool ls_load_budget_take(ls_load_budget *budget, uint64_t now_ns, uint32_t bytes,
                         uint32_t snapshot_bytes)
{
    uint64_t volume = volume_of(bytes, snapshot_bytes);
    return ls_token_bucket_has(&budget->pace, now_ns, volume) &&
           ls_token_bucket_has(&budget->volume, now_ns, volume) &&
           ls_token_bucket_take(&budget->bytes, now_ns, bytes) &&
           ls_token_bucket_take(&budget->pace, now_ns, volume) &&
           ls_token_bucket_take(&budget->volume, now_ns, volume);
}

void ls_load_budget_give(ls_load_budget *budget, uint32_t bytes, uint32_t snapshot_bytes)
{
    uint64_t volume = volume_of(bytes, snapshot_bytes);
    ls_token_bucket_give(&budget->bytes, bytes);
    ls_token_bucket_give(&budget->pace, volume);
    ls_token_bucket_give(&budget->volume, volume);
}

uint32_t ls_load_budget_rank(ls_load_budget *budget, uint64_t now_ns)
{
    uint64_t missing = ls_token_bucket_missing(&budget->volume, now_ns);
    return (uint32_t)(missing * LS_EGRESS_RANK_LAST / budget->volume.burst);
}

bool ls_load_budget_is_spent(ls_load_budget *budget, uint64_t now_ns)
{
    uint64_t min = volume_of(LS_CHUNK_BYTES_MAX, LS_SERVER_LOAD_BYTES_MIN);
    return !ls_token_bucket_has(&budget->bytes, now_ns, LS_CHUNK_BYTES_MAX) ||
           !ls_token_bucket_has(&budget->pace, now_ns, min) ||
           !ls_token_bucket_has(&budget->volume, now_ns, min);
}
