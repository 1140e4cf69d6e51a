/* Cells and lives: the operations under every interface that reads or changes a world. */
#include "core/store.h"
#include "core/query.h"

#include <string.h>

static inline uint32_t *generations(ls_page *page)
{
    return (uint32_t *)(void *)ls_page_cells(page);
}

/* A handle can be guessed before its entity is born, so this load may meet the store in
 * ls_store_spawn(): see is_alive_to() in core/context.c for what then decides. */
bool ls_store_is_alive(const ls_world *world, ls_entity entity)
{
    uint32_t lane = ls_entity_lane(entity), slot = ls_entity_slot(entity);
    uint32_t generation = ls_entity_generation(entity);
    if (lane >= world->program->lane_count || !(generation & 1))
        return false;
    ls_page *page = ls_world_page(world, ls_liveness(world), lane, slot / LS_PAGE_SLOTS);
    return page && __atomic_load_n(&generations(page)[slot % LS_PAGE_SLOTS], __ATOMIC_ACQUIRE) ==
                       generation;
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

static inline void *cell_of(const ls_world *world, uint32_t column, ls_page *page, uint32_t slot)
{
    return ls_page_cells(page) + world->sources[column].cell_bytes * (slot % LS_PAGE_SLOTS);
}

const void *ls_store_find(const ls_world *world, uint32_t column, ls_entity entity)
{
    uint32_t lane = ls_entity_lane(entity), slot = ls_entity_slot(entity);
    if (lane >= world->program->lane_count || world->sources[column].cells == 1)
        return NULL;
    /* Presence first: a slot that has the component is not being born at this moment. */
    ls_page *page = ls_world_page(world, column, lane, slot / LS_PAGE_SLOTS);
    if (!page || !ls_page_has(page, slot) || !ls_store_is_alive(world, entity))
        return NULL;
    return cell_of(world, column, page, slot);
}

/* The entity's page of an owned column, ready to be written. */
static ls_page *writable_page(ls_world *world, uint32_t column, ls_entity entity)
{
    return ls_table_write(*ls_world_table(world, column, ls_entity_lane(entity)),
                          ls_entity_slot(entity) / LS_PAGE_SLOTS, &world->sources[column]);
}

void *ls_store_write(ls_world *world, uint32_t column, ls_entity entity)
{
    if (!ls_store_find(world, column, entity))
        return NULL;
    return cell_of(world, column, writable_page(world, column, entity), ls_entity_slot(entity));
}

const void *ls_store_unshare(ls_world *world, uint32_t column, ls_entity entity)
{
    uint32_t slot = ls_entity_slot(entity);
    ls_table *table = *ls_world_table(world, column, ls_entity_lane(entity));
    ls_page *page = ls_table_unshare(table, slot / LS_PAGE_SLOTS, &world->sources[column]);
    return cell_of(world, column, page, slot);
}

bool ls_store_attach(ls_world *world, uint32_t column, ls_entity entity, const void *value)
{
    if (!ls_store_is_alive(world, entity))
        return false;
    size_t bytes = world->sources[column].cell_bytes;
    uint32_t slot = ls_entity_slot(entity);
    ls_page *page = writable_page(world, column, entity);
    page->present[slot % LS_PAGE_SLOTS / 64] |= (uint64_t)1 << (slot % 64);
    if (bytes == 0)
        return true;
    void *cell = cell_of(world, column, page, slot);
    if (value)
        memmove(cell, value, bytes); /* the value may be a cell of this column */
    else
        memset(cell, 0, bytes);
    return true;
}

static void clear_cell(ls_world *world, uint32_t column, ls_entity entity)
{
    uint32_t slot = ls_entity_slot(entity);
    ls_page *page = writable_page(world, column, entity);
    page->present[slot % LS_PAGE_SLOTS / 64] &= ~((uint64_t)1 << (slot % 64));
    if (world->sources[column].cell_bytes)
        memset(cell_of(world, column, page, slot), 0, world->sources[column].cell_bytes);
}

bool ls_store_detach(ls_world *world, uint32_t column, ls_entity entity)
{
    if (!ls_store_find(world, column, entity))
        return false;
    clear_cell(world, column, entity);
    return true;
}

ls_page *ls_store_attach_word(ls_world *world, uint32_t column, uint32_t lane, uint32_t page,
                              uint32_t word, uint64_t mask)
{
    ls_page *found =
        ls_table_write(*ls_world_table(world, column, lane), page, &world->sources[column]);
    found->present[word] |= mask;
    return found;
}

void ls_store_detach_word(ls_world *world, uint32_t column, uint32_t lane, uint32_t page,
                          uint32_t word, uint64_t mask)
{
    ls_page *found = ls_world_page(world, column, lane, page);
    if (!found || !(found->present[word] & mask))
        return;
    found = ls_table_write(*ls_world_table(world, column, lane), page, &world->sources[column]);
    size_t bytes = world->sources[column].cell_bytes;
    for (uint64_t left = found->present[word] & mask; left; left &= left - 1)
        memset(ls_page_cells(found) + bytes * (word * 64 + (uint32_t)__builtin_ctzll(left)), 0,
               bytes);
    found->present[word] &= ~mask;
}

/* The lowest slot of the page that can be born, or LS_PAGE_SLOTS. */
static uint32_t lowest_free(ls_page *page)
{
    uint32_t slot = ls_mask_next_clear(page->present, 0);
    while (slot < LS_PAGE_SLOTS && generations(page)[slot] == LS_GENERATION_RETIRED)
        slot = ls_mask_next_clear(page->present, slot + 1);
    return slot;
}

uint32_t ls_store_next_free(const ls_world *world, uint32_t lane, uint32_t first_page)
{
    const ls_table *table = *ls_world_table(world, ls_liveness(world), lane);
    for (uint32_t i = first_page; i < LS_SLOTS_MAX / LS_PAGE_SLOTS; i++) {
        ls_page *page = ls_table_page(table, i);
        uint32_t slot = page ? lowest_free(page) : 0;
        if (slot < LS_PAGE_SLOTS)
            return i * LS_PAGE_SLOTS + slot;
    }
    return LS_SLOTS_MAX;
}

ls_entity ls_store_spawn(ls_world *world, uint32_t lane)
{
    uint32_t column = ls_liveness(world);
    uint32_t free_slot = ls_store_next_free(world, lane, world->free_hints[lane]);
    world->free_hints[lane] = free_slot / LS_PAGE_SLOTS;
    if (free_slot == LS_SLOTS_MAX) {
        world->state.refused_spawns[lane]++;
        return LS_ENTITY_NULL;
    }
    uint32_t slot = free_slot % LS_PAGE_SLOTS;
    ls_page *page = ls_table_write(*ls_world_table(world, column, lane), free_slot / LS_PAGE_SLOTS,
                                   &world->sources[column]);
    page->present[slot / 64] |= (uint64_t)1 << (slot % 64);
    note_birth(world, page, slot);
    uint32_t generation = generations(page)[slot] + 1;
    __atomic_store_n(&generations(page)[slot], generation, __ATOMIC_RELEASE);
    return ls_entity_make(lane, free_slot, generation);
}

void ls_store_own(ls_world *world, uint32_t column)
{
    if (world->is_owned[column])
        return;
    for (uint32_t lane = 0; lane < world->program->lane_count; lane++)
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
            if (plan->terms[term].access >= LS_WRITE && plan->terms[term].kind != LS_EVENTS)
                ls_store_own(world, plan->terms[term].column);
        }
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
            clear_cell(world, column, entity);
    }
    ls_page *page = writable_page(world, ls_liveness(world), entity);
    page->present[slot % LS_PAGE_SLOTS / 64] &= ~((uint64_t)1 << (slot % 64));
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
