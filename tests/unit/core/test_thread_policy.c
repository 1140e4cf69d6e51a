/* Which system starts first, and which slots run on one thread. Times are given, not measured. */
#include "harness.h"

#include "core/base/platform_cpu.h"
#include "core/run/thread_policy.h"

static void nothing(ls_context *context, const ls_entity *entities)
{
}

#define PLAIN(text) .name = text, .mode = LS_SEQUENTIAL, .match = nothing

static const ls_system chain_and_more[] = {
    {PLAIN("a")},    {PLAIN("b"), .after = "a"}, {PLAIN("c"), .after = "b"},
    {PLAIN("lone")}, {PLAIN("short")},
};

typedef struct paced {
    ls_sim sim;
    harness harness;
    ls_thread_policy *pace;
    uint32_t first, end;
} paced;

static const ls_component tag = LS_TAG_TABLE("tag");

static void begin(paced *self, const ls_system *systems, uint32_t count)
{
    static const ls_component *const components[] = {&tag};
    static const char *const lanes[] = {"a"};
    self->sim = (ls_sim)HARNESS_SIM(components, lanes, chain_and_more);
    self->sim.systems = systems;
    self->sim.system_count = count;
    harness_begin(&self->harness, &self->sim, 1);
    harness_tick(self->harness.world, NULL);
    self->pace = ls_thread_policy_create(self->harness.program);
    self->end = count;
    self->first = 0;
}

static void end(paced *self)
{
    ls_thread_policy_destroy(self->pace);
    harness_end(&self->harness);
}

static uint32_t position_of(const paced *self, const char *name)
{
    const ls_program *program = self->harness.program;
    uint32_t i = 0;
    while (strcmp(program->systems[i].system->name, name) != 0)
        i++;
    return i;
}

static const char *name_at(const paced *self, uint32_t place)
{
    return self->harness.program->systems[self->pace->order[place]].system->name;
}

/* Simulates one run of the slot. If it is measured, each system takes times[position]; the run
 * takes `us`. */
static bool run_once(paced *self, bool is_forced, const uint64_t *times, uint64_t us)
{
    ls_thread_policy_run run = {.first = self->first, .end = self->end, .is_forced = is_forced};
    ls_thread_policy_begin(self->pace, self->harness.world, 2, &run);
    for (uint32_t i = 0; run.is_measured && i < self->end; i++)
        ls_thread_policy_spend(self->pace, i, times[i]);
    run.started -= us * ls_cycles_us();
    ls_thread_policy_end(self->pace, self->harness.world, &run);
    return run.is_shared;
}

TEST(test_thread_policy_starts_with_the_longest_way)
{
    paced self;
    begin(&self, chain_and_more, LS_COUNT_OF(chain_and_more));
    uint64_t times[LS_COUNT_OF(chain_and_more)] = {0};
    times[position_of(&self, "a")] = times[position_of(&self, "b")] = 10;
    times[position_of(&self, "c")] = 10;
    times[position_of(&self, "lone")] = 25;
    times[position_of(&self, "short")] = 1;
    for (uint32_t i = 0; i < 10; i++)
        assert_true(run_once(&self, true, times, 1));
    const char *const order[] = {"a", "lone", "b", "c", "short"};
    for (uint32_t i = 0; i < LS_COUNT_OF(order); i++)
        assert_string_equal(name_at(&self, i), order[i]);
    times[position_of(&self, "lone")] = 100;
    for (uint32_t i = 0; i < 300; i++)
        run_once(&self, true, times, 1);
    assert_string_equal(name_at(&self, 0), "lone");
    end(&self);
}

static uint32_t count_shared(paced *self, const uint64_t *times, uint64_t alone_us,
                             uint64_t shared_us, uint32_t runs)
{
    uint32_t shared = 0;
    for (uint32_t i = 0; i < runs; i++) {
        uint32_t countdown = self->pace->slots[0].countdown;
        bool will_share = self->pace->slots[0].is_shared != (countdown < 3);
        shared += run_once(self, false, times, will_share ? shared_us : alone_us);
    }
    return shared;
}

/* Each seed gives all systems, in another order, and no wait that the schedule does not need. */
TEST(test_thread_policy_shuffles_the_order)
{
    paced self;
    begin(&self, chain_and_more, LS_COUNT_OF(chain_and_more));
    uint32_t first = 0, count = LS_COUNT_OF(chain_and_more), distinct = 0;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        ls_thread_policy_run run = {.first = 0, .end = count, .is_timed = true};
        ls_thread_policy_shuffle(self.pace, &run, ls_random_root(seed));
        uint32_t seen = 0, order = 0;
        for (uint32_t i = 0; i < count; i++) {
            seen |= 1u << self.pace->order[i];
            order = order * 8 + self.pace->order[i];
        }
        assert_int_equal(seen, (1u << count) - 1);
        assert_true(run.is_shared && !run.is_timed && !run.is_measured);
        assert_int_equal(self.pace->slots[0].hold.later, LS_LIST_SCHEDULE_NONE);
        distinct += order != first;
        first = order;
    }
    assert_true(distinct >= 6);
    end(&self);
}

TEST(test_thread_policy_shares_what_is_faster_shared)
{
    if (!LS_HAS_CLOCK)
        skip();
    paced self;
    begin(&self, &chain_and_more[3], 2);
    const uint64_t halves[] = {500 * ls_cycles_us(), 500 * ls_cycles_us()};
    assert_true(count_shared(&self, halves, 1000, 600, 4000) > 3800);
    assert_true(self.pace->slots[0].is_shared);
    assert_true(ls_thread_policy_is_shared(self.pace, self.harness.program));
    /* Sharing is slow, as if another process used the second processor. */
    count_shared(&self, halves, 1000, 4000, 200);
    assert_false(self.pace->slots[0].is_shared);
    assert_true(count_shared(&self, halves, 1000, 1100, 20000) < 300);
    end(&self);
}

TEST(test_thread_policy_never_shares_what_cannot_be_faster)
{
    if (!LS_HAS_CLOCK)
        skip();
    paced self;
    const uint64_t equal[] = {500 * ls_cycles_us(), 500 * ls_cycles_us(), 500 * ls_cycles_us()};
    begin(&self, chain_and_more, 3); /* a chain */
    assert_int_equal(count_shared(&self, equal, 1500, 100, 5000), 0);
    end(&self);
    const uint64_t tiny[] = {50, 50};
    begin(&self, &chain_and_more[3], 2);
    assert_int_equal(count_shared(&self, tiny, 0, 0, 5000), 0);
    end(&self);
}

static void spread(ls_context *context, const ls_span *span)
{
}

static const ls_system hinted_systems[] = {
    {PLAIN("a"), .cost_ns = 10000},
    {PLAIN("b"), .cost_ns = 40000},
    {PLAIN("c"), .cost_ns = 30000},
    {.name = "wide", .span = spread, .terms = LS_TERM_LIST(LS_WITH(tag)), .cost_ns = 50000},
};

/* The first run has no measured time. */
TEST(test_thread_policy_takes_hints_until_it_has_measured)
{
    if (!LS_HAS_CLOCK)
        skip();
    paced self;
    begin(&self, hinted_systems, 3);
    assert_true(run_once(&self, false, NULL, 50)); /* two threads: 40 us instead of 80 us */
    const char *const hinted[] = {"b", "c", "a"};
    for (uint32_t i = 0; i < 3; i++)
        assert_string_equal(name_at(&self, i), hinted[i]);
    uint64_t times[3];
    times[position_of(&self, "a")] = 500;
    times[position_of(&self, "b")] = 10;
    times[position_of(&self, "c")] = 100;
    run_once(&self, false, times, 50); /* measured: no trace of the hints stays */
    const char *const measured[] = {"a", "c", "b"};
    for (uint32_t i = 0; i < 3; i++) {
        assert_string_equal(name_at(&self, i), measured[i]);
        assert_in_range(self.pace->times[i], 10, 500);
        assert_false(ls_thread_policy_is_hint(self.pace, i));
    }
    end(&self);
    begin(&self, &hinted_systems[3], 1); /* its pages may be shared, though none is known yet */
    assert_true(run_once(&self, false, NULL, 50));
    end(&self);
    begin(&self, &hinted_systems[1], 1); /* sequential: only one thread can run it */
    assert_false(run_once(&self, false, NULL, 50));
    end(&self);
}
