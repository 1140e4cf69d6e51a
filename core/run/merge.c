#include "core/run/merge.h"

#include "core/run/scratch.h"
#include "core/schedule/value_text.h"
#include "core/schema/codec.h"
#include "core/state/store.h"
#include <lockstep/event.h>

#include <string.h>

/* The newborns of one system: those of its invocations, or those that its commands spawn. */
struct births {
    ls_world *world;
    const ls_plan_system *plan;
    ls_run *run;
    bool by_command;
};

static uint32_t *count_of(const struct births *births, ls_segment *segment)
{
    return births->by_command ? &segment->commanded : &segment->spawned;
}

/* A segment's handles name entities that its own page spawned. Any other handle with the top bits
 * set was made up, by an input for example, and names no entity. */
static ls_entity resolve(const struct births *births, uint32_t segment, ls_entity entity)
{
    if (entity >> 62 != (births->by_command ? 3u : 2u))
        return entity;
    const ls_commands *commands = &births->run->commands;
    bool is_sequential = births->plan->system->mode == LS_SEQUENTIAL;
    uint32_t page = is_sequential ? 0 : births->run->queries[0].keys[segment];
    ls_segment *found = &commands->segments[segment];
    ls_entity first = ls_pending_make(births->by_command, page, 0);
    if (entity < first || entity - first >= *count_of(births, found))
        return LS_ENTITY_NULL;
    return commands->newborns[found->first_newborn + (uint32_t)(entity - first)];
}

static void resolve_cell(const struct births *births, uint32_t segment,
                         const ls_component *component, void *cell)
{
    for (uint32_t i = 0; i < component->field_count; i++) {
        const ls_field *field = &component->fields[i];
        if (field->type != LS_TYPE_ENTITY)
            continue;
        for (uint32_t at = 0; at < field->bytes; at += sizeof(ls_entity)) {
            ls_entity entity;
            memcpy(&entity, (uint8_t *)cell + field->offset + at, sizeof entity);
            entity = resolve(births, segment, entity);
            memcpy((uint8_t *)cell + field->offset + at, &entity, sizeof entity);
        }
    }
}

/* Says where in the list each segment's newborns begin, and clears the list. */
static uint32_t number_newborns(const struct births *births)
{
    ls_commands *commands = &births->run->commands;
    uint32_t total = 0;
    for (uint32_t i = 0; i < commands->count; i++) {
        commands->segments[i].first_newborn = total;
        total += *count_of(births, &commands->segments[i]);
    }
    ls_commands_make_room(commands, total);
    if (total)
        memset(commands->newborns, 0, sizeof *commands->newborns * total);
    return total;
}

static const ls_component *component_of(const struct births *births, const ls_entry *record)
{
    const ls_plan_term *term = &births->plan->terms[record->at];
    const ls_program *program = births->world->program;
    return term->kind == LS_EVENTS ? program->events[term->column]
                                   : program->components[term->column];
}

static bool attach(const struct births *births, uint32_t segment, ls_entry *record)
{
    uint32_t column = births->plan->terms[record->at].column;
    void *value = ls_entry_value(record);
    if (value)
        resolve_cell(births, segment, component_of(births, record), value);
    return ls_store_attach(births->world, column, resolve(births, segment, record->entity), value);
}

/* Slots are taken in canonical order: of newborns that find a lane full, the last are dropped. */
static void bear(const struct births *births)
{
    ls_commands *commands = &births->run->commands;
    ls_commands_walk walk = {.commands = commands, .stream = LS_STREAM_BIRTHS, .left = UINT32_MAX};
    uint32_t next = 0;
    for (ls_entry *record; (record = ls_commands_next(&walk));) {
        if (record->kind == LS_ENTRY_SPAWN)
            commands->newborns[next++] =
                ls_store_spawn(births->world, births->plan->lanes[record->at]);
        else
            attach(births, walk.segment, record);
    }
}

/* Pending handles in cells of the page that the invocations wrote. */
static void resolve_own_cells(const struct births *births, uint32_t segment)
{
    const ls_world *world = births->world;
    uint32_t key = births->run->queries[0].keys[segment];
    for (uint32_t i = 0; i < births->plan->term_count; i++) {
        const ls_plan_term *term = &births->plan->terms[i];
        const ls_component *component = world->program->components[term->column];
        if (term->kind > LS_ANYWAY || term->query != 0 || term->access < LS_WRITE ||
            !ls_component_has_entities(component))
            continue;
        ls_page *page = ls_world_page(world, term->column, key >> 16, key & 0xffff);
        for (uint32_t slot = page ? ls_mask_next_set(page->present, 0) : LS_PAGE_SLOTS;
             slot < LS_PAGE_SLOTS; slot = ls_mask_next_set(page->present, slot + 1))
            resolve_cell(births, segment, component,
                         ls_page_cells(page) + (size_t)component->bytes * slot);
    }
}

static void resolve_stream(const struct births *births, ls_stream stream)
{
    ls_commands_walk walk = {
        .commands = &births->run->commands, .stream = stream, .left = UINT32_MAX};
    for (ls_entry *record; (record = ls_commands_next(&walk));) {
        record->entity = resolve(births, walk.segment, record->entity);
        void *value = ls_entry_value(record);
        if (value)
            resolve_cell(births, walk.segment, component_of(births, record), value);
    }
}

static void merge_births(ls_world *world, const ls_plan_system *plan, ls_run *run)
{
    struct births births = {.world = world, .plan = plan, .run = run};
    if (number_newborns(&births) == 0)
        return;
    bear(&births);
    for (uint32_t i = 0; i < run->commands.count; i++) {
        if (run->commands.segments[i].spawned)
            resolve_own_cells(&births, i);
    }
    resolve_stream(&births, LS_STREAM_EVENTS);
    resolve_stream(&births, LS_STREAM_COMMANDS);
}

/* Signed values come sign-extended, so that they compare as what they are. */
static uint64_t combine(ls_access operation, bool is_signed, uint64_t a, uint64_t b)
{
    bool is_a_less = is_signed ? (int64_t)a < (int64_t)b : a < b;
    switch (operation) {
    case LS_ADD:
        return a + b;
    case LS_OR:
        return a | b;
    case LS_MIN:
        return is_a_less ? a : b;
    default:
        return is_a_less ? b : a;
    }
}

static void accumulate(const ls_component *component, ls_access operation, uint8_t *cell,
                       const uint8_t *value)
{
    for (uint32_t i = 0; i < component->field_count; i++) {
        const ls_field *field = &component->fields[i];
        ls_type type = field->type == LS_TYPE_FIX2 ? LS_TYPE_FIX : field->type;
        for (uint32_t at = field->offset; at < field->offset + field->bytes;
             at += ls_type_bytes(type))
            ls_value_write(type,
                           combine(operation, ls_type_is_signed(type),
                                   ls_value_read(type, cell + at), ls_value_read(type, value + at)),
                           cell + at);
    }
}

/* A walk in front of another, which asks the memory for cells long before they are changed. */
enum { FORESEEN = 32 };

typedef struct foresight {
    ls_commands_walk walk;
    uint32_t page; /* of the last record: those that follow each other there need no help */
} foresight;

static ls_entry *next_prefetched(const ls_world *world, const ls_plan_system *plan,
                                 ls_commands_walk *walk, foresight *ahead)
{
    for (bool is_more = true; is_more && walk->left - ahead->walk.left < FORESEEN;) {
        const ls_entry *record = ls_commands_next(&ahead->walk);
        is_more = record;
        if (!record || ahead->page == (uint32_t)record->entity / LS_PAGE_SLOTS)
            continue;
        ahead->page = (uint32_t)record->entity / LS_PAGE_SLOTS;
        ls_store_prefetch(world, plan->terms[record->at].column, record->entity);
    }
    return ls_commands_next(walk);
}

static void merge_values(ls_world *world, const ls_plan_system *plan, ls_run *run)
{
    ls_commands_walk walk = {
        .commands = &run->commands, .stream = LS_STREAM_VALUES, .left = LS_RECORDS_MAX};
    foresight ahead = {walk, UINT32_MAX};
    uint64_t dropped = ls_commands_excess(&run->commands, LS_STREAM_VALUES, LS_RECORDS_MAX);
    for (ls_entry *record; (record = next_prefetched(world, plan, &walk, &ahead));) {
        const ls_plan_term *term = &plan->terms[record->at];
        const ls_component *component = world->program->components[term->column];
        uint8_t *cell = component->is_singleton
                            ? ls_page_cells(ls_table_write(*ls_world_table(world, term->column, 0),
                                                           0, &world->sources[term->column]))
                            : ls_store_write(world, term->column, record->entity);
        if (cell)
            accumulate(component, (ls_access)term->access, cell, ls_entry_value(record));
        else
            dropped++; /* the system itself detached it after the call */
    }
    for (uint32_t i = 0; i < plan->term_count; i++) {
        if (plan->terms[i].kind == LS_ACCUMULATED)
            world->versions[plan->terms[i].column]++;
    }
    uint64_t *counters = world->base->state.dropped;
    counters[LS_DROPPED_EVENTS] +=
        ls_commands_excess(&run->commands, LS_STREAM_EVENTS, LS_RECORDS_MAX);
    counters[LS_DROPPED_VALUES] += dropped;
}

void ls_merge_system(ls_world *world, uint32_t position)
{
    const ls_plan_system *plan = ls_plan_at(world->program, position);
    ls_run *run = &world->scratch->runs[position];
    if (plan->lane_count && plan->system->mode == LS_CONCURRENT)
        merge_births(world, plan, run);
    if (!plan->accumulates && !plan->sends)
        return;
    pthread_mutex_lock(&world->base->scratch->merge_lock);
    merge_values(world, plan, run);
    pthread_mutex_unlock(&world->base->scratch->merge_lock);
}

static bool apply(const struct births *births, uint32_t segment, ls_entry *record, uint32_t *born)
{
    ls_world *world = births->world;
    if (record->kind == LS_ENTRY_SPAWN) {
        ls_entity newborn = ls_store_spawn(world, births->plan->command_lanes[record->at]);
        births->run->commands.newborns[(*born)++] = newborn;
        return true; /* a full lane counts for itself */
    }
    if (record->kind == LS_ENTRY_ATTACH)
        return attach(births, segment, record);
    ls_entity entity = resolve(births, segment, record->entity);
    ls_store_detach(world, births->plan->terms[record->at].column, entity);
    return ls_store_is_alive(world, entity);
}

void ls_merge_commands(ls_world *world, uint32_t position)
{
    const ls_plan_system *plan = ls_plan_at(world->program, position);
    ls_commands *commands = &world->scratch->runs[position].commands;
    struct births births = {world, plan, &world->scratch->runs[position], true};
    number_newborns(&births);
    ls_commands_walk walk = {
        .commands = commands, .stream = LS_STREAM_COMMANDS, .left = LS_RECORDS_MAX};
    uint32_t born = 0;
    uint64_t dropped = ls_commands_excess(commands, LS_STREAM_COMMANDS, LS_RECORDS_MAX);
    for (uint32_t i = 0; i < plan->term_count; i++) {
        if (plan->terms[i].kind != LS_COMMANDS)
            continue;
        ls_store_own(world, plan->terms[i].column);
        world->versions[plan->terms[i].column]++;
        world->presences[plan->terms[i].column]++;
    }
    for (ls_entry *record; (record = ls_commands_next(&walk));)
        dropped += !apply(&births, walk.segment, record, &born);
    world->state.dropped[LS_DROPPED_COMMANDS] += dropped;
}
