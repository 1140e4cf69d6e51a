#include "core/run/kept_walk.h"

#include "core/state/world_state.h"

/* Views of a par share the events of their world. */
const void *ls_kept_walk_next(ls_event_walk *walk)
{
    const ls_world *world = walk->world->base;
    for (; walk->age > 0; walk->age--, walk->segment = 0) {
        uint32_t column = ls_program_kept_column(world->program, walk->event, walk->age);
        const ls_table *table = *ls_world_table(world, column, 0);
        for (;;) {
            uint32_t at = ls_table_next_occupied(table, walk->segment / LS_PAGE_SLOTS);
            if (at == LS_PAGE_NONE)
                break;
            bool is_next = at > walk->segment / LS_PAGE_SLOTS;
            ls_page *page = ls_table_page(table, at);
            uint32_t slot =
                ls_mask_next_set(page->present, is_next ? 0 : walk->segment % LS_PAGE_SLOTS);
            walk->segment = at * LS_PAGE_SLOTS + slot + (slot < LS_PAGE_SLOTS);
            if (slot < LS_PAGE_SLOTS)
                return ls_page_cells(page) + world->sources[column].cell_bytes * slot;
        }
    }
    return NULL;
}
