/* A baseline that is kept in the middle of a tick: a system on another thread may be reading
 * presence from a page that only the baseline before still has. */
#include "mutation_sim.h"

#include <stdatomic.h>
#include <time.h>

enum { ROUNDS = 300 };

static atomic_bool has_looked, has_written;
static bool waits;
static uint32_t seen;

/* At most for a third of a second: without the other thread nothing comes. */
static void wait_for(const atomic_bool *flag)
{
    for (uint32_t i = 0; waits && i < ROUNDS && !*flag; i++)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
}

static void look(ls_context *context, const ls_entity *entities)
{
    for (uint32_t i = 0; i < 4; i++)
        seen += ls_cell_has(context, 0, mutation_entity(5));
    has_looked = true;
    wait_for(&has_written);
    seen += ls_cell_has(context, 0, mutation_entity(5));
}

static void add_to(ls_context *context, uint32_t slot)
{
    ((tally *)ls_cell_write(context, 0, mutation_entity(slot)))->value++;
}

static void write_first(ls_context *context, const ls_entity *entities)
{
    wait_for(&has_looked);
    add_to(context, 7);
}

static void observe(ls_context *context, const ls_span *span)
{
    (void)context;
    (void)span;
}

/* Copies other pages: in the second tick as many as the baseline would free, so that one of them
 * would get the memory of the page that is being read. */
static void write_others(ls_context *context, const ls_entity *entities)
{
    add_to(context, 256);
    if (ls_tick(context) > 0)
        add_to(context, 512);
    has_written = true;
}

static const ls_system systems[] = {
    {.name = "look",
     .mode = LS_SEQUENTIAL,
     .match = look,
     .terms = LS_TERM_LIST(LS_TERM(0, LS_OTHERS, LS_ACCESS_PRESENCE, counts))},
    {.name = "write",
     .mode = LS_SEQUENTIAL,
     .match = write_first,
     .terms = LS_TERM_LIST(LS_OTHERS_WRITE(counts))},
    {.name = "observe",
     .span = observe,
     .terms = LS_TERM_LIST(LS_CHANGED(counts)),
     .after = "write"},
    {.name = "write others",
     .mode = LS_SEQUENTIAL,
     .match = write_others,
     .terms = LS_TERM_LIST(LS_OTHERS_WRITE(counts)),
     .after = "observe"}};

/* From slot 256 on, every second entity lacks the component. */
static void give_some(ls_context *context, ls_entity entity, uint32_t i)
{
    if (i < 256 || i % 2 == 0)
        ls_cell_attach(context, 0, entity, &(tally){i});
}

TESTS_AROUND(mutation_forget, NULL);

TEST(test_baseline_threads_keep_what_others_read)
{
    for (uint32_t threads = 1; threads <= 2; threads++) {
        population = (mutation_population){700, give_some};
        harness self;
        harness_begin(&self, mutation_sim(systems, LS_COUNT_OF(systems)), 1);
        ls_executor *executor = harness_executor(threads, 0);
        waits = threads > 1;
        for (uint32_t tick = 0; tick < 4; tick++) {
            has_looked = has_written = false;
            seen = 0;
            harness_tick(self.world, executor);
            assert_int_equal(seen, 5);
        }
        ls_executor_destroy(executor);
        harness_end(&self);
    }
}
