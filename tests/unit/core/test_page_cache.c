/* Pages that are kept from run to run are those that a run would find. Each test advances two
 * worlds by the same ticks. One is restored from its own snapshot before every tick, so it keeps
 * nothing; the other keeps pages while snapshots, writes, spawns and despawns move them. */
#include "harness.h"
#include "kept_pages.h"

LS_COMPONENT(place, U32(x), U32(y));
LS_COMPONENT(speed, U32(value));
LS_COMPONENT(lone, U32(value)); /* of neighbours in one page: its system has one span */
LS_TAG(mark);
LS_SINGLETON(total, U64(sum), U64(count));
static const ls_component *const components[] = {
    &place_component, &speed_component, &lone_component, &mark_component, &total_component};

enum { COUNT = 5 * LS_PAGE_SLOTS + 70, TICKS = 400 };

/* Sparse pages, pages of many spans, whole pages, and entities that match nothing. */
static bool has_speed(uint32_t i)
{
    uint32_t page = i / LS_PAGE_SLOTS;
    return page == 1 || (page == 3 && i % 3 == 0) || i % 97 == 5;
}

/* Entities without components, four in a page: other pages of liveness move with them alone. */
static bool is_bystander(uint32_t i)
{
    return i % 64 == 63;
}

/* Neighbouring pages have other generations: a pointer to the wrong ones shows. */
static ls_entity first_life(uint32_t slot)
{
    return ls_entity_make(0, slot, slot / LS_PAGE_SLOTS % 2 ? 3 : 1);
}

static void populate(ls_context *context, const ls_entity *entities)
{
    while (ls_entity_slot(ls_spawn(context, 0)) + 1 < COUNT)
        ;
}

static void clear(ls_context *context, const ls_entity *entities)
{
    for (uint32_t i = 0; i < COUNT; i++) {
        if (i / LS_PAGE_SLOTS % 2)
            ls_despawn(context, ls_entity_make(0, i, 1));
    }
}

LS_TERMS(furnishing, OTHERS_STRUCTURE(place), OTHERS_STRUCTURE(speed), OTHERS_STRUCTURE(lone));
static void furnish(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, furnishing);
    for (uint32_t i = 0; i < COUNT; i++) {
        if (i / LS_PAGE_SLOTS % 2)
            assert_int_equal(ls_spawn(context, 0), first_life(i));
        if (!is_bystander(i))
            LS_ATTACH(context, place, first_life(i), i, 0);
        if (!is_bystander(i) && has_speed(i))
            LS_ATTACH(context, speed, first_life(i), i);
        if (i / 10 == 12)
            LS_ATTACH(context, lone, first_life(i), i);
    }
}

/* A handle of a random slot; most of its entities are of their first life. */
static ls_entity draw(const ls_context *context, uint32_t number)
{
    return first_life((uint32_t)(ls_random(context, LS_ENTITY_NULL, number) % COUNT));
}

/* Not null: the only change of the tick is that this entity dies. */
static ls_entity victim;

LS_TERMS(building, OTHERS_STRUCTURE(place), OTHERS_STRUCTURE(speed), OTHERS_STRUCTURE(mark));
static void build(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, building);
    if (victim)
        return;
    LS_ATTACH(context, speed, draw(context, 0), 7);
    LS_DETACH(context, speed, draw(context, 1));
    LS_ATTACH_TAG(context, mark, draw(context, 2));
    LS_DETACH(context, mark, draw(context, 3));
    ls_despawn(context, draw(context, 4));
    for (uint32_t i = 0; i < 8; i++) {
        ls_entity made = ls_spawn(context, 0);
        if (!is_bystander(ls_entity_slot(made)))
            LS_ATTACH(context, place, made, i, i);
    }
}

/* Moves pages of liveness, and no others. */
static void visit(ls_context *context, const ls_entity *entities)
{
    if (victim) {
        ls_despawn(context, victim);
        return;
    }
    if (ls_tick(context) % 7 != 3)
        return;
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t slot = ls_entity_slot(draw(context, i)) | 63;
        for (uint32_t generation = 1; generation < 2 * TICKS; generation += 2)
            ls_despawn(context, ls_entity_make(0, slot, generation));
    }
}

LS_TERMS(poking, OTHERS_WRITE(place));
static void poke(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, poking);
    if (victim)
        return;
    for (uint32_t i = 0; i < 3; i++) {
        place *at = LS_WRITE(context, place, draw(context, i));
        if (at)
            at->y += 1 + i;
    }
}

/* Two terms of one column: both pointers must be to the page that is written. */
static LS_EACH_FUNCTION(move, context, span)
{
    place *own = ls_span_write(context, span, 0);
    const speed *by = ls_span_read(context, span, 1);
    assert_ptr_equal(own, ls_span_read(context, span, 2));
    LS_EACH_IN_SPAN(span, i)
    {
        own[i].x += by[i].value * span->generations[i];
        own[i].y ^= span->first_slot + i;
    }
}

LS_TERMS(aging, WRITES(lone));
static void age(ls_context *context, const ls_span *span)
{
    LS_USES(context, aging);
    lone *own = LS_WRITE_SPAN(context, lone, span);
    for (uint32_t i = 0; i < span->count; i++)
        own[i].value = own[i].value * 3 + span->generations[i];
}

LS_TERMS(summing, READS(place), ACCUMULATES(total, LS_ADD));
static void sum(ls_context *context, const ls_span *span)
{
    LS_USES(context, summing);
    const place *own = LS_READ_SPAN(context, place, span);
    uint64_t found = 0;
    for (uint32_t i = 0; i < span->count; i++)
        found += own[i].x * UINT64_C(3) + own[i].y + span->generations[i];
    LS_ACCUMULATE(context, total, LS_ENTITY_NULL, found, span->count);
}

/* Reads a column that stays in place while liveness moves. */
LS_TERMS(scanning, READS(speed), ACCUMULATES(total, LS_ADD));
static void scan(ls_context *context, const ls_span *span)
{
    LS_USES(context, scanning);
    const speed *own = LS_READ_SPAN(context, speed, span);
    for (uint32_t i = 0; i < span->count; i++)
        LS_ACCUMULATE(context, total, LS_ENTITY_NULL, own[i].value * span->generations[i], 1);
}

/* Compares with places as they were when it last ran. So it shares their pages when it ends, in
 * the middle of a tick, and `lift` must copy them. */
LS_TERMS(comparing, CHANGED(place), ACCUMULATES(total, LS_ADD));
static void compare(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, comparing);
    LS_ACCUMULATE(context, total, LS_ENTITY_NULL, 1, 1);
}

LS_TERMS(lifting, WRITES(place));
static void lift(ls_context *context, const ls_span *span)
{
    LS_USES(context, lifting);
    place *own = LS_WRITE_SPAN(context, place, span);
    for (uint32_t i = 0; i < span->count && ls_tick(context) % 11 == 5; i++)
        own[i].y++;
}

#define MOVING                                                                                     \
    LS_TERM_LIST(LS_WRITES(place_component), LS_READS(speed_component), LS_READS(place_component), \
                 LS_WITHOUT(mark_component))
static const ls_set sets[] = {{.name = "seldom", .when = {.every = 11}},
                              {.name = "often", .when = {.every = 5, .phase = 1}},
                              {.name = "rarely", .when = {.every = 11, .phase = 5}}};
static const ls_system systems[] = {
    {.name = "build",
     .mode = LS_SEQUENTIAL,
     .match = build,
     .labels = "seldom",
     .lanes = "world",
     .terms = building},
    {.name = "visit", .mode = LS_SEQUENTIAL, .match = visit, .after = "build"},
    {.name = "poke",
     .mode = LS_SEQUENTIAL,
     .match = poke,
     .labels = "often",
     .after = "build",
     .terms = poking},
    {.name = "move", .each = move, .after = "poke", .terms = MOVING},
    {.name = "age", .span = age, .after = "move", .terms = aging},
    {.name = "sum", .span = sum, .after = "move", .terms = summing},
    {.name = "scan", .span = scan, .after = "build", .terms = scanning},
    {.name = "compare",
     .mode = LS_SEQUENTIAL,
     .match = compare,
     .labels = "rarely",
     .after = "sum",
     .terms = comparing},
    {.name = "lift", .span = lift, .after = "compare", .terms = lifting},
};
static const ls_system setups[] = {
    {.name = "populate", .mode = LS_SEQUENTIAL, .match = populate, .lanes = "world"},
    {.name = "clear", .mode = LS_SEQUENTIAL, .match = clear},
    {.name = "furnish",
     .mode = LS_SEQUENTIAL,
     .match = furnish,
     .lanes = "world",
     .terms = furnishing},
};
static const ls_sim sim = HARNESS_TABLES(components, systems, .player_count = 1, .sets = sets,
                                         .set_count = LS_COUNT_OF(sets), .setup = setups,
                                         .setup_count = LS_COUNT_OF(setups));

static void tick_cold_pages(ls_world *world)
{
    tick_cold(world);
    assert_int_equal(count_kept(world, "move") + count_kept(world, "sum"), 0);
}

/* A host takes snapshots and drops them, and goes back to one. */
static void disturb(ls_world *world, ls_snapshot **held, uint64_t *random)
{
    switch (test_random(random) % 16) {
    case 0:
    case 1:
        ls_snapshot_destroy(*held);
        *held = ls_world_snapshot(world);
        return;
    case 2:
        ls_snapshot_destroy(*held);
        *held = NULL;
        return;
    case 3:
        ls_snapshot_destroy(*held);
        *held = ls_world_snapshot(world);
        ls_world_restore(world, *held);
        return;
    default:
        return;
    }
}

static void agree(ls_executor *executor)
{
    harness self;
    harness_begin(&self, &sim, 9);
    ls_world *cold = harness_world(&self), *world = self.world;
    ls_snapshot *held = NULL;
    uint64_t random = harness_seed("page cache");
    uint32_t moved = 0, summed = 0, aged = 0;
    for (uint32_t tick = 0; tick < TICKS; tick++) {
        harness_tick(world, executor);
        tick_cold_pages(cold);
        moved += count_kept(world, "move");
        summed += count_kept(world, "sum");
        aged += count_kept(world, "age");
        if (test_random(&random) % 3 == 0 || tick + 1 == TICKS)
            assert_int_equal(ls_world_root(world), ls_world_root(cold));
        disturb(world, &held, &random);
    }
    /* Otherwise the test compares nothing. */
    assert_true(moved > TICKS && summed > TICKS && aged > TICKS / 4);
    ls_snapshot_destroy(held);
    ls_world_destroy(cold);
    ls_executor_destroy(executor);
    harness_end(&self);
}

TEST(test_page_cache_keeps_the_pages_of_a_run)
{
    agree(NULL);
}

TEST(test_page_cache_keeps_the_pages_of_a_shuffled_run)
{
    agree(harness_executor(1, 5));
}

TEST(test_page_cache_keeps_the_pages_of_several_threads)
{
    agree(harness_executor(3, 0));
}

static void tick_both(ls_world *world, ls_world *cold, ls_entity dies)
{
    victim = dies;
    harness_tick(world, NULL);
    tick_cold_pages(cold);
    assert_int_equal(ls_world_root(world), ls_world_root(cold));
}

/* The page of liveness that the first death leaves to a snapshot is free when the snapshot goes.
 * The second death moves another page into its memory, where generations differ. */
TEST(test_page_cache_follows_pages_of_liveness)
{
    harness self;
    harness_begin(&self, &sim, 9);
    ls_world *cold = harness_world(&self), *world = self.world;
    const ls_entity dead = first_life(63), next = first_life(LS_PAGE_SLOTS + 63);
    const ls_entity last = first_life(2 * LS_PAGE_SLOTS + 63);
    for (uint32_t i = 0; i < 4; i++)
        tick_both(world, cold, dead);
    assert_true(count_kept(world, "scan") > 0);
    ls_snapshot *held = ls_world_snapshot(world);
    tick_both(world, cold, next);
    ls_snapshot_destroy(held);
    held = ls_world_snapshot(world);
    tick_both(world, cold, last);
    tick_both(world, cold, last);
    ls_snapshot_destroy(held);
    ls_world_destroy(cold);
    harness_end(&self);
    victim = LS_ENTITY_NULL;
}

/* Pages that a snapshot shares are copied before they are written. */
TEST(test_page_cache_leaves_a_snapshot_as_it_was)
{
    harness self;
    harness_begin(&self, &sim, 9);
    ls_world *cold = harness_world(&self), *world = self.world;
    const ls_entity dead = first_life(63); /* after the first tick nothing changes but cells */
    for (uint32_t i = 0; i < 6; i++)
        tick_both(world, cold, dead);
    assert_true(count_kept(world, "move") > 1 && count_kept(world, "age") == 1);
    ls_snapshot *held = ls_world_snapshot(world);
    for (uint32_t i = 0; i < 3; i++)
        harness_tick(world, NULL);
    ls_world_restore(world, held);
    assert_int_equal(ls_world_root(world), ls_world_root(cold));
    tick_both(world, cold, dead);
    ls_snapshot_destroy(held);
    ls_world_destroy(cold);
    harness_end(&self);
    victim = LS_ENTITY_NULL;
}
