#include "core/run/kept_events.h"

#include "core/run/event_internal.h"

#include <string.h>

/* Makes all kept events of one type a tick older, and frees the oldest. Tables move from age to age
 * without copies, because all ages of an event share one page pool. */
static void move_tables(ls_world *world, uint32_t event, uint32_t oldest)
{
    const ls_program *program = world->program;
    for (uint32_t lane = 0; lane < world->state.lanes; lane++) {
        uint32_t column = ls_program_kept_column(program, event, oldest);
        ls_table_release(*ls_world_table(world, column, lane), &world->sources[column]);
        for (uint32_t age = oldest; age > 1; age--, column--)
            *ls_world_table(world, column, lane) = *ls_world_table(world, column - 1, lane);
        *ls_world_table(world, column, lane) = NULL;
    }
}

/* Keeps the events of the tick. */
static void collect(ls_world *world, uint32_t event)
{
    uint32_t column = ls_program_kept_column(world->program, event, 1), count = 0;
    const ls_page_source *source = &world->sources[column];
    ls_table **table = ls_world_table(world, column, 0);
    ls_event_walk walk;
    ls_events_walk(world, event, world->program->system_count, &walk);
    for (const void *value; (value = ls_event_next(&walk)); count++) {
        if (count >= LS_RECORDS_MAX) {
            world->state.dropped[LS_DROPPED_EVENTS]++;
            continue;
        }
        if (count == 0)
            ls_table_own(table, 0, source);
        uint32_t at = count / LS_PAGE_SLOTS, slot = count % LS_PAGE_SLOTS;
        ls_page *page = ls_table_write(*table, at, source);
        memcpy(ls_page_cells(page) + source->cell_bytes * slot, value, source->cell_bytes);
        ls_table_set(*table, at, page, slot / 64, (uint64_t)1 << (slot % 64));
    }
}

void ls_kept_events_age(ls_world *world)
{
    const ls_program *program = world->program;
    for (uint32_t event = 0; program->kept_count && event < program->event_count; event++) {
        uint32_t oldest = program->events[event]->event_ticks - 1u;
        if (oldest == 0)
            continue;
        move_tables(world, event, oldest);
        collect(world, event);
    }
}
