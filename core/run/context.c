#include <lockstep/context.h>

#include "core/run/access_check.h"
#include "core/run/access_fault.h"
#include "core/run/combine.h"
#include "core/run/command_run.h"
#include "core/run/despawn.h"
#include "core/run/event_internal.h"
#include "core/run/merge.h"
#include "core/run/term_lookup.h"
#include "core/run/value_merge.h"
#include "core/schedule/match_data.h"
#include "core/schedule/resolve_join.h"
#include "core/state/store_spawn.h"
#include <lockstep/program.h>

#include <stdio.h>
#include <string.h>

static const ls_plan_term *check_singleton(const ls_context *context, uint32_t term,
                                           ls_access access)
{
    const ls_plan_term *found = ls_check_term(context, term, LS_ENTITY_NULL, access);
    if (LS_UNLIKELY(!context->world->program->components[found->column]->is_singleton))
        ls_access_fault(context, term, LS_ENTITY_NULL, "is no singleton");
    return found;
}

const void *ls_singleton_read_(const ls_context *context, uint32_t term)
{
    const ls_plan_term *found = check_singleton(context, term, LS_ACCESS_READ);
    ls_world *world = context->world;
    if (context->front.own_count == LS_OWNS_ALL &&
        context->plan->touches[found->column] & LS_TOUCH_WRITE)
        return ls_page_cells(ls_table_unshare(*ls_world_table(world, found->column, 0), 0,
                                              &world->sources[found->column]));
    return ls_page_cells(ls_world_page(world, found->column, 0, 0));
}

void *ls_singleton_write_(ls_context *context, uint32_t term)
{
    const ls_plan_term *found = check_singleton(context, term, LS_ACCESS_WRITE);
    ls_table *table = *ls_world_table(context->world, found->column, 0);
    return ls_page_cells(ls_table_write(table, 0, &context->world->sources[found->column]));
}

/* This function and the two after it are kept out of line, so that a spawn in the page of the last
 * one, and a concurrent spawn without a record, save no register. */
static LS_NOINLINE ls_entity spawn_and_forget(ls_context *context, uint32_t lane)
{
    ls_entity spawned = ls_store_spawn(context->world, context->plan->lanes[lane]);
    if (spawned)
        ls_term_cursor_forget_liveness(context, spawned);
    return spawned;
}

static LS_NOINLINE ls_entity spawn_at_once(ls_context *context, uint32_t lane)
{
    ls_world *world = context->world;
    uint32_t into = context->plan->lanes[lane];
    ls_store_spawn_place place = ls_store_spawn_place_of(world, into);
    return LS_LIKELY(place.page) ? ls_store_spawn_at(world, into, place)
                                 : spawn_and_forget(context, lane);
}

static LS_NOINLINE ls_entity record_spawn(ls_context *context, uint32_t lane, ls_entity pending)
{
    ls_commands_append(&context->run->commands, context->segment, LS_STREAM_SPAWNS,
                       (ls_entry){.kind = LS_ENTRY_SPAWN, .at = (uint16_t)lane}, NULL);
    return pending;
}

/* `lane` is an index into `list`, a list of the system with `count` lanes. */
static _Noreturn LS_NOINLINE void refuse_lane(const ls_context *context, const char *verb,
                                              const char *list, uint32_t lane, uint32_t count)
{
    char why[160];
    snprintf(
        why, sizeof why,
        "%s into lane %u (counted from 0) of its .%s, which lists only %u; list the lane there",
        verb, lane, list, count);
    ls_access_fault(context, LS_NO_TERM, LS_ENTITY_NULL, why);
}

ls_entity ls_spawn(ls_context *context, uint32_t lane)
{
    if (LS_UNLIKELY(lane >= context->plan->lane_count))
        refuse_lane(context, "spawns", "lanes", lane, context->plan->lane_count);
    if (context->plan->system->mode == LS_SEQUENTIAL)
        return spawn_at_once(context, lane);
    ls_entity pending = ls_pending_make(false, context->own_page, context->segment->spawned++);
    return LS_LIKELY(context->run->commands.is_of_one_lane) ? pending
                                                            : record_spawn(context, lane, pending);
}

uint32_t ls_spawn_many(ls_context *context, uint32_t lane, uint32_t count, ls_entity *entities)
{
    bool is_sequential = context->plan->system->mode == LS_SEQUENTIAL;
    uint32_t spawned = 0;
    for (uint32_t i = 0; i < count;) {
        uint32_t some = 1;
        entities[i] = ls_spawn(context, lane);
        if (is_sequential && entities[i])
            some += ls_store_spawn_in_page(context->world, entities[i], count - i - 1,
                                           entities + i + 1);
        spawned += entities[i] ? some : 0;
        i += some;
    }
    return spawned;
}

ls_entity ls_command_spawn(ls_context *context, uint32_t lane)
{
    if (LS_UNLIKELY(lane >= context->plan->command_lane_count))
        refuse_lane(context, "commands a spawn", "command_lanes", lane,
                    context->plan->command_lane_count);
    ls_entity pending = ls_pending_make(true, context->own_page, context->segment->commanded++);
    ls_commands_add(&context->run->commands, context->segment,
                    (ls_entry){.kind = LS_ENTRY_SPAWN, .at = (uint16_t)lane}, NULL);
    return pending;
}

/* Kept out of line, like command_detach(), so that a command that continues a run saves no
 * register. */
static LS_NOINLINE void command_attach(ls_context *context, uint32_t term, ls_entity entity,
                                       const void *value)
{
    const ls_plan_term *found =
        ls_check_kind(context, term, entity, LS_COMMANDS, LS_ACCESS_STRUCTURE);
    ls_commands_add(&context->run->commands, context->segment,
                    (ls_entry){.entity = entity,
                               .kind = LS_ENTRY_ATTACH,
                               .at = (uint16_t)term,
                               .bytes = value ? found->cell_bytes : 0},
                    value);
}

void ls_command_attach_(ls_context *context, uint32_t term, ls_entity entity, const void *value)
{
    if (!ls_commands_follow(&context->run->commands, context->segment, LS_ENTRY_ATTACH, term,
                            entity, value))
        command_attach(context, term, entity, value);
}

static LS_NOINLINE void command_detach(ls_context *context, uint32_t term, ls_entity entity)
{
    ls_check_kind(context, term, entity, LS_COMMANDS, LS_ACCESS_STRUCTURE);
    ls_commands_add(&context->run->commands, context->segment,
                    (ls_entry){.entity = entity, .kind = LS_ENTRY_DETACH, .at = (uint16_t)term},
                    NULL);
}

void ls_command_detach(ls_context *context, uint32_t term, ls_entity entity)
{
    if (!ls_commands_follow(&context->run->commands, context->segment, LS_ENTRY_DETACH, term,
                            entity, NULL))
        command_detach(context, term, entity);
}

/* For a system that runs alone, and so needs no record. Values beyond LS_RECORDS_MAX are dropped
 * and counted, as in a merge of records. */
static bool accumulate_at_once(ls_context *context, uint32_t term, ls_entity entity,
                               const void *value)
{
    const ls_plan_term *found = &context->plan->terms[term];
    ls_run *run = context->run;
    if (!ls_is_reachable(context, found, entity))
        return false;
    if (LS_UNLIKELY(run->added == LS_RECORDS_MAX)) {
        bool is_there = ls_store_find(context->world, found->column, entity) != NULL;
        context->world->base->state.dropped[LS_DROPPED_VALUES] += is_there;
        return is_there;
    }
    if (!ls_value_merge_add(context->world, found, entity, value))
        return false;
    run->added++;
    ls_term_pages_keep_added(context, term, entity);
    return true;
}

/* Kept out of line so that a value that is added at once saves no register. */
static LS_NOINLINE bool record_value(ls_context *context, ls_entity entity, const void *value,
                                     uint32_t bytes)
{
    const ls_commands *commands = &context->run->commands;
    uint8_t *to =
        ls_commands_extend(commands, context->segment, LS_STREAM_VALUES, commands->value_bytes);
    memcpy(to, &entity, sizeof entity);
    ls_commands_put(to + sizeof entity, value, bytes);
    return true;
}

/* Kept out of line so that a value for a page that the term keeps saves no register. */
static LS_NOINLINE bool accumulate_far(ls_context *context, uint32_t term, ls_entity entity,
                                       const void *value)
{
    const ls_plan_term *found = ls_check_kind(context, term, entity, LS_ACCUMULATED, LS_ADD);
    if (context->run->adds_at_once)
        return accumulate_at_once(context, term, entity, value);
    const ls_page_source *source = &context->world->sources[found->column];
    bool is_there = source->component->is_singleton
                        ? entity == LS_ENTITY_NULL
                        : ls_store_find(context->world, found->column, entity) != NULL &&
                              ls_is_reachable(context, found, entity);
    if (!is_there)
        return false;
    if (context->run->commands.value_bytes) {
        ls_term_pages_keep_added(context, term, entity);
        return record_value(context, entity, value, found->cell_bytes);
    }
    ls_commands_append(&context->run->commands, context->segment, LS_STREAM_VALUES,
                       (ls_entry){.entity = entity,
                                  .kind = LS_ENTRY_VALUE,
                                  .at = (uint16_t)term,
                                  .bytes = (uint32_t)source->cell_bytes},
                       value);
    return true;
}

bool ls_accumulate_(ls_context *context, uint32_t term, ls_entity entity, const void *value)
{
    if (LS_UNLIKELY(term >= LS_TERMS_MAX || !value || context->run->added == LS_RECORDS_MAX))
        return accumulate_far(context, term, entity, value);
    const ls_term_cursor *cursor = &context->front.cursors[term];
    const uint8_t *cell = ls_term_page_cell_of(cursor, cursor->added_count, entity);
    if (LS_UNLIKELY(!cell))
        return accumulate_far(context, term, entity, value);
    if (!context->run->adds_at_once)
        return record_value(context, entity, value, cursor->cell_bytes);
    ls_combine_add_u32((uint8_t *)(uintptr_t)cell, value, cursor->cell_bytes);
    context->run->added++;
    return true;
}

void ls_event_send_(ls_context *context, uint32_t term, const void *event)
{
    const ls_plan_term *found =
        ls_check_kind(context, term, LS_ENTITY_NULL, LS_EVENTS, LS_ACCESS_WRITE);
    uint32_t bytes = found->cell_bytes;
    if (LS_LIKELY(context->run->commands.event_bytes)) {
        ls_commands_put(ls_commands_extend(&context->run->commands, context->segment,
                                           LS_STREAM_EVENTS, context->run->commands.event_bytes),
                        event, bytes);
        return;
    }
    ls_commands_append(&context->run->commands, context->segment, LS_STREAM_EVENTS,
                       (ls_entry){.kind = LS_ENTRY_VALUE, .at = (uint16_t)term, .bytes = bytes},
                       event);
}

void ls_event_begin(const ls_context *context, uint32_t term, ls_event_walk *walk)
{
    const ls_plan_term *found =
        ls_check_kind(context, term, LS_ENTITY_NULL, LS_EVENTS, LS_ACCESS_READ);
    if (LS_UNLIKELY(found->access != LS_ACCESS_READ))
        ls_access_fault(context, term, LS_ENTITY_NULL,
                        "sends the event and cannot receive it through this term");
    ls_events_walk(context->world, found->column, context->position, walk);
    walk->age = context->world->program->events[found->column]->event_ticks - 1u;
}

/* Run criteria may not change anything. Despawning needs this check because it needs no declared
 * term. */
static void check_no_criterion(const ls_context *context)
{
    if (LS_UNLIKELY(context->position >= ls_plan_first_gate(context->world->program)))
        ls_access_fault(context, LS_NO_TERM, LS_ENTITY_NULL, "is a run criterion, but despawns");
}

/* Whether the system walks lists of its matches, from which a despawn takes the entity. */
static inline bool lists_matches(const ls_plan_system *plan)
{
    return plan->system->mode == LS_SEQUENTIAL && plan->query_end != 0;
}

/* Kept out of line so that the usual despawn saves no register. */
static LS_NOINLINE void despawn_any(ls_context *context, ls_entity entity)
{
    check_no_criterion(context);
    if (!ls_is_alive_to(context, entity))
        return;
    ls_despawn_marks_add(context->marks, entity);
    if (context->plan->system->mode != LS_SEQUENTIAL)
        return;
    context->has_ended_matches = true;
    for (uint32_t i = 0; i < context->plan->query_end; i++)
        ls_page_list_drop(&context->run->queries[i], entity);
}

/* The usual despawn is inline: the caller is no run criterion, has no lists of its own matches and
 * no spawner without an order with it, and the marks have room. */
void ls_despawn(ls_context *context, ls_entity entity)
{
    const ls_plan_system *plan = context->plan;
    ls_despawn_marks *marks = context->marks;
    if (LS_UNLIKELY(lists_matches(plan) || plan->has_unsettled || marks->count == marks->capacity ||
                    context->position >= ls_plan_first_gate(context->world->program)))
        despawn_any(context, entity);
    else if (LS_LIKELY(ls_store_is_alive(context->world, entity)))
        marks->entities[marks->count++] = entity;
}

/* The generations of the entity's page; NULL when there is no such page. The caller keeps the
 * result, because consecutive handles are usually of one page. */
static const uint32_t *find_generations(const ls_context *context, ls_entity entity)
{
    uint32_t lane = ls_entity_lane(entity), slot = ls_entity_slot(entity);
    const ls_page *lives =
        lane < context->world->state.lanes
            ? ls_table_page(context->world->state.lives[lane], slot / LS_PAGE_SLOTS)
            : NULL;
    return lives ? ls_page_generations(lives) : NULL;
}

void ls_despawn_many(ls_context *context, const ls_entity *entities, uint32_t count)
{
    check_no_criterion(context);
    if (count == 0) /* `marks` may not be allocated yet */
        return;
    if (lists_matches(context->plan) || context->plan->has_unsettled) {
        for (uint32_t i = 0; i < count; i++)
            ls_despawn(context, entities[i]);
        return;
    }
    ls_despawn_marks *marks = context->marks;
    ls_despawn_marks_reserve(marks, count);
    ls_entity *marked = marks->entities + marks->count;
    const uint32_t *generations = NULL;
    uint32_t key = LS_TERM_CURSOR_NOWHERE;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t generation = ls_entity_generation(entities[i]);
        if (key != (uint32_t)entities[i] / LS_PAGE_SLOTS) {
            key = (uint32_t)entities[i] / LS_PAGE_SLOTS;
            generations = find_generations(context, entities[i]);
        }
        *marked = entities[i]; /* kept only if the entity is alive */
        marked +=
            generations && generation & 1 && generations[entities[i] % LS_PAGE_SLOTS] == generation;
    }
    marks->count = (uint32_t)(marked - marks->entities);
}

bool ls_is_alive(const ls_context *context, ls_entity entity)
{
    return ls_is_alive_to(context, entity);
}

uint64_t ls_tick(const ls_context *context)
{
    return context->world->state.tick;
}

const void *ls_system_data(const ls_context *context)
{
    return context->plan->system->data;
}

uint32_t ls_lane_named(const ls_context *context, const char *name)
{
    uint32_t lane = ls_plan_find_lane(context->world->program, context->plan, name);
    if (LS_UNLIKELY(lane == LS_LANES_MAX))
        ls_access_fault(context, LS_NO_TERM, LS_ENTITY_NULL,
                        "asks for a lane that the simulation lacks");
    return lane;
}

const ls_match *ls_match_of(const ls_context *context)
{
    const ls_world *world = context->world;
    return context->plan->part ? &world->match_data->seen[context->plan->part] : &world->match;
}

const ls_frame *ls_inputs(const ls_context *context)
{
    return context->frame;
}

/* The player's first input with data at or after index `at`; NULL when there is none. The inputs of
 * a player are consecutive, so the search ends at another player's input. */
static const ls_input *find_input(const ls_frame *frame, uint32_t at, uint32_t player)
{
    for (; at < frame->count && frame->inputs[at].player == player; at++) {
        uint32_t kind = frame->inputs[at].kind;
        if (kind == LS_INPUT || kind == LS_STATE || kind == LS_SUBSTITUTE)
            return &frame->inputs[at];
    }
    return NULL;
}

const ls_input *ls_input_of(const ls_context *context, uint32_t player)
{
    const ls_frame *frame = context->frame;
    uint32_t low = 0, high = frame->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (frame->inputs[middle].player < player)
            low = middle + 1;
        else
            high = middle;
    }
    return find_input(frame, low, player);
}

const ls_input *ls_input_next(const ls_context *context, const ls_input *input)
{
    const ls_frame *frame = context->frame;
    return find_input(frame, (uint32_t)(input - frame->inputs) + 1, input->player);
}

/* The random stream of this system, tick and run of the stage. */
static ls_random_stream find_stream(const ls_context *context)
{
    const ls_world *world = context->world;
    ls_random_stream stream = ls_random_child(
        ls_random_child(ls_random_root(world->match.seed), world->state.tick), context->plan->key);
    return world->run_number ? ls_random_child(stream, world->run_number) : stream;
}

uint64_t ls_random(const ls_context *context, ls_entity entity, uint32_t draw)
{
    if (LS_UNLIKELY(!context->has_random)) {
        ls_context *notes = (ls_context *)(uintptr_t)context;
        notes->random = find_stream(context);
        notes->has_random = true;
    }
    return ls_random_draw(ls_random_child(context->random, entity), draw);
}

void *ls_scratch_memory(ls_context *context)
{
    size_t bytes = context->plan->system->scratch_bytes;
    if (LS_UNLIKELY(!bytes))
        ls_access_fault(context, LS_NO_TERM, LS_ENTITY_NULL,
                        "asks for scratch memory, but declares no scratch_bytes");
    if (LS_UNLIKELY(bytes > context->scratch_bytes)) {
        ls_free(context->scratch);
        context->scratch = ls_alloc(bytes);
        context->scratch_bytes = bytes;
    }
    memset(context->scratch, 0, bytes);
    return context->scratch;
}

const void *ls_match_rows(const ls_context *context, const ls_component *row, uint32_t *count)
{
    const void *rows;
    const ls_world *world = context->world;
    if (LS_LIKELY(ls_match_data_rows(world->program, world->match_data, row, &rows, count)))
        return rows;
    char why[160];
    snprintf(why, sizeof why, "asks for the match data table \"%.80s\", which does not exist",
             row->name);
    ls_access_fault(context, LS_NO_TERM, LS_ENTITY_NULL, why);
}

void ls_decide(ls_context *context, ls_decision decision)
{
    uint32_t first = ls_plan_first_gate(context->world->program);
    if (context->position < first)
        ls_access_fault(context, LS_NO_TERM, LS_ENTITY_NULL, "is no run criterion, but decides");
    uint32_t gate = context->position - first;
    if (decision >= LS_NO_AND_AGAIN && !context->world->program->gates[gate].when->iterations_max)
        ls_access_fault(context, LS_NO_TERM, LS_ENTITY_NULL,
                        "wants to be asked again, but its condition has no iterations_max");
    context->world->scratch->gates[gate].decision = decision;
}

uint32_t ls_iteration(const ls_context *context)
{
    return context->world->iteration;
}
