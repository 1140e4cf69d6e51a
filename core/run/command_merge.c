#include "core/run/command_merge.h"

#include "core/base/bounds.h"
#include "core/run/command_walk.h"
#include "core/run/merge_internal.h"
#include <lockstep/event.h>

#include <string.h>

/* Prefetches for a later record of the segment, which ends at `end`. The later record is found as
 * if all records had the size of this one; if they do not, some memory is prefetched in vain. */
LS_INLINE void prefetch_later(const ls_spawn_merge *spawns, const ls_entry *record,
                              const uint8_t *end)
{
    size_t distance = LS_PREFETCH_RECORDS * ls_entry_size(record);
    ls_entity entity;
    if (distance + sizeof entity > (size_t)(end - (const uint8_t *)record))
        return;
    memcpy(&entity, (const uint8_t *)record + distance, sizeof entity);
    ls_store_prefetch(spawns->world, spawns->plan->terms[record->at].column, entity);
}

/* Looks up the page of the command's entity and keeps it in `last`. False if the handle's lane does
 * not exist, if the page is missing or not open, if its cells are not small, or if the system's
 * commands may spawn. */
LS_INLINE bool find_last(const ls_spawn_merge *spawns, const ls_entry *record, const uint8_t *end)
{
    const ls_world *world = spawns->world;
    const ls_plan_term *term = &spawns->plan->terms[record->at];
    uint32_t key = (uint32_t)record->entity / LS_PAGE_SLOTS, lane = key >> 16;
    prefetch_later(spawns, record, end);
    if (lane >= world->state.lanes || spawns->plan->command_lane_count ||
        !ls_cell_is_small(term->cell_bytes))
        return false;
    ls_page *page = ls_world_page(world, term->column, lane, key & 0xffff);
    if (!page || !page->is_open)
        return false;
    const ls_page *lives = ls_table_page_known(world->state.lives[lane], key & 0xffff);
    spawns->last[record->at] =
        (ls_last_page){.page = page, .generations = ls_page_generations(lives), .key = key};
    return true;
}

/* Applies a command that is no run. False if the command is dropped. */
static LS_NOINLINE bool apply_any(const ls_spawn_merge *spawns, uint32_t segment, ls_entry *record,
                                  uint32_t *spawned)
{
    ls_world *world = spawns->world;
    if (record->kind == LS_ENTRY_SPAWN) {
        ls_entity entity = ls_store_spawn(world, spawns->plan->command_lanes[record->at]);
        spawns->run->commands.spawned_entities[(*spawned)++] = entity;
        return true; /* not dropped: a full lane is counted elsewhere */
    }
    if (record->kind == LS_ENTRY_ATTACH)
        return ls_merge_attach(spawns, segment, record);
    ls_entity entity = ls_merge_resolve(spawns, segment, record->entity);
    return ls_store_detach(world, spawns->plan->terms[record->at].column, entity) ||
           ls_store_is_alive(world, entity);
}

/* apply_any(), with the usual attach and detach inline: those on an open page, which is mostly the
 * page of the term's last command. */
LS_INLINE bool apply(const ls_spawn_merge *spawns, uint32_t segment, ls_entry *record,
                     const uint8_t *end, uint32_t *spawned)
{
    const ls_plan_term *term = &spawns->plan->terms[record->at];
    const ls_last_page *last = &spawns->last[record->at];
    uint32_t slot = record->entity % LS_PAGE_SLOTS, key = (uint32_t)record->entity / LS_PAGE_SLOTS;
    uint32_t generation = ls_entity_generation(record->entity);
    if (LS_UNLIKELY(record->kind == LS_ENTRY_SPAWN) ||
        (LS_UNLIKELY(!last->generations || last->key != key) && !find_last(spawns, record, end)) ||
        LS_UNLIKELY(last->generations[slot] != generation || !(generation & 1)))
        return apply_any(spawns, segment, record, spawned);
    bool is_settled = true;
    if (record->kind == LS_ENTRY_ATTACH) {
        if (LS_UNLIKELY(term->has_entities))
            ls_merge_resolve_values(spawns, segment, record);
        is_settled = !ls_cell_put(last->page->present, ls_page_cells(last->page), slot,
                                  term->cell_bytes, ls_entry_value(record));
    } else if (ls_page_has(last->page, slot)) {
        is_settled =
            !ls_cell_take(last->page->present, ls_page_cells(last->page), slot, term->cell_bytes);
    }
    if (LS_UNLIKELY(!is_settled))
        ls_store_settle(spawns->world, term->column, record->entity);
    return true;
}

/* Applies the first `count` commands of a run. Returns how many are dropped. */
static uint32_t apply_run(const ls_spawn_merge *spawns, uint32_t segment, ls_entry *record,
                          uint32_t count)
{
    ls_world *world = spawns->world;
    const ls_plan_term *term = &spawns->plan->terms[record->at];
    uint8_t *values = ls_entry_value(record);
    size_t stride = record->bytes / (record->more + 1u);
    ls_merge_resolve_values(spawns, segment, record);
    if (ls_store_are_alive(world, record->entity, count)) {
        if (record->kind == LS_ENTRY_ATTACH)
            ls_store_attach_run(world, term->column, record->entity, count, values, stride);
        else
            ls_store_detach_run(world, term->column, record->entity, count);
        return 0;
    }
    uint32_t dropped = 0;
    for (uint32_t i = 0; i < count; i++) {
        ls_entity entity = record->entity + i;
        bool is_alive = ls_store_is_alive(world, entity);
        dropped += !is_alive;
        if (is_alive && record->kind == LS_ENTRY_ATTACH)
            ls_merge_attach_at(spawns, record->at, entity, values ? values + stride * i : NULL);
        else if (is_alive)
            ls_store_detach(world, term->column, entity);
    }
    return dropped;
}

void ls_merge_commands(ls_world *world, uint32_t position)
{
    const ls_plan_system *plan = ls_plan_at(world->program, position);
    ls_commands *commands = &world->scratch->runs[position].commands;
    ls_last_page last[LS_TERMS_MAX];
    memset(last, 0, sizeof *last * plan->term_count);
    ls_spawn_merge spawns = {world, plan, &world->scratch->runs[position], true, last};
    ls_merge_number_spawned(&spawns);
    ls_commands_walk walk = {
        .commands = commands, .stream = LS_STREAM_COMMANDS, .left = LS_RECORDS_MAX};
    uint32_t spawned = 0;
    uint64_t dropped = ls_commands_excess(commands, LS_STREAM_COMMANDS, LS_RECORDS_MAX);
    for (uint32_t i = 0; i < plan->term_count; i++) {
        if (plan->terms[i].kind != LS_COMMANDS)
            continue;
        ls_store_own(world, plan->terms[i].column);
        world->versions[plan->terms[i].column]++;
        world->presences[plan->terms[i].column]++;
    }
    for (ls_entry *record; (record = ls_commands_next(&walk));) {
        if (!record->more) {
            dropped += !apply(&spawns, walk.segment, record, walk.end, &spawned);
            continue;
        }
        uint32_t more = ls_min_u32(record->more, walk.left);
        walk.left -= more;
        dropped += apply_run(&spawns, walk.segment, record, 1 + more);
    }
    world->state.dropped[LS_DROPPED_COMMANDS] += dropped;
}
