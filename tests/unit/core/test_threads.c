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

static void test_threads_leave_tied_systems_to_the_one_that_advances(void **state)
{
    const ls_sim sim = make_sim();
    expect_tied(&sim, TIED_INVOCATIONS, 2, 0);
    expect_tied(&sim, TIED_INVOCATIONS, 4, 0);
}

static void test_threads_leave_a_tied_stage_to_the_one_that_advances(void **state)
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

/* An executor that decides about sharing by itself gives the same result as one thread. */
static void test_threads_that_choose_for_themselves_give_the_same(void **state)
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

static void test_threads_are_counted_before_any_is_started(void **state)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_leave_tied_systems_to_the_one_that_advances),
        cmocka_unit_test(test_threads_leave_a_tied_stage_to_the_one_that_advances),
        cmocka_unit_test(test_threads_that_choose_for_themselves_give_the_same),
        cmocka_unit_test(test_threads_are_counted_before_any_is_started),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
