/* A hash table with chains, so that entries do not move. The server draws the ids at random. A peer
 * therefore cannot fill one bucket, and the hash needs no key. */
#include "proto/carriers.h"

#include <sodium.h>
#include <string.h>

#define NONE UINT32_MAX

struct ls_carriers {
    uint32_t mask; /* selects the bucket of an id */
    uint32_t waiting_count;
    uint32_t free_first;
    uint32_t entry_count;
    uint32_t *buckets;
    ls_carrier_entry *entries;
    /* One per entry, in arrays of their own: walks over all entries then touch less memory. */
    ls_carrier_counters *counters;
    ls_path *paths;
};

static uint32_t *bucket_of(const ls_carriers *carriers, uint32_t connect_id)
{
    return &carriers->buckets[(connect_id * UINT32_C(0x9e3779b1) >> 16) & carriers->mask];
}

ls_carriers *ls_carriers_create(uint32_t peers_max)
{
    ls_carriers *carriers = ls_alloc(sizeof *carriers);
    uint32_t bucket_count = 64;
    carriers->entry_count = peers_max + LS_LINK_ADMISSIONS_MAX;
    while (bucket_count < carriers->entry_count)
        bucket_count *= 2;
    LS_ASSERT(bucket_count <= 1u << 16);
    carriers->mask = bucket_count - 1;
    carriers->buckets = ls_alloc(bucket_count * sizeof carriers->buckets[0]);
    carriers->entries = ls_alloc(carriers->entry_count * sizeof carriers->entries[0]);
    carriers->counters = ls_alloc(carriers->entry_count * sizeof carriers->counters[0]);
    carriers->paths = ls_alloc(carriers->entry_count * sizeof carriers->paths[0]);
    for (uint32_t i = 0; i < bucket_count; i++)
        carriers->buckets[i] = NONE;
    for (uint32_t i = 0; i < carriers->entry_count; i++)
        carriers->entries[i].next = i + 1 < carriers->entry_count ? i + 1 : NONE;
    return carriers;
}

void ls_carriers_destroy(ls_carriers *carriers)
{
    sodium_memzero(carriers->entries, carriers->entry_count * sizeof carriers->entries[0]);
    ls_free(carriers->entries);
    ls_free(carriers->counters);
    ls_free(carriers->paths);
    ls_free(carriers->buckets);
    ls_free(carriers);
}

ls_carrier_entry *ls_carriers_find(const ls_carriers *carriers, uint32_t connect_id)
{
    for (uint32_t i = *bucket_of(carriers, connect_id); i != NONE; i = carriers->entries[i].next)
        if (carriers->entries[i].carrier.connect_id == connect_id)
            return &carriers->entries[i];
    return NULL;
}

ls_carrier_entry *ls_carriers_find_waiting(const ls_carriers *carriers, const ls_remote *remote,
                                           uint32_t connect_id, uint64_t now_ns)
{
    ls_carrier_entry *entry = ls_carriers_find(carriers, connect_id);
    if (!entry || entry->is_held || now_ns >= entry->until_ns ||
        !ls_remote_is_same(&entry->remote, remote))
        return NULL;
    return entry;
}

ls_status ls_carriers_admit(ls_carriers *carriers, const ls_admission_request *request,
                            uint64_t now_ns)
{
    const ls_carrier *carrier = request->carrier;
    LS_ASSERT(carrier->connect_id != 0);
    ls_carrier_entry *old = ls_carriers_find(carriers, carrier->connect_id);
    bool is_over = old && !old->is_held && now_ns >= old->until_ns;
    if (old && !old->is_held && !is_over && memcmp(&old->carrier, carrier, sizeof *carrier) == 0 &&
        ls_remote_is_same(&old->remote, &request->remote)) {
        old->until_ns = request->until_ns;
        return LS_OK;
    }
    if (is_over || carriers->waiting_count == LS_LINK_ADMISSIONS_MAX)
        ls_carriers_expire(carriers, now_ns);
    if ((old && !is_over) || carriers->waiting_count == LS_LINK_ADMISSIONS_MAX ||
        carriers->free_first == NONE)
        return LS_ERROR_LIMIT;
    uint32_t index = carriers->free_first;
    uint32_t *bucket = bucket_of(carriers, carrier->connect_id);
    ls_carrier_entry *entry = &carriers->entries[index];
    carriers->free_first = entry->next;
    *entry = (ls_carrier_entry){.carrier = *carrier,
                                .remote = request->remote,
                                .host = request->host,
                                .until_ns = request->until_ns,
                                .next = *bucket};
    carriers->counters[index] = (ls_carrier_counters){0};
    carriers->paths[index] = (ls_path){0};
    *bucket = index;
    carriers->waiting_count++;
    return LS_OK;
}

ls_carrier_counters *ls_carriers_counters(ls_carriers *carriers, const ls_carrier_entry *entry)
{
    return &carriers->counters[entry - carriers->entries];
}

ls_path *ls_carriers_path(ls_carriers *carriers, const ls_carrier_entry *entry)
{
    return &carriers->paths[entry - carriers->entries];
}

void ls_carriers_hold(ls_carriers *carriers, ls_carrier_entry *entry, uint32_t slot)
{
    LS_ASSERT(!entry->is_held && carriers->waiting_count > 0);
    entry->is_held = true;
    entry->slot = slot;
    carriers->waiting_count--;
}

uint32_t ls_carriers_count_held(const ls_carriers *carriers, const ls_remote_key *host)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < carriers->entry_count; i++) {
        const ls_carrier_entry *entry = &carriers->entries[i];
        count += entry->is_held && (!host || ls_remote_key_is_same(&entry->host, host));
    }
    return count;
}

void ls_carriers_remove(ls_carriers *carriers, uint32_t connect_id)
{
    uint32_t *link = bucket_of(carriers, connect_id);
    while (*link != NONE && carriers->entries[*link].carrier.connect_id != connect_id)
        link = &carriers->entries[*link].next;
    if (*link == NONE)
        return;
    uint32_t index = *link;
    ls_carrier_entry *entry = &carriers->entries[index];
    *link = entry->next;
    carriers->waiting_count -= !entry->is_held;
    sodium_memzero(entry, sizeof *entry);
    entry->next = carriers->free_first;
    carriers->free_first = index;
}

void ls_carriers_expire(ls_carriers *carriers, uint64_t now_ns)
{
    for (uint32_t i = 0; i < carriers->entry_count && carriers->waiting_count > 0; i++) {
        const ls_carrier_entry *entry = &carriers->entries[i];
        if (entry->carrier.connect_id != 0 && !entry->is_held && now_ns >= entry->until_ns)
            ls_carriers_remove(carriers, entry->carrier.connect_id);
    }
}
