/* Spawns one by one, inline where the page of the last spawn has a free slot. */
#ifndef LS_STORE_SPAWN_H
#define LS_STORE_SPAWN_H
#include "core/state/table.h"
#include "core/state/world_state.h"

/* Clears the bits of spawned slots that a page has from an earlier epoch. Only the lane's spawner
 * writes epoch and bits. A bit that is set later is published by the store of its slot's
 * generation, the cleared words by the store of the epoch. */
static inline void ls_begin_spawns_(const ls_world *world, ls_page *page)
{
    if (atomic_load_explicit(&page->spawn_epoch, memory_order_relaxed) == world->spawn_epoch)
        return;
    for (uint32_t word = 0; word < LS_PAGE_WORDS; word++)
        atomic_store_explicit(&page->spawned[word], 0, memory_order_relaxed);
    atomic_store_explicit(&page->spawn_epoch, world->spawn_epoch, memory_order_release);
}

static inline void ls_note_spawns_(ls_page *page, uint32_t word, uint64_t bits)
{
    uint64_t spawned = atomic_load_explicit(&page->spawned[word], memory_order_relaxed);
    atomic_store_explicit(&page->spawned[word], spawned | bits, memory_order_relaxed);
}

/* Updates the summary of the entity's page of liveness, and returns the entity. In store.c. */
ls_entity ls_settle_spawned_(ls_world *world, ls_entity spawned);

/* The lowest slots of word `word` in which entities can be spawned, at most `count`. */
static inline uint64_t ls_page_spawnable(const ls_page *lives, uint32_t word, uint32_t count)
{
    const uint32_t *generations = ls_page_generations(lives) + word * 64;
    uint64_t left = ~lives->present[word], found = 0;
    if (left == UINT64_MAX && count >= 64) {
        uint32_t retired = 0;
        for (uint32_t i = 0; i < 64; i++) /* without a branch, so that it vectorises */
            retired |= generations[i] == LS_GENERATION_RETIRED;
        if (LS_LIKELY(!retired))
            return left;
    }
    for (; left && count; left &= left - 1) {
        bool is_spawnable = generations[__builtin_ctzll(left)] != LS_GENERATION_RETIRED;
        found |= is_spawnable ? left & -left : 0;
        count -= is_spawnable;
    }
    return found;
}

/* The next spawn of a lane: a free slot of page `at` of its liveness. */
typedef struct ls_store_spawn_place {
    ls_page *page; /* open, and of this epoch; NULL: ls_store_spawn() finds or prepares a page */
    uint32_t at, slot;
} ls_store_spawn_place;

/* The place if the page is ready for it, as usual; otherwise `page` is NULL. Changes nothing.
 * Relaxed: only the lane's spawner writes the epoch. */
static inline ls_store_spawn_place ls_store_spawn_place_of(const ls_world *world, uint32_t lane)
{
    ls_store_spawn_place place = {.page = NULL, .at = world->free_hints[lane]};
    ls_page *page = place.at < LS_SLOTS_MAX / LS_PAGE_SLOTS
                        ? ls_table_page(world->state.lives[lane], place.at)
                        : NULL;
    if (LS_UNLIKELY(!page || !page->is_open ||
                    atomic_load_explicit(&page->spawn_epoch, memory_order_relaxed) !=
                        world->spawn_epoch))
        return place;
    for (uint32_t word = 0; word < LS_PAGE_WORDS; word++) {
        uint64_t free = ~page->present[word];
        if (!free)
            continue;
        place.slot = word * 64 + (uint32_t)__builtin_ctzll(free);
        place.page = ls_page_generations(page)[place.slot] == LS_GENERATION_RETIRED ? NULL : page;
        return place;
    }
    return place;
}

static inline ls_entity ls_store_spawn_at(ls_world *world, uint32_t lane,
                                          ls_store_spawn_place place)
{
    uint64_t *present = &place.page->present[place.slot / 64], before = *present;
    *present = before | ls_slot_bit(place.slot);
    bool is_edge = before == 0 || *present == UINT64_MAX;
    ls_note_spawns_(place.page, place.slot / 64, ls_slot_bit(place.slot));
    uint32_t *generation = &ls_page_generations_write(place.page)[place.slot];
    uint32_t spawned = *generation + 1;
    __atomic_store_n(generation, spawned, __ATOMIC_RELEASE);
    ls_entity entity = ls_entity_make(lane, place.at * LS_PAGE_SLOTS + place.slot, spawned);
    return LS_UNLIKELY(is_edge) ? ls_settle_spawned_(world, entity) : entity;
}

#endif
