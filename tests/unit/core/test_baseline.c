/* Filters by change: what they compare with, and that it is part of the state. */
#include "harness.h"

LS_COMPONENT(place, I32(x), I32(y));
LS_TAG(mark);
LS_TAG(still); /* which no system writes */
LS_TERMS(acting, OTHERS_STRUCTURE(place), OTHERS_STRUCTURE(mark));
LS_TERMS(starting, OTHERS_STRUCTURE(place));
static const ls_component *const components[] = {&place_component, &mark_component,
                                                 &still_component};

enum { COUNT = 600, SEEN_MAX = 4 * COUNT };

static ls_entity made[COUNT];
static void (*script)(ls_context *context);

/* The matches of a watching system in this tick. */
typedef struct sight {
    uint32_t count;
    ls_entity entities[SEEN_MAX];
} sight;
static sight changed, added, removed, late, beside;

static void act(ls_context *context, const ls_entity *entities)
{
    if (script)
        script(context);
}

static void see(ls_context *context, const ls_entity *entities)
{
    sight *into = (sight *)(uintptr_t)ls_system_data(context);
    assert_true(into->count < SEEN_MAX);
    into->entities[into->count++] = entities[0];
}

static void start(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, starting);
    for (int32_t i = 0; i < COUNT; i++) {
        made[i] = ls_spawn(context, 0);
        LS_ATTACH(context, place, made[i], i, -i);
    }
}

#define WATCHER(word, into, ...)                                                                   \
    {                                                                                              \
        .name = word, .mode = LS_SEQUENTIAL, .match = see, .data = &into, .after = "act",          \
        .terms = LS_TERM_LIST(__VA_ARGS__)                                                         \
    }
static const ls_set sets[] = {{.name = "seldom", .when = {.every = 3}}};
LS_TERMS(lately, CHANGED(place));
static const ls_system systems[] = {
    {.name = "act", .mode = LS_SEQUENTIAL, .match = act, .lanes = "world", .terms = acting},
    WATCHER("changed", changed, LS_CHANGED(place_component)),
    WATCHER("added", added, LS_ADDED(place_component)),
    WATCHER("removed", removed, LS_REMOVED(place_component)),
    WATCHER("beside", beside, LS_CHANGED(place_component), LS_OBSERVES(still_component)),
    {.name = "late",
     .mode = LS_SEQUENTIAL,
     .match = see,
     .data = &late,
     .after = "act",
     .labels = "seldom",
     .terms = lately},
};
static const ls_system setup = {
    .name = "start", .mode = LS_SEQUENTIAL, .match = start, .lanes = "world", .terms = starting};
static const ls_sim sim = HARNESS_TABLES(components, systems, .player_count = 1, .sets = sets,
                                         .set_count = LS_COUNT_OF(sets), .setup = &setup);

static void tick(ls_world *world, void (*given)(ls_context *context))
{
    script = given;
    changed.count = added.count = removed.count = late.count = beside.count = 0;
    harness_tick(world, NULL);
}

static void begin(harness *self)
{
    harness_begin(self, &sim, 1);
    tick(self->world, NULL);
}

static void move_some(ls_context *context)
{
    LS_USES(context, acting);
    LS_WRITE(context, place, made[3])->x++;
    LS_WRITE(context, place, made[300])->y--;
}

static void write_the_old_value(ls_context *context)
{
    LS_USES(context, acting);
    for (uint32_t i = 0; i < COUNT; i++) {
        place *at = LS_WRITE(context, place, made[i]);
        *at = (place){at->x, at->y};
    }
}

static void detach_one(ls_context *context)
{
    ls_cell_detach(context, 0, made[5]);
}

static void attach_and_detach(ls_context *context)
{
    LS_USES(context, acting);
    ls_cell_detach(context, 0, made[7]);
    LS_ATTACH(context, place, made[7], 7, -7);
}

static void despawn_one(ls_context *context)
{
    ls_despawn(context, made[9]);
}

static void spawn_the_same(ls_context *context)
{
    LS_USES(context, acting);
    ls_entity again = ls_spawn(context, 0);
    assert_int_equal(ls_entity_slot(again), ls_entity_slot(made[9]));
    LS_ATTACH(context, place, again, 9, -9);
    made[9] = again;
}

/* All is new to a system that runs for the first time, and nothing is when nothing happens. */
TEST(test_baseline_is_empty_at_first)
{
    harness self;
    begin(&self);
    assert_int_equal(changed.count, COUNT);
    assert_int_equal(added.count, COUNT);
    assert_int_equal(removed.count, 0);
    tick(self.world, NULL);
    assert_int_equal(changed.count + added.count + removed.count, 0);
    harness_end(&self);
}

TEST(test_baseline_is_compared_by_value)
{
    harness self;
    begin(&self);
    tick(self.world, move_some);
    assert_int_equal(changed.count, 2);
    assert_int_equal(changed.entities[0], made[3]);
    assert_int_equal(changed.entities[1], made[300]);
    assert_int_equal(added.count + removed.count, 0);
    tick(self.world, write_the_old_value);
    assert_int_equal(changed.count + added.count + removed.count, 0);
    harness_end(&self);
}

/* No query is limited by what the system observes. */
TEST(test_baseline_of_an_observed_component_is_no_filter)
{
    harness self;
    begin(&self);
    tick(self.world, move_some);
    assert_int_equal(beside.count, 2);
    assert_true(beside.entities[0] == made[3] && beside.entities[1] == made[300]);
    harness_end(&self);
}

TEST(test_baseline_tells_what_is_attached_and_detached)
{
    harness self;
    begin(&self);
    tick(self.world, detach_one);
    assert_int_equal(removed.count, 1);
    assert_int_equal(removed.entities[0], made[5]);
    assert_int_equal(changed.count + added.count, 0);
    tick(self.world, attach_and_detach); /* the same entity with the same value */
    assert_int_equal(changed.count + added.count + removed.count, 0);
    harness_end(&self);
}

/* The slot has the same value as before, but the entity is another one. */
TEST(test_baseline_knows_the_entity)
{
    harness self;
    begin(&self);
    tick(self.world, despawn_one);
    assert_int_equal(removed.count, 0);
    tick(self.world, spawn_the_same);
    assert_int_equal(removed.count, 0); /* the dead are no matches */
    assert_int_equal(added.count, 1);
    assert_int_equal(added.entities[0], made[9]);
    assert_int_equal(changed.count, 1);
    harness_end(&self);
}

/* A system that is off sees later what it has missed; what is undone by then it does not see. */
TEST(test_baseline_stays_while_its_system_is_off)
{
    harness self;
    begin(&self); /* tick 0: on */
    tick(self.world, move_some);
    assert_int_equal(late.count, 0);
    tick(self.world, NULL);
    tick(self.world, NULL); /* tick 3: on */
    assert_int_equal(changed.count, 0);
    assert_int_equal(late.count, 2);
    assert_int_equal(late.entities[1], made[300]);
    harness_end(&self);
}

static void assert_goes_on_alike(ls_world *world, ls_world *other)
{
    static sight expected;
    assert_int_equal(ls_world_root(world), ls_world_root(other));
    for (uint32_t i = 0; i < 4; i++) {
        tick(world, NULL);
        expected = late;
        tick(other, NULL);
        assert_int_equal(late.count, expected.count);
        assert_memory_equal(late.entities, expected.entities,
                            sizeof late.entities[0] * expected.count);
        assert_int_equal(ls_world_root(world), ls_world_root(other));
    }
}

/* A world from bytes, from a keyframe or from a snapshot sees the same changes. */
TEST(test_baseline_is_in_snapshots)
{
    harness self;
    begin(&self);
    tick(self.world, move_some);
    harness_each_copy(&self, assert_goes_on_alike);
    harness_end(&self);
}

static void tick_twice(ls_world *world, void (*first)(ls_context *), void (*second)(ls_context *))
{
    tick(world, first);
    tick(world, second);
}

/* Two worlds with the same cells, but the same change came before and after a run of "late". */
TEST(test_baseline_is_in_the_root)
{
    harness self;
    uint64_t hashes[2][LS_COUNT_OF(components)];
    begin(&self);
    ls_world *other = ls_world_create_sibling(self.world);
    tick_twice(self.world, NULL, NULL);
    tick_twice(other, NULL, NULL);
    tick_twice(self.world, move_some, NULL); /* ticks 3 and 4 */
    tick_twice(other, NULL, move_some);
    ls_world_column_hashes(self.world, hashes[0]);
    ls_world_column_hashes(other, hashes[1]);
    assert_memory_equal(hashes[0], hashes[1], sizeof hashes[0]);
    assert_int_not_equal(ls_world_root(self.world), ls_world_root(other));
    tick_twice(self.world, NULL, NULL); /* ticks 5 and 6 */
    assert_int_equal(late.count, 0);
    tick_twice(other, NULL, NULL);
    assert_int_equal(late.count, 2);
    assert_int_equal(ls_world_root(self.world), ls_world_root(other));
    ls_world_destroy(other);
    harness_end(&self);
}

static void write_a_counter(ls_context *context)
{
    LS_USES(context, acting);
    static int32_t calls;
    LS_WRITE(context, place, made[0])->x = ++calls;
}

/* A tick that the check executor fails leaves baselines, too, as they were. */
TEST(test_baseline_goes_back_with_a_failed_check)
{
    harness self;
    ls_error error;
    ls_executor *checker = harness_checker();
    begin(&self);
    tick(self.world, move_some);
    tick(self.world, NULL);
    uint64_t root = ls_world_root(self.world);
    script = write_a_counter;
    const ls_frame frame = {.tick = ls_world_tick(self.world)};
    assert_int_equal(ls_world_advance(self.world, &frame, checker, &error), LS_ERROR_DIVERGED);
    assert_int_equal(ls_world_root(self.world), root);
    script = NULL;
    late.count = 0;
    assert_int_equal(ls_world_advance(self.world, &frame, checker, &error), LS_OK);
    assert_true(late.count >= 2 && late.count % 2 == 0); /* each run of the check logs both */
    assert_int_equal(late.entities[0], made[3]);
    ls_executor_destroy(checker);
    harness_end(&self);
}
