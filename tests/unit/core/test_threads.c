/* Which thread runs which system. */
#include "harness.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct number {
    uint32_t value;
} number;

static const ls_field number_fields[] = {LS_FIELD(number, value, LS_TYPE_U32)};
static const ls_component firsts = LS_COMPONENT_TABLE(number, "first", number_fields);
static const ls_component seconds = LS_COMPONENT_TABLE(number, "second", number_fields);
static const ls_component thirds = LS_COMPONENT_TABLE(number, "third", number_fields);

static struct {
    pthread_t caller;
    atomic_uint tied,
        strangers; /* invocations of tied systems; `strangers` of those on another thread */
    atomic_uint
        helped; /* invocations of other systems that ran on another thread than the caller */
} seen;

static void note(const ls_context *context)
{
    bool is_tied = ls_system_data(context), is_caller = pthread_equal(pthread_self(), seen.caller);
    if (is_tied) {
        atomic_fetch_add(&seen.tied, 1);
        atomic_fetch_add(&seen.strangers, !is_caller);
    } else {
        atomic_fetch_add(&seen.helped, !is_caller);
    }
}

static void once(ls_context *context, const ls_entity *entities)
{
    note(context);
}

static void each(ls_context *context, const ls_span *span)
{
    number *cells = ls_span_write(context, span, 0);
    note(context);
    for (uint32_t i = 0; i < span->count; i++)
        cells[i].value = cells[i].value * 5 + 1;
}

static void fill(ls_context *context, const ls_entity *entities)
{
    for (uint32_t i = 0; i < 256 * 12; i++) {
        ls_entity entity = ls_spawn(context, 0);
        for (uint32_t term = 0; term < 3; term++)
            ls_cell_attach(context, term, entity, &(number){i + term});
    }
}

static const char is_tied[] = "tied";
#define TIED .main_thread = true, .data = is_tied

static const ls_system tied_systems[] = {
    {.name = "window", .mode = LS_SEQUENTIAL, .match = once, TIED},
    {.name = "draw", .span = each, .terms = LS_TERM_LIST(LS_WRITES(firsts)), TIED},
    {.name = "draw again",
     .span = each,
     .terms = LS_TERM_LIST(LS_WRITES(firsts)),
     .after = "draw",
     TIED},
    {.name = "work", .span = each, .terms = LS_TERM_LIST(LS_WRITES(seconds))},
    {.name = "work on",
     .span = each,
     .terms = LS_TERM_LIST(LS_WRITES(seconds)),
     .after = "work, draw"},
    {.name = "other work", .span = each, .terms = LS_TERM_LIST(LS_WRITES(thirds))},
    {.name = "begin", .mode = LS_SEQUENTIAL, .match = once, .slot = LS_AT_START, TIED},
    {.name = "flush", .mode = LS_SEQUENTIAL, .match = once, .slot = LS_BEFORE_COMMANDS, TIED},
    {.name = "end", .mode = LS_SEQUENTIAL, .match = once, .slot = LS_AT_END, TIED},
};
enum { TIED_INVOCATIONS = 4 + 2 * 12 }; /* one invocation per page */

/* The first three are tied by their stage alone. */
#define SHOWN .stage = "show", .data = is_tied
static const ls_system staged_systems[] = {
    {.name = "window", .mode = LS_SEQUENTIAL, .match = once, SHOWN},
    {.name = "draw", .span = each, .terms = LS_TERM_LIST(LS_WRITES(firsts)), SHOWN},
    {.name = "draw more", .span = each, .terms = LS_TERM_LIST(LS_WRITES(seconds)), SHOWN},
    {.name = "work", .span = each, .terms = LS_TERM_LIST(LS_WRITES(seconds)), .stage = "work"},
    {.name = "other", .span = each, .terms = LS_TERM_LIST(LS_WRITES(thirds)), .stage = "work"},
};
static const ls_stage stages[] = {{.name = "show", .main_thread = true}, {.name = "work"}};
enum { SHOWN_INVOCATIONS = 1 + 2 * 12 };

/* By home_thread: the thread of its first invocation, and how many ran on others. Only systems with
 * one home touch an item, one after the other. */
static struct home {
    pthread_t thread;
    uint32_t invocations, strangers;
} homes[3];

static void note_home(const ls_context *context)
{
    struct home *home = &homes[*(const uint32_t *)ls_system_data(context)];
    if (home->invocations++ == 0)
        home->thread = pthread_self();
    home->strangers += !pthread_equal(pthread_self(), home->thread);
}

static void once_at_home(ls_context *context, const ls_entity *entities)
{
    note_home(context);
}

static void each_at_home(ls_context *context, const ls_span *span)
{
    note_home(context);
    number *cells = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++)
        cells[i].value += 3;
}

static const uint32_t numbers_of_homes[] = {0, 1, 2};
#define HOME(i) .home_thread = i, .data = &numbers_of_homes[i]

static const ls_system home_systems[] = {
    {.name = "window",
     .mode = LS_SEQUENTIAL,
     .match = once_at_home,
     .main_thread = true,
     .data = &numbers_of_homes[0]},
    {.name = "screen", .mode = LS_SEQUENTIAL, .match = once_at_home, HOME(1)},
    {.name = "draw",
     .span = each_at_home,
     .terms = LS_TERM_LIST(LS_WRITES(firsts)),
     .after = "screen",
     HOME(1)},
    {.name = "sound", .mode = LS_SEQUENTIAL, .match = once_at_home, HOME(2)},
    {.name = "work", .span = each, .terms = LS_TERM_LIST(LS_WRITES(seconds))},
};

static ls_sim make_sim(void)
{
    static const ls_component *const components[] = {&firsts, &seconds, &thirds};
    static const char *const lanes[] = {"a"};
    static const ls_term terms[] = {LS_OTHERS_STRUCTURE(firsts),
                                    LS_OTHERS_STRUCTURE(seconds),
                                    LS_OTHERS_STRUCTURE(thirds),
                                    {0}};
    static const ls_system setup = {
        .name = "fill", .mode = LS_SEQUENTIAL, .match = fill, .lanes = "a", .terms = terms};
    ls_sim sim = HARNESS_SIM(components, lanes, tied_systems);
    sim.setup = &setup;
    return sim;
}

typedef struct ride {
    ls_world *world;
    ls_executor *executor;
} ride;

static void *tick_once(void *argument)
{
    ride *self = argument;
    seen.caller = pthread_self();
    harness_tick(self->world, self->executor);
    return NULL;
}

/* Sometimes ticks from another thread. */
static void expect_tied(const ls_sim *sim, uint32_t invocations, uint32_t threads, uint64_t seed)
{
    harness self;
    harness_begin(&self, sim, 1);
    ls_world *serial = harness_world(&self);
    ride trip = {self.world, harness_executor(threads, seed)};
    uint32_t ticks = 0;
    atomic_store(&seen.tied, 0);
    atomic_store(&seen.helped, 0);
    /* Reset here: the serial ticks below count strangers if the last tick before came from another
     * thread. */
    atomic_store(&seen.strangers, 0);
    for (; ticks < 200 || (atomic_load(&seen.helped) == 0 && ticks < 100000); ticks++) {
        pthread_t other;
        if (ticks % 10) {
            tick_once(&trip);
            continue;
        }
        assert_int_equal(pthread_create(&other, NULL, tick_once, &trip), 0);
        pthread_join(other, NULL);
    }
    assert_int_equal(seen.strangers, 0);
    assert_int_equal(seen.tied, ticks * invocations);
    assert_true(seen.helped > 0);
    for (uint32_t i = 0; i < ticks; i++)
        harness_tick(serial, NULL);
    assert_int_equal(ls_world_root(serial), ls_world_root(self.world));
    ls_executor_destroy(trip.executor);
    ls_world_destroy(serial);
    harness_end(&self);
}

TEST(test_threads_leave_tied_systems_to_the_one_that_advances)
{
    const ls_sim sim = make_sim();
    expect_tied(&sim, TIED_INVOCATIONS, 2, 0);
    expect_tied(&sim, TIED_INVOCATIONS, 4, 0);
}

TEST(test_threads_leave_a_tied_stage_to_the_one_that_advances)
{
    ls_sim sim = make_sim();
    sim.systems = staged_systems;
    sim.system_count = LS_COUNT_OF(staged_systems);
    sim.stages = stages;
    sim.stage_count = LS_COUNT_OF(stages);
    expect_tied(&sim, SHOWN_INVOCATIONS, 2, 0);
    expect_tied(&sim, SHOWN_INVOCATIONS, 4, 0);
    expect_tied(&sim, SHOWN_INVOCATIONS, 3, 9);
}

/* A pool that is always late: it runs its tasks only when the executor ends. */
typedef struct late_pool {
    ls_thread_pool_task *tasks[8];
    void *arguments[8];
    uint32_t count;
} late_pool;

static void keep_task(void *context, ls_thread_pool_task *task, void *argument)
{
    late_pool *self = context;
    assert_in_range(self->count, 0, LS_COUNT_OF(self->tasks) - 1);
    self->tasks[self->count] = task;
    self->arguments[self->count++] = argument;
}

static void run_tasks(void *context)
{
    late_pool *self = context;
    for (uint32_t i = 0; i < self->count; i++)
        self->tasks[i](self->arguments[i]);
    self->count = 0;
}

/* Ticks `sim`, and fills in `homes`. Asserts that all runs of a home had one thread, that there
 * were as many as expected, and that home 0 is the calling thread. */
static void tick_at_home(const ls_sim *sim, const ls_executor_config *config)
{
    enum { HOME_TICKS = 300 };
    harness self;
    ls_executor *executor;
    harness_begin(&self, sim, 1);
    memset(homes, 0, sizeof homes);
    assert_int_equal(ls_executor_create(config, &executor, NULL), LS_OK);
    for (uint32_t i = 0; i < HOME_TICKS; i++)
        harness_tick(self.world, executor);
    ls_executor_destroy(executor);
    for (uint32_t i = 0; i < LS_COUNT_OF(homes); i++) {
        assert_int_equal(homes[i].strangers, 0);
        assert_int_equal(homes[i].invocations, i == 1 ? HOME_TICKS * (1 + 12) : HOME_TICKS);
    }
    assert_true(pthread_equal(homes[0].thread, pthread_self()));
    harness_end(&self);
}

static bool is_here(uint32_t home)
{
    return pthread_equal(homes[home].thread, homes[0].thread);
}

TEST(test_threads_keep_homes_apart)
{
    ls_sim sim = make_sim();
    sim.systems = home_systems;
    sim.system_count = LS_COUNT_OF(home_systems);
    tick_at_home(&sim, &(ls_executor_config){.threads = 4});
    assert_false(is_here(1) || is_here(2));
    assert_false(pthread_equal(homes[1].thread, homes[2].thread));
    tick_at_home(&sim, &(ls_executor_config){.threads = 3, .shuffle_seed = 4});
    assert_false(is_here(1) || is_here(2));
    assert_false(pthread_equal(homes[1].thread, homes[2].thread));
    tick_at_home(&sim, &(ls_executor_config){.threads = 2});
    assert_true(!is_here(1) && is_here(2));
    tick_at_home(&sim, &(ls_executor_config){.threads = 1});
    assert_true(is_here(1) && is_here(2));
    late_pool pool = {.count = 0};
    tick_at_home(&sim, &(ls_executor_config){.threads = 4, .pool = {keep_task, run_tasks, &pool}});
    assert_true(is_here(1) && is_here(2));
}

/* Alone in its slot, a home system would run where the tick does. */
TEST(test_threads_share_a_slot_of_one_home)
{
    ls_sim sim = make_sim();
    sim.systems = &home_systems[3];
    sim.system_count = 1;
    harness self;
    ls_executor *executor;
    harness_begin(&self, &sim, 1);
    assert_int_equal(ls_executor_create(&(ls_executor_config){.threads = 3}, &executor, NULL),
                     LS_OK);
    memset(homes, 0, sizeof homes);
    for (uint32_t i = 0; i < 100; i++)
        harness_tick(self.world, executor);
    assert_int_equal(homes[2].invocations, 100);
    assert_int_equal(homes[2].strangers, 0);
    assert_false(pthread_equal(homes[2].thread, pthread_self()));
    ls_executor_destroy(executor);
    harness_end(&self);
}

TEST(test_threads_refuse_a_home_that_cannot_be)
{
    const struct {
        ls_system system;
        const char *says;
        ls_status status;
    } cases[] = {
        {{.home_thread = 64}, "has home_thread 64; at most 63 is allowed", LS_ERROR_LIMIT},
        {{.home_thread = 2, .main_thread = true}, "but main_thread as well", LS_ERROR_USAGE},
        {{.home_thread = 2, .slot = LS_AT_END}, "but runs in an exclusive slot", LS_ERROR_USAGE},
    };
    for (uint32_t i = 0; i < LS_COUNT_OF(cases); i++) {
        ls_sim sim = make_sim();
        ls_system system = cases[i].system;
        system.name = "lost";
        system.mode = LS_SEQUENTIAL;
        system.match = once;
        sim.systems = &system;
        sim.system_count = 1;
        ls_program *program;
        ls_error error;
        assert_int_equal(ls_program_create(&sim, &program, &error), cases[i].status);
        assert_non_null(strstr(error.text, "system \"lost\""));
        assert_non_null(strstr(error.text, cases[i].says));
    }
}

/* An executor that decides about sharing by itself gives the same result as one thread. */
TEST(test_threads_that_choose_for_themselves_give_the_same)
{
    const ls_sim sim = make_sim();
    harness self;
    ls_executor *executor;
    harness_begin(&self, &sim, 1);
    ls_world *serial = harness_world(&self);
    assert_int_equal(ls_executor_create(&(ls_executor_config){.threads = 3}, &executor, NULL),
                     LS_OK);
    for (uint32_t i = 0; i < 400; i++) {
        harness_tick(serial, NULL);
        harness_tick(self.world, executor);
        if (i % 50 == 0)
            assert_int_equal(ls_world_root(serial), ls_world_root(self.world));
    }
    assert_int_equal(ls_world_root(serial), ls_world_root(self.world));
    ls_executor_destroy(executor);
    ls_world_destroy(serial);
    harness_end(&self);
}

TEST(test_threads_are_counted_before_any_is_started)
{
    const uint32_t wrong[] = {0, 1000};
    for (uint32_t i = 0; i < LS_COUNT_OF(wrong); i++) {
        ls_error error;
        ls_executor *executor;
        const ls_executor_config config = {.threads = wrong[i], .is_pinned = i};
        char count[16];
        snprintf(count, sizeof count, "not %u", wrong[i]);
        assert_int_equal(ls_executor_create(&config, &executor, &error), LS_ERROR_USAGE);
        assert_null(executor);
        assert_non_null(strstr(error.text, "threads are 1 to 64"));
        assert_non_null(strstr(error.text, count));
    }
}
