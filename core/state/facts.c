#include "core/state/facts.h"

#include "core/schedule/value_text.h"
#include "core/state/parents.h"
#include "core/state/store.h"

/* The lowest slot with a cell in both pages; LS_PAGE_SLOTS when there is none. */
static uint32_t first_of_both(const ls_page *one, const ls_page *other)
{
    for (uint32_t word = 0; word < LS_PAGE_WORDS; word++) {
        uint64_t both = one->present[word] & other->present[word];
        if (LS_UNLIKELY(both))
            return word * 64 + (uint32_t)__builtin_ctzll(both);
    }
    return LS_PAGE_SLOTS;
}

/* The entity that has the slot. Pages from another machine may have cells where no page of liveness
 * exists; the generation is then 0. */
static ls_entity entity_at(const ls_world *world, uint32_t lane, uint32_t slot)
{
    return ls_world_page(world, ls_liveness(world), lane, slot / LS_PAGE_SLOTS)
               ? ls_store_entity_at(world, lane, slot)
               : ls_entity_make(lane, slot, 0);
}

bool ls_facts_find_both(const ls_world *world, uint32_t one, uint32_t other, ls_entity *entity)
{
    for (uint32_t lane = 0; lane < world->program->lane_count; lane++) {
        const ls_table *table = *ls_world_table(world, one, lane);
        for (uint32_t at = ls_table_next_occupied(table, 0); at != LS_PAGE_NONE;
             at = ls_table_next_occupied(table, at + 1)) {
            const ls_page *beside = ls_world_page(world, other, lane, at);
            uint32_t slot =
                beside ? first_of_both(ls_table_page(table, at), beside) : LS_PAGE_SLOTS;
            if (LS_LIKELY(slot == LS_PAGE_SLOTS))
                continue;
            *entity = entity_at(world, lane, at * LS_PAGE_SLOTS + slot);
            return true;
        }
    }
    return false;
}

ls_status ls_facts_check_incompatibilities(const ls_world *world, ls_error *error)
{
    const ls_program *program = world->program;
    ls_entity entity;
    for (uint32_t i = 0; i < program->incompatibility_count; i++) {
        const ls_plan_incompatibility *pair = &program->incompatibilities[i];
        if (!ls_facts_find_both(world, pair->one, pair->other, &entity))
            continue;
        ls_builder owner = {0};
        ls_entity_print(&owner, program, entity);
        ls_error_set(error, LS_ERROR_CORRUPT,
                     "the state holds what cannot be: entity %s has both \"%s\" and \"%s\", which "
                     "the simulation declares incompatible",
                     owner.data, program->components[pair->one]->name,
                     program->components[pair->other]->name);
        ls_free(owner.data);
        return LS_ERROR_CORRUPT;
    }
    return LS_OK;
}

ls_status ls_facts_check(const ls_world *world, ls_error *error)
{
    ls_status status = ls_facts_check_incompatibilities(world, error);
    return status ? status : ls_parents_check(world, error);
}
