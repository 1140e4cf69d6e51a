/* Reads one by one through the pages that a term has looked up give what a read of many handles
 * finds, which looks up every page. */
#include "mutation_sim.h"

#include "core/run/invocation.h"

enum { LOOKUPS = 400, SLOTS = 3400 }; /* more slots than entities */

/* Valid handles, forged ones, dead ones, and those of other lanes. */
static ls_entity guess(const ls_context *context, uint32_t number)
{
    uint64_t random = ls_random(context, LS_ENTITY_NULL, number);
    uint32_t slot = (uint32_t)(random >> 8) % SLOTS, life = random % 16 == 0 ? 3 : 1;
    return ls_entity_make(random % 23 == 0 ? LANE_B : random % 29 == 0 ? 200 : LANE_A, slot, life);
}

static uint32_t look(const ls_context *context, uint32_t term, uint32_t first)
{
    uint32_t found = 0;
    for (uint32_t i = first; i < first + LOOKUPS; i++) {
        ls_entity entity = guess(context, i);
        const void *cell;
        ls_cells_find(context, term, &entity, 1, &cell);
        assert_ptr_equal(ls_cell_find(context, term, entity), cell);
        found += cell != NULL;
    }
    return found;
}

static bool has_pages(const ls_context *context, uint32_t term)
{
    return context->front.cursors[term].pages_count > 0;
}

static void read(ls_context *context, const ls_entity *entities)
{
    assert_true(look(context, 0, 0) > LOOKUPS / 2);
    look(context, 1, 0);
    assert_true(has_pages(context, 0) && has_pages(context, 1));
}

/* Spawns, which may move pages of generations. */
static void spawn(ls_context *context, const ls_entity *entities)
{
    for (uint32_t i = 0; i < 4; i++) {
        look(context, 0, i * LOOKUPS);
        assert_true(has_pages(context, 0));
        ls_spawn(context, 0);
    }
}

/* Attaches to the column that it reads, which moves pages. */
static void change(ls_context *context, const ls_entity *entities)
{
    for (uint32_t i = 0; i < 8; i++) {
        look(context, 0, i * LOOKUPS);
        ls_cell_attach(context, 1, guess(context, 8 * LOOKUPS + i), &(tally){i});
        ls_cell_detach(context, 1, guess(context, 9 * LOOKUPS + i));
        look(context, 0, i * LOOKUPS);
    }
}

static void write(ls_context *context, const ls_span *span)
{
    tally *own = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++)
        own[i].value++;
}

static void cull(ls_context *context, const ls_entity *entities)
{
    for (uint32_t i = 0; i < 20; i++)
        ls_despawn(context, guess(context, i));
}

static const ls_set sets[] = {{.name = "at times", .when = {.every = 3}}};

static void with_some(ls_context *context, ls_entity entity, uint32_t i)
{
    ls_cell_attach(context, 0, entity, &(tally){i});
    if (i % 5 == 0)
        ls_cell_attach(context, 1, entity, &(tally){i});
}

/* Snapshots come and go, so pages move from run to run. */
static void run(ls_executor *executor)
{
    const ls_system systems[] = {
        {.name = "cull", .mode = LS_SEQUENTIAL, .match = cull},
        {.name = "write",
         .span = write,
         .labels = "at times",
         .after = "cull",
         .terms = LS_TERM_LIST(LS_WRITES(counts))},
        {.name = "read",
         .mode = LS_SEQUENTIAL,
         .match = read,
         .after = "write",
         .terms = LS_TERM_LIST(LS_OTHERS_READ(counts), LS_OTHERS_READ(extras))},
        {.name = "spawn",
         .mode = LS_SEQUENTIAL,
         .match = spawn,
         .lanes = "a",
         .after = "read",
         .terms = LS_TERM_LIST(LS_OTHERS_READ(counts))},
        {.name = "change",
         .mode = LS_SEQUENTIAL,
         .match = change,
         .after = "spawn",
         .terms = LS_TERM_LIST(LS_OTHERS_READ(extras), LS_OTHERS_STRUCTURE(extras))}};
    ls_sim sim = *mutation_sim(systems, LS_COUNT_OF(systems));
    ls_snapshot *held = NULL;
    harness self;
    sim.sets = sets;
    sim.set_count = LS_COUNT_OF(sets);
    harness_begin(&self, &sim, 5);
    for (uint32_t i = 0; i < 24; i++) {
        harness_tick(self.world, executor);
        if (i % 4 == 1)
            held = ls_world_snapshot(self.world);
        if (i % 4 == 3)
            ls_snapshot_destroy(held);
    }
    harness_end(&self);
    ls_executor_destroy(executor);
}

TESTS_AROUND(mutation_forget, NULL);

TEST(test_term_pages_read_what_many_handles_find)
{
    population = (mutation_population){PARALLEL_POPULATION, with_some};
    run(NULL);
}

TEST(test_term_pages_read_what_many_handles_find_on_threads)
{
    population = (mutation_population){PARALLEL_POPULATION, with_some};
    run(harness_executor(3, 0));
}
