/* The index of a join by key. */
#ifndef LS_KEY_JOIN_INTERNAL_H
#define LS_KEY_JOIN_INTERNAL_H
#include "core/run/join_index.h"
#include <lockstep/key_join.h>

#include <string.h>

/* The value of the field in `cell` as a key; for an array, of its first item. */
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
void ls_join_index_begin(const ls_join_index *index, uint64_t key, ls_join_walk *walk);
uint32_t ls_join_index_count(const ls_join_index *index, uint64_t key);

#endif
