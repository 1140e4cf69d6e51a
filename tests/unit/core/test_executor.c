/* All executors give the same result for everything that the sample simulation uses. */
#include "harness.h"

#include "sample_sim.h"

#include "core/run/executor_internal.h"

#include "tests/support/sanitizer.h"

#include <pthread.h>
#include <stdatomic.h>

enum {
    TICKS = HAS_SANITIZER ? 24 : 200,
    CHECKED_TICKS = TICKS / 8,
    STAY = HAS_SANITIZER ? 10 : 50, /* ticks */
    BEASTS = 5000,
    SPARKS = HAS_SANITIZER ? 600 : 150
};

typedef struct big {
    ls_program *program;
    ls_match match;
} big;

static void begin(big *self, const ls_sim *sim)
{
    ls_error error = {""};
    if (ls_program_create(sim, &self->program, &error) != LS_OK)
        fail_msg("%s", error.text);
    self->match = ls_program_match(self->program, 77);
    self->match.options[SAMPLE_BEASTS] = BEASTS;
    self->match.options[SAMPLE_SPARKS] = SPARKS;
}

static ls_world *make_world(const big *self)
{
    ls_world *world;
    assert_int_equal(ls_world_create(self->program, &self->match, &world, NULL), LS_OK);
    return world;
}

static void advance(ls_world *world, ls_executor *executor)
{
    sample_frame sample;
    sample_frame_init(&sample, world);
    assert_int_equal(ls_world_advance(world, &sample.frame, executor, NULL), LS_OK);
}

static uint64_t reference[TICKS + 1];

static int make_reference(void **state)
{
    big self;
    begin(&self, &sample_sim);
    ls_world *world = make_world(&self);
    reference[0] = ls_world_root(world);
    for (uint32_t tick = 0; tick < TICKS; tick++) {
        advance(world, NULL);
        reference[tick + 1] = ls_world_root(world);
    }
    const sample_score *score = ls_world_singleton(world, &sample_scores);
    print_message("%llu entities, %u births, %u deaths, balance %lld\n",
                  (unsigned long long)ls_world_entity_count(world), score->births, score->deaths,
                  (long long)score->balance);
    assert_true(ls_world_entity_count(world) > 4500);
    assert_true(score->deaths > 500);
    ls_world_destroy(world);
    ls_program_destroy(self.program);
    return 0;
}

/* Compares with the serial roots; 0 threads means the check executor. */
static void compare(const ls_sim *sim, uint32_t threads, uint64_t shuffle_seed, bool with_snapshots)
{
    big self;
    begin(&self, sim);
    ls_world *world = make_world(&self);
    ls_executor *executor = threads ? harness_executor(threads, shuffle_seed) : harness_checker();
    ls_snapshot *kept = NULL;
    uint32_t ticks = threads ? TICKS : CHECKED_TICKS;
    for (uint32_t tick = 0; tick < ticks; tick++) {
        assert_int_equal(ls_world_root(world), reference[tick]);
        if (with_snapshots) {
            ls_snapshot_destroy(kept);
            kept = ls_world_snapshot(world);
        }
        advance(world, executor);
    }
    assert_int_equal(ls_world_root(world), reference[ticks]);
    ls_snapshot_destroy(kept);
    ls_executor_destroy(executor);
    ls_world_destroy(world);
    ls_program_destroy(self.program);
}

TESTS_AROUND_ALL(make_reference, NULL);

TEST(test_executor_serial_equals_no_executor)
{
    compare(&sample_sim, 1, 0, false);
}

TEST(test_executor_parallel_equals_serial)
{
    compare(&sample_sim, 2, 0, false);
    compare(&sample_sim, 4, 0, false);
}

TEST(test_executor_parallel_with_shared_pages_equals_serial)
{
    compare(&sample_sim, 4, 0, true);
}

TEST(test_executor_check_equals_serial)
{
    compare(&sample_sim, 0, 0, false);
    compare(&sample_sim_reversed, 0, 0, true);
}

TEST(test_executor_shuffle_equals_serial)
{
    for (uint64_t seed = 1; seed <= 4; seed++)
        compare(&sample_sim, 1, seed, seed == 1);
}

TEST(test_executor_shuffle_on_threads_equals_serial)
{
    for (uint64_t seed = 1; seed <= 3; seed++)
        compare(&sample_sim, 1 + (uint32_t)seed, seed, seed == 1);
}

/* The order in which systems without a declared order ran one after the other. */
static struct {
    uint32_t order, newborns_seen;
} noted;

#define NOTER(number)                                                                              \
    static void note_##number(ls_context *context, const ls_entity *entities)                      \
    {                                                                                              \
        (void)context;                                                                             \
        (void)entities;                                                                            \
        noted.order = noted.order * 8 + number;                                                    \
    }
NOTER(1)
NOTER(2)
NOTER(3)
NOTER(4)
NOTER(5)

TEST(test_executor_shuffle_tries_another_order_for_another_seed)
{
    static const ls_system systems[] = {{.name = "one", .mode = LS_SEQUENTIAL, .match = note_1},
                                        {.name = "two", .mode = LS_SEQUENTIAL, .match = note_2},
                                        {.name = "three", .mode = LS_SEQUENTIAL, .match = note_3},
                                        {.name = "four", .mode = LS_SEQUENTIAL, .match = note_4},
                                        {.name = "five", .mode = LS_SEQUENTIAL, .match = note_5}};
    static const ls_component *const components[] = {&sample_frozen};
    const ls_sim sim = HARNESS_SIM(components, (const char *const[]){"a"}, systems);
    uint32_t orders[16];
    uint32_t distinct = 0;
    for (uint32_t i = 0; i < 2 * LS_COUNT_OF(orders); i++) {
        uint32_t seed = i % LS_COUNT_OF(orders);
        harness self;
        harness_begin(&self, &sim, 1);
        ls_executor *executor = harness_executor(1, seed + 1);
        noted.order = 0;
        harness_tick(self.world, executor);
        if (i >= LS_COUNT_OF(orders))
            assert_int_equal(noted.order, orders[seed]);
        orders[seed] = noted.order;
        ls_executor_destroy(executor);
        harness_end(&self);
    }
    for (uint32_t i = 0; i < LS_COUNT_OF(orders); i++) {
        uint32_t j = 0;
        while (orders[j] != orders[i])
            j++;
        distinct += i == j;
    }
    assert_true(distinct > LS_COUNT_OF(orders) / 2);
}

static void bear_one(ls_context *context, const ls_entity *entities)
{
    if (ls_tick(context) == 0)
        ls_spawn(context, 0);
}

static void guess(ls_context *context, const ls_entity *entities)
{
    noted.newborns_seen += ls_is_alive(context, ls_entity_make(1, 0, 1));
}

TEST(test_executor_hides_newborns_from_who_has_no_order_with_them)
{
    static const ls_system systems[] = {
        {.name = "bear", .mode = LS_SEQUENTIAL, .match = bear_one, .lanes = "a"},
        {.name = "guess", .mode = LS_SEQUENTIAL, .match = guess}};
    static const ls_component *const components[] = {&sample_frozen};
    const ls_sim sim = HARNESS_SIM(components, (const char *const[]){"a"}, systems);
    for (uint64_t seed = 1; seed <= 16; seed++) {
        harness self;
        harness_begin(&self, &sim, 1);
        ls_executor *executor = harness_executor(1, seed);
        noted.newborns_seen = 0;
        harness_tick(self.world, executor);
        assert_int_equal(noted.newborns_seen, 0);
        harness_tick(self.world, executor);
        assert_int_equal(noted.newborns_seen, 1);
        ls_executor_destroy(executor);
        harness_end(&self);
    }
}

TEST(test_executor_order_of_registration_does_not_show)
{
    compare(&sample_sim_reversed, 3, 0, false);
}

TEST(test_executor_serves_several_worlds_in_turn)
{
    big self;
    begin(&self, &sample_sim);
    ls_executor *executor = harness_executor(4, 0);
    ls_world *worlds[3];
    for (uint32_t i = 0; i < LS_COUNT_OF(worlds); i++)
        worlds[i] = make_world(&self);
    for (uint32_t tick = 0; tick < 20; tick++) {
        for (uint32_t i = 0; i < LS_COUNT_OF(worlds); i++) {
            advance(worlds[i], executor);
            assert_int_equal(ls_world_root(worlds[i]), reference[tick + 1]);
        }
    }
    for (uint32_t i = 0; i < LS_COUNT_OF(worlds); i++)
        ls_world_destroy(worlds[i]);
    ls_executor_destroy(executor);
    ls_program_destroy(self.program);
}

typedef struct turn {
    ls_world *world;
    ls_executor *executor;
} turn;

static void *take_turn(void *argument)
{
    const turn *self = argument;
    advance(self->world, self->executor);
    return NULL;
}

TEST(test_executor_may_change_under_a_world_and_its_thread_too)
{
    big self;
    begin(&self, &sample_sim);
    ls_world *world = make_world(&self);
    ls_executor *executors[] = {harness_executor(4, 0), NULL, harness_executor(2, 0),
                                harness_executor(1, 9), harness_executor(7, 0)};
    for (uint32_t tick = 0; tick < TICKS; tick++) {
        /* Keep each executor long enough to reach the trial of sharing, or change it at once: by
         * turns, all of them. */
        uint32_t stays = tick % (2 * STAY) < STAY ? STAY / LS_COUNT_OF(executors) : 1;
        turn mine = {world, executors[tick / stays % LS_COUNT_OF(executors)]};
        pthread_t thread;
        if (tick % 3 == 0) {
            assert_int_equal(pthread_create(&thread, NULL, take_turn, &mine), 0);
            assert_int_equal(pthread_join(thread, NULL), 0);
        } else {
            take_turn(&mine);
        }
        assert_int_equal(ls_world_root(world), reference[tick + 1]);
    }
    for (uint32_t i = 0; i < LS_COUNT_OF(executors); i++)
        ls_executor_destroy(executors[i]);
    ls_world_destroy(world);
    ls_program_destroy(self.program);
}

TEST(test_executor_wakes_and_sleeps_many_times)
{
    big self;
    begin(&self, &sample_sim);
    self.match.options[SAMPLE_BEASTS] = 1100;
    self.match.options[SAMPLE_SPARKS] = 1;
    ls_world *serial = make_world(&self), *parallel = make_world(&self);
    ls_executor *executor = harness_executor(3, 0);
    for (uint32_t tick = 0; tick < TICKS * 2; tick++) {
        advance(serial, NULL);
        advance(parallel, executor);
    }
    assert_int_equal(ls_world_root(serial), ls_world_root(parallel));
    ls_executor_destroy(executor);
    ls_world_destroy(serial);
    ls_world_destroy(parallel);
    ls_program_destroy(self.program);
}

/* Tiny systems, so that wakes, empty systems and ends of ticks coincide. */
typedef struct number {
    uint32_t value;
} number;

static const ls_field number_fields[] = {LS_FIELD(number, value, LS_TYPE_U32)};
static const ls_component numbers = LS_COMPONENT_TABLE(number, "number", number_fields);
static const ls_component others = LS_COMPONENT_TABLE(number, "other", number_fields);
static const ls_component empty = LS_TAG_TABLE("empty");

static void count_up(ls_context *context, const ls_span *span)
{
    number *cells = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++)
        cells[i].value = cells[i].value * 3 + 1;
}

static void fill(ls_context *context, const ls_entity *entities)
{
    for (uint32_t i = 0; i < 1500; i++) {
        ls_entity entity = ls_spawn(context, 0);
        ls_cell_attach(context, i % 2, entity, &(number){i});
    }
}

TEST(test_executor_tiny_schedule_many_ticks)
{
    static const ls_component *const components[] = {&numbers, &others, &empty};
    static const char *const lanes[] = {"a"};
    const ls_system systems[] = {
        {.name = "left", .span = count_up, .terms = LS_TERM_LIST(LS_WRITES(numbers))},
        {.name = "never",
         .span = count_up,
         .terms = LS_TERM_LIST(LS_WRITES(numbers), LS_WITH(empty)),
         .after = "left"},
        {.name = "never more",
         .span = count_up,
         .terms = LS_TERM_LIST(LS_WRITES(numbers), LS_WITH(empty)),
         .after = "never"},
        {.name = "last",
         .span = count_up,
         .terms = LS_TERM_LIST(LS_WRITES(numbers)),
         .after = "never more"},
        {.name = "right", .span = count_up, .terms = LS_TERM_LIST(LS_WRITES(others))},
    };
    const ls_system setup = {
        .name = "fill",
        .mode = LS_SEQUENTIAL,
        .match = fill,
        .lanes = "a",
        .terms = LS_TERM_LIST(LS_OTHERS_STRUCTURE(numbers), LS_OTHERS_STRUCTURE(others))};
    ls_sim sim = HARNESS_SIM(components, lanes, systems);
    sim.setup = &setup;
    harness self;
    harness_begin(&self, &sim, 1);
    ls_world *parallel = harness_world(&self);
    ls_executor *executor = harness_executor(4, 0);
    for (uint32_t tick = 0; tick < TICKS * 100; tick++) {
        harness_tick(self.world, NULL);
        harness_tick(parallel, executor);
    }
    assert_int_equal(ls_world_root(self.world), ls_world_root(parallel));
    ls_executor_destroy(executor);
    ls_world_destroy(parallel);
    harness_end(&self);
}

TEST(test_executor_refuses_wrong_thread_counts)
{
    ls_error error;
    ls_executor *executor;
    const uint32_t wrong[] = {0, LS_THREADS_MAX + 1, UINT32_MAX};
    for (uint32_t i = 0; i < LS_COUNT_OF(wrong); i++) {
        const ls_executor_config config = {.threads = wrong[i]};
        assert_int_equal(ls_executor_create(&config, &executor, &error), LS_ERROR_USAGE);
        assert_null(executor);
        assert_non_null(strstr(error.text, "threads"));
    }
    ls_executor_destroy(NULL);
    ls_executor_destroy(harness_executor(LS_THREADS_MAX, 0));
}

typedef struct visits {
    atomic_uint times[5000];
    uint32_t count;
} visits;

static void visit(void *argument, uint32_t first, uint32_t count)
{
    visits *self = argument;
    assert_true(first + count <= self->count);
    for (uint32_t i = first; i < first + count; i++)
        atomic_fetch_add(&self->times[i], 1);
}

TEST(test_executor_for_visits_each_index_once)
{
    static const uint32_t counts[] = {0, 1, 2, 3, 15, 16, 17, 100, 5000};
    static visits self;
    for (uint32_t threads = 0; threads <= 4; threads++) {
        ls_executor *executor = threads ? harness_executor(threads, 0) : NULL;
        for (uint32_t i = 0; i < 200; i++) {
            memset(&self, 0, sizeof self);
            self.count = counts[i % LS_COUNT_OF(counts)];
            ls_executor_for(executor, self.count, visit, &self);
            for (uint32_t at = 0; at < LS_COUNT_OF(self.times); at++)
                assert_int_equal(self.times[at], at < self.count);
        }
        ls_executor_destroy(executor);
    }
}
