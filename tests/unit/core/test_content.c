/* Content alone decides root and bytes: worlds that reach one content by different histories are
 * equal. */
#include "harness.h"
#include "tests/support/sanitizer.h"

#include "core/run/despawn.h"
#include "core/state/store.h"

LS_COMPONENT(small, U8(value));

typedef struct middle {
    uint32_t value;
    int16_t low, high;
} middle;

LS_COMPONENT(large, ENTITY(other, LS_KEEP), U64_ARRAY(words, 4));

LS_COMPONENT(huge, U8_ARRAY(bytes, 600));

static const ls_field middle_fields[] = {LS_FIELD(middle, value, LS_TYPE_U32),
                                         LS_FIELD(middle, low, LS_TYPE_I16),
                                         LS_FIELD(middle, high, LS_TYPE_I16)};
static const ls_component middles = LS_COMPONENT_TABLE(middle, "middle", middle_fields);
static const ls_component tag = LS_TAG_TABLE("tag");
static const ls_component single = LS_SINGLETON_TABLE(middle, "single", middle_fields);

enum { COLUMNS = 6, LANES = 2, SLOTS = 600, CELL_BYTES_MAX = sizeof(huge), TICKS = 7 };

static int begin(void **state)
{
    static const ls_component *const components[] = {&small_component, &middles, &large_component,
                                                     &huge_component,  &tag,     &single};
    static const char *const lanes[] = {"a", "b"};
    static const ls_sim sim = HARNESS_STORE(components, lanes);
    static harness self;
    harness_begin(&self, &sim, 1);
    *state = &self;
    return 0;
}

static bool is_attached(const ls_world *world, uint32_t column)
{
    return !world->program->components[column]->is_singleton;
}

/* A random number that decides the content of a cell, as a function of the seed. */
static uint64_t fate(uint64_t seed, uint32_t lane, uint32_t slot, uint32_t column)
{
    uint64_t state = seed ^ ((uint64_t)lane << 40 | (uint64_t)column << 32 | slot);
    return test_random(&state);
}

/* 1: alive; 2: despawned; 3: despawned and spawned again. */
static uint32_t generation_of(uint64_t seed, uint32_t lane, uint32_t slot)
{
    return 1 + (uint32_t)(fate(seed, lane, slot, 1000) % 3);
}

static bool has_component(uint64_t seed, uint32_t lane, uint32_t slot, uint32_t column)
{
    uint64_t density = fate(seed, lane, slot / 100, 2000 + column) % 4;
    return fate(seed, lane, slot, column) % 4 < density + (density == 3);
}

static void fill_cell(uint64_t seed, uint8_t *cell)
{
    for (uint32_t i = 0; i < CELL_BYTES_MAX; i++)
        cell[i] = (uint8_t)test_random(&seed);
}

typedef struct history {
    const harness *self;
    ls_world *world;
    uint64_t seed, random;
    uint32_t generations[LANES + 1][SLOTS];
    ls_snapshot *kept[4];
} history;

static ls_entity some_entity(history *self)
{
    uint32_t lane = 1 + test_below(&self->random, LANES), slot = test_below(&self->random, SLOTS);
    return ls_entity_make(lane, slot, self->generations[lane][slot]);
}

/* Attaches, changes and detaches random cells; settle() overwrites the rest later. */
static void make_noise(history *self)
{
    harness_own_all(self->world);
    for (uint32_t i = test_below(&self->random, 400); i > 0; i--) {
        uint32_t column = test_below(&self->random, COLUMNS);
        uint8_t cell[CELL_BYTES_MAX];
        fill_cell(test_random(&self->random), cell);
        if (!is_attached(self->world, column))
            continue;
        if (test_below(&self->random, 2))
            ls_store_attach(self->world, column, some_entity(self),
                            test_below(&self->random, 4) ? cell : NULL);
        else
            ls_store_detach(self->world, column, some_entity(self));
    }
}

/* Moves the state to another world by its encoded bytes. */
static void move_house(history *self)
{
    for (uint32_t i = 0; i < LS_COUNT_OF(self->kept); i++) {
        ls_snapshot_destroy(self->kept[i]);
        self->kept[i] = NULL;
    }
    size_t count;
    uint8_t *bytes = harness_bytes(self->world, &count);
    ls_world *other = harness_world(self->self);
    assert_int_equal(ls_world_decode(other, bytes, count, NULL), LS_OK);
    assert_int_equal(ls_world_root(other), ls_world_root(self->world));
    ls_free(bytes);
    ls_world_destroy(self->world);
    self->world = other;
}

static void go_astray(history *self)
{
    ls_snapshot **kept = &self->kept[test_below(&self->random, LS_COUNT_OF(self->kept))];
    ls_snapshot *back;
    switch (test_below(&self->random, 7)) {
    case 0:
        ls_snapshot_destroy(*kept);
        *kept = ls_world_snapshot(self->world);
        break;
    case 1: /* spawns and despawns that are rolled back */
        back = ls_world_snapshot(self->world);
        make_noise(self);
        for (uint32_t i = 0; i < 100; i++)
            harness_mark(self->world, 0, some_entity(self));
        ls_despawn_sweep(self->world);
        harness_own_all(self->world);
        for (uint32_t i = 0; i < 50; i++)
            ls_store_spawn(self->world, 1 + i % LANES);
        ls_world_restore(self->world, back);
        ls_snapshot_destroy(back);
        break;
    case 2:
        ls_world_root(self->world);
        break;
    case 3:
        move_house(self);
        break;
    case 4:
        ls_store_reclaim(self->world);
        break;
    default:
        make_noise(self);
    }
    harness_own_all(self->world);
}

/* Despawns all slots that shall reach `generation`, in random order. */
static uint32_t end_lives(history *self, uint32_t lane, uint32_t generation)
{
    uint32_t first = test_below(&self->random, SLOTS), count = 0;
    for (uint32_t i = 0; i < SLOTS; i++) {
        uint32_t slot = (first + i * 7) % SLOTS;
        if (generation_of(self->seed, lane, slot) != generation)
            continue;
        harness_mark(self->world, i % 5, ls_entity_make(lane, slot, 1));
        self->generations[lane][slot] = generation;
        count++;
        if (test_below(&self->random, 50) == 0)
            ls_despawn_sweep(self->world);
    }
    ls_despawn_sweep(self->world);
    return count;
}

/* Spawns into lanes in either order. A spawn takes the lowest free slot, so slots that are used
 * again are despawned first. */
static void live(history *self)
{
    bool is_backwards = test_below(&self->random, 2);
    for (uint32_t i = 0; i < LANES; i++) {
        uint32_t lane = is_backwards ? LANES - i : i + 1;
        harness_own_all(self->world);
        for (uint32_t slot = 0; slot < SLOTS; slot++) {
            assert_int_equal(ls_store_spawn(self->world, lane), ls_entity_make(lane, slot, 1));
            self->generations[lane][slot] = 1;
        }
        go_astray(self);
        uint32_t reborn = end_lives(self, lane, 3);
        harness_own_all(self->world);
        for (; reborn > 0; reborn--)
            ls_store_spawn(self->world, lane);
        go_astray(self);
        end_lives(self, lane, 2);
        go_astray(self);
    }
}

static void settle(history *self)
{
    enum {
        CELLS = LANES * SLOTS * COLUMNS,
        STEP = 7919
    }; /* STEP is prime, so each cell is visited once */
    uint32_t first = test_below(&self->random, CELLS);
    harness_own_all(self->world);
    for (uint32_t i = 0; i < CELLS; i++) {
        uint32_t at = (uint32_t)((first + (uint64_t)i * STEP) % CELLS);
        uint32_t column = at % COLUMNS, slot = at / COLUMNS % SLOTS;
        uint32_t lane = 1 + at / COLUMNS / SLOTS;
        ls_entity entity = ls_entity_make(lane, slot, self->generations[lane][slot]);
        uint8_t cell[CELL_BYTES_MAX];
        fill_cell(fate(self->seed, lane, slot, column), cell);
        if (!is_attached(self->world, column))
            continue;
        if (has_component(self->seed, lane, slot, column))
            assert_int_equal(ls_store_attach(self->world, column, entity, cell),
                             ls_entity_generation(entity) & 1);
        else
            ls_store_detach(self->world, column, entity);
        if (test_below(&self->random, 3000) == 0)
            ls_world_root(self->world);
    }
    while (ls_world_tick(self->world) < TICKS)
        harness_tick(self->world, NULL);
}

/* Returns a world with the content of `seed`, reached by the history of `random`. */
static ls_world *reach(const harness *self, uint64_t seed, uint64_t random)
{
    history own = {.self = self, .world = harness_world(self), .seed = seed, .random = random};
    live(&own);
    settle(&own);
    for (uint32_t i = 0; i < LS_COUNT_OF(own.kept); i++)
        ls_snapshot_destroy(own.kept[i]);
    return own.world;
}

TESTS_AROUND(begin, harness_teardown);

TEST(test_content_decides_bytes_whatever_the_history)
{
    uint64_t random = harness_seed("test_content_decides_bytes_whatever_the_history");
    uint32_t contents = getenv("LOCKSTEP_LONG") ? 200 : HAS_THREAD_SANITIZER ? 3 : 12;
    ls_executor *executor = harness_executor(3, 0);
    uint64_t last = 0;
    for (uint32_t i = 0; i < contents; i++) {
        uint64_t seed = test_random(&random), root = 0;
        uint8_t *expected = NULL;
        size_t expected_count = 0;
        for (uint32_t round = 0; round < 8; round++) {
            ls_world *world = reach(*state, seed, test_random(&random));
            size_t count;
            uint64_t found = ls_world_root_on(world, executor);
            uint8_t *bytes = harness_bytes(world, &count);
            if (round == 0) {
                expected = bytes;
                expected_count = count;
                root = found;
            } else {
                assert_int_equal(found, root);
                assert_int_equal(count, expected_count);
                assert_memory_equal(bytes, expected, count);
                ls_free(bytes);
            }
            ls_world_destroy(world);
        }
        assert_int_not_equal(root, last);
        last = root;
        ls_free(expected);
    }
    ls_executor_destroy(executor);
}
