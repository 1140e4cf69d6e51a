/* Observers: what a walk over changes tells, in which order, and that it is a function of the
 * state. tests/model compares walks of random programs with the paper's model. */
#include "harness.h"

LS_COMPONENT(place, I32(x), I32(y));
LS_COMPONENT(tally, U32(count));
LS_TAG(mark);
LS_TERMS(acting, OTHERS_STRUCTURE(place), OTHERS_STRUCTURE(mark));
LS_TERMS(starting, OTHERS_STRUCTURE(place), OTHERS_STRUCTURE(tally));
static const ls_component *const components[] = {&place_component, &mark_component,
                                                 &tally_component};

enum { COUNT = 600, SEEN_MAX = 2 * COUNT };

static ls_entity made[COUNT];
static void (*script)(ls_context *context);

typedef struct seen {
    ls_entity entity;
    ls_cell_change_kind kind;
    int32_t before; /* x; 0 without a cell */
    int64_t now;
} seen;
/* The changes that a system has seen in this tick. */
typedef struct sight {
    uint32_t count;
    seen list[SEEN_MAX];
} sight;
static sight watched, late, marked;

static void act(ls_context *context, const ls_entity *entities)
{
    if (script)
        script(context);
}

LS_TERMS(watching, OBSERVES(place));
static void watch(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, watching);
    sight *into = (sight *)(uintptr_t)ls_system_data(context);
    LS_EACH_CHANGE(context, place, change)
    {
        assert_true(into->count < SEEN_MAX);
        assert_int_equal(change.before == NULL, change.kind == LS_CELL_ATTACHED);
        assert_int_equal(change.now == NULL, change.kind >= LS_CELL_DETACHED);
        assert_ptr_equal(change.now, LS_READ(context, place, change.entity));
        assert_int_equal(ls_is_alive(context, change.entity), change.kind != LS_CELL_DESPAWNED);
        into->list[into->count++] =
            (seen){change.entity, change.kind, change.before ? change.before->x : 0,
                   change.now ? change.now->x : 0};
    }
}

/* A tag has no values; the second name tells the term apart. */
LS_TERMS(marking, OTHERS_WITH(mark), OBSERVES(mark, marks));
static void see_marks(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, marking);
    marked.count = 0;
    LS_EACH_CHANGE(context, marks, change)
    marked.list[marked.count++] = (seen){.entity = change.entity, .kind = change.kind};
}

/* Each invocation walks all changes. */
LS_TERMS(counting, WRITES(tally), OBSERVES(place));
static void count_changes(ls_context *context, const ls_span *span)
{
    LS_USES(context, counting);
    tally *into = LS_WRITE_SPAN(context, tally, span);
    for (uint32_t i = 0; i < span->count; i++) {
        LS_EACH_CHANGE(context, place, change)
        {
            if (change.kind == LS_CELL_DETACHED)
                continue;
            into[i].count++;
            if (into[i].count % 1000 == 999)
                break;
        }
    }
}

static void start(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, starting);
    for (int32_t i = 0; i < COUNT; i++) {
        made[i] = ls_spawn(context, 0);
        LS_ATTACH(context, place, made[i], 1 + i, -i);
        if (i % 2 == 0)
            LS_ATTACH(context, tally, made[i], 0);
    }
}

static const ls_set sets[] = {{.name = "seldom", .when = {.every = 3}}};
#define OBSERVER(word, function, list, ...)                                                        \
    {                                                                                              \
        .name = word, .mode = LS_SEQUENTIAL, .match = function, .terms = list, .after = "act",     \
        __VA_ARGS__                                                                                \
    }
static const ls_system systems[] = {
    {.name = "act", .mode = LS_SEQUENTIAL, .match = act, .lanes = "world", .terms = acting},
    OBSERVER("watch", watch, watching, .data = &watched),
    OBSERVER("late", watch, watching, .data = &late, .labels = "seldom"),
    OBSERVER("mark", see_marks, marking, .data = &marked),
    {.name = "count", .span = count_changes, .terms = counting, .after = "act"},
};
static const ls_system setup = {
    .name = "start", .mode = LS_SEQUENTIAL, .match = start, .lanes = "world", .terms = starting};
static const ls_sim sim = HARNESS_TABLES(components, systems, .player_count = 1, .sets = sets,
                                         .set_count = LS_COUNT_OF(sets), .setup = &setup);

static void tick(ls_world *world, void (*given)(ls_context *context))
{
    script = given;
    watched.count = late.count = 0;
    harness_tick(world, NULL);
}

static void begin(harness *self)
{
    harness_begin(self, &sim, 1);
    tick(self->world, NULL);
}

static void assert_seen(const sight *of, uint32_t index, const seen *wanted)
{
    assert_true(index < of->count);
    assert_memory_equal(&of->list[index], wanted, sizeof *wanted);
}
#define assert_saw(of, index, ...) assert_seen(&(of), index, &(const seen){__VA_ARGS__})

/* All is attached for a system that runs for the first time; nothing happens by itself. */
TEST(test_cell_change_is_an_attachment_at_first)
{
    harness self;
    begin(&self);
    assert_int_equal(watched.count, COUNT);
    for (uint32_t i = 0; i < COUNT; i++)
        assert_saw(watched, i, made[i], LS_CELL_ATTACHED, 0, 1 + (int32_t)i);
    tick(self.world, NULL);
    assert_int_equal(watched.count + marked.count, 0);
    harness_end(&self);
}

static void do_one_of_each(ls_context *context)
{
    LS_USES(context, acting);
    LS_WRITE(context, place, made[300])->x = 77;
    LS_DETACH(context, place, made[40]);
    ls_despawn(context, made[20]);
    *LS_WRITE(context, place, made[5]) = (place){6, -5}; /* the old value */
    LS_DETACH(context, place, made[7]);
    LS_ATTACH(context, place, made[7], 8, -7);
    LS_ATTACH(context, place, ls_spawn(context, 0), 9, 9);
    LS_ATTACH_TAG(context, mark, made[1]);
}

/* Each kind, in the order of slots. A despawn arrives at the end of the stage. */
TEST(test_cell_change_tells_what_happened)
{
    harness self;
    begin(&self);
    tick(self.world, do_one_of_each);
    assert_int_equal(watched.count, 3);
    assert_saw(watched, 0, made[40], LS_CELL_DETACHED, 41, 0);
    assert_saw(watched, 1, made[300], LS_CELL_CHANGED, 301, 77);
    assert_saw(watched, 2, ls_entity_make(0, COUNT, 1), LS_CELL_ATTACHED, 0, 9);
    assert_int_equal(marked.count, 1);
    assert_saw(marked, 0, made[1], LS_CELL_ATTACHED, 0, 0);
    tick(self.world, NULL);
    assert_int_equal(watched.count, 1);
    assert_saw(watched, 0, made[20], LS_CELL_DESPAWNED, 21, 0);
    tick(self.world, NULL);
    assert_int_equal(watched.count + marked.count, 0);
    harness_end(&self);
}

static void despawn_two(ls_context *context)
{
    ls_despawn(context, made[9]);
    ls_despawn(context, made[10]);
}

static void detach_one_and_spawn_one(ls_context *context)
{
    LS_USES(context, acting);
    ls_entity again = ls_spawn(context, 0);
    assert_int_equal(ls_entity_slot(again), ls_entity_slot(made[9]));
    LS_ATTACH(context, place, again, 10, -9); /* the values that the dead entity had */
    LS_DETACH(context, place, made[11]);
}

/* The slot has the same value as before, but the entity is another one: two changes. A system that
 * is off sees later what it has missed. */
TEST(test_cell_change_knows_the_entity)
{
    harness self;
    begin(&self); /* tick 0: "late" is on */
    tick(self.world, despawn_two);
    tick(self.world, detach_one_and_spawn_one);
    assert_int_equal(watched.count, 4);
    assert_int_equal(late.count, 0);
    tick(self.world, NULL); /* tick 3: on */
    assert_int_equal(watched.count, 0);
    assert_int_equal(late.count, 4);
    assert_saw(late, 0, made[9], LS_CELL_DESPAWNED, 10, 0);
    assert_saw(late, 1, ls_entity_make(0, 9, 3), LS_CELL_ATTACHED, 0, 10);
    assert_saw(late, 2, made[10], LS_CELL_DESPAWNED, 11, 0);
    assert_saw(late, 3, made[11], LS_CELL_DETACHED, 12, 0);
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
        assert_memory_equal(late.list, expected.list, sizeof late.list[0] * expected.count);
        assert_int_equal(ls_world_root(world), ls_world_root(other));
    }
}

/* A late joiner, which has the state from bytes, and a rollback see the same. */
TEST(test_cell_change_is_a_function_of_the_state)
{
    harness self;
    uint8_t *bytes;
    size_t count;
    ls_error error;
    begin(&self);
    tick(self.world, do_one_of_each);
    ls_snapshot *snapshot = ls_world_snapshot(self.world);
    ls_world *joiner = harness_world(&self);
    ls_snapshot_encode(snapshot, &bytes, &count);
    assert_int_equal(ls_world_decode(joiner, bytes, count, &error), LS_OK);
    ls_free(bytes);
    assert_goes_on_alike(self.world, joiner);
    ls_world_restore(self.world, snapshot);
    tick(self.world, NULL);
    assert_int_equal(watched.count, 1);
    assert_saw(watched, 0, made[20], LS_CELL_DESPAWNED, 21, 0);
    ls_snapshot_destroy(snapshot);
    ls_world_destroy(joiner);
    harness_end(&self);
}

/* The check executor runs the systems several times, on threads the pages run at once. */
TEST(test_cell_change_is_the_same_on_every_executor)
{
    harness self;
    begin(&self);
    ls_world *others[] = {ls_world_create_sibling(self.world), harness_world(&self)};
    ls_executor *executors[] = {harness_executor(4, 0), harness_checker()};
    tick(others[1], NULL);
    for (uint32_t i = 0; i < 3; i++) {
        tick(self.world, i == 1 ? do_one_of_each : NULL);
        for (uint32_t j = 0; j < 2; j++) {
            watched.count = late.count = 0;
            harness_tick(others[j], executors[j]);
            assert_int_equal(ls_world_root(others[j]), ls_world_root(self.world));
        }
    }
    const tally *counted = ls_world_cell(self.world, &tally_component, made[0]);
    assert_int_equal(counted->count, COUNT + 3);
    for (uint32_t i = 0; i < 2; i++) {
        ls_executor_destroy(executors[i]);
        ls_world_destroy(others[i]);
    }
    harness_end(&self);
}

/* A system that changes what it observes. */
LS_TERMS(answering, OTHERS_STRUCTURE(place), OBSERVES(place, places));
static void answer(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, answering);
    LS_EACH_CHANGE(context, places, change)
    {
        watched.list[watched.count++] =
            (seen){change.entity, change.kind, 0, change.now ? change.now->x : 0};
        if (watched.count > 1 || change.kind != LS_CELL_ATTACHED)
            continue;
        LS_DETACH(context, place, made[1]);                    /* ahead: undone */
        LS_WRITE(context, place, made[2])->x = 99;             /* ahead: another value */
        LS_ATTACH(context, place, ls_spawn(context, 0), 5, 5); /* not in the list */
    }
}

/* The system does not meet an entity that it has itself given the component, and does not see its
 * own changes the next time. */
TEST(test_cell_change_looks_again_at_what_its_system_changes)
{
    static const ls_system answerers[] = {{.name = "answer",
                                           .mode = LS_SEQUENTIAL,
                                           .match = answer,
                                           .lanes = "world",
                                           .terms = answering}};
    ls_sim own = sim;
    harness self;
    own.systems = answerers;
    own.system_count = 1;
    own.sets = NULL;
    own.set_count = 0;
    harness_begin(&self, &own, 1);
    tick(self.world, NULL);
    assert_int_equal(watched.count, COUNT - 1);
    assert_saw(watched, 0, made[0], LS_CELL_ATTACHED, 0, 1);
    assert_saw(watched, 1, made[2], LS_CELL_ATTACHED, 0, 99);
    tick(self.world, NULL);
    assert_int_equal(watched.count, 0);
    harness_end(&self);
}

static void move_two(ls_context *context)
{
    LS_USES(context, acting);
    LS_WRITE(context, place, made[3])->x = 33;
    LS_WRITE(context, place, made[4])->x = 44;
}

LS_TERMS(undoing, OTHERS_WRITE(place), OBSERVES(place, places));
static void undo(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, undoing);
    watched.count = 0;
    LS_EACH_CHANGE(context, places, change)
    {
        watched.list[watched.count++] =
            (seen){change.entity, change.kind, change.before ? change.before->x : 0, 0};
        if (change.entity == made[3])
            LS_WRITE(context, place, made[4])->x = 5; /* ahead: the old value again */
    }
}

TEST(test_cell_change_is_none_if_the_old_value_is_back)
{
    const ls_system pair[] = {
        systems[0],
        {.name = "undo", .mode = LS_SEQUENTIAL, .match = undo, .terms = undoing, .after = "act"}};
    ls_sim own = sim;
    harness self;
    own.systems = pair;
    own.system_count = 2;
    own.sets = NULL;
    own.set_count = 0;
    harness_begin(&self, &own, 1);
    tick(self.world, NULL);
    assert_int_equal(watched.count, COUNT);
    tick(self.world, move_two);
    assert_int_equal(watched.count, 1);
    assert_saw(watched, 0, made[3], LS_CELL_CHANGED, 4, 0);
    harness_end(&self);
}

LS_TERMS(blind, OTHERS_READ(place));
static void walk_blindly(ls_context *context, const ls_entity *entities)
{
    ls_cell_change_walk walk;
    ls_cell_change_begin(context, 0, &walk);
}

static void tick_blindly(void *world)
{
    harness_tick(world, NULL);
}

TEST(test_cell_change_needs_a_term_that_observes)
{
    static const ls_system blind_systems[] = {
        {.name = "blind", .mode = LS_SEQUENTIAL, .match = walk_blindly, .terms = blind}};
    ls_sim own = sim;
    harness self;
    own.systems = blind_systems;
    own.system_count = 1;
    own.sets = NULL;
    own.set_count = 0;
    harness_begin(&self, &own, 1);
    assert_dies(tick_blindly, self.world, "system \"blind\", term 0 (\"place\")",
                "declare it with OBSERVES(...)");
    harness_end(&self);
}
