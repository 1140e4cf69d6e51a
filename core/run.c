#include "core/run.h"

#include "core/fork.h"
#include "core/merge.h"
#include "core/reach_internal.h"

void ls_run_prepare(ls_world *world, uint32_t workers)
{
    for (uint32_t i = 0; i < workers; i++) {
        if (!world->contexts[i])
            world->contexts[i] = ls_alloc(sizeof *world->contexts[i]);
    }
}

/* The worker's context, made new for the system. It is large, so what no term uses stays as the
 * system before left it: empty. */
static ls_context *take_context(const ls_tick_job *job, uint32_t position, uint32_t worker)
{
    const ls_plan_system *plan = ls_plan_at(job->world->program, position);
    ls_world *world = job->world->views[plan->view];
    ls_context *context = job->world->contexts[worker];
    uint32_t stale_terms = context->plan ? context->plan->term_count : 0;
    context->front.own_first = 0;
    context->front.own_count = LS_OWNS_ALL;
    context->world = world;
    context->plan = plan;
    context->frame = job->frame;
    context->run = &world->runs[position];
    context->marks = &job->world->marks[worker];
    context->position = position;
    context->own_standing = 0;
    context->own_page = 0;
    context->segment = NULL;
    context->is_traced = job->trace != NULL;
    context->matched = 0;
    context->random = ls_random_child(
        ls_random_child(ls_random_root(world->match.seed), world->state.tick), plan->key);
    if (world->run_number)
        context->random = ls_random_child(context->random, world->run_number);
    for (uint32_t i = 0; i < plan->join_count; i++)
        context->keys[i] = 0;
    ls_reach_begin(context, stale_terms);
    return context;
}

/* The tables are the world's own already: see ls_store_own_written(). */
static void note_written_columns(ls_world *world, const ls_plan_system *plan)
{
    for (uint32_t i = 0; i < plan->term_count; i++) {
        const ls_plan_term *term = &plan->terms[i];
        if (term->access < LS_WRITE || term->kind >= LS_COMMANDS)
            continue;
        world->versions[term->column]++;
        if (term->access != LS_STRUCTURE)
            continue;
        world->presences[term->column]++;
        if (plan->system->mode != LS_CONCURRENT || term->kind == LS_NEWBORNS)
            continue;
        /* Workers attach beside each other, so the directories have to be there before. The extent
         * comes from the query's own column: that of liveness may be growing at this moment. */
        uint32_t leader = ls_query_leader(world, plan->terms, plan->term_count, 0);
        for (uint32_t lane = 0; lane < world->program->lane_count; lane++) {
            uint32_t pages = ls_table_page_count(*ls_world_table(world, leader, lane));
            if (pages)
                ls_table_own(ls_world_table(world, term->column, lane), pages,
                             &world->sources[term->column]);
        }
    }
}

/* Copies the tables of what the system writes and reads as it was. The copies share the pages, so
 * that whoever writes one clones it. The world's tables stay where they are: systems without an
 * order with this one may be asking them for presence. */
static void keep_start(ls_world *world, const ls_plan_system *plan, ls_run *run)
{
    uint32_t lanes = world->program->lane_count;
    for (uint32_t i = 0; i < plan->term_count; i++) {
        uint32_t column = plan->terms[i].column;
        for (uint32_t lane = 0; ls_plan_keeps_start(plan, i) && lane < lanes; lane++) {
            ls_table **start = &run->start[i * lanes + lane];
            *start = ls_table_share(*ls_world_table(world, column, lane));
            if (*start)
                ls_table_own(start, 0, &world->sources[column]);
        }
    }
}

void ls_run_release_start(ls_world *world, uint32_t position)
{
    const ls_plan_system *plan = ls_plan_at(world->program, position);
    ls_table **start = world->runs[position].start;
    uint32_t lanes = world->program->lane_count;
    for (uint32_t i = 0; i < plan->term_count; i++) {
        for (uint32_t lane = 0; ls_plan_keeps_start(plan, i) && lane < lanes; lane++)
            ls_table_release(start[i * lanes + lane], &world->sources[plan->terms[i].column]);
    }
}

/* The key of query 0's entity in the join that drives a query, as it is now. False when it has
 * none any more. */
static bool find_key(const ls_world *world, const ls_plan_system *plan, uint32_t join,
                     ls_entity entity, uint64_t *key)
{
    const ls_plan_join *from = &plan->join_from[join];
    *key = entity;
    if (from->column == UINT32_MAX)
        return true;
    const void *cell = ls_store_find(world, from->column, entity);
    if (cell)
        *key = ls_join_key(from, cell);
    return cell;
}

/* For a sequential system that writes them: what the keys of query 0's matches are now. */
static void keep_keys(const ls_world *world, const ls_plan_system *plan, ls_run *run)
{
    const ls_page_list *list = &run->queries[0];
    if (list->count > run->key_capacity) {
        run->key_capacity = list->count * 2;
        run->keys = ls_realloc(run->keys, sizeof *run->keys * run->key_capacity);
    }
    for (uint32_t i = 0; i < list->count; i++) {
        uint32_t lane = list->keys[i] >> 16, first = (list->keys[i] & 0xffff) * LS_PAGE_SLOTS;
        const uint32_t *generations =
            ls_page_generations(ls_table_page(world->state.lives[lane], first / LS_PAGE_SLOTS));
        for (uint32_t slot = ls_mask_next_set(list->masks[i], 0); slot < LS_PAGE_SLOTS;
             slot = ls_mask_next_set(list->masks[i], slot + 1)) {
            for (uint32_t join = 0; join < plan->join_count; join++) {
                ls_entity entity = ls_entity_make(lane, first + slot, generations[slot]);
                if (plan->system->joins[join].query)
                    find_key(world, plan, join, entity, &run->keys[i][slot][join]);
            }
        }
    }
}

/* False when some query has no match: then the product has none, whatever the others have. */
static bool find_matches(const ls_world *world, const ls_plan_system *plan, ls_run *run)
{
    bool has_product = true;
    for (uint32_t i = 0; i < plan->query_count; i++) {
        bool with_masks = plan->system->mode == LS_SEQUENTIAL || i > 0;
        ls_query_list_again(world, plan->terms, plan->term_count, i, with_masks, &run->queries[i]);
        has_product &= run->queries[i].count > 0;
    }
    return has_product;
}

/* Of a system, in a trace; `pages` begins with its first page. */
static void note_span(const ls_tick_job *job, ls_span_kind kind, uint32_t position,
                      uint64_t start_ns, const uint32_t pages[2], uint32_t entities)
{
    ls_trace_span span = {.start_ns = start_ns,
                          .tick = job->world->state.tick,
                          .kind = kind,
                          .index = position,
                          .run = job->world->run_number,
                          .first_page = pages[0],
                          .page_count = pages[1],
                          .entities = entities};
    ls_trace_add(job->trace, span);
}

void ls_run_begin(const ls_tick_job *job, uint32_t position)
{
    uint64_t start_ns = ls_trace_now(job->trace);
    const ls_plan_system *plan = ls_plan_at(job->world->program, position);
    ls_world *world = job->world->views[plan->view];
    ls_run *run = &world->runs[position];
    if (plan->step) {
        run->chunks = 0;
        ls_fork_step(job->world, position);
        if (LS_UNLIKELY(job->trace != NULL))
            note_span(job, LS_SPAN_BEGIN, position, start_ns, (uint32_t[]){0, 0}, 0);
        return;
    }
    bool is_sequential = plan->system->mode == LS_SEQUENTIAL;
    bool has_product = find_matches(world, plan, run);
    /* Before the notes, so that an index over a column that this very system writes is out of date
     * for the next one. */
    for (uint32_t i = 0; has_product && i < plan->grid_count; i++)
        ls_grid_prepare(world, plan->grids[i]);
    for (uint32_t i = 0; has_product && i < plan->join_count; i++)
        ls_join_prepare(world, plan->joins[i]);
    if (plan->has_start)
        keep_start(world, plan, run);
    note_written_columns(world, plan);
    if (plan->keeps_keys)
        keep_keys(world, plan, run);
    run->chunks = has_product && !is_sequential ? run->queries[0].count : has_product;
    if (plan->has_journal)
        ls_journal_begin(&run->journal, is_sequential ? 1 : run->queries[0].count);
    atomic_store_explicit(&run->next, 0, memory_order_relaxed);
    atomic_store_explicit(&run->done, 0, memory_order_relaxed);
    if (LS_UNLIKELY(job->trace != NULL))
        note_span(job, LS_SPAN_BEGIN, position, start_ns,
                  (uint32_t[]){0, plan->query_count && has_product ? run->queries[0].count : 0}, 0);
}

void ls_run_end(const ls_tick_job *job, uint32_t position)
{
    uint64_t start_ns = ls_trace_now(job->trace);
    const ls_plan_system *plan = ls_plan_at(job->world->program, position);
    ls_world *world = job->world->views[plan->view];
    if (plan->has_journal)
        ls_merge_system(world, position);
    if (LS_UNLIKELY(job->trace != NULL))
        note_span(job, LS_SPAN_END, position, start_ns, (uint32_t[]){0, 0}, 0);
    if (job->watch)
        ls_fork_watch(job, position);
}

static bool keys_agree(const ls_context *context, uint32_t query, const ls_entity *entities)
{
    const ls_plan_system *plan = context->plan;
    uint32_t join = plan->query_joins[query] - 1;
    const ls_plan_join *found = &context->world->program->joins[plan->joins[join]];
    uint64_t key;
    if (!find_key(context->world, plan, join, entities[0], &key))
        return false;
    /* What a concurrent system joins by changes, if at all, under other invocations of it: it is
     * taken as it was at the start, like the index. */
    if (plan->system->mode == LS_CONCURRENT)
        return key == context->keys[join];
    const void *cell = ls_store_find(context->world, found->column, entities[query]);
    bool is_nobody = found->type == LS_TYPE_ENTITY && key == LS_ENTITY_NULL;
    return cell && !is_nobody && ls_join_key(found, cell) == key;
}

/* Nothing dies within a stage; what a sequential roll despawned is out of its masks. */
static bool still_matches(const ls_context *context, uint32_t query, const ls_entity *entities)
{
    const ls_plan_system *plan = context->plan;
    ls_entity entity = entities[query];
    bool is_own = query == 0 && plan->system->mode == LS_CONCURRENT;
    return ls_query_matches(context->world, plan->terms, plan->term_count, query,
                            ls_entity_lane(entity), ls_entity_slot(entity)) &&
           (is_own || ls_page_list_has(&context->run->queries[query], entity)) &&
           (plan->query_joins[query] == 0 || keys_agree(context, query, entities));
}

static void roll(ls_context *context, uint32_t query, ls_entity *entities);

/* One candidate for a query of the vector: every entity of a match is looked at again before the
 * invocation, because those before it may have changed it. */
static void roll_over(ls_context *context, uint32_t query, ls_entity *entities, ls_entity entity)
{
    LS_ASSERT(query < LS_QUERIES_MAX);
    entities[query] = entity;
    if (still_matches(context, query, entities))
        roll(context, query + 1, entities);
}

/* The candidates that had the key of query 0's entity when the system began: what comes to match
 * meanwhile is not visited. */
static void roll_join(ls_context *context, uint32_t query, ls_entity *entities)
{
    const ls_plan_system *plan = context->plan;
    uint32_t join = plan->query_joins[query] - 1;
    ls_join_walk walk;
    ls_join_index_begin(&context->world->joins[plan->joins[join]], context->keys[join], &walk);
    for (ls_entity entity; ls_join_next(&walk, &entity);)
        roll_over(context, query, entities, entity);
}

/* The keys that `entity`, a match of query 0, had when the system began. Only a sequential system
 * that writes them itself finds others there later. */
static void take_keys(ls_context *context, ls_entity entity, uint32_t page_index)
{
    const ls_plan_system *plan = context->plan;
    const ls_run *run = context->run;
    for (uint32_t i = 0; i < plan->join_count; i++) {
        if (plan->keeps_keys)
            context->keys[i] = run->keys[page_index][ls_entity_slot(entity) % LS_PAGE_SLOTS][i];
        else if (plan->system->joins[i].query)
            find_key(context->world, plan, i, entity, &context->keys[i]);
    }
}

static void roll_pages(ls_context *context, uint32_t query, ls_entity *entities)
{
    const ls_page_list *list = &context->run->queries[query];
    for (uint32_t i = 0; i < list->count; i++) {
        uint32_t lane = list->keys[i] >> 16, page = list->keys[i] & 0xffff;
        /* The mask is read anew each time: a despawn by this very roll clears bits ahead. */
        for (uint32_t slot = ls_mask_next_set(list->masks[i], 0); slot < LS_PAGE_SLOTS;
             slot = ls_mask_next_set(list->masks[i], slot + 1)) {
            const ls_page *lives = ls_table_page(context->world->state.lives[lane], page);
            ls_entity entity =
                ls_entity_make(lane, page * LS_PAGE_SLOTS + slot, ls_page_generations(lives)[slot]);
            if (query == 0 && context->plan->join_count)
                take_keys(context, entity, i);
            roll_over(context, query, entities, entity);
        }
    }
}

/* The paper's roll over the product of the frozen matches. */
static void roll(ls_context *context, uint32_t query, ls_entity *entities)
{
    const ls_plan_system *plan = context->plan;
    if (query < plan->query_count && plan->query_joins[query]) {
        roll_join(context, query, entities);
        return;
    }
    if (query < plan->query_count) {
        roll_pages(context, query, entities);
        return;
    }
    /* The last one has been looked at just now. */
    for (uint32_t i = 0; i + 1 < plan->query_count; i++) {
        if (!still_matches(context, i, entities))
            return;
    }
    plan->system->match(context, entities);
}

/* Each entity of the page as the own one of a concurrent match function. */
static void run_matches(ls_context *context, const ls_query_page *look, const uint64_t *mask)
{
    for (uint32_t slot = ls_mask_next_set(mask, 0); slot < LS_PAGE_SLOTS;
         slot = ls_mask_next_set(mask, slot + 1)) {
        ls_entity entities[LS_QUERIES_MAX] = {
            ls_entity_make(look->lane, look->page * LS_PAGE_SLOTS + slot, look->generations[slot])};
        ls_reach_own(context, (uint32_t)entities[0], 1);
        take_keys(context, entities[0], 0);
        roll(context, 1, entities);
    }
}

static void run_blocks(ls_context *context, const ls_query_page *look, const uint64_t *mask)
{
    ls_block block;
    for (uint32_t word = 0; word < LS_PAGE_WORDS; word++) {
        if (mask[word] == 0)
            continue;
        ls_query_fill_block(look, word, mask[word], &block);
        ls_reach_own(context, look->lane << 24 | block.first_slot, 64);
        context->plan->system->block(context, &block);
    }
}

static uint32_t next_match(const ls_query_page *look, const uint64_t *mask, uint32_t from)
{
    return look->is_whole ? from : ls_mask_next_set(mask, from);
}

static void run_spans(ls_context *context, ls_query_page *look, const uint64_t *mask)
{
    uint32_t first = next_match(look, mask, 0);
    while (first < LS_PAGE_SLOTS) {
        const ls_span *span = ls_query_span(look, mask, first);
        ls_reach_own(context, look->lane << 24 | span->first_slot, span->count);
        context->plan->system->span(context, span);
        first = next_match(look, mask, first + span->count);
    }
}

/* A page that is opened may be a copy from then on, for every term of its column. */
static void open_pages(ls_world *world, ls_query_page *look)
{
    for (uint32_t i = 0; i < look->written_count; i++) {
        const ls_plan_term *term = &look->terms[look->written[i]];
        ls_page *before = look->pages[look->written[i]];
        if (!before || before->is_open)
            continue;
        ls_page *opened = ls_table_open(*ls_world_table(world, term->column, look->lane),
                                        look->page, &world->sources[term->column]);
        for (uint32_t j = 0; j < look->term_count; j++)
            look->pages[j] = look->pages[j] == before ? opened : look->pages[j];
    }
}

static uint32_t count_slots(const uint64_t *mask)
{
    uint32_t count = 0;
    for (uint32_t word = 0; word < LS_PAGE_WORDS; word++)
        count += (uint32_t)__builtin_popcountll(mask[word]);
    return count;
}

static void run_page(ls_context *context, uint32_t key, ls_query_page *look)
{
    const ls_system *system = context->plan->system;
    uint64_t mask[LS_PAGE_WORDS];
    ls_query_look(context->world, key >> 16, key & 0xffff, look);
    bool needs_mask = !system->span || !look->is_whole;
    if (needs_mask && !ls_query_page_mask(context->world, look, mask))
        return;
    if (LS_UNLIKELY(context->is_traced))
        context->matched += needs_mask ? count_slots(mask) : LS_PAGE_SLOTS;
    context->own_page = key;
    open_pages(context->world, look);
    if (system->span)
        run_spans(context, look, mask);
    else if (system->block)
        run_blocks(context, look, mask);
    else
        run_matches(context, look, mask);
}

/* The page of the list at `index`, with a segment of the journal open for it. */
static void run_listed_page(ls_context *context, uint32_t index, uint32_t worker,
                            ls_query_page *look)
{
    ls_journal *journal = &context->run->journal;
    uint32_t key = context->run->queries[0].keys[index];
    if (!context->plan->has_journal) {
        run_page(context, key, look);
        return;
    }
    ls_journal_open(journal, index, worker);
    context->segment = &journal->segments[index];
    run_page(context, key, look);
    ls_journal_close(journal, index);
}

static void run_sequential(ls_context *context, uint32_t worker)
{
    ls_journal *journal = &context->run->journal;
    ls_entity entities[LS_QUERIES_MAX] = {0};
    if (context->plan->has_journal) {
        ls_journal_open(journal, 0, worker);
        context->segment = &journal->segments[0];
    }
    if (context->plan->query_count)
        roll(context, 0, entities);
    else
        context->plan->system->match(context, entities);
    if (context->plan->has_journal)
        ls_journal_close(journal, 0);
}

/* The pages of one chunk in a random order: one step of a Fisher-Yates shuffle before each. */
static void run_shuffled(ls_context *context, uint32_t first, uint32_t count, uint64_t page_seed,
                         ls_query_page *look)
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
        run_listed_page(context, index, 0, look);
    }
}

static void run_pages(ls_context *context, uint32_t first, uint32_t count, const ls_run_by *by)
{
    ls_query_page look;
    ls_query_begin(context->world, context->plan->terms, context->plan->term_count, 0, &look);
    if (by->page_seed) {
        run_shuffled(context, first, count, by->page_seed, &look);
        return;
    }
    for (uint32_t i = first; i < first + count; i++)
        run_listed_page(context, i, by->worker, &look);
}

/* The frozen matches of query 0, all of which a sequential system meets but those that changed. */
static uint32_t count_frozen(const ls_context *context)
{
    const ls_page_list *list = &context->run->queries[0];
    uint32_t count = 0;
    for (uint32_t i = 0; context->plan->query_count && i < list->count; i++)
        count += count_slots(list->masks[i]);
    return count;
}

void ls_run_chunk(const ls_tick_job *job, uint32_t position, uint32_t first, uint32_t count,
                  const ls_run_by *by)
{
    uint64_t start_ns = ls_trace_now(job->trace);
    ls_context *context = take_context(job, position, by->worker);
    uint32_t range[2] = {first, count};
    if (context->plan->system->mode == LS_SEQUENTIAL) {
        range[1] = context->plan->query_count ? context->run->queries[0].count : 0;
        context->matched = context->is_traced ? count_frozen(context) : 0;
        run_sequential(context, by->worker);
    } else {
        run_pages(context, first, count, by);
    }
    if (LS_UNLIKELY(job->trace != NULL))
        note_span(job, LS_SPAN_PART, position, start_ns, range, context->matched);
}
