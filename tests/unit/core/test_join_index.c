/* The index of a join by key: its forms, and its one order in whatever pieces it is built. */
#include "harness.h"

#include "core/run/despawn.h"
#include "core/run/key_join_internal.h"
#include "core/run/parallel_for.h"
#include "core/run/scratch.h"
#include "core/state/store.h"

enum { ENTITIES = 9000, MEMBERS = 5, COLUMN = 0, LANE = 1 };

typedef struct crew {
    ls_entity members[MEMBERS];
    ls_entity leader;
    uint64_t number;
    uint16_t count;
    uint16_t ship;
    uint32_t padding;
} crew;

static const ls_field crew_fields[] = {
    LS_FIELD_ITEMS(crew, members, LS_TYPE_ENTITY, count, LS_NULL),
    LS_FIELD(crew, leader, LS_TYPE_ENTITY),
    LS_FIELD(crew, number, LS_TYPE_U64),
    LS_FIELD_UP_TO(crew, count, LS_TYPE_U16, MEMBERS),
    LS_FIELD(crew, ship, LS_TYPE_U16),
    LS_FIELD(crew, padding, LS_TYPE_U32)};
static const ls_component crews = LS_COMPONENT_TABLE(crew, "crew", crew_fields);
static const ls_component *const components[] = {&crews};
static const char *const lanes[] = {"a"};

#define KEY(field, field_type, item_count, count_at)                                               \
    {                                                                                              \
        .column = COLUMN, .offset = offsetof(crew, field), .type = field_type,                     \
        .items = item_count, .count_offset = count_at, .with = UINT32_MAX                          \
    }
static const ls_plan_join joins[] = {KEY(ship, LS_TYPE_U16, 1, UINT32_MAX),
                                     KEY(number, LS_TYPE_U64, 1, UINT32_MAX),
                                     KEY(leader, LS_TYPE_ENTITY, 1, UINT32_MAX),
                                     KEY(members, LS_TYPE_ENTITY, MEMBERS, offsetof(crew, count)),
                                     KEY(members, LS_TYPE_ENTITY, MEMBERS, UINT32_MAX)};

static ls_entity all[ENTITIES];

/* Half of the references are null, also at the end of a list. */
static ls_entity some_entity(uint64_t *random)
{
    return test_below(random, 2) ? all[test_below(random, ENTITIES)] : LS_ENTITY_NULL;
}

static void populate(ls_world *world, uint64_t random)
{
    for (uint32_t column = 0; column <= ls_liveness(world); column++)
        ls_store_own(world, column);
    for (uint32_t i = 0; i < ENTITIES; i++)
        all[i] = ls_store_spawn(world, LANE);
    for (uint32_t i = 0; i < ENTITIES; i++) {
        crew cell = {.leader = some_entity(&random),
                     .number = test_random(&random) % 4000 << 40,
                     .count = (uint16_t)test_below(&random, MEMBERS + 1),
                     .ship = (uint16_t)test_below(&random, 3000)};
        for (uint32_t k = 0; k < MEMBERS; k++)
            cell.members[k] = some_entity(&random);
        assert_true(ls_store_attach(world, COLUMN, all[i], &cell));
    }
    world->versions[COLUMN]++;
}

/* Both indexes find the same entities, and in the same order. */
static uint32_t compare(const ls_join_index *one, const ls_join_index *other, uint64_t key)
{
    ls_join_walk walk, twin;
    ls_entity found, expected;
    uint32_t count = 0;
    ls_join_index_begin(one, key, &walk);
    ls_join_index_begin(other, key, &twin);
    for (; ls_join_next(&twin, &expected); count++) {
        assert_true(ls_join_next(&walk, &found));
        assert_int_equal(found, expected);
    }
    assert_false(ls_join_next(&walk, &found));
    assert_int_equal(ls_join_index_count(one, key), count);
    return count;
}

static void compare_all(const ls_world *world, const ls_plan_join *join, const ls_join_index *one,
                        const ls_join_index *other)
{
    uint32_t found = 0, expected = 0;
    for (uint32_t i = 0; i < ENTITIES; i++) {
        const uint8_t *cell = ls_store_find(world, COLUMN, all[i]);
        uint32_t items = ls_join_items(join, cell);
        for (uint32_t k = 0; k < items; k++) {
            ls_plan_join item = *join;
            item.offset += (uint32_t)sizeof(ls_entity) * k;
            expected += join->type != LS_TYPE_ENTITY || ls_join_key(&item, cell) != 0;
        }
    }
    if (join->type == LS_TYPE_ENTITY) {
        for (uint32_t i = 0; i < ENTITIES; i++)
            found += compare(one, other, all[i]);
        assert_int_equal(compare(one, other, LS_ENTITY_NULL), 0);
    } else {
        for (uint64_t key = 0; key < 4000; key++)
            found += compare(one, other, join->type == LS_TYPE_U16 ? key : key << 40);
        compare(one, other, UINT64_MAX);
    }
    assert_int_equal(found, expected);
    assert_int_equal(one->base.count, expected);
}

TEST(test_join_index_has_one_order)
{
    ls_sim sim = HARNESS_STORE(components, lanes);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        harness self;
        harness_begin(&self, &sim, 1);
        populate(self.world, seed);
        for (uint32_t i = 0; i < LS_COUNT_OF(joins); i++) {
            /* No thread helps: this one runs all pieces. */
            ls_parallel_for loop = {.threads = 2 + (uint32_t)seed};
            ls_join_index whole = {0}, pieces = {0};
            ls_join_index_build(self.world, &joins[i], &whole);
            self.world->scratch->loop = &loop;
            ls_join_index_build(self.world, &joins[i], &pieces);
            self.world->scratch->loop = NULL;
            assert_null(whole.base.counts);
            assert_non_null(pieces.base.counts);
            assert_int_equal(pieces.is_mixed, i > 0);
            compare_all(self.world, &joins[i], &pieces, &whole);
            ls_index_reset(&whole.base);
            ls_index_reset(&pieces.base);
        }
        harness_end(&self);
    }
}

/* One small change of each kind. */
static void change(ls_world *world, uint64_t *random, uint32_t kind)
{
    uint32_t i = test_below(random, ENTITIES);
    crew cell = *(const crew *)ls_store_find(world, COLUMN, all[i]);
    if (kind == 0)
        cell.ship = (uint16_t)(cell.ship > 0 ? cell.ship - 1 : 1);
    else if (kind == 1)
        cell.number ^= UINT64_C(1) << 40;
    else if (kind == 2)
        cell.leader = cell.leader ? LS_ENTITY_NULL : all[0];
    else if (kind == 3)
        cell.count = (uint16_t)((cell.count + 1) % MEMBERS), cell.members[cell.count] = all[i];
    else if (kind == 4)
        cell.members[MEMBERS - 1] = cell.members[0] == all[1] ? all[2] : all[1];
    if (kind == 5) { /* another entity with the same keys, in the same slot */
        ls_despawn_marks_add(&world->scratch->marks[0], all[i]);
        ls_despawn_sweep(world);
        all[i] = ls_store_spawn(world, LANE);
    }
    if (kind != 6)
        assert_true(ls_store_attach(world, COLUMN, all[i], &cell));
    for (i = ENTITIES - 20; kind == 6 && i < ENTITIES;
         i++) /* the last ones: no other entry moves */
        ls_store_detach(world, COLUMN, all[i]);
    world->versions[COLUMN]++;
}

static bool is_equal(const ls_join_index *one, const ls_join_index *other)
{
    return one->base.count == other->base.count && one->buckets == other->buckets &&
           memcmp(one->base.entries, other->base.entries,
                  (size_t)one->base.entry_bytes * one->base.count) == 0 &&
           memcmp(one->base.starts, other->base.starts, sizeof(uint32_t) * one->buckets) == 0;
}

/* An index is sorted again when an entry has changed, and only then. */
TEST(test_join_index_is_sorted_when_an_entry_changes)
{
    ls_sim sim = HARNESS_STORE(components, lanes);
    uint64_t random = harness_seed("test_join_index_is_sorted_when_an_entry_changes");
    for (uint32_t i = 0; i < LS_COUNT_OF(joins) * 7; i++) {
        const ls_plan_join *join = &joins[i % LS_COUNT_OF(joins)];
        ls_parallel_for loop = {.threads = 3};
        ls_join_index index = {0}, fresh = {0};
        harness self;
        harness_begin(&self, &sim, 1);
        populate(self.world, i);
        ls_join_index_build(self.world, join, &index);
        /* Sorting would undo this. */
        index.base.entries[0] ^= 1;
        ls_join_index_build(self.world, join, &index);
        index.base.entries[0] ^= 1;
        ls_join_index_build(self.world, join, &fresh);
        assert_true(is_equal(&index, &fresh));
        self.world->scratch->loop = i % 2 ? &loop : NULL;
        change(self.world, &random, i / LS_COUNT_OF(joins));
        ls_join_index_build(self.world, join, &index);
        ls_index_reset(&fresh.base);
        fresh = (ls_join_index){0};
        ls_join_index_build(self.world, join, &fresh);
        assert_true(is_equal(&index, &fresh));
        self.world->scratch->loop = NULL;
        ls_index_reset(&index.base);
        ls_index_reset(&fresh.base);
        harness_end(&self);
    }
}
