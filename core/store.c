/* Cells and lives: the operations under every interface that reads or changes a world. */
#include "core/store.h"
#include "core/query.h"

#include <string.h>

#define LS_COLD __attribute__((noinline, cold))

static inline uint32_t *generations(ls_page *page)
{
    return (uint32_t *)(void *)ls_page_cells(page);
}

bool ls_store_is_newborn(const ls_world *world, ls_entity entity)
{
    uint32_t slot = ls_entity_slot(entity);
    if (!ls_store_is_alive(world, entity))
        return false;
    ls_page *page =
        ls_world_page(world, ls_liveness(world), ls_entity_lane(entity), slot / LS_PAGE_SLOTS);
    return atomic_load_explicit(&page->born_tick, memory_order_acquire) == world->births_tick &&
           (atomic_load_explicit(&page->born[slot % LS_PAGE_SLOTS / 64], memory_order_relaxed) >>
                (slot % 64) &
            1);
}

static void note_birth(ls_world *world, ls_page *page, uint32_t slot)
{
    if (atomic_load_explicit(&page->born_tick, memory_order_relaxed) != world->births_tick) {
        for (uint32_t word = 0; word < LS_PAGE_WORDS; word++)
            atomic_store_explicit(&page->born[word], 0, memory_order_relaxed);
        atomic_store_explicit(&page->born_tick, world->births_tick, memory_order_release);
    }
    uint64_t born = atomic_load_explicit(&page->born[slot / 64], memory_order_relaxed);
    atomic_store_explicit(&page->born[slot / 64], born | (uint64_t)1 << (slot % 64),
                          memory_order_relaxed);
}

/* The entity's page of an owned column, ready to be written. */
static inline ls_page *writable_page(ls_world *world, uint32_t column, ls_entity entity)
{
    return ls_table_write(*ls_world_table(world, column, ls_entity_lane(entity)),
                          ls_entity_slot(entity) / LS_PAGE_SLOTS, &world->sources[column]);
}

const void *ls_store_unshare(ls_world *world, uint32_t column, ls_entity entity)
{
    uint32_t slot = ls_entity_slot(entity);
    ls_table *table = *ls_world_table(world, column, ls_entity_lane(entity));
    ls_page *page = ls_table_unshare(table, slot / LS_PAGE_SLOTS, &world->sources[column]);
    return ls_store_cell(world, column, page, slot);
}

/* Cells of 4 to SMALL_BYTES are copied without a call, two halves that may overlap: `value` may be
 * a cell of this column, even this very one, so all is read before anything is written. */
enum { SMALL_BYTES = 32 };
static const uint8_t zeros[SMALL_BYTES];

typedef struct half {
    uint64_t low, high;
} half;

static inline void copy_small(uint8_t *cell, const uint8_t *value, size_t bytes)
{
    if (bytes >= sizeof(half)) {
        half first, last;
        memcpy(&first, value, sizeof first);
        memcpy(&last, value + bytes - sizeof last, sizeof last);
        memcpy(cell, &first, sizeof first);
        memcpy(cell + bytes - sizeof last, &last, sizeof last);
    } else if (bytes >= sizeof(uint64_t)) {
        uint64_t first, last;
        memcpy(&first, value, sizeof first);
        memcpy(&last, value + bytes - sizeof last, sizeof last);
        memcpy(cell, &first, sizeof first);
        memcpy(cell + bytes - sizeof last, &last, sizeof last);
    } else {
        uint32_t first, last;
        memcpy(&first, value, sizeof first);
        memcpy(&last, value + bytes - sizeof last, sizeof last);
        memcpy(cell, &first, sizeof first);
        memcpy(cell + bytes - sizeof last, &last, sizeof last);
    }
}

static inline bool is_small(size_t bytes)
{
    return bytes - sizeof(uint32_t) <= SMALL_BYTES - sizeof(uint32_t) || bytes == 0;
}

static inline uint64_t bit_of(uint32_t slot)
{
    return (uint64_t)1 << (slot % 64);
}

/* The way of everything that is not usual: a page that is not open yet, a large cell. Kept apart,
 * so that the usual way needs neither a frame nor saved registers. */
static LS_COLD bool attach_slowly(ls_world *world, uint32_t column, ls_entity entity,
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
    ls_table_set(table, at, page, slot % LS_PAGE_SLOTS / 64, bit_of(slot));
    return true;
}

static LS_COLD bool settle(ls_table *table, uint32_t page)
{
    ls_table_settle(table, page);
    return true;
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
    if (LS_UNLIKELY(!page || !page->is_open || !is_small(bytes)))
        return attach_slowly(world, column, entity, value);
    if (bytes)
        copy_small(ls_store_cell(world, column, page, slot), value ? value : zeros, bytes);
    uint64_t *word = &page->present[slot % LS_PAGE_SLOTS / 64], before = *word;
    *word = before | bit_of(slot);
    if (LS_UNLIKELY(before == 0 || *word == UINT64_MAX))
        return settle(table, at);
    return true;
}

/* The component is there. */
static LS_COLD bool clear_slowly(ls_world *world, uint32_t column, ls_entity entity)
{
    uint32_t slot = ls_entity_slot(entity), at = slot / LS_PAGE_SLOTS;
    size_t bytes = world->sources[column].cell_bytes;
    ls_table *table = *ls_world_table(world, column, ls_entity_lane(entity));
    ls_page *page = ls_table_write(table, at, &world->sources[column]);
    if (bytes)
        memset(ls_store_cell(world, column, page, slot), 0, bytes);
    ls_table_clear(table, at, page, slot % LS_PAGE_SLOTS / 64, bit_of(slot));
    return true;
}

bool ls_store_detach(ls_world *world, uint32_t column, ls_entity entity)
{
    ls_page *page = ls_store_find_page(world, column, entity);
    if (LS_UNLIKELY(!page))
        return false;
    uint32_t slot = ls_entity_slot(entity);
    size_t bytes = world->sources[column].cell_bytes;
    if (LS_UNLIKELY(!page->is_open || !is_small(bytes)))
        return clear_slowly(world, column, entity);
    if (bytes)
        copy_small(ls_store_cell(world, column, page, slot), zeros, bytes);
    uint64_t *word = &page->present[slot % LS_PAGE_SLOTS / 64], before = *word;
    *word = before & ~bit_of(slot);
    if (LS_UNLIKELY(*word == 0 || before == UINT64_MAX))
        return settle(*ls_world_table(world, column, ls_entity_lane(entity)), slot / LS_PAGE_SLOTS);
    return true;
}

ls_page *ls_store_attach_word(ls_world *world, uint32_t column, uint32_t lane, uint32_t page,
                              uint32_t word, uint64_t bits)
{
    ls_table *table = *ls_world_table(world, column, lane);
    ls_page *found = ls_table_write(table, page, &world->sources[column]);
    ls_table_set(table, page, found, word, bits); /* absent cells are zero already */
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
    size_t bytes = world->sources[column].cell_bytes;
    uint8_t *cells = ls_page_cells(found) + bytes * 64 * word;
    while (bytes && bits) {
        uint32_t first = (uint32_t)__builtin_ctzll(bits);
        uint64_t rest = ~(bits >> first);
        uint32_t count = rest ? (uint32_t)__builtin_ctzll(rest) : 64;
        memset(cells + bytes * first, 0, bytes * count);
        bits = first + count < 64 ? bits & UINT64_MAX << (first + count) : 0;
    }
    return found;
}

/* The lowest slot of the page that can be born, or LS_PAGE_SLOTS. */
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

static inline ls_entity bear(ls_world *world, uint32_t lane, uint32_t at, ls_page *page,
                             uint32_t slot)
{
    ls_table_set(world->state.lives[lane], at, page, slot / 64, bit_of(slot));
    note_birth(world, page, slot);
    uint32_t generation = generations(page)[slot] + 1;
    __atomic_store_n(&generations(page)[slot], generation, __ATOMIC_RELEASE);
    return ls_entity_make(lane, at * LS_PAGE_SLOTS + slot, generation);
}

static LS_COLD ls_entity spawn_elsewhere(ls_world *world, uint32_t lane)
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
    return bear(world, lane, at, page, slot % LS_PAGE_SLOTS);
}

/* The page of the lane's hint has a free slot most of the time. */
ls_entity ls_store_spawn(ls_world *world, uint32_t lane)
{
    uint32_t at = world->free_hints[lane];
    if (LS_UNLIKELY(at == LS_SLOTS_MAX / LS_PAGE_SLOTS))
        return spawn_elsewhere(world, lane);
    ls_page *page = ls_table_page(world->state.lives[lane], at);
    uint32_t slot = page && page->is_open ? lowest_free(page) : LS_PAGE_SLOTS;
    if (LS_UNLIKELY(slot == LS_PAGE_SLOTS))
        return spawn_elsewhere(world, lane);
    return bear(world, lane, at, page, slot);
}

void ls_store_own(ls_world *world, uint32_t column)
{
    if (world->is_owned[column])
        return;
    for (uint32_t lane = 0; lane < world->state.lanes; lane++)
        ls_table_own(ls_world_table(world, column, lane), 0, &world->sources[column]);
    world->is_owned[column] = true;
}

void ls_store_own_written(ls_world *world)
{
    const ls_program *program = world->program;
    ls_store_own(world, ls_liveness(world));
    for (uint32_t i = 0; i < program->system_count; i++) {
        const ls_plan_system *plan = &program->systems[i];
        for (uint32_t term = 0; term < plan->term_count; term++) {
            if (plan->terms[term].access >= LS_WRITE)
                ls_store_own(world, plan->terms[term].column);
        }
    }
}

/* A lane's page without a life remembers generations, and a singleton is never detached. */
void ls_store_reclaim(ls_world *world)
{
    for (uint32_t column = 0; column < ls_liveness(world); column++) {
        for (uint32_t lane = 0; lane < world->state.lanes; lane++)
            ls_table_reclaim(*ls_world_table(world, column, lane), &world->sources[column]);
    }
}

void ls_marks_add(ls_marks *marks, ls_entity entity)
{
    if (marks->count == marks->capacity) {
        marks->capacity = marks->capacity ? marks->capacity * 2 : 256;
        marks->entities = ls_realloc(marks->entities, sizeof(ls_entity) * marks->capacity);
    }
    marks->entities[marks->count++] = entity;
}

static void kill_entity(ls_world *world, ls_entity entity)
{
    uint32_t slot = ls_entity_slot(entity), lane = ls_entity_lane(entity);
    for (uint32_t column = 0; column < ls_liveness(world); column++) {
        ls_page *page = ls_world_page(world, column, lane, slot / LS_PAGE_SLOTS);
        if (page && ls_page_has(page, slot) && !world->program->components[column]->is_singleton)
            clear_slowly(world, column, entity);
    }
    ls_page *page = writable_page(world, ls_liveness(world), entity);
    ls_table_clear(world->state.lives[lane], slot / LS_PAGE_SLOTS, page, slot % LS_PAGE_SLOTS / 64,
                   bit_of(slot));
    generations(page)[slot % LS_PAGE_SLOTS]++;
    if (slot / LS_PAGE_SLOTS < world->free_hints[lane])
        world->free_hints[lane] = slot / LS_PAGE_SLOTS;
}

void ls_store_sweep(ls_world *world)
{
    bool is_any = false;
    for (uint32_t worker = 0; worker < LS_THREADS_MAX; worker++)
        is_any |= world->marks[worker].count > 0;
    if (!is_any)
        return;
    for (uint32_t column = 0; column <= ls_liveness(world); column++) {
        ls_store_own(world, column);
        world->versions[column]++;
        world->presences[column]++;
    }
    /* The order in which the marks come does not show: each death clears its own slot only. */
    for (uint32_t worker = 0; worker < LS_THREADS_MAX; worker++) {
        ls_marks *marks = &world->marks[worker];
        for (uint32_t i = 0; i < marks->count; i++) {
            if (ls_store_is_alive(world, marks->entities[i]))
                kill_entity(world, marks->entities[i]);
        }
        marks->count = 0;
    }
}
