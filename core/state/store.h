/* Cells and liveness: the operations below every interface that reads or changes a world. They
 * check each handle's generation, but no declared access. */
#ifndef LS_STORE_H
#define LS_STORE_H
#include "core/state/world_state.h"

/* A handle can be guessed before its entity is spawned, so this load may race with the store in
 * ls_store_spawn(). ls_is_alive_to() in core/run/access_check.h then decides whether the entity
 * counts as alive. Acquire: it then sees the bit in `spawned`, which is stored before the
 * generation. */
static inline bool ls_store_is_alive(const ls_world *world, ls_entity entity)
{
    uint32_t lane = ls_entity_lane(entity), slot = ls_entity_slot(entity);
    uint32_t generation = ls_entity_generation(entity);
    if (LS_UNLIKELY(lane >= world->state.lanes || !(generation & 1)))
        return false;
    const ls_page *lives = ls_table_page(world->state.lives[lane], slot / LS_PAGE_SLOTS);
    return lives && __atomic_load_n(&ls_page_generations(lives)[slot % LS_PAGE_SLOTS],
                                    __ATOMIC_ACQUIRE) == generation;
}

/* The entity that has the slot now, or had it last. The page of liveness must exist. */
static inline ls_entity ls_store_entity_at(const ls_world *world, uint32_t lane, uint32_t slot)
{
    const ls_page *lives = ls_table_page(world->state.lives[lane], slot / LS_PAGE_SLOTS);
    return ls_entity_make(lane, slot, ls_page_generations(lives)[slot % LS_PAGE_SLOTS]);
}

static inline void *ls_store_cell(const ls_world *world, uint32_t column, ls_page *page,
                                  uint32_t slot)
{
    return ls_page_cells(page) + world->sources[column].cell_bytes * (slot % LS_PAGE_SLOTS);
}

/* The page with the entity's component, or NULL. Tests presence first: a slot with a component is
 * alive and not being spawned at the moment. So its generation can be compared, and is odd; relaxed
 * order would suffice, because the schedule orders the entity's spawner with this system. The cell
 * of a singleton is in slot 0 of lane 0, but does not belong to the entity in that slot: NULL. */
static inline ls_page *ls_store_find_page(const ls_world *world, uint32_t column, ls_entity entity)
{
    uint32_t lane = ls_entity_lane(entity), at = ls_entity_slot(entity) / LS_PAGE_SLOTS;
    uint32_t slot = ls_entity_slot(entity) % LS_PAGE_SLOTS;
    if (LS_UNLIKELY(lane >= world->state.lanes) ||
        (LS_UNLIKELY((uint32_t)entity == 0) && world->sources[column].cells == 1))
        return NULL;
    ls_page *page = ls_world_page(world, column, lane, at);
    if (!page || !ls_page_has(page, slot))
        return NULL;
    const ls_page *lives = ls_table_page_known(world->state.lives[lane], at);
    uint32_t generation = __atomic_load_n(&ls_page_generations(lives)[slot], __ATOMIC_ACQUIRE);
    return generation == ls_entity_generation(entity) ? page : NULL;
}

static inline const void *ls_store_find(const ls_world *world, uint32_t column, ls_entity entity)
{
    ls_page *page = ls_store_find_page(world, column, entity);
    return page ? ls_store_cell(world, column, page, ls_entity_slot(entity)) : NULL;
}

/* Prefetches the memory for a later change of the entity's cell. Accepts any handle. */
static inline void ls_store_prefetch(const ls_world *world, uint32_t column, ls_entity entity)
{
    uint32_t lane = ls_entity_lane(entity), at = ls_entity_slot(entity) / LS_PAGE_SLOTS;
    uint32_t slot = ls_entity_slot(entity) % LS_PAGE_SLOTS;
    ls_page *page = lane < world->state.lanes ? ls_world_page(world, column, lane, at) : NULL;
    if (!page || world->sources[column].cells == 1)
        return;
    __builtin_prefetch(&page->present[slot / 64]);
    __builtin_prefetch(ls_store_cell(world, column, page, slot));
    __builtin_prefetch(
        &ls_page_generations(ls_table_page_known(world->state.lives[lane], at))[slot]);
}

/* The page of the cell for writing; NULL if the entity lacks the component. The world must own the
 * column's tables, here and below. */
static inline ls_page *ls_store_open_page(ls_world *world, uint32_t column, ls_entity entity)
{
    ls_page *page = ls_store_find_page(world, column, entity);
    if (LS_UNLIKELY(page && !page->is_open))
        page = ls_table_open(*ls_world_table(world, column, ls_entity_lane(entity)),
                             ls_entity_slot(entity) / LS_PAGE_SLOTS, &world->sources[column]);
    return page;
}

/* The cell for writing; NULL if the entity lacks the component. */
static inline void *ls_store_write(ls_world *world, uint32_t column, ls_entity entity)
{
    ls_page *page = ls_store_open_page(world, column, entity);
    return page ? ls_store_cell(world, column, page, ls_entity_slot(entity)) : NULL;
}

bool ls_store_attach(ls_world *world, uint32_t column, ls_entity entity, const void *value);
bool ls_store_detach(ls_world *world, uint32_t column, ls_entity entity);
/* For many slots of one page, which must be alive: attaches the component, zeroed, to those slots
 * of `bits` in word `word` that lack it; or detaches it from those that have it. Returns the page;
 * NULL when there is no page to detach from. */
ls_page *ls_store_attach_word(ls_world *world, uint32_t column, uint32_t lane, uint32_t page,
                              uint32_t word, uint64_t bits);
ls_page *ls_store_detach_word(ls_world *world, uint32_t column, uint32_t lane, uint32_t page,
                              uint32_t word, uint64_t bits);

/* Whether the `count` entities with the handles `first`, `first` + 1, ..., which must have their
 * slots in one page, are all alive. */
bool ls_store_are_alive(const ls_world *world, ls_entity first, uint32_t count);
/* For such a run of living entities: attaches the component with the values at `values`, one every
 * `stride` bytes, NULL for zeros; or detaches it from those that have it. */
void ls_store_attach_run(ls_world *world, uint32_t column, ls_entity first, uint32_t count,
                         const uint8_t *values, size_t stride);
void ls_store_detach_run(ls_world *world, uint32_t column, ls_entity first, uint32_t count);

/* Updates the summaries of the entity's page after one of its presence words became empty or
 * full. */
void ls_store_settle(ls_world *world, uint32_t column, ls_entity entity);

ls_entity ls_store_spawn(ls_world *world, uint32_t lane);
/* Spawns up to `count` more entities in the rest of the page of `first`, which was just spawned.
 * Returns their number. `entities`: NULL or room for their handles. */
uint32_t ls_store_spawn_in_page(ls_world *world, ls_entity first, uint32_t count,
                                ls_entity *entities);
/* True for a living entity that was spawned in the current slot of the schedule, or, while a world
 * is created, by the current setup function. */
bool ls_store_is_spawned(const ls_world *world, ls_entity entity);
/* The slot of the lane's next entity, searched from page `first_page` on; LS_SLOTS_MAX when the
 * lane is full. */
uint32_t ls_store_next_free(const ls_world *world, uint32_t lane, uint32_t first_page);
/* The memory limit for a state decoded from `bytes` bytes; a larger state is refused before it is
 * built. The factor is for sparse pages, which need more memory than bytes. */
static inline size_t ls_store_page_budget(size_t bytes)
{
    return ((size_t)256 << 20) + 16 * bytes;
}
/* The memory, in bytes, that a page which does not exist yet will use; with its directory if that
 * is missing, too. */
size_t ls_store_page_cost(const ls_world *world, uint32_t column, uint32_t lane, uint32_t page);
/* The living slots of a presence word that have no component. */
uint64_t ls_store_empty_slots(const ls_world *world, uint32_t lane, uint32_t page, uint32_t word);
/* The number of living entities; if there are more than `enough`, any number from `enough` on. */
uint64_t ls_store_count_living(const ls_world *world, uint64_t enough);
/* Makes the world the owner of the column's tables: its pages can then be written. */
void ls_store_own(ls_world *world, uint32_t column);
/* Makes the world the owner of the tables of liveness and of all columns that a system may write.
 * Called before systems run, so that these tables stay in place while other systems read them. */
void ls_store_own_written(ls_world *world);
/* Makes the world the owner of the tables of `column`, with directories for all pages that column
 * `leader` has. */
void ls_store_own_pages_of(ls_world *world, uint32_t column, uint32_t leader);
/* At a sync point: gives back to the pools the pages that have lost their last cell. */
void ls_store_reclaim(ls_world *world);

#endif
