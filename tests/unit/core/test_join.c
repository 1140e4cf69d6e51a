/* The key join, compared with a search over all entities, and the maintenance of its index. */
#include "harness.h"

#include "core/run/despawn.h"
#include "core/run/key_join_internal.h"
#include "core/state/store.h"

/* A field of every type that can be a key. */
LS_COMPONENT_NAMED(keys, "keyed", ENTITY(of, LS_KEEP), U64(u64), I64(i64), U32(u32), I32(i32),
                   U16(u16), I16(i16), U8(u8), I8(i8), BOOL(flag), U8(spare));

static const ls_component tag = LS_TAG_TABLE("tag");
static const ls_component *const components[] = {&keys_component, &tag};
static const char *const lanes[] = {"a", "b"};

enum { KEYED = 0, JOINS = 10, SLOTS = 700, LANES = 3, RING = 600 };

#define BY(field)                                                                                  \
    {                                                                                              \
        .component = &keys_component, .offset = offsetof(keys, field)                              \
    }

static void nothing(ls_context *context, const ls_entity *entities)
{
}

static const ls_system listing[] = {
    {.name = "a",
     .mode = LS_SEQUENTIAL,
     .match = nothing,
     .joins = LS_JOINS(BY(of), BY(u64), BY(i64), BY(u32))},
    {.name = "b",
     .mode = LS_SEQUENTIAL,
     .match = nothing,
     .joins = LS_JOINS(BY(i32), BY(u16), BY(i16), BY(u8))},
    {.name = "c", .mode = LS_SEQUENTIAL, .match = nothing, .joins = LS_JOINS(BY(i8), BY(flag))},
};

/* The expected entities and keys, by lane and slot. */
typedef struct model {
    ls_world *world;
    uint64_t random;
    uint64_t spread; /* range of the keys; 0: all bits */
    struct {
        ls_entity entity;
        bool has_keys;
        keys cell;
    } all[LANES][SLOTS];
    uint64_t found;
} model;

static ls_entity any_entity(model *self)
{
    return self->all[1 + test_below(&self->random, 2)][test_below(&self->random, SLOTS)].entity;
}

static uint64_t some_key(model *self)
{
    uint64_t bits = test_random(&self->random);
    return self->spread ? bits % self->spread - self->spread / 2 : bits;
}

static void set_keys(model *self, ls_entity entity)
{
    uint64_t key = some_key(self);
    keys cell = {.of = test_below(&self->random, 4) ? any_entity(self) : LS_ENTITY_NULL,
                 .u64 = key,
                 .i64 = (int64_t)key,
                 .u32 = (uint32_t)key,
                 .i32 = (int32_t)key,
                 .u16 = (uint16_t)key,
                 .i16 = (int16_t)key,
                 .u8 = (uint8_t)key,
                 .i8 = (int8_t)key,
                 .flag = key & 1};
    assert_true(ls_store_attach(self->world, KEYED, entity, &cell));
    uint32_t lane = ls_entity_lane(entity), slot = ls_entity_slot(entity);
    self->all[lane][slot].has_keys = true;
    self->all[lane][slot].cell = cell;
}

/* Spawns, despawns, attaches, detaches and writes at random, as a tick would. */
static void change(model *self, uint32_t steps)
{
    ls_world *world = self->world;
    for (uint32_t column = 0; column <= ls_liveness(world); column++)
        ls_store_own(world, column);
    for (uint32_t i = 0; i < steps; i++) {
        uint32_t lane = 1 + test_below(&self->random, 2), what = test_below(&self->random, 8);
        uint32_t slot = test_below(&self->random, SLOTS);
        ls_entity entity = self->all[lane][slot].entity;
        if (what < 3 && ls_store_next_free(world, lane, 0) < SLOTS) {
            entity = ls_store_spawn(world, lane);
            self->all[lane][ls_entity_slot(entity)].entity = entity;
            self->all[lane][ls_entity_slot(entity)].has_keys = false;
        }
        if (!ls_store_is_alive(world, entity))
            continue;
        slot = ls_entity_slot(entity);
        if (what == 7) {
            ls_despawn_marks_add(&world->scratch->marks[0], entity);
            self->all[lane][slot].has_keys = false;
        } else if (what == 6) {
            ls_store_detach(world, KEYED, entity);
            self->all[lane][slot].has_keys = false;
        } else {
            set_keys(self, entity);
        }
        if (what == 7)
            ls_despawn_sweep(world);
    }
    world->versions[KEYED]++;
}

static uint64_t key_of(const keys *cell, uint32_t join)
{
    switch (join) {
    case 0:
        return cell->of;
    case 1:
        return cell->u64;
    case 2:
        return (uint64_t)cell->i64;
    case 3:
        return cell->u32;
    case 4:
        return (uint64_t)(int64_t)cell->i32;
    case 5:
        return cell->u16;
    case 6:
        return (uint64_t)(int64_t)cell->i16;
    case 7:
        return cell->u8;
    case 8:
        return (uint64_t)(int64_t)cell->i8;
    default:
        return cell->flag;
    }
}

static void compare(model *self, uint32_t join, uint64_t key)
{
    ls_join_walk walk;
    ls_entity found = LS_ENTITY_NULL;
    uint64_t before = self->found;
    ls_join_index_begin(ls_join_prepare(self->world, join), key, &walk);
    for (uint32_t lane = 0; lane < LANES; lane++) {
        for (uint32_t slot = 0; slot < SLOTS; slot++) {
            if (!self->all[lane][slot].has_keys ||
                key_of(&self->all[lane][slot].cell, join) != key ||
                (join == 0 && key == LS_ENTITY_NULL))
                continue;
            if (!ls_join_next(&walk, &found) || found != self->all[lane][slot].entity)
                fail_msg("join %u, key %llx: %llx instead of %llx", join, (unsigned long long)key,
                         (unsigned long long)found,
                         (unsigned long long)self->all[lane][slot].entity);
            self->found++;
        }
    }
    assert_false(ls_join_next(&walk, &found));
    assert_false(ls_join_next(&walk, &found));
    assert_int_equal(ls_join_index_count(ls_join_prepare(self->world, join), key),
                     self->found - before);
}

static void compare_some(model *self)
{
    for (uint32_t i = 0; i < 40; i++) {
        uint32_t join = test_below(&self->random, JOINS);
        uint32_t lane = 1 + test_below(&self->random, 2);
        compare(self, join, key_of(&self->all[lane][test_below(&self->random, SLOTS)].cell, join));
        compare(self, join, some_key(self));
        compare(self, 0, any_entity(self));
    }
    for (uint32_t join = 0; join < JOINS; join++)
        compare(self, join, 0);
}

TEST(test_join_finds_what_a_search_finds)
{
    static const uint64_t spreads[] = {0, 1, 2, 5, 300, 1 << 20, UINT64_C(1) << 40};
    static model self;
    ls_sim sim = HARNESS_SIM(components, lanes, listing);
    uint64_t seed = harness_seed("test_join_finds_what_a_search_finds");
    uint32_t rounds = getenv("LOCKSTEP_LONG") ? 500 : 21;
    for (uint32_t round = 0; round < rounds; round++) {
        harness world;
        harness_begin(&world, &sim, 1);
        self = (model){.world = world.world,
                       .random = seed + round,
                       .spread = spreads[round % LS_COUNT_OF(spreads)]};
        compare_some(&self); /* before any entity exists */
        for (uint32_t tick = 0; tick < 8; tick++) {
            if (test_below(&self.random, 4) == 0) /* from close keys to distant ones, and back */
                self.spread = spreads[test_below(&self.random, LS_COUNT_OF(spreads))];
            change(&self, test_below(&self.random, 2) ? 20 : 900);
            compare_some(&self);
        }
        assert_true(self.found > 100);
        harness_end(&world);
    }
}

/* Writes the column without raising its version: only a rebuilt index sees the new keys. */
TEST(test_join_index_is_kept_until_the_column_changes)
{
    static const keys before = {.u8 = 1}, after = {.u8 = 2};
    ls_sim sim = HARNESS_SIM(components, lanes, listing);
    harness self;
    harness_begin(&self, &sim, 1);
    ls_world *world = self.world;
    for (uint32_t column = 0; column <= ls_liveness(world); column++)
        ls_store_own(world, column);
    ls_entity entity = ls_store_spawn(world, 1), found;
    ls_store_attach(world, KEYED, entity, &before);
    world->versions[KEYED]++;
    ls_join_walk walk;
    ls_join_index_begin(ls_join_prepare(world, 7), 1, &walk);
    assert_true(ls_join_next(&walk, &found));
    ls_store_attach(world, KEYED, entity, &after);
    ls_join_index_begin(ls_join_prepare(world, 7), 1, &walk);
    assert_true(ls_join_next(&walk, &found));
    world->versions[KEYED]++;
    ls_join_index_begin(ls_join_prepare(world, 7), 1, &walk);
    assert_false(ls_join_next(&walk, &found));
    ls_join_index_begin(ls_join_prepare(world, 7), 2, &walk);
    assert_true(ls_join_next(&walk, &found));
    assert_int_equal(found, entity);
    ls_despawn_marks_add(&world->scratch->marks[0], entity);
    ls_despawn_sweep(world);
    ls_join_index_begin(ls_join_prepare(world, 7), 2, &walk);
    assert_false(ls_join_next(&walk, &found));
    harness_end(&self);
}

/* Shared with the systems: a ring of entities, each referring to the next, which systems turn. */
static struct {
    ls_entity ring[RING];
    uint64_t met;
} seen;

static void make_ring(ls_context *context, const ls_entity *entities)
{
    for (uint32_t i = 0; i < RING; i++)
        seen.ring[i] = ls_spawn(context, i % 2);
    for (uint32_t i = 0; i < RING; i++) {
        const keys cell = {.of = seen.ring[(i + 1) % RING], .u32 = i};
        ls_cell_attach(context, 0, seen.ring[i], &cell);
    }
}

static const ls_system ring_setup = {.name = "make",
                                     .mode = LS_SEQUENTIAL,
                                     .match = make_ring,
                                     .terms = LS_TERM_LIST(LS_OTHERS_STRUCTURE(keys_component)),
                                     .lanes = "a, b"};

static uint32_t count_who_refers(const ls_context *context, ls_entity entity, ls_entity *last)
{
    ls_join_walk walk;
    uint32_t count = 0;
    ls_join_begin(context, 0, entity, &walk);
    while (ls_join_next(&walk, last))
        count++;
    assert_int_equal(ls_join_count(context, 0, entity), count);
    return count;
}

/* Each entity overwrites its own reference, and still finds all references as they were at the
 * start. */
static void turn(ls_context *context, const ls_span *span)
{
    keys *cells = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++) {
        ls_entity before = LS_ENTITY_NULL;
        if (count_who_refers(context, ls_span_entity(span, i), &before) != 1)
            fail_msg("%llx is not in the ring", (unsigned long long)ls_span_entity(span, i));
        cells[i].of = before;
    }
}

static void look(ls_context *context, const ls_span *span)
{
    const keys *cells = ls_span_read(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++) {
        ls_entity after = LS_ENTITY_NULL;
        assert_int_equal(count_who_refers(context, ls_span_entity(span, i), &after), 1);
        uint32_t turned = (cells[i].u32 + RING - 1) % RING;
        uint32_t straight = (cells[i].u32 + 1) % RING;
        bool is_turned = cells[i].of == seen.ring[turned];
        assert_int_equal(after, seen.ring[is_turned ? straight : turned]);
    }
}

TEST(test_join_of_running_systems)
{
    const ls_system systems[] = {
        {.name = "turn",
         .span = turn,
         .terms = LS_TERM_LIST(LS_WRITES(keys_component)),
         .joins =
             LS_JOINS({.component = &keys_component, .offset = offsetof(keys, of), .start = true})},
        {.name = "look",
         .span = look,
         .terms = LS_TERM_LIST(LS_READS(keys_component)),
         .joins = LS_JOINS(BY(of)),
         .after = "turn"},
        {.name = "look too",
         .span = look,
         .terms = LS_TERM_LIST(LS_READS(keys_component)),
         .joins = LS_JOINS(BY(of)),
         .after = "turn"},
    };
    ls_sim sim = HARNESS_SIM(components, lanes, systems);
    sim.setup = &ring_setup;
    for (uint32_t threads = 1; threads <= 4; threads += 3) {
        harness self;
        harness_begin(&self, &sim, 1);
        ls_executor *executor = harness_executor(threads, threads);
        for (uint32_t tick = 0; tick < 100; tick++) {
            ls_snapshot *snapshot = ls_world_snapshot(self.world);
            harness_tick(self.world, executor);
            ls_snapshot_destroy(snapshot);
        }
        ls_executor_destroy(executor);
        harness_end(&self);
    }
}

/* Despawns and spawns entities in one tick; in the next tick the join must find the new ring and no
 * old handle. */
static void replace(ls_context *context, const ls_entity *entities)
{
    uint64_t tick = ls_tick(context);
    for (uint32_t i = (uint32_t)tick % 3; i < RING; i += 3) {
        ls_despawn(context, seen.ring[i]);
        seen.ring[i] = ls_spawn(context, i % 2);
    }
    for (uint32_t i = 0; i < RING; i++) {
        const keys cell = {.of = seen.ring[(i + 1) % RING], .u32 = i};
        ls_cell_attach(context, 0, seen.ring[i], &cell);
    }
}

static void look_at_all(ls_context *context, const ls_entity *entities)
{
    ls_entity before = LS_ENTITY_NULL;
    const keys *own = ls_cell_find(context, 0, entities[0]);
    assert_int_equal(count_who_refers(context, entities[0], &before), 1);
    assert_int_equal(before, seen.ring[(own->u32 + RING - 1) % RING]);
    seen.met++;
}

TEST(test_join_follows_births_and_deaths)
{
    const ls_system systems[] = {
        {.name = "look",
         .mode = LS_SEQUENTIAL,
         .match = look_at_all,
         .terms = LS_TERM_LIST(LS_READS(keys_component)),
         .joins = LS_JOINS(BY(of))},
        {.name = "replace",
         .mode = LS_SEQUENTIAL,
         .match = replace,
         .terms = LS_TERM_LIST(LS_OTHERS_STRUCTURE(keys_component)),
         .lanes = "a, b",
         .after = "look"},
    };
    ls_sim sim = HARNESS_SIM(components, lanes, systems);
    sim.setup = &ring_setup;
    harness self;
    seen.met = 0;
    harness_begin(&self, &sim, 1);
    for (uint32_t tick = 0; tick < 20; tick++)
        harness_tick(self.world, NULL);
    assert_int_equal(seen.met, 20 * RING);
    harness_end(&self);
}

static void walk_no_join(ls_context *context, const ls_entity *entities)
{
    ls_join_walk walk;
    ls_join_begin(context, 1, 0, &walk);
}

static void count_no_join(ls_context *context, const ls_entity *entities)
{
    (void)ls_join_count(context, 1, 0);
}

static void run_world(void *world)
{
    harness_tick(world, NULL);
}

TEST(test_join_stops_a_system_that_does_not_list_it)
{
    ls_match_function *const wrong[] = {walk_no_join, count_no_join};
    for (uint32_t i = 0; i < LS_COUNT_OF(wrong); i++) {
        const ls_system systems[] = {
            {.name = "wrong", .mode = LS_SEQUENTIAL, .match = wrong[i], .joins = LS_JOINS(BY(of))}};
        ls_sim sim = HARNESS_SIM(components, lanes, systems);
        harness self;
        harness_begin(&self, &sim, 1);
        assert_dies(run_world, self.world, "\"wrong\"", "tick 0", "join 1", "does not list");
        harness_end(&self);
    }
}
