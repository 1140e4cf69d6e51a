/* Bundles: entities that are spawned with several components. */
#include "harness.h"

LS_COMPONENT(place, FIX(x), FIX(y));
LS_COMPONENT(life, ENTITY(from, LS_KEEP), I32(points));
LS_TAG(asleep);
LS_COMPONENTS(components, place, life, asleep);

#define ANIMAL(at)        VALUE(place, .x = at, .y = 7)
#define SHEEP(at, mother) ANIMAL(at), VALUE(life, .points = 10, .from = mother)

LS_TERMS(starting, OTHERS_STRUCTURE(place), OTHERS_STRUCTURE(life), OTHERS_STRUCTURE(asleep));
static void start(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, starting);
    ls_entity first = LS_SPAWN_WITH(context, 0, SHEEP(1, LS_ENTITY_NULL));
    ls_entity second = LS_SPAWN_WITH(context, 0, TAG(asleep), SHEEP(2, first));
    ls_entity third = LS_SPAWN_WITH(context, 0, VALUE(place, 0));
    assert_int_equal(LS_READ(context, life, second)->from, first);
    assert_true(LS_HAS(context, asleep, second) && !LS_HAS(context, asleep, first));
    assert_int_equal(LS_READ(context, place, second)->y, 7);
    assert_int_equal(LS_READ(context, place, third)->y, 0);
    assert_null(LS_READ(context, life, third));
    /* It has a place, which gets the values, and no tag, which is attached. */
    assert_int_equal(LS_ATTACH_WITH(context, third, ANIMAL(3), TAG(asleep)), third);
    assert_int_equal(LS_READ(context, place, third)->x, 3);
    assert_true(LS_HAS(context, asleep, third));
}
static const ls_system setup = {
    .name = "start", .mode = LS_SEQUENTIAL, .match = start, .terms = starting, .lanes = "world"};

/* A concurrent system: the entity is pending, and the handle that it stores becomes the real one.
 */
LS_TERMS(bearing, WRITES(life), WITHOUT(asleep), SPAWNS_WITH(place), SPAWNS_WITH(life, born));
static void bear(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, bearing);
    LS_WRITE(context, life, entities[0])->from =
        LS_SPAWN_WITH(context, 0, ANIMAL(20), VALUE(born, .points = 1, .from = entities[0]));
}

LS_TERMS(ordering, COMMANDED(place), COMMANDED(asleep));
static void order(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, ordering);
    (void)LS_COMMAND_SPAWN_WITH(context, 0, ANIMAL(30), TAG(asleep));
}

static const ls_system systems[] = {
    {.name = "bear", .mode = LS_CONCURRENT, .match = bear, .terms = bearing, .lanes = "world"},
    {.name = "order",
     .mode = LS_SEQUENTIAL,
     .match = order,
     .terms = ordering,
     .command_lanes = "world"},
};
static const ls_sim sim = HARNESS_TABLES(components, systems, .player_count = 1, .setup = &setup);

TEST(test_bundle_spawns_with_all_parts)
{
    harness self;
    harness_begin(&self, &sim, 1);
    assert_int_equal(ls_world_entity_count(self.world), 3);
    harness_tick(self.world, NULL);
    ls_entity mother = ls_entity_make(0, 0, 1), lamb = ls_entity_make(0, 3, 1);
    assert_int_equal(LS_WORLD_READ(self.world, life, mother)->from, lamb);
    assert_int_equal(LS_WORLD_READ(self.world, life, lamb)->from, mother);
    assert_int_equal(LS_WORLD_READ(self.world, place, lamb)->x, 20);
    ls_entity ordered = ls_entity_make(0, 4, 1);
    assert_int_equal(LS_WORLD_READ(self.world, place, ordered)->x, 30);
    assert_non_null(LS_WORLD_READ(self.world, asleep, ordered));
    assert_null(LS_WORLD_READ(self.world, life, ordered));
    harness_end(&self);
}
