#include "core/run.h"

/* The tables are the world's own already: see ls_store_own_written(). */
static void note_written_columns(ls_world *world, const ls_plan_system *plan)
{
    uint32_t leader = ls_query_leader(world, plan->terms, plan->term_count, 0);
    for (uint32_t i = 0; i < plan->term_count; i++) {
        const ls_plan_term *term = &plan->terms[i];
        if (term->access < LS_WRITE)
            continue;
        world->versions[term->column]++;
        if (term->access != LS_STRUCTURE)
            continue;
        world->presences[term->column]++;
        if (plan->system->mode != LS_CONCURRENT)
            continue;
        /* Workers attach beside each other, so the directories have to be there before. The extent
         * comes from the query's own column: that of liveness may be growing at this moment. */
        for (uint32_t lane = 0; lane < world->program->lane_count; lane++) {
            uint32_t pages = ls_table_page_count(*ls_world_table(world, leader, lane));
            if (pages)
                ls_table_own(ls_world_table(world, term->column, lane), pages,
                             &world->sources[term->column]);
        }
    }
}

static void make_context(const ls_tick_job *job, uint32_t position, uint32_t worker,
                         ls_context *context)
{
    ls_world *world = job->world;
    const ls_program *program = world->program;
    const ls_plan_system *plan =
        position == program->system_count ? &program->setup : &program->systems[position];
    *context = (ls_context){.world = world,
                            .plan = plan,
                            .frame = job->frame,
                            .run = &world->runs[position],
                            .marks = &world->marks[worker],
                            .own_lane = UINT32_MAX,
                            .own_count = 0};
    for (uint32_t i = 0; i < plan->grid_count; i++)
        context->grids[i] = &world->grids[plan->grids[i]];
    context->random = ls_random_child(
        ls_random_child(ls_random_root(world->match.seed), world->state.tick), plan->key);
}

enum { CHUNKS_PER_THREAD = 4 };

void ls_run_begin(const ls_tick_job *job, uint32_t position, uint32_t threads)
{
    ls_world *world = job->world;
    ls_context context;
    make_context(job, position, 0, &context);
    const ls_plan_system *plan = context.plan;
    ls_run *run = context.run;
    /* Before the notes, so that an index over a column that this very system writes is out of date
     * for the next one. */
    for (uint32_t i = 0; i < plan->grid_count; i++)
        ls_grid_prepare(world, plan->grids[i]);
    note_written_columns(world, plan);
    bool is_sequential = plan->system->mode == LS_SEQUENTIAL;
    for (uint32_t i = 0; i < plan->query_count; i++)
        ls_query_list(world, plan->terms, plan->term_count, i, is_sequential, &run->queries[i]);
    run->chunk_pages = 1;
    run->chunks = 1;
    if (!is_sequential) {
        uint32_t pages = run->queries[0].count;
        run->chunk_pages = pages / (threads * CHUNKS_PER_THREAD);
        if (threads == 1 || run->chunk_pages == 0)
            run->chunk_pages = threads == 1 && pages ? pages : 1;
        run->chunks = (pages + run->chunk_pages - 1) / run->chunk_pages;
    }
    atomic_store_explicit(&run->next, 0, memory_order_relaxed);
    atomic_store_explicit(&run->done, 0, memory_order_relaxed);
}

static void fill_span(const ls_context *context, uint32_t lane, uint32_t page, uint32_t first,
                      ls_span *span)
{
    ls_world *world = context->world;
    const ls_plan_system *plan = context->plan;
    ls_page *lives = ls_world_page(world, ls_liveness(world), lane, page);
    span->lane = lane;
    span->first_slot = page * LS_PAGE_SLOTS + first;
    span->generations = (const uint32_t *)(const void *)ls_page_cells(lives) + first;
    for (uint32_t i = 0; i < plan->term_count; i++) {
        const ls_plan_term *term = &plan->terms[i];
        span->const_cells[i] = NULL;
        size_t bytes = world->sources[term->column].cell_bytes;
        if ((term->kind != LS_INCLUDE && term->kind != LS_ANYWAY) || bytes == 0)
            continue;
        ls_page *cells = ls_world_page(world, term->column, lane, page);
        if (cells && ls_page_has(cells, first))
            span->const_cells[i] = ls_page_cells(cells) + bytes * first;
    }
}

static void run_page(ls_context *context, uint32_t key)
{
    ls_world *world = context->world;
    const ls_plan_system *plan = context->plan;
    uint32_t lane = key >> 16, page = key & 0xffff;
    uint64_t mask[LS_PAGE_WORDS];
    if (!ls_query_mask(world, plan->terms, plan->term_count, 0, lane, page, mask))
        return;
    context->own_lane = lane;
    for (uint32_t i = 0; i < plan->term_count; i++) {
        const ls_plan_term *term = &plan->terms[i];
        bool exists = ls_world_page(world, term->column, lane, page);
        if (term->kind != LS_OTHERS && term->access >= LS_WRITE && exists)
            ls_table_write(*ls_world_table(world, term->column, lane), page,
                           &world->sources[term->column]);
    }
    ls_span span;
    for (uint32_t first = ls_mask_next_set(mask, 0); first < LS_PAGE_SLOTS;
         first = ls_mask_next_set(mask, first + span.count)) {
        span.count = ls_query_span(world, plan->terms, plan->term_count, mask, lane, page, first);
        fill_span(context, lane, page, first, &span);
        context->own_first = span.first_slot;
        context->own_count = span.count;
        plan->system->span(context, &span);
        if (first + span.count >= LS_PAGE_SLOTS)
            break;
    }
}

/* Nothing dies within a stage; what this roll despawned is out of its masks. */
static bool still_matches(const ls_context *context, uint32_t query, ls_entity entity)
{
    const ls_plan_system *plan = context->plan;
    return ls_query_matches(context->world, plan->terms, plan->term_count, query,
                            ls_entity_lane(entity), ls_entity_slot(entity)) &&
           ls_page_list_has(&context->run->queries[query], entity);
}

/* The paper's roll over the product of the frozen matches: every entity of a match is looked at
 * again before the invocation, because those before it may have changed it. */
static void roll(ls_context *context, uint32_t query, ls_entity *entities)
{
    ls_world *world = context->world;
    const ls_plan_system *plan = context->plan;
    if (query == plan->query_count) {
        for (uint32_t i = 0; i < plan->query_count; i++) {
            if (!still_matches(context, i, entities[i]))
                return;
        }
        plan->system->match(context, entities);
        return;
    }
    LS_ASSERT(query < LS_QUERIES_MAX);
    const ls_page_list *list = &context->run->queries[query];
    for (uint32_t i = 0; i < list->count; i++) {
        uint32_t lane = list->keys[i] >> 16, page = list->keys[i] & 0xffff;
        /* The mask is read anew each time: a despawn by this very roll clears bits ahead. */
        for (uint32_t slot = ls_mask_next_set(list->masks[i], 0); slot < LS_PAGE_SLOTS;
             slot = ls_mask_next_set(list->masks[i], slot + 1)) {
            ls_page *lives = ls_world_page(world, ls_liveness(world), lane, page);
            uint32_t generation = ((const uint32_t *)(const void *)ls_page_cells(lives))[slot];
            entities[query] = ls_entity_make(lane, page * LS_PAGE_SLOTS + slot, generation);
            if (still_matches(context, query, entities[query]))
                roll(context, query + 1, entities);
            if (slot + 1 == LS_PAGE_SLOTS)
                break;
        }
    }
}

void ls_run_chunk(const ls_tick_job *job, uint32_t position, uint32_t chunk, uint32_t worker,
                  uint64_t page_seed)
{
    ls_context context;
    make_context(job, position, worker, &context);
    if (context.plan->system->mode == LS_SEQUENTIAL) {
        ls_entity entities[LS_QUERIES_MAX] = {0};
        roll(&context, 0, entities);
        return;
    }
    ls_run *run = context.run;
    ls_page_list *list = &run->queries[0];
    uint32_t first = chunk * run->chunk_pages;
    uint32_t count =
        list->count - first < run->chunk_pages ? list->count - first : run->chunk_pages;
    for (uint32_t i = 0; i < count; i++) {
        if (page_seed) { /* one step of a Fisher-Yates shuffle before each page */
            ls_random_stream stream = ls_random_child(ls_random_root(page_seed), position);
            uint32_t other = i + ls_random_below(ls_random_draw(stream, i), count - i);
            uint32_t key = list->keys[first + other];
            list->keys[first + other] = list->keys[first + i];
            list->keys[first + i] = key;
        }
        run_page(&context, list->keys[first + i]);
    }
}
