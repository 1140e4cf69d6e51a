#include "core/run/run.h"

#include "core/run/cell_change_internal.h"
#include "core/run/depth_order.h"
#include "core/run/fact_check.h"
#include "core/run/fork.h"
#include "core/run/grid_internal.h"
#include "core/run/key_join_internal.h"
#include "core/run/match_loop.h"
#include "core/run/merge.h"
#include "core/run/page_loop.h"
#include "core/run/partner_internal.h"
#include "core/run/spawn_ahead.h"
#include "core/run/term_lookup.h"
#include "core/run/value_merge.h"
#include "core/state/baseline.h"

void ls_run_prepare(ls_world *world, uint32_t workers)
{
    for (uint32_t i = 0; i < workers; i++) {
        if (!world->scratch->contexts[i])
            world->scratch->contexts[i] = ls_alloc(sizeof *world->scratch->contexts[i]);
    }
}

static const ls_entity no_entities[LS_QUERIES_MAX]; /* the match of a system without a query */

/* Sets what differs between systems. Random numbers and cursors are prepared at their first use. */
static inline void enter(ls_context *context, ls_world *world, const ls_plan_system *plan,
                         ls_run *run, uint32_t position)
{
    if (LS_UNLIKELY(context->has_cursors))
        ls_term_cursor_reset(context);
    context->front.terms = __atomic_load_n(&plan->list_used, __ATOMIC_RELAXED); /* see uses.c */
    context->world = world;
    context->plan = plan;
    context->run = run;
    context->position = position;
    context->own_placed = 0;
    context->segment = NULL;
    context->has_random = false;
}

/* Prepares the worker's context. */
static inline ls_context *take_context(const ls_tick_job *job, ls_world *world,
                                       const ls_plan_system *plan, uint32_t position,
                                       uint32_t worker)
{
    ls_context *context = world->scratch->contexts[worker];
    enter(context, world, plan, &world->scratch->runs[position], position);
    context->front.own_first = 0;
    context->front.own_count = LS_OWNS_ALL;
    context->frame = job->frame;
    context->marks = &world->scratch->marks[worker];
    context->own_page = 0;
    context->asked = job->asked;
    context->is_traced = job->trace != NULL;
    context->matched = 0;
    for (uint32_t i = 0; i < plan->join_count; i++)
        context->keys[i] = 0;
    return context;
}

static LS_NOINLINE void note_structure(ls_world *world, const ls_plan_system *plan,
                                       const ls_plan_term *term)
{
    world->presences[term->column]++;
    if (plan->system->mode != LS_CONCURRENT || term->kind == LS_SPAWNED)
        return;
    /* Workers attach at the same time, so all directories must exist before they start. The pages
     * are those of the query's own column, because liveness may be growing at this moment. */
    ls_store_own_pages_of(world, term->column,
                          ls_query_leader(world, plan->terms, plan->term_count, 0));
}

/* Counts the writes. The world already owns its tables: see ls_store_own_written(). */
static inline void note_written_columns(ls_world *world, const ls_plan_system *plan)
{
    const ls_plan_term *end = plan->terms + plan->term_count;
    for (const ls_plan_term *term = plan->terms; term < end; term++) {
        if (term->access < LS_ACCESS_WRITE ||
            (term->kind >= LS_COMMANDS && term->kind != LS_PARTNER))
            continue;
        world->versions[term->column]++;
        if (LS_UNLIKELY(term->access == LS_ACCESS_STRUCTURE))
            note_structure(world, plan, term);
    }
}

/* Copies tables of columns that the system writes and reads as they were. The copies share pages
 * with the world's tables, so that a write clones the page. The world keeps its own tables: systems
 * without an order with this one may read presence from them. */
static void keep_start(ls_world *world, const ls_plan_system *plan, ls_run *run)
{
    uint32_t lanes = world->program->lane_count;
    for (uint32_t i = 0; i < plan->term_count; i++) {
        uint32_t column = plan->terms[i].column;
        for (uint32_t lane = 0; ls_plan_keeps_start(plan, i) && lane < lanes; lane++) {
            run->start[i * lanes + lane] =
                ls_table_copy(*ls_world_table(world, column, lane), &world->sources[column]);
        }
    }
}

void ls_run_release_start(ls_world *world, uint32_t position)
{
    const ls_plan_system *plan = ls_plan_at(world->program, position);
    ls_table **start = world->scratch->runs[position].start;
    uint32_t lanes = world->program->lane_count;
    for (uint32_t i = 0; i < plan->term_count; i++) {
        for (uint32_t lane = 0; ls_plan_keeps_start(plan, i) && lane < lanes; lane++)
            ls_table_release(start[i * lanes + lane], &world->sources[plan->terms[i].column]);
    }
}

/* Finds the matches of a query that compares with baselines: none if a compared column cannot have
 * been written since the system last ended. False when there are none. */
static LS_NOINLINE bool find_changes(const ls_world *world, const ls_plan_system *plan, ls_run *run,
                                     uint32_t query)
{
    ls_page_list *list = &run->queries[query];
    uint32_t first = ls_program_baseline_column(world->program, plan->baseline_first);
    bool may_differ = true;
    for (uint32_t i = 0; i < plan->term_count; i++) {
        const ls_plan_term *term = &plan->terms[i];
        bool is_filter = term->query == query && term->filter != LS_FILTER_OBSERVED;
        if (is_filter && ls_filter_compares(term->filter))
            may_differ &=
                run->kept_versions[(term->baseline - first) / 2] != world->versions[term->column];
    }
    list->seen = 0;
    list->count = 0;
    if (may_differ)
        ls_query_list(world, plan->terms, plan->term_count, query, true, list);
    return list->count > 0;
}

static void keep_baselines(ls_world *world, const ls_plan_system *plan, ls_run *run)
{
    const ls_plan_baseline *kept = &world->program->baselines[plan->baseline_first];
    for (uint32_t i = 0; i < plan->baseline_count; i += 2) {
        uint64_t version = world->versions[kept[i].column];
        if (run->kept_versions[i / 2] != version)
            ls_baseline_keep(world, plan->baseline_first + i);
        run->kept_versions[i / 2] = version;
    }
}

static inline bool find_matches_of(const ls_world *world, const ls_plan_system *plan, ls_run *run,
                                   uint32_t query)
{
    bool with_masks = plan->system->mode == LS_SEQUENTIAL || query > 0;
    if (LS_UNLIKELY(plan->comparing >> query & 1))
        return find_changes(world, plan, run, query);
    ls_query_list_again(world, plan->terms, plan->term_count, query, with_masks,
                        &run->queries[query]);
    return run->queries[query].count > 0;
}

/* Finds the matches of each query. False when some query has none: then the product is empty. */
static inline bool find_matches(const ls_world *world, const ls_plan_system *plan, ls_run *run,
                                bool may_keep)
{
    if (run->cache.column_count) {
        ls_page_cache_begin(&run->cache, world, plan, may_keep, &run->queries[0]);
        return run->queries[0].count > 0;
    }
    if (plan->query_count == 1) /* the common case */
        return find_matches_of(world, plan, run, 0);
    bool has_product = true;
    for (uint32_t i = 0; i < plan->query_count; i++)
        has_product &= find_matches_of(world, plan, run, i);
    return has_product;
}

/* Preparations that only some systems need. They come before the writes are counted, so that an
 * index over a column that this system writes is stale for the next system. */
static LS_NOINLINE void prepare(ls_world *world, const ls_plan_system *plan, ls_run *run,
                                bool has_product, bool is_plain)
{
    for (uint32_t i = 0; has_product && i < plan->grid_count; i++)
        ls_grid_prepare(world, plan->grids[i]);
    for (uint32_t i = 0; has_product && i < plan->join_count; i++)
        ls_join_prepare(world, plan->joins[i]);
    if (has_product && plan->observes)
        ls_cell_changes_find(world, plan, run);
    if (plan->has_start)
        keep_start(world, plan, run);
    if (plan->keeps_keys)
        ls_match_loop_keep_keys(world, plan, run);
    if (has_product && plan->is_parents_first)
        ls_depth_order_find(world, plan, run);
    if (plan->has_commands) {
        /* Short forms of records only if no tool watches the tick: tools read records. */
        run->commands.event_bytes = is_plain ? plan->event_bytes : 0;
        run->commands.value_bytes = is_plain ? plan->value_bytes : 0;
        run->commands.has_runs = is_plain;
        run->commands.is_of_one_lane = is_plain && plan->lane_count == 1;
        ls_commands_begin(&run->commands,
                          plan->system->mode == LS_SEQUENTIAL ? 1 : run->queries[0].count);
    }
}

/* Lists the matches of the queries that the function walks. Without any, the system still runs. */
static LS_NOINLINE void find_walked(const ls_world *world, const ls_plan_system *plan, ls_run *run)
{
    for (uint32_t left = plan->walked; left; left &= left - 1)
        find_matches_of(world, plan, run, (uint32_t)__builtin_ctz(left));
}

static inline void begin(ls_world *world, const ls_plan_system *plan, ls_run *run,
                         uint32_t position, bool may_keep)
{
    bool has_product = find_matches(world, plan, run, may_keep);
    if (LS_UNLIKELY(plan->walked))
        find_walked(world, plan, run);
    if (LS_UNLIKELY(plan->grid_count | plan->join_count | plan->has_start | plan->has_commands |
                    plan->observes | plan->is_parents_first))
        prepare(world, plan, run, has_product, may_keep);
    if (LS_UNLIKELY(plan->has_partner) && has_product)
        has_product = ls_partners_begin(world, plan, run, position);
    if (plan->changes_cells)
        note_written_columns(world, plan);
    run->chunks =
        has_product && plan->system->mode != LS_SEQUENTIAL ? run->queries[0].count : has_product;
}

/* Whether the tick has no trace, and no tool watches its systems. */
static inline bool is_plain(const ls_tick_job *job)
{
    return !job->trace && !ls_tick_is_watched(job);
}

void ls_run_begin(const ls_tick_job *job, uint32_t position)
{
    uint64_t start_ns = ls_trace_now(job->trace);
    const ls_plan_system *plan = ls_plan_at(job->world->program, position);
    ls_world *world = job->world->views->worlds[plan->view];
    ls_run *run = &world->scratch->runs[position];
    if (plan->step) {
        run->chunks = 0;
        ls_fork_step(job->world, position);
    } else {
        begin(world, plan, run, position, is_plain(job));
    }
    /* Relaxed: other threads read both only after the work queue has posted the system. */
    atomic_store_explicit(&run->next, 0, memory_order_relaxed);
    atomic_store_explicit(&run->done, 0, memory_order_relaxed);
    if (LS_UNLIKELY(job->trace != NULL)) {
        uint32_t pages = plan->query_count && run->chunks ? run->queries[0].count : 0;
        ls_run_note_slice(job, (ls_trace_slice){.kind = LS_TRACE_BEGIN,
                                                .index = position,
                                                .start_ns = start_ns,
                                                .page_count = pages});
    }
}

void ls_run_end(const ls_tick_job *job, uint32_t position)
{
    uint64_t start_ns = ls_trace_now(job->trace);
    const ls_plan_system *plan = ls_plan_at(job->world->program, position);
    ls_world *world = job->world->views->worlds[plan->view];
    if (plan->has_commands)
        ls_merge_system(world, position);
    if (plan->baseline_count)
        keep_baselines(world, plan, &world->scratch->runs[position]);
    if (plan->has_partner)
        ls_partners_end(world, &world->scratch->runs[position]);
    if (plan->checks_pairs)
        ls_fact_check_system(world, position);
    if (LS_UNLIKELY(job->trace != NULL))
        ls_run_note_slice(
            job, (ls_trace_slice){.kind = LS_TRACE_END, .index = position, .start_ns = start_ns});
    if (job->watch)
        ls_fork_watch(job, position);
}

static inline void run_page(ls_context *context, uint32_t index, ls_query_page *view)
{
    const ls_page_cache *cache = &context->run->cache;
    context->own_page = context->run->queries[0].keys[index];
    if (cache->stamp) {
        ls_cached_page *page = ls_page_cache_at(cache, index);
        if (LS_LIKELY(page->stamp == cache->stamp)) {
            ls_page_loop_kept(context, index, view, &page->span);
            return;
        }
    }
    ls_page_loop_found(context, index, view);
}

/* Runs page `index` of the list, with a segment of the command buffer open for it. */
static inline void run_listed_page(ls_context *context, uint32_t index, uint32_t worker,
                                   ls_query_page *view)
{
    ls_commands *commands = &context->run->commands;
    if (!context->plan->has_commands) {
        run_page(context, index, view);
        return;
    }
    ls_commands_open(commands, index, worker);
    context->segment = &commands->segments[index];
    run_page(context, index, view);
    ls_commands_close(commands, index);
}

static inline void run_sequential(ls_context *context, uint32_t worker)
{
    ls_commands *commands = &context->run->commands;
    if (context->plan->has_commands) {
        ls_commands_open(commands, 0, worker);
        context->segment = &commands->segments[0];
    }
    if (context->plan->query_count)
        ls_match_loop(context);
    else
        context->plan->system->match(context, no_entities);
    if (context->plan->has_commands)
        ls_commands_close(commands, 0);
}

/* Runs the pages of a chunk in random order: a Fisher-Yates shuffle, one step before each. */
static LS_NOINLINE void run_shuffled(ls_context *context, uint32_t first, uint32_t count,
                                     uint64_t page_seed, ls_query_page *view)
{
    ls_run *run = context->run;
    if (run->order_capacity < count) {
        run->order_capacity = count * 2;
        run->order = ls_realloc(run->order, sizeof *run->order * run->order_capacity);
    }
    for (uint32_t i = 0; i < count; i++)
        run->order[i] = first + i;
    ls_random_stream stream = ls_random_child(ls_random_root(page_seed), context->position);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t other = i + ls_random_below(ls_random_draw(stream, i), count - i);
        uint32_t index = run->order[other];
        run->order[other] = run->order[i];
        run_listed_page(context, index, 0, view);
    }
}

static void run_range(ls_context *context, uint32_t first, uint32_t count, const ls_run_by *by,
                      ls_query_page *view)
{
    if (by->page_seed) {
        run_shuffled(context, first, count, by->page_seed, view);
        return;
    }
    for (uint32_t i = first; i < first + count; i++)
        run_listed_page(context, i, by->worker, view);
}

static LS_NOINLINE void run_part(ls_context *context, uint32_t first, uint32_t count,
                                 const ls_run_by *by)
{
    ls_query_page view;
    ls_query_begin(context->world, context->plan->terms, context->plan->term_count, 0, &view);
    run_range(context, first, count, by, &view);
}

/* The view of the system, for the thread that runs all its pages. */
static inline ls_query_page *begin_view(const ls_run *run)
{
    ls_query_page *view = run->view;
    view->directory_key = view->open_group = UINT32_MAX; /* they may be of an earlier tick */
    return view;
}

static void run_pages(ls_context *context, uint32_t first, uint32_t count, const ls_run_by *by)
{
    if (count < context->run->chunks) /* others run the rest: `view` cannot be shared */
        run_part(context, first, count, by);
    else
        run_range(context, first, count, by, begin_view(context->run));
}

/* The context of this thread while code of a simulation runs; else NULL. */
static _Thread_local const ls_context *here;

const ls_context *ls_run_here(void)
{
    return here;
}

static inline void run_chunk(ls_context *context, uint32_t first, uint32_t count,
                             const ls_run_by *by)
{
    here = context;
    if (context->plan->system->mode == LS_SEQUENTIAL)
        run_sequential(context, by->worker);
    else
        run_pages(context, first, count, by);
    here = NULL;
}

void ls_run_chunk(const ls_tick_job *job, uint32_t position, uint32_t first, uint32_t count,
                  const ls_run_by *by)
{
    uint64_t start_ns = ls_trace_now(job->trace);
    const ls_plan_system *plan = ls_plan_at(job->world->program, position);
    ls_world *world = job->world->views->worlds[plan->view];
    ls_context *context = take_context(job, world, plan, position, by->worker);
    uint32_t range[2] = {first, count};
    if (plan->system->mode == LS_SEQUENTIAL) {
        const ls_page_list *list = &context->run->queries[0];
        range[1] = plan->query_count ? list->count : 0;
        /* The trace counts the matches of query 0 that were frozen at the start, although the
         * system skips those that it ends itself. */
        for (uint32_t i = 0; context->is_traced && i < range[1]; i++)
            context->matched += ls_mask_count(list->masks[i]);
    }
    run_chunk(context, first, count, by);
    if (LS_UNLIKELY(job->trace != NULL))
        ls_run_note_slice(job, (ls_trace_slice){.kind = LS_TRACE_PART,
                                                .index = position,
                                                .start_ns = start_ns,
                                                .first_page = range[0],
                                                .page_count = range[1],
                                                .entities = context->matched});
}

static inline void run_whole(const ls_tick_job *job, uint32_t position, uint64_t page_seed)
{
    const ls_plan_system *plan = ls_plan_at(job->world->program, position);
    ls_run *run = &job->world->views->worlds[plan->view]->scratch->runs[position];
    const ls_run_by by = {.page_seed = page_seed};
    ls_run_begin(job, position);
    if (!plan->step)
        ls_tick_hook_call(job->hook, job->world, LS_POINT_BEGUN, position);
    run->adds_at_once = !page_seed && !ls_tick_is_watched(job) && ls_value_merge_is_free(plan);
    run->added = 0;
    run->ahead = page_seed ? NULL : ls_spawn_ahead_begin(job->world, plan, run);
    if (run->chunks)
        ls_run_chunk(job, position, 0, run->chunks, &by);
    run->adds_at_once = false;
    if (!plan->step)
        ls_tick_hook_call(job->hook, job->world, LS_POINT_RAN, position);
    ls_run_end(job, position);
    ls_tick_hook_call(job->hook, job->world, LS_POINT_ENDED, position);
}

/* Runs a system that has nothing to merge, in a tick that nothing traces or watches. */
static LS_NOINLINE void run_simple(const ls_tick_job *job, const ls_plan_system *plan,
                                   uint32_t position)
{
    ls_world *world = job->world->views->worlds[plan->view];
    ls_run *run = &world->scratch->runs[position];
    begin(world, plan, run, position, true);
    if (run->chunks)
        run_chunk(take_context(job, world, plan, position, 0), 0, run->chunks, &(ls_run_by){0});
}

/* Runs a system with a cache that needs nothing else. The context was taken for this or an earlier
 * system of the job, so only what may differ is set. */
static inline void run_cached(const ls_tick_job *job, const ls_plan_system *plan, ls_run *run,
                              uint32_t position, ls_context *context)
{
    ls_world *world = job->world->views->worlds[plan->view];
    ls_page_cache_begin(&run->cache, world, plan, true, &run->queries[0]);
    if (plan->changes_cells)
        note_written_columns(world, plan);
    uint32_t count = run->chunks = run->queries[0].count;
    if (count == 0)
        return;
    enter(context, world, plan, run, position);
    here = context;
    ls_query_page *view = begin_view(run);
    for (uint32_t i = 0; i < count; i++)
        run_page(context, i, view);
    here = NULL;
}

/* Begins, runs and ends a system in one call, because it may have next to nothing to do. */
void ls_run_alone(const ls_tick_job *job, uint32_t position, uint64_t page_seed)
{
    if (page_seed || !is_plain(job) || !job->world->scratch->runs[position].is_simple)
        run_whole(job, position, page_seed);
    else
        run_simple(job, ls_plan_at(job->world->program, position), position);
}

void ls_run_serially(const ls_tick_job *job, uint32_t first, uint32_t end)
{
    bool is_alone = is_plain(job);
    ls_run *run = &job->world->scratch->runs[first];
    const ls_plan_system *plan = &job->world->program->systems[first];
    ls_context *context = NULL;
    for (uint32_t i = first; i < end; i++, run++, plan++) {
        if (LS_UNLIKELY(run->is_off))
            continue;
        if (LS_LIKELY(is_alone && run->cache.is_alone)) {
            context = context ? context : take_context(job, job->world, plan, i, 0);
            run_cached(job, plan, run, i, context);
        } else if (LS_LIKELY(is_alone && run->is_simple)) {
            run_simple(job, plan, i);
        } else {
            run_whole(job, i, 0);
        }
    }
}
