#include <lockstep/world.h>

#include "core/check/check.h"
#include "core/run/depth_order.h"
#include "core/run/despawn.h"
#include "core/run/executor_internal.h"
#include "core/run/fact_check.h"
#include "core/run/fact_explain.h"
#include "core/run/fork.h"
#include "core/run/join_index.h"
#include "core/run/merge.h"
#include "core/run/par_conflict.h"
#include "core/run/parent_cycle.h"
#include "core/run/partner_internal.h"
#include "core/run/run.h"
#include "core/run/term_lookup.h"
#include "core/run/thread_policy.h"
#include "core/run/tick.h"
#include "core/schedule/match_data.h"
#include "core/schema/codec.h"
#include "core/state/baseline.h"
#include "core/state/snapshot_internal.h"
#include "core/state/state_internal.h"
#include "core/world_internal.h"
#include <lockstep/hash.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const ls_field generation_field[] = {
    {.name = "generation", .type = LS_TYPE_U32, .bytes = 4}};
static const ls_component liveness_component = {
    .name = "liveness", .bytes = 4, .field_count = 1, .fields = generation_field};

static ls_page_source make_source(ls_world *world, const ls_component *component, ls_pool *pages)
{
    size_t cells = component->is_singleton ? 1 : LS_PAGE_SLOTS;
    ls_pool_init(pages, &world->arena, LS_PAGE_CELLS_OFFSET + component->bytes * cells);
    return (ls_page_source){.pages = pages,
                            .directories = &world->directories,
                            .tables = &world->tables,
                            .component = component,
                            .cell_bytes = component->bytes,
                            .cells = (uint32_t)cells};
}

static void make_sources(ls_world *world)
{
    const ls_program *program = world->program;
    uint32_t count = ls_liveness(world) + 1;
    world->sources = ls_alloc(sizeof *world->sources * ls_column_total(world));
    world->moves = ls_alloc(sizeof *world->moves * ls_column_total(world));
    world->page_pools = ls_alloc(sizeof *world->page_pools * (count + program->event_count));
    ls_arena_init(&world->arena);
    ls_pool_init(&world->directories, &world->arena, sizeof(ls_directory));
    ls_pool_init(&world->tables, &world->arena, sizeof(ls_table));
    for (uint32_t column = 0; column < count; column++) {
        const ls_component *component =
            column == ls_liveness(world) ? &liveness_component : world->program->components[column];
        world->sources[column] = make_source(world, component, &world->page_pools[column]);
    }
    for (uint32_t i = 0; i < program->baseline_count; i++)
        world->sources[ls_program_baseline_column(program, i)] =
            world->sources[program->baselines[i].column];
    for (uint32_t event = 0; event < program->event_count; event++) {
        const ls_component *sent = program->events[event];
        for (uint32_t age = 1; age < sent->event_ticks; age++) {
            uint32_t column = ls_program_kept_column(program, event, age);
            world->sources[column] =
                age > 1 ? world->sources[column - 1]
                        : make_source(world, sent, &world->page_pools[count + event]);
        }
    }
    for (uint32_t column = 0; column < ls_column_total(world); column++)
        world->sources[column].moves = &world->moves[column];
}

static void note_leftovers(const ls_world *world, uint32_t position)
{
    ls_scratch *scratch = world->scratch;
    if (!scratch->leftovers)
        scratch->leftovers =
            ls_alloc(sizeof *scratch->leftovers * LS_BIT_WORDS(ls_plan_count(world->program)));
    ls_bit_set(scratch->leftovers, position);
}

static void make_run(const ls_world *world, uint32_t position)
{
    const ls_plan_system *plan = ls_plan_at(world->program, position);
    ls_run *run = &world->scratch->runs[position];
    run->is_simple = ls_plan_is_simple(plan);
    if (plan->has_start || plan->commands)
        note_leftovers(world, position);
    if (plan->has_start)
        run->start = ls_alloc(sizeof *run->start * plan->term_count * world->program->lane_count);
    if (plan->baseline_count) {
        run->kept_versions = ls_alloc(sizeof *run->kept_versions * plan->baseline_count / 2);
        memset(run->kept_versions, 0xff, sizeof *run->kept_versions * plan->baseline_count / 2);
    }
    if (plan->has_partner)
        run->partners = ls_partners_create(world->program);
    if (plan->is_parents_first)
        run->depth_order = ls_depth_order_create(world->program);
    if (plan->observes)
        run->changed = ls_alloc(sizeof *run->changed * plan->baseline_count);
    if (plan->query_count && plan->system->mode == LS_CONCURRENT) {
        run->view = ls_alloc(sizeof *run->view);
        ls_query_begin(world, plan->terms, plan->term_count, 0, run->view);
        ls_page_cache_init(&run->cache, plan, run->view);
    }
}

static void free_list(ls_page_list *list)
{
    ls_free(list->keys);
    ls_free(list->masks);
}

static void free_run(ls_run *run, const ls_program *program, const ls_plan_system *plan)
{
    ls_partners_destroy(run->partners, program);
    ls_depth_order_destroy(run->depth_order, program);
    for (uint32_t query = 0; query < LS_QUERIES_MAX; query++)
        free_list(&run->queries[query]);
    for (uint32_t i = 0; run->changed && i < plan->baseline_count; i++)
        free_list(&run->changed[i]);
    ls_free(run->changed);
    ls_commands_reset(&run->commands);
    ls_free(run->view);
    ls_page_cache_reset(&run->cache);
    ls_free(run->start);
    ls_free(run->order);
    ls_free(run->keys);
    ls_free(run->kept_versions);
}

static void make_singletons(ls_world *world)
{
    for (uint32_t column = 0; column < world->program->column_count; column++) {
        if (!world->program->components[column]->is_singleton)
            continue;
        ls_table *table = *ls_world_table(world, column, 0);
        ls_table_set(table, 0, ls_table_write(table, 0, &world->sources[column]), 0, 1);
    }
}

static ls_status run_setups(ls_world *world, const ls_tick_hook *hook, ls_error *error)
{
    for (uint32_t column = 0; column <= ls_liveness(world); column++)
        ls_store_own(world, column);
    make_singletons(world);
    const ls_frame nothing = {0};
    const ls_tick_job job = {.world = world, .frame = &nothing, .hook = hook};
    uint32_t position = world->program->system_count;
    for (; position < ls_plan_first_gate(world->program); position++) {
        world->spawn_epoch++;
        ls_run_alone(&job, position, 0);
        ls_tick_synchronise(world, position, position + 1);
        if (world->scratch->partner_breach.is_set)
            return ls_partner_clash_print(world, error);
        if (world->scratch->breach.is_set)
            return ls_fact_breach_print(world, error);
        if (ls_tick_has_cycle(world))
            return ls_parent_cycle_of_setup(world, position, error);
    }
    return LS_OK;
}

static uint64_t hash_match(const ls_match *match, const ls_match_data *data)
{
    uint8_t bytes[12 + 8 * LS_OPTIONS_MAX];
    ls_writer writer;
    ls_writer_init(&writer, bytes, sizeof bytes);
    ls_match_encode(match, &writer);
    LS_ASSERT(!writer.failed);
    const uint64_t parts[2] = {ls_hash_bytes(bytes, writer.count), data->hash};
    return ls_words_hash(parts, LS_COUNT_OF(parts));
}

/* Creates a world with an empty state. `pool_owner` NULL: the world owns its page pools. */
static ls_world *make_world(const ls_program *program, const ls_match *match,
                            const ls_match_data *match_data, ls_world *pool_owner)
{
    ls_world *made = ls_alloc(sizeof *made);
    uint32_t columns = program->column_count + 1;
    made->program = program;
    made->match = *match;
    made->match_data = match_data;
    made->match_hash = hash_match(match, match_data);
    made->versions = ls_alloc(sizeof *made->versions * columns);
    made->presences = ls_alloc(sizeof *made->presences * columns);
    made->is_owned = ls_alloc(sizeof *made->is_owned * columns);
    made->free_hints = ls_alloc(sizeof *made->free_hints * program->lane_count);
    made->replaced_baselines =
        ls_alloc(sizeof *made->replaced_baselines * program->baseline_count * program->lane_count);
    made->scratch = ls_alloc(sizeof *made->scratch);
    made->scratch->runs = ls_alloc(sizeof *made->scratch->runs * ls_plan_count(program));
    made->scratch->gates = ls_alloc(sizeof *made->scratch->gates * (program->gate_count + 1));
    ls_mutex_init(&made->scratch->merge_lock);
    made->indexes = ls_indexes_create(program);
    made->scratch->despawn = ls_despawn_scratch_create(program);
    made->scratch->parents = ls_parents_create(program);
    made->pool_owner = pool_owner ? pool_owner : made;
    if (!pool_owner)
        make_sources(made);
    made->sources = made->pool_owner->sources;
    made->moves = made->pool_owner->moves;
    for (uint32_t i = 0; i < ls_plan_count(program); i++)
        make_run(made, i);
    ls_state_init(&made->state, program);
    ls_views_create(made);
    ls_run_prepare(made, 1);
    return made;
}

ls_status ls_world_create_for_snapshot(const ls_program *program, const ls_match *match,
                                       ls_world **world, ls_error *error)
{
    *world = NULL;
    ls_status status = ls_program_check_match(program, match, error);
    const ls_match_data *match_data = NULL;
    if (status == LS_OK)
        status = ls_match_data_take(program, match, &match_data, error);
    if (status == LS_OK)
        *world = make_world(program, match, match_data, NULL);
    return status;
}

void ls_world_set_memory_max(ls_world *world, size_t bytes)
{
    world->memory_max = bytes;
}

size_t ls_world_memory(const ls_world *world)
{
    return world->pool_owner->arena.bytes;
}

ls_status ls_world_create_hooked(const ls_program *program, const ls_match *match,
                                 const ls_tick_hook *hook, ls_world **world, ls_error *error)
{
    ls_status status = ls_world_create_for_snapshot(program, match, world, error);
    if (status == LS_OK)
        status = run_setups(*world, hook, error);
    if (status != LS_OK) {
        ls_world_destroy(*world);
        *world = NULL;
    }
    return status;
}

ls_status ls_world_create(const ls_program *program, const ls_match *match, ls_world **world,
                          ls_error *error)
{
    return ls_world_create_hooked(program, match, NULL, world, error);
}

ls_world *ls_world_create_sibling(ls_world *world)
{
    const ls_match_data *match_data = NULL;
    ls_status status = ls_match_data_take(world->program, &world->match, &match_data, NULL);
    LS_ASSERT(status == LS_OK && match_data == world->match_data); /* `world` has the data */
    ls_world *made = make_world(world->program, &world->match, match_data, world->pool_owner);
    world->pool_owner->sibling_count++;
    ls_world_copy(made, world);
    return made;
}

static void free_pages(ls_world *world)
{
    LS_ASSERT(world->sibling_count == 0);
    if (world->pool_owner != world) {
        world->pool_owner->sibling_count--;
        return;
    }
    ls_arena_reset(&world->arena);
    ls_free(world->sources);
    ls_free(world->moves);
    ls_free(world->page_pools);
}

void ls_world_destroy(ls_world *world)
{
    if (!world)
        return;
    const ls_program *program = world->program;
    ls_snapshot_free_spare(world);
    ls_views_destroy(world);
    ls_state_release(world, &world->state);
    ls_baseline_release(world);
    free_pages(world);
    for (uint32_t i = 0; i < ls_plan_count(program); i++)
        free_run(&world->scratch->runs[i], program, ls_plan_at(program, i));
    ls_indexes_destroy(world->indexes, program);
    ls_despawn_scratch_destroy(world->scratch->despawn);
    ls_parents_destroy(world->scratch->parents);
    ls_thread_policy_destroy(world->scratch->policy);
    for (uint32_t i = 0; i < LS_THREADS_MAX; i++) {
        ls_free(world->scratch->marks[i].entities);
        ls_context *context = world->scratch->contexts[i];
        ls_term_pages_reset(context);
        if (context)
            ls_free(context->scratch);
        ls_free(context);
    }
    ls_mutex_destroy(&world->scratch->merge_lock);
    ls_free(world->versions);
    ls_free(world->presences);
    ls_free(world->is_owned);
    ls_free(world->free_hints);
    ls_free(world->scratch->ahead);
    ls_free(world->scratch->runs);
    ls_free(world->scratch->gates);
    ls_free(world->scratch->leftovers);
    ls_free(world->scratch->value_pages);
    ls_free(world->hash_jobs);
    ls_free(world->replaced_baselines);
    ls_free(world->scratch);
    ls_match_data_drop(program, world->match_data);
    ls_free(world);
}

/* Whether the simulation's validator must check the input's bytes. */
static bool needs_validator(const ls_input *input)
{
    return input->kind == LS_INPUT || input->kind == LS_STATE || input->kind == LS_SUBSTITUTE;
}

static bool is_in_place(const ls_world *world, const ls_input *input)
{
    uint32_t players = world->match.player_count;
    return input->kind <= LS_RESUME && input->player <= players &&
           (input->player < players || input->kind >= LS_PAUSE);
}

static ls_status check_frame(const ls_world *world, const ls_frame *frame, ls_error *error)
{
    if (frame->tick != world->state.tick)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "the frame is for tick %" PRIu64 ", the world is at %" PRIu64,
                            frame->tick, world->state.tick);
    for (uint32_t i = 0; i < frame->count; i++) {
        const ls_input *input = &frame->inputs[i];
        if (needs_validator(input) && !ls_sim_accepts(world->program->sim, &world->match, input))
            return ls_error_set(error, LS_ERROR_CORRUPT,
                                "input %u of tick %" PRIu64 ", of player %u: the simulation's "
                                "validator refuses it",
                                i, frame->tick, input->player);
        if (!is_in_place(world, input) || (i && frame->inputs[i - 1].player > input->player))
            return ls_error_set(error, LS_ERROR_USAGE,
                                "input %u of tick %" PRIu64 " is of player %u, kind %u; inputs "
                                "are ordered by player, below %u",
                                i, frame->tick, input->player, input->kind,
                                world->match.player_count);
    }
    return LS_OK;
}

/* Writes the message of a tick that was refused. A system that clashes about partners has not run,
 * so whatever else is wrong may follow from that. */
static ls_status explain(const ls_tick_job *failed, ls_error *error)
{
    ls_world *world = failed->world;
    if (world->scratch->partner_breach.is_set)
        return ls_partner_clash_print(world, error);
    if (world->scratch->breach.is_set && !world->views->conflict.is_set)
        return ls_fact_explain(failed, error);
    return world->scratch->has_cycle ? ls_parent_cycle_explain(failed, error)
                                     : ls_fork_explain(failed, error);
}

static ls_status advance_or_go_back(const ls_tick_job *job, ls_executor *executor, ls_error *error)
{
    ls_snapshot *before = ls_world_snapshot(job->world);
    ls_status status = ls_tick_run(job, executor, error);
    if (status != LS_OK)
        ls_world_restore(job->world, before);
    ls_snapshot_destroy(before);
    return status;
}

static ls_status advance_checked(ls_tick_job job, ls_executor *executor, ls_error *error)
{
    ls_check *check = ls_check_begin(job.world);
    job.check = ls_check_of_tick(check);
    ls_status status = ls_check_end(check, ls_tick_run(&job, executor, error), error);
    if (status != LS_OK)
        ls_world_state_changed(job.world);
    return status;
}

static ls_status advance(const ls_tick_job *job, ls_executor *executor, ls_error *error)
{
    ls_status status = check_frame(job->world, job->frame, error);
    if (status != LS_OK)
        return status;
    ls_state_prefetch(job->world);
    if (ls_executor_checks(executor))
        status = advance_checked(*job, executor, error);
    else if (job->world->program->can_fail)
        status = advance_or_go_back(job, executor, error);
    else
        return ls_tick_run(job, executor, error);
    /* A finding of the check executor is a better message than the failure that follows from it. */
    return status == LS_ERROR_REFUSED ? explain(job, error) : status;
}

ls_status ls_world_advance_hooked(ls_world *world, const ls_frame *frame, ls_executor *executor,
                                  const ls_tick_hook *hook, ls_error *error)
{
    const ls_tick_job job = {
        .world = world, .frame = frame, .trace = ls_executor_trace(executor), .hook = hook};
    return advance(&job, executor, error);
}

ls_status ls_world_run_part(ls_world *world, const ls_tick_part *part, const ls_frame *frame,
                            ls_executor *executor, ls_error *error)
{
    const ls_frame nothing = {.tick = world->state.tick};
    const ls_tick_job job = {.world = world,
                             .frame = frame ? frame : &nothing,
                             .part = part,
                             .trace = ls_executor_trace(executor)};
    bool has_events = world->has_events && world->scratch->has_part_events;
    for (uint32_t i = 0; !has_events && i < world->program->system_count; i++)
        world->scratch->runs[i].commands.count = 0; /* events of an earlier tick */
    return advance(&job, executor, error);
}

ls_status ls_world_advance(ls_world *world, const ls_frame *frame, ls_executor *executor,
                           ls_error *error)
{
    return ls_world_advance_hooked(world, frame, executor, NULL, error);
}

uint64_t ls_world_root_on(ls_world *world, ls_executor *executor)
{
    ls_state_hash_pages(world, executor ? ls_executor_for : NULL, executor);
    return ls_state_root(world);
}

const ls_program *ls_world_program(const ls_world *world)
{
    return world->program;
}

const void *ls_world_rows(const ls_world *world, const ls_component *row, uint32_t *count)
{
    const void *rows;
    if (LS_LIKELY(ls_match_data_rows(world->program, world->match_data, row, &rows, count)))
        return rows;
    fprintf(stderr, "lockstep: simulation \"%s\" has no match data table \"%s\"\n",
            world->program->sim->name, row->name);
    abort();
}

const ls_match *ls_world_match(const ls_world *world)
{
    return &world->match;
}

uint64_t ls_world_tick(const ls_world *world)
{
    return world->state.tick;
}

/* Flips the lowest bit of the first byte of a field. A bool stays a bool, but the value of an enum
 * or of a field with a maximum may become invalid. */
bool ls_world_flip_bit(ls_world *world, uint64_t pick, char *what, size_t what_bytes)
{
    uint32_t columns = world->program->column_count;
    for (uint32_t tried = 0; tried < columns; tried++) {
        uint32_t column = (uint32_t)((pick + tried) % columns);
        const ls_component *component = world->program->components[column];
        ls_store_own(world, column);
        world->versions[column]++;
        for (uint32_t lane = 0; component->bytes && lane < world->program->lane_count; lane++) {
            ls_table *table = *ls_world_table(world, column, lane);
            for (uint32_t i = 0; i < ls_table_page_count(table); i++) {
                ls_page *page = ls_table_page(table, i);
                if (!page || ls_page_is_empty(page))
                    continue;
                const ls_field *field = &component->fields[pick / columns % component->field_count];
                uint32_t slot = ls_mask_next_set(page->present, 0);
                page = ls_table_write(table, i, &world->sources[column]);
                ls_page_cells(page)[component->bytes * slot + field->offset] ^= 1;
                snprintf(what, what_bytes, "%s.%s of %s/%" PRIu32, component->name, field->name,
                         world->program->lanes[lane], i * LS_PAGE_SLOTS + slot);
                return true;
            }
        }
    }
    return false;
}
