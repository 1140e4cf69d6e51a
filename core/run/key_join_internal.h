/* The index of a join by key. */
#ifndef LS_KEY_JOIN_INTERNAL_H
#define LS_KEY_JOIN_INTERNAL_H
#include "core/run/join_index.h"
#include <lockstep/key_join.h>

#include <string.h>

/* The value of the field in `cell` as a key; of an array, the first item. */
uint64_t ls_join_key(const ls_plan_join *join, const void *cell);
/* The number of items of the field in `cell` that are keys. */
static inline uint32_t ls_join_items(const ls_plan_join *join, const void *cell)
{
    if (join->count_offset == UINT32_MAX)
        return join->items;
    uint16_t count;
    memcpy(&count, (const uint8_t *)cell + join->count_offset, sizeof count);
    return count < join->items ? count : join->items;
}
const ls_join_index *ls_join_prepare(ls_world *world, uint32_t join);
void ls_join_index_build(const ls_world *world, const ls_plan_join *join, ls_join_index *index);
uint32_t ls_join_index_count(const ls_join_index *index, uint64_t key);

/* The bucket of a key; if it is not below `buckets`, no entry has the key. If buckets are mixed,
 * consecutive keys have adjacent buckets, which suits caches: slots and small numbers are often
 * accessed in order. A hash of the higher bits shifts each such run of buckets. */
static inline uint64_t ls_join_bucket(const ls_join_index *index, uint64_t key)
{
    if (!index->is_mixed)
        return key - index->least;
    uint32_t bits = index->bucket_bits;
    uint64_t stretch = (key >> bits) * UINT64_C(0x9e3779b97f4a7c15) >> (64 - bits);
    return (uint32_t)(key + stretch) & (((uint32_t)1 << bits) - 1);
}

static inline void ls_join_index_begin(const ls_join_index *index, uint64_t key, ls_join_walk *walk)
{
    const ls_index *base = &index->base;
    *walk = (ls_join_walk){.index = index, .key = key};
    uint64_t bucket = ls_join_bucket(index, key);
    if (bucket >= index->buckets)
        return;
    walk->next = base->entries + (size_t)base->entry_bytes * base->starts[bucket];
    walk->end = base->entries + (size_t)base->entry_bytes * base->starts[bucket + 1];
    walk->entry_bytes = base->entry_bytes;
    walk->value_offset = base->value_offset;
    walk->is_mixed = index->is_mixed;
}

#endif
