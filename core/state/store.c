/* Cells and liveness: the operations below every interface that reads or changes a world. The
 * memory orders of accesses to liveness are checked by tests/models/weak_table.pml. */
#include "core/state/store.h"

#include "core/state/store_spawn.h"
#include <lockstep/cell.h>

#include <string.h>

#define LS_COLD __attribute__((noinline, cold))

bool ls_store_is_spawned(const ls_world *world, ls_entity entity)
{
    uint32_t slot = ls_entity_slot(entity);
    if (!ls_store_is_alive(world, entity))
        return false;
    ls_page *page =
        ls_world_page(world, ls_liveness(world), ls_entity_lane(entity), slot / LS_PAGE_SLOTS);
    /* If the entity was spawned meanwhile, its bit is visible, because its generation was loaded
     * with acquire order. For an older entity the epoch is loaded with acquire order, so that the
     * cleared bits are visible with the new epoch. */
    return atomic_load_explicit(&page->spawn_epoch, memory_order_acquire) == world->spawn_epoch &&
           (atomic_load_explicit(&page->spawned[slot % LS_PAGE_SLOTS / 64], memory_order_relaxed) >>
                (slot % 64) &
            1);
}

/* Handles the rare cases: a page that is not open yet, a large cell. Kept out of line so that the
 * common path needs no stack frame and no saved registers. */
static LS_COLD bool attach_slow_path(ls_world *world, uint32_t column, ls_entity entity,
                                     const void *value)
{
    uint32_t slot = ls_entity_slot(entity), at = slot / LS_PAGE_SLOTS;
    size_t bytes = world->sources[column].cell_bytes;
    ls_table *table = *ls_world_table(world, column, ls_entity_lane(entity));
    ls_page *page = ls_table_write(table, at, &world->sources[column]);
    void *cell = ls_store_cell(world, column, page, slot);
    if (bytes && value)
        memmove(cell, value, bytes);
    else if (bytes)
        memset(cell, 0, bytes);
    ls_table_set(table, at, page, slot % LS_PAGE_SLOTS / 64, ls_slot_bit(slot));
    return true;
}

void ls_store_settle(ls_world *world, uint32_t column, ls_entity entity)
{
    ls_table_settle(*ls_world_table(world, column, ls_entity_lane(entity)),
                    ls_entity_slot(entity) / LS_PAGE_SLOTS);
}

bool ls_store_attach(ls_world *world, uint32_t column, ls_entity entity, const void *value)
{
    if (LS_UNLIKELY(!ls_store_is_alive(world, entity)))
        return false;
    uint32_t slot = ls_entity_slot(entity), at = slot / LS_PAGE_SLOTS;
    size_t bytes = world->sources[column].cell_bytes;
    ls_table *table = *ls_world_table(world, column, ls_entity_lane(entity));
    ls_directory *directory = ls_table_directory(table, at);
    ls_page *page = directory ? ls_directory_page(directory, at) : NULL;
    if (LS_UNLIKELY(!page || !page->is_open || !ls_cell_is_small(bytes)))
        return attach_slow_path(world, column, entity, value);
    if (ls_cell_put(page->present, ls_page_cells(page), slot % LS_PAGE_SLOTS, bytes, value))
        ls_table_settle(table, at);
    return true;
}

/* The component must be present. */
static LS_COLD bool clear_slow_path(ls_world *world, uint32_t column, ls_entity entity)
{
    uint32_t slot = ls_entity_slot(entity), at = slot / LS_PAGE_SLOTS;
    size_t bytes = world->sources[column].cell_bytes;
    ls_table *table = *ls_world_table(world, column, ls_entity_lane(entity));
    ls_page *page = ls_table_write(table, at, &world->sources[column]);
    if (bytes)
        memset(ls_store_cell(world, column, page, slot), 0, bytes);
    ls_table_clear(table, at, page, slot % LS_PAGE_SLOTS / 64, ls_slot_bit(slot));
    return true;
}

bool ls_store_detach(ls_world *world, uint32_t column, ls_entity entity)
{
    ls_page *page = ls_store_find_page(world, column, entity);
    if (LS_UNLIKELY(!page))
        return false;
    size_t bytes = world->sources[column].cell_bytes;
    if (LS_UNLIKELY(!page->is_open || !ls_cell_is_small(bytes)))
        return clear_slow_path(world, column, entity);
    if (ls_cell_take(page->present, ls_page_cells(page), entity % LS_PAGE_SLOTS, bytes))
        ls_store_settle(world, column, entity);
    return true;
}

ls_page *ls_store_attach_word(ls_world *world, uint32_t column, uint32_t lane, uint32_t page,
                              uint32_t word, uint64_t bits)
{
    ls_table *table = *ls_world_table(world, column, lane);
    ls_page *found = ls_table_write(table, page, &world->sources[column]);
    /* A loop over a block, or a pointer from before a detach, may have written to absent cells. No
     * snapshot contains such a write, so it must not become visible. */
    ls_cells_zero(found, world->sources[column].cell_bytes, word, bits & ~found->present[word]);
    ls_table_set(table, page, found, word, bits);
    /* Nothing was attached, but ls_table_write() may have created the page. Snapshots have no empty
     * pages, so it must not remain. */
    if (LS_UNLIKELY(bits == 0))
        ls_table_settle(table, page);
    return found;
}

ls_page *ls_store_detach_word(ls_world *world, uint32_t column, uint32_t lane, uint32_t page,
                              uint32_t word, uint64_t bits)
{
    ls_table *table = *ls_world_table(world, column, lane);
    ls_page *found = ls_table_page(table, page);
    if (!found || !(found->present[word] & bits))
        return found;
    found = ls_table_write(table, page, &world->sources[column]);
    bits &= found->present[word];
    ls_table_clear(table, page, found, word, bits);
    ls_cells_zero(found, world->sources[column].cell_bytes, word, bits);
    return found;
}

bool ls_store_are_alive(const ls_world *world, ls_entity first, uint32_t count)
{
    if (!ls_store_is_alive(world, first))
        return false;
    uint32_t slot = ls_entity_slot(first), generation = ls_entity_generation(first), differs = 0;
    const ls_page *lives =
        ls_table_page_known(world->state.lives[ls_entity_lane(first)], slot / LS_PAGE_SLOTS);
    const uint32_t *generations = ls_page_generations(lives) + slot % LS_PAGE_SLOTS;
    for (uint32_t i = 0; i < count; i++)
        differs |= generations[i] ^ generation;
    return differs == 0;
}

/* The bits of word `word` from slot `begin` to before slot `end`. */
static uint64_t bits_of(uint32_t word, uint32_t begin, uint32_t end)
{
    uint64_t bits = UINT64_MAX;
    if (word == begin / 64)
        bits &= UINT64_MAX << (begin % 64);
    if (word == (end - 1) / 64)
        bits &= UINT64_MAX >> (63 - (end - 1) % 64);
    return bits;
}

void ls_store_attach_run(ls_world *world, uint32_t column, ls_entity first, uint32_t count,
                         const uint8_t *values, size_t stride)
{
    uint32_t at = ls_entity_slot(first) / LS_PAGE_SLOTS, begin = first % LS_PAGE_SLOTS;
    size_t bytes = world->sources[column].cell_bytes;
    ls_table *table = *ls_world_table(world, column, ls_entity_lane(first));
    ls_page *page = ls_table_write(table, at, &world->sources[column]);
    uint8_t *cells = ls_page_cells(page) + bytes * begin;
    if (bytes && !values)
        memset(cells, 0, bytes * count);
    else if (bytes && stride == bytes)
        memcpy(cells, values, bytes * count);
    for (uint32_t i = 0; values && stride != bytes && i < count; i++)
        memcpy(cells + bytes * i, values + stride * i, bytes);
    for (uint32_t word = begin / 64; word <= (begin + count - 1) / 64; word++)
        ls_table_set(table, at, page, word, bits_of(word, begin, begin + count));
}

void ls_store_detach_run(ls_world *world, uint32_t column, ls_entity first, uint32_t count)
{
    uint32_t at = ls_entity_slot(first) / LS_PAGE_SLOTS, begin = first % LS_PAGE_SLOTS;
    for (uint32_t word = begin / 64; word <= (begin + count - 1) / 64; word++)
        ls_store_detach_word(world, column, ls_entity_lane(first), at, word,
                             bits_of(word, begin, begin + count));
}

/* The lowest slot of the page in which an entity can be spawned; LS_PAGE_SLOTS when there is
 * none. */
static inline uint32_t lowest_free(const ls_page *page)
{
    for (uint32_t word = 0; word < LS_PAGE_WORDS; word++) {
        for (uint64_t bits = ~page->present[word]; bits; bits &= bits - 1) {
            uint32_t slot = word * 64 + (uint32_t)__builtin_ctzll(bits);
            if (LS_LIKELY(ls_page_generations(page)[slot] != LS_GENERATION_RETIRED))
                return slot;
        }
    }
    return LS_PAGE_SLOTS;
}

uint32_t ls_store_next_free(const ls_world *world, uint32_t lane, uint32_t first_page)
{
    const ls_table *table = world->state.lives[lane];
    for (uint32_t i = ls_table_next_not_full(table, first_page); i != LS_PAGE_NONE;
         i = ls_table_next_not_full(table, i + 1)) {
        const ls_page *page = ls_table_page(table, i);
        uint32_t slot = page ? lowest_free(page) : 0;
        if (slot < LS_PAGE_SLOTS)
            return i * LS_PAGE_SLOTS + slot;
    }
    return LS_SLOTS_MAX;
}

ls_entity ls_settle_spawned_(ls_world *world, ls_entity spawned)
{
    ls_store_settle(world, ls_liveness(world), spawned);
    return spawned;
}

static LS_COLD ls_entity spawn_in_other_page(ls_world *world, uint32_t lane)
{
    uint32_t slot = ls_store_next_free(world, lane, world->free_hints[lane]);
    uint32_t at = slot / LS_PAGE_SLOTS;
    world->free_hints[lane] = at;
    if (slot == LS_SLOTS_MAX) {
        world->state.refused_spawns[lane]++;
        return LS_ENTITY_NULL;
    }
    ls_page *page =
        ls_table_write(world->state.lives[lane], at, &world->sources[ls_liveness(world)]);
    ls_begin_spawns_(world, page);
    return ls_store_spawn_at(world, lane, (ls_store_spawn_place){page, at, slot % LS_PAGE_SLOTS});
}

ls_entity ls_store_spawn(ls_world *world, uint32_t lane)
{
    ls_store_spawn_place place = ls_store_spawn_place_of(world, lane);
    return LS_LIKELY(place.page) ? ls_store_spawn_at(world, lane, place)
                                 : spawn_in_other_page(world, lane);
}

/* Spawns by words of presence, in the order of ls_store_spawn_at(): first presence, then the bits
 * of spawned slots, then the generations. */
uint32_t ls_store_spawn_in_page(ls_world *world, ls_entity first, uint32_t count,
                                ls_entity *entities)
{
    uint32_t lane = ls_entity_lane(first), at = ls_entity_slot(first) / LS_PAGE_SLOTS;
    ls_page *page = ls_table_page(world->state.lives[lane], at);
    uint32_t spawned = 0;
    for (uint32_t word = 0; word < LS_PAGE_WORDS && spawned < count; word++) {
        uint32_t *generations = ls_page_generations_write(page) + word * 64;
        uint64_t bits = ls_page_spawnable(page, word, count - spawned);
        if (bits == 0)
            continue;
        ls_table_set(world->state.lives[lane], at, page, word, bits);
        ls_note_spawns_(page, word, bits);
        for (; bits; bits &= bits - 1) {
            uint32_t slot = (uint32_t)__builtin_ctzll(bits);
            uint32_t generation = generations[slot] + 1;
            __atomic_store_n(&generations[slot], generation, __ATOMIC_RELEASE);
            if (entities)
                entities[spawned] =
                    ls_entity_make(lane, at * LS_PAGE_SLOTS + word * 64 + slot, generation);
            spawned++;
        }
    }
    return spawned;
}

void ls_store_own(ls_world *world, uint32_t column)
{
    if (world->is_owned[column])
        return;
    for (uint32_t lane = 0; lane < world->state.lanes; lane++)
        ls_table_own(ls_world_table(world, column, lane), 0, &world->sources[column]);
    world->is_owned[column] = true;
}

void ls_store_own_pages_of(ls_world *world, uint32_t column, uint32_t leader)
{
    for (uint32_t lane = 0; lane < world->program->lane_count; lane++) {
        uint32_t pages = ls_table_page_count(*ls_world_table(world, leader, lane));
        if (pages)
            ls_table_own(ls_world_table(world, column, lane), pages, &world->sources[column]);
    }
}

void ls_store_own_written(ls_world *world)
{
    const ls_program *program = world->program;
    if (world->owns_written)
        return;
    world->owns_written = true;
    ls_store_own(world, ls_liveness(world));
    for (uint32_t i = 0; i < program->system_count; i++) {
        const ls_plan_system *plan = &program->systems[i];
        for (uint32_t term = 0; term < plan->term_count; term++) {
            if (plan->terms[term].access >= LS_ACCESS_WRITE && plan->terms[term].kind != LS_EVENTS)
                ls_store_own(world, plan->terms[term].column);
        }
    }
}

size_t ls_store_page_cost(const ls_world *world, uint32_t column, uint32_t lane, uint32_t page)
{
    const ls_table *table = *ls_world_table(world, column, lane);
    bool has_directory = table && ls_table_directory(table, page);
    const ls_page_source *source = &world->sources[column];
    return source->pages->block_bytes + (has_directory ? 0 : source->directories->block_bytes);
}

/* Skips liveness, where pages without living slots still have generations. Singletons never lose
 * their cell. */
void ls_store_reclaim(ls_world *world)
{
    uint32_t lanes = world->state.lanes;
    ls_table *const *tables = world->state.tables;
    for (size_t i = 0; i < (size_t)ls_liveness(world) * lanes; i++)
        ls_table_reclaim(tables[i], &world->sources[i / lanes]);
}

uint64_t ls_store_empty_slots(const ls_world *world, uint32_t lane, uint32_t page, uint32_t word)
{
    uint64_t empty = ls_world_page(world, ls_liveness(world), lane, page)->present[word];
    for (uint32_t column = 0; empty && column < ls_liveness(world); column++) {
        const ls_page *found = world->program->components[column]->is_singleton
                                   ? NULL
                                   : ls_world_page(world, column, lane, page);
        empty &= ~(found ? found->present[word] : 0);
    }
    return empty;
}

uint64_t ls_store_count_living(const ls_world *world, uint64_t enough)
{
    uint64_t count = 0;
    for (uint32_t lane = 0; lane < world->program->lane_count; lane++) {
        const ls_table *table = *ls_world_table(world, ls_liveness(world), lane);
        for (uint32_t i = ls_table_next_occupied(table, 0); i != LS_PAGE_NONE;
             i = ls_table_next_occupied(table, i + 1)) {
            if (count >= enough)
                return count;
            const ls_page *page = ls_table_page(table, i);
            for (uint32_t word = 0; word < LS_PAGE_WORDS; word++)
                count += (uint64_t)__builtin_popcountll(page->present[word]);
        }
    }
    return count;
}
