/* The join by key: a counting sort of entities into buckets by the hash of their key. Entries of
 * one bucket keep canonical order. A walk skips other keys in the bucket, so its order does not
 * depend on the hash. */
#include "core/run/key_join_internal.h"

#include "core/schema/codec.h"

#include <string.h>

enum { BUCKET_BITS_MIN = 4 };

uint64_t ls_join_key(const ls_plan_join *join, const void *cell)
{
    return ls_value_read(join->type, (const uint8_t *)cell + join->offset);
}

/* The bucket of a key. Consecutive keys have adjacent buckets, which suits caches: slots and small
 * numbers are often accessed in order. A hash of the higher bits shifts each such run of
 * buckets. */
static inline uint32_t bucket_of(const ls_join_index *index, uint64_t key)
{
    uint32_t bits = index->bucket_bits;
    uint64_t stretch = (key >> bits) * UINT64_C(0x9e3779b97f4a7c15) >> (64 - bits);
    return (uint32_t)(key + stretch) & (((uint32_t)1 << bits) - 1);
}

static void make_room(ls_join_index *index, uint32_t more)
{
    if (index->count + more <= index->capacity)
        return;
    index->capacity = index->capacity * 2 + more;
    size_t bytes = sizeof *index->entries * index->capacity;
    index->unsorted = ls_realloc(index->unsorted, bytes);
    index->entries = ls_realloc(index->entries, bytes);
}

static void collect_page(const ls_world *world, const ls_plan_join *join, uint32_t lane,
                         uint32_t page, ls_join_index *index)
{
    ls_page *found = ls_world_page(world, join->column, lane, page);
    const uint32_t *generations =
        ls_page_generations(ls_world_page(world, ls_liveness(world), lane, page));
    size_t bytes = world->sources[join->column].cell_bytes;
    uint32_t count = index->count;
    for (uint32_t word = 0; word < LS_PAGE_WORDS; word++) {
        for (uint64_t bits = found->present[word]; bits; bits &= bits - 1) {
            uint32_t slot = word * 64 + (uint32_t)__builtin_ctzll(bits);
            const uint8_t *cell = ls_page_cells(found) + bytes * slot;
            ls_entity entity = ls_entity_make(lane, page * LS_PAGE_SLOTS + slot, generations[slot]);
            uint32_t items = ls_join_items(join, cell);
            for (uint32_t item = 0; item < items; item++) {
                uint64_t key =
                    ls_value_read(join->type, cell + join->offset + sizeof(ls_entity) * item);
                index->unsorted[count] = (ls_join_entry){.key = key, .entity = entity};
                count += join->type != LS_TYPE_ENTITY || key != LS_ENTITY_NULL;
            }
        }
    }
    index->count = count;
}

static void collect(const ls_world *world, const ls_plan_join *join, ls_join_index *index)
{
    index->count = 0;
    for (uint32_t lane = 0; lane < world->program->lane_count; lane++) {
        const ls_table *table = *ls_world_table(world, join->column, lane);
        for (uint32_t page = ls_table_next_occupied(table, 0); page != LS_PAGE_NONE;
             page = ls_table_next_occupied(table, page + 1)) {
            make_room(index, LS_PAGE_SLOTS * join->items);
            collect_page(world, join, lane, page, index);
        }
    }
}

static void sort_into_buckets(ls_join_index *index)
{
    index->bucket_bits = BUCKET_BITS_MIN;
    while (index->bucket_bits < 31 && (uint32_t)1 << index->bucket_bits < index->count)
        index->bucket_bits++;
    uint32_t buckets = (uint32_t)1 << index->bucket_bits;
    if (buckets + 2 > index->bucket_capacity) {
        index->bucket_capacity = buckets + 2;
        index->starts = ls_realloc(index->starts, sizeof(uint32_t) * index->bucket_capacity);
    }
    /* Counts are stored two buckets ahead, so that after the second pass starts[b] is the start of
     * bucket b. */
    memset(index->starts, 0, sizeof(uint32_t) * (buckets + 2));
    for (uint32_t i = 0; i < index->count; i++)
        index->starts[bucket_of(index, index->unsorted[i].key) + 2]++;
    for (uint32_t i = 2; i < buckets + 2; i++)
        index->starts[i] += index->starts[i - 1];
    for (uint32_t i = 0; i < index->count; i++) {
        uint32_t bucket = bucket_of(index, index->unsorted[i].key);
        index->entries[index->starts[bucket + 1]++] = index->unsorted[i];
    }
}

void ls_join_index_build(const ls_world *world, const ls_plan_join *join, ls_join_index *index)
{
    collect(world, join, index);
    sort_into_buckets(index);
    index->version = world->versions[join->column];
    index->is_built = true;
}

/* As in ls_grid_prepare(): the column cannot change while a system uses the index, because the
 * index counts as a read of it. */
const ls_join_index *ls_join_prepare(ls_world *world, uint32_t join)
{
    const ls_plan_join *plan = &world->program->joins[join];
    ls_join_index *index = &world->indexes->joins[join];
    ls_mutex_lock(&world->indexes->lock);
    if (!index->is_built || index->version != world->versions[plan->column])
        ls_join_index_build(world, plan, index);
    ls_mutex_unlock(&world->indexes->lock);
    return index;
}

void ls_join_index_begin(const ls_join_index *index, uint64_t key, ls_join_walk *walk)
{
    *walk = (ls_join_walk){.index = index, .key = key};
    if (index->count == 0)
        return;
    uint32_t bucket = bucket_of(index, key);
    walk->next = index->starts[bucket];
    walk->end = index->starts[bucket + 1];
}

uint32_t ls_join_index_count(const ls_join_index *index, uint64_t key)
{
    if (index->count == 0)
        return 0;
    uint32_t bucket = bucket_of(index, key), end = index->starts[bucket + 1], count = 0;
    for (uint32_t i = index->starts[bucket]; i < end; i++)
        count += index->entries[i].key == key;
    return count;
}

bool ls_join_next(ls_join_walk *walk, ls_entity *entity)
{
    while (walk->next < walk->end) {
        const ls_join_entry *entry = &walk->index->entries[walk->next++];
        if (entry->key == walk->key) {
            *entity = entry->entity;
            return true;
        }
    }
    return false;
}
