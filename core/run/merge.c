#include "core/run/merge.h"

#include "core/base/bounds.h"
#include "core/run/command_walk.h"
#include "core/run/merge_internal.h"
#include "core/run/parallel_for.h"
#include "core/run/value_merge.h"

#include <string.h>

static uint32_t *count_of(const ls_spawn_merge *spawns, ls_command_segment *segment)
{
    return spawns->by_command ? &segment->commanded : &segment->spawned;
}

ls_entity ls_merge_resolve(const ls_spawn_merge *spawns, uint32_t segment, ls_entity entity)
{
    if (entity >> 62 != (spawns->by_command ? 3u : 2u))
        return entity;
    const ls_commands *commands = &spawns->run->commands;
    bool is_sequential = spawns->plan->system->mode == LS_SEQUENTIAL;
    uint32_t page = is_sequential ? 0 : spawns->run->queries[0].keys[segment];
    ls_command_segment *found = &commands->segments[segment];
    ls_entity first = ls_pending_make(spawns->by_command, page, 0);
    if (entity < first || entity - first >= *count_of(spawns, found))
        return LS_ENTITY_NULL;
    return commands->spawned_entities[found->first_spawned + (uint32_t)(entity - first)];
}

static void resolve_cell(const ls_spawn_merge *spawns, uint32_t segment,
                         const ls_component *component, void *cell)
{
    for (uint32_t i = 0; i < component->field_count; i++) {
        const ls_field *field = &component->fields[i];
        if (field->type != LS_TYPE_ENTITY)
            continue;
        for (uint32_t at = 0; at < field->bytes; at += sizeof(ls_entity)) {
            ls_entity entity;
            memcpy(&entity, (uint8_t *)cell + field->offset + at, sizeof entity);
            entity = ls_merge_resolve(spawns, segment, entity);
            memcpy((uint8_t *)cell + field->offset + at, &entity, sizeof entity);
        }
    }
}

uint32_t ls_merge_number_spawned(const ls_spawn_merge *spawns)
{
    ls_commands *commands = &spawns->run->commands;
    uint32_t total = 0;
    for (uint32_t i = 0; i < commands->count; i++) {
        commands->segments[i].first_spawned = total;
        total += *count_of(spawns, &commands->segments[i]);
    }
    ls_commands_reserve(commands, total);
    if (total && (spawns->by_command || !commands->is_of_one_lane))
        memset(commands->spawned_entities, 0, sizeof *commands->spawned_entities * total);
    return total;
}

static const ls_component *component_of(const ls_spawn_merge *spawns, const ls_entry *record)
{
    const ls_plan_term *term = &spawns->plan->terms[record->at];
    const ls_program *program = spawns->world->program;
    return term->kind == LS_EVENTS ? program->events[term->column]
                                   : program->components[term->column];
}

LS_NOINLINE void ls_merge_attach_in_next_page(const ls_spawn_merge *spawns, uint32_t at,
                                              ls_entity entity, const void *value)
{
    const ls_plan_term *term = &spawns->plan->terms[at];
    uint32_t key = (uint32_t)entity / LS_PAGE_SLOTS;
    ls_page *page = NULL;
    if (ls_store_attach(spawns->world, term->column, entity, value) &&
        ls_cell_is_small(term->cell_bytes))
        page = ls_world_page(spawns->world, term->column, key >> 16, key & 0xffff);
    spawns->last[at] = (ls_last_page){.page = page, .key = key};
}

void ls_merge_resolve_values(const ls_spawn_merge *spawns, uint32_t segment, ls_entry *record)
{
    uint8_t *values = ls_entry_value(record);
    if (!values || !spawns->plan->terms[record->at].has_entities)
        return;
    for (uint32_t i = 0; i <= record->more; i++)
        resolve_cell(spawns, segment, component_of(spawns, record),
                     values + (size_t)record->bytes / (record->more + 1u) * i);
}

bool ls_merge_attach(const ls_spawn_merge *spawns, uint32_t segment, ls_entry *record)
{
    void *value = ls_entry_value(record);
    ls_merge_resolve_values(spawns, segment, record);
    ls_entity entity = ls_merge_resolve(spawns, segment, record->entity);
    bool is_alive = ls_store_is_alive(spawns->world, entity);
    if (is_alive)
        ls_merge_attach_at(spawns, record->at, entity, value);
    return is_alive;
}

/* Takes slots in canonical order, page by page. If the lane is full, the last entities are
 * dropped. `entities`: NULL or room for the handles. */
static void spawn_unrecorded(const ls_spawn_merge *spawns, uint32_t count, ls_entity *entities)
{
    for (uint32_t i = 0; i < count;) {
        ls_entity first = ls_store_spawn(spawns->world, spawns->plan->lanes[0]);
        if (entities)
            entities[i] = first;
        i++;
        if (first)
            i += ls_store_spawn_in_page(spawns->world, first, count - i,
                                        entities ? entities + i : NULL);
    }
}

/* Whether anything may name the new entities: a record, a command or a reference. */
static bool needs_handles(const ls_spawn_merge *spawns)
{
    const ls_commands *commands = &spawns->run->commands;
    bool needs = !commands->is_of_one_lane || spawns->plan->commands;
    for (uint32_t i = 0; i < spawns->plan->term_count && !needs; i++)
        needs =
            spawns->plan->terms[i].has_entities && spawns->plan->terms[i].access >= LS_ACCESS_WRITE;
    for (uint32_t i = 0; i < commands->count && !needs; i++)
        needs = commands->segments[i].records[LS_STREAM_SPAWNS] != 0;
    return needs;
}

/* Applies the records of one segment to its new entities with the numbers `first` to `first` +
 * `count` - 1. */
static void attach_segment(const ls_spawn_merge *spawns, uint32_t segment, uint32_t first,
                           uint32_t count)
{
    const ls_commands *commands = &spawns->run->commands;
    const ls_command_segment *of = &commands->segments[segment];
    const ls_entity *entities = commands->spawned_entities + of->first_spawned;
    uint8_t *data = commands->buffers[of->worker][LS_STREAM_SPAWNS].data;
    for (size_t at = of->begin[LS_STREAM_SPAWNS]; at < of->end[LS_STREAM_SPAWNS];) {
        const ls_spawned_entry *entry = (const ls_spawned_entry *)(const void *)(data + at);
        const ls_plan_term *term = &spawns->plan->terms[entry->at];
        void *value = entry->has_value && term->cell_bytes ? data + at + sizeof *entry : NULL;
        at += sizeof *entry + (entry->has_value ? ls_entry_padded(term->cell_bytes) : 0);
        if (LS_UNLIKELY(of->first_spawned + entry->ordinal - first >= count))
            continue;
        if (value && term->has_entities)
            resolve_cell(spawns, segment, spawns->world->program->components[term->column], value);
        ls_merge_attach_at(spawns, entry->at, entities[entry->ordinal], value);
    }
}

/* The pieces of a loop over new entities. */
struct attach_loop {
    const ls_spawn_merge *spawns;
    uint32_t pieces, count;
};

/* The number of the piece's first entity. No page of the lane is in two pieces, because two threads
 * must not write to one page. A piece begins near the begin of a segment, because two pieces that
 * share a segment both walk its records. */
static uint32_t first_of_piece(const struct attach_loop *loop, uint32_t piece)
{
    const ls_commands *commands = &loop->spawns->run->commands;
    const ls_entity *entities = commands->spawned_entities;
    uint32_t at = (uint32_t)((uint64_t)loop->count * piece / loop->pieces), segment = 0;
    while (segment < commands->count && commands->segments[segment].first_spawned < at)
        segment++;
    at = segment < commands->count ? commands->segments[segment].first_spawned : loop->count;
    while (at > 0 && at < loop->count &&
           (uint32_t)entities[at] / LS_PAGE_SLOTS == (uint32_t)entities[at - 1] / LS_PAGE_SLOTS)
        at++;
    return at;
}

static void attach_piece(void *argument, uint32_t piece)
{
    const struct attach_loop *loop = argument;
    const ls_commands *commands = &loop->spawns->run->commands;
    ls_last_page last[LS_TERMS_MAX];
    ls_spawn_merge spawns = *loop->spawns;
    uint32_t first = first_of_piece(loop, piece), end = first_of_piece(loop, piece + 1);
    memset(last, 0, sizeof *last * spawns.plan->term_count);
    spawns.last = last;
    for (uint32_t i = 0; first < end && i < commands->count; i++) {
        const ls_command_segment *segment = &commands->segments[i];
        if (segment->first_spawned < end && segment->first_spawned + segment->spawned > first)
            attach_segment(&spawns, i, first, end - first);
    }
}

/* Creates all directories up to the last new entity's page, so that no piece creates one. */
static void reserve_directories(const ls_spawn_merge *spawns, uint32_t count)
{
    const ls_entity *entities = spawns->run->commands.spawned_entities;
    ls_world *world = spawns->world;
    while (count > 0 && entities[count - 1] == LS_ENTITY_NULL)
        count--;
    for (uint32_t i = 0; count > 0 && i < spawns->plan->term_count; i++) {
        uint32_t column = spawns->plan->terms[i].column;
        if (spawns->plan->terms[i].kind == LS_SPAWNED)
            ls_table_reserve(*ls_world_table(world, column, spawns->plan->lanes[0]),
                             ls_entity_slot(entities[count - 1]) / LS_PAGE_SLOTS + 1,
                             &world->sources[column]);
    }
}

enum { PIECES_PER_THREAD = 4, PIECE_ENTITIES_MIN = 1024 };

/* Applies the recorded attaches to the new entities. Idle threads take pieces of the work. */
static void attach_all(const ls_spawn_merge *spawns, uint32_t count)
{
    struct ls_parallel_for *helpers = spawns->world->scratch->loop;
    uint32_t most = helpers ? helpers->threads * PIECES_PER_THREAD : 1;
    uint32_t pieces = ls_min_u32(count / PIECE_ENTITIES_MIN, most);
    struct attach_loop loop = {.spawns = spawns, .pieces = pieces ? pieces : 1, .count = count};
    if (loop.pieces > 1)
        reserve_directories(spawns, count);
    ls_parallel_for_run(helpers, loop.pieces, attach_piece, &loop);
}

/* Applies the records of spawns and attaches in canonical order. If a lane is full, the last
 * entities are dropped. */
static void spawn_recorded(const ls_spawn_merge *spawns)
{
    ls_commands *commands = &spawns->run->commands;
    ls_commands_walk walk = {.commands = commands, .stream = LS_STREAM_SPAWNS, .left = UINT32_MAX};
    uint32_t next = 0;
    for (ls_entry *record; (record = ls_commands_next(&walk));) {
        if (record->kind == LS_ENTRY_SPAWN)
            commands->spawned_entities[next++] =
                ls_store_spawn(spawns->world, spawns->plan->lanes[record->at]);
        else
            ls_merge_attach(spawns, walk.segment, record);
    }
}

static void spawn_all(const ls_spawn_merge *spawns, uint32_t count)
{
    if (!spawns->run->commands.is_of_one_lane) {
        spawn_recorded(spawns);
        return;
    }
    spawn_unrecorded(spawns, count, spawns->run->commands.spawned_entities);
    attach_all(spawns, count);
}

/* Replaces pending handles in the cells that the segment's invocations may have written on their
 * page. */
static void resolve_own_cells(const ls_spawn_merge *spawns, uint32_t segment)
{
    const ls_world *world = spawns->world;
    uint32_t key = spawns->run->queries[0].keys[segment];
    for (uint32_t i = 0; i < spawns->plan->term_count; i++) {
        const ls_plan_term *term = &spawns->plan->terms[i];
        const ls_component *component = world->program->components[term->column];
        if (term->kind > LS_OPTIONAL || term->query != 0 || term->access < LS_ACCESS_WRITE ||
            !term->has_entities)
            continue;
        ls_page *page = ls_world_page(world, term->column, key >> 16, key & 0xffff);
        for (uint32_t slot = page ? ls_mask_next_set(page->present, 0) : LS_PAGE_SLOTS;
             slot < LS_PAGE_SLOTS; slot = ls_mask_next_set(page->present, slot + 1))
            resolve_cell(spawns, segment, component,
                         ls_page_cells(page) + (size_t)component->bytes * slot);
    }
}

static void resolve_stream(const ls_spawn_merge *spawns, ls_stream stream)
{
    ls_commands_walk walk = {
        .commands = &spawns->run->commands, .stream = stream, .left = UINT32_MAX};
    for (ls_entry *record; (record = ls_commands_next(&walk));) {
        record->entity = ls_merge_resolve(spawns, walk.segment, record->entity);
        ls_merge_resolve_values(spawns, walk.segment, record);
    }
}

static void resolve_events(const ls_spawn_merge *spawns)
{
    const ls_commands *commands = &spawns->run->commands;
    const ls_plan_term *term = &spawns->plan->terms[spawns->plan->event_term];
    for (uint32_t i = 0; term->has_entities && i < commands->count; i++) {
        const ls_command_segment *segment = &commands->segments[i];
        const ls_commands_buffer *buffer = &commands->buffers[segment->worker][LS_STREAM_EVENTS];
        for (size_t at = segment->begin[LS_STREAM_EVENTS]; at < segment->end[LS_STREAM_EVENTS];
             at += commands->event_bytes)
            resolve_cell(spawns, i, spawns->world->program->events[term->column],
                         buffer->data + at);
    }
}

static void merge_spawns(ls_world *world, const ls_plan_system *plan, ls_run *run)
{
    ls_last_page last[LS_TERMS_MAX];
    ls_spawn_merge spawns = {.world = world, .plan = plan, .run = run, .last = last};
    uint32_t count = ls_merge_number_spawned(&spawns);
    run->ahead = NULL;
    if (count == 0)
        return;
    if (!needs_handles(&spawns)) {
        spawn_unrecorded(&spawns, count, NULL);
        return;
    }
    memset(last, 0, sizeof *last * plan->term_count);
    spawn_all(&spawns, count);
    for (uint32_t i = 0; i < run->commands.count; i++) {
        if (run->commands.segments[i].spawned)
            resolve_own_cells(&spawns, i);
    }
    if (run->commands.event_bytes)
        resolve_events(&spawns);
    else
        resolve_stream(&spawns, LS_STREAM_EVENTS);
    resolve_stream(&spawns, LS_STREAM_COMMANDS);
    if (plan->accumulates_entities)
        resolve_stream(&spawns, LS_STREAM_VALUES);
}

void ls_merge_system(ls_world *world, uint32_t position)
{
    const ls_plan_system *plan = ls_plan_at(world->program, position);
    ls_run *run = &world->scratch->runs[position];
    if (plan->lane_count && plan->system->mode == LS_CONCURRENT)
        merge_spawns(world, plan, run);
    if (!plan->accumulates && !plan->sends)
        return;
    ls_mutex_lock(&world->base->scratch->merge_lock);
    ls_value_merge_system(world, plan, run);
    ls_mutex_unlock(&world->base->scratch->merge_lock);
}
