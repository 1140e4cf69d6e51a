/* The despawn sweep, compared with the plainest algorithm. Repeat until nothing changes: entities
 * with a cascading reference to a dying entity die too. Then every other reference to them becomes
 * null. */
#include "harness.h"

#include "core/run/despawn.h"
#include "core/state/store.h"

typedef struct node {
    ls_entity parent; /* cascade */
    ls_entity target; /* null */
    ls_entity memory; /* keep */
} node;

typedef struct crew {
    ls_entity members[5]; /* null; the first `count` are used */
    uint16_t count;
    uint16_t number[3];
} crew;

typedef struct rope {
    ls_entity ends[2];  /* cascade */
    ls_entity knots[3]; /* cascade; the first `count` are used */
    uint16_t count;
    uint16_t number[3];
} rope;

typedef struct rule {
    ls_entity king;     /* null */
    ls_entity heirs[3]; /* null; the first `count` are used */
    ls_entity memory;   /* keep */
    uint16_t count;
    uint16_t number[3];
} rule;

static const ls_field node_fields[] = {LS_FIELD_ENTITY(node, parent, LS_CASCADE),
                                       LS_FIELD_ENTITY(node, target, LS_NULL),
                                       LS_FIELD_ENTITY(node, memory, LS_KEEP)};
static const ls_field crew_fields[] = {
    LS_FIELD_ITEMS(crew, members, LS_TYPE_ENTITY, count, LS_NULL),
    LS_FIELD_UP_TO(crew, count, LS_TYPE_U16, 5), LS_FIELD(crew, number, LS_TYPE_U16)};
static const ls_field rope_fields[] = {
    LS_FIELD_ENTITY(rope, ends, LS_CASCADE),
    LS_FIELD_ITEMS(rope, knots, LS_TYPE_ENTITY, count, LS_CASCADE),
    LS_FIELD_UP_TO(rope, count, LS_TYPE_U16, 3), LS_FIELD(rope, number, LS_TYPE_U16)};
static const ls_field rule_fields[] = {LS_FIELD_ENTITY(rule, king, LS_NULL),
                                       LS_FIELD_ITEMS(rule, heirs, LS_TYPE_ENTITY, count, LS_NULL),
                                       LS_FIELD_ENTITY(rule, memory, LS_KEEP),
                                       LS_FIELD_UP_TO(rule, count, LS_TYPE_U16, 3),
                                       LS_FIELD(rule, number, LS_TYPE_U16)};
static const ls_component crews = LS_COMPONENT_TABLE(crew, "crew", crew_fields);
static const ls_component nodes = LS_COMPONENT_TABLE(node, "node", node_fields);
static const ls_component ropes = LS_COMPONENT_TABLE(rope, "rope", rope_fields);
static const ls_component rules = LS_SINGLETON_TABLE(rule, "rule", rule_fields);
static const ls_component tag = LS_TAG_TABLE("tag");
static const ls_component *const components[] = {&tag, &rules, &ropes, &nodes, &crews};
static const char *const lanes[] = {"a", "b"};

/* Columns in the order of their names. */
enum { CREW, NODE, ROPE, RULE, TAG, COLUMNS, SLOTS = 600, LANES = 3 };

typedef union cells {
    crew crew;
    node node;
    rope rope;
} cells;

typedef struct one {
    ls_entity entity; /* null: not alive */
    bool has[COLUMNS];
    crew crew;
    node node;
    rope rope;
} one;

typedef struct model {
    ls_world *world;
    uint64_t random;
    uint32_t near; /* maximum distance of references; a small one gives long chains and cycles */
    one all[LANES][SLOTS];
    rule rule;
    uint64_t marked, pulled, nulled;
} model;

static void *cell_of(one *who, uint32_t column)
{
    return column == CREW   ? (void *)&who->crew
           : column == NODE ? (void *)&who->node
                            : (void *)&who->rope;
}

/* A living entity, an earlier life of a slot, or no entity. */
static ls_entity some_reference(model *self, uint32_t slot)
{
    uint32_t lane = test_below(&self->random, LANES);
    uint32_t at = (slot + test_below(&self->random, self->near)) % SLOTS;
    ls_entity entity = self->all[lane][at].entity;
    switch (test_below(&self->random, 8)) {
    case 0:
    case 1:
    case 2:
        return LS_ENTITY_NULL;
    case 3: /* another life than the current one */
        return entity ? entity - ((ls_entity)2 << 32) : LS_ENTITY_NULL;
    default:
        return entity;
    }
}

static void attach(model *self, one *who, uint32_t column)
{
    uint32_t slot = ls_entity_slot(who->entity);
    if (column == CREW) {
        who->crew = (crew){.count = (uint16_t)test_below(&self->random, 6), .number = {1, 2, 3}};
        for (uint32_t i = 0; i < 5; i++)
            who->crew.members[i] = some_reference(self, slot);
    } else if (column == NODE) {
        who->node = (node){.parent = test_below(&self->random, 2) ? some_reference(self, slot) : 0,
                           .target = some_reference(self, slot),
                           .memory = some_reference(self, slot)};
    } else if (column == ROPE) {
        who->rope = (rope){.count = (uint16_t)test_below(&self->random, 4), .number = {1, 2, 3}};
        who->rope.ends[test_below(&self->random, 2)] = some_reference(self, slot);
        who->rope.knots[test_below(&self->random, 3)] = some_reference(self, slot);
    }
    who->has[column] = true;
    assert_true(ls_store_attach(self->world, column, who->entity,
                                column == TAG ? NULL : cell_of(who, column)));
}

static rule *singleton(ls_world *world)
{
    return (rule *)(void *)ls_page_cells(
        ls_table_write(*ls_world_table(world, RULE, 0), 0, &world->sources[RULE]));
}

static void change(model *self, uint32_t steps)
{
    ls_world *world = self->world;
    for (uint32_t column = 0; column <= ls_liveness(world); column++)
        ls_store_own(world, column);
    for (uint32_t i = 0; i < steps; i++) {
        uint32_t lane = test_below(&self->random, LANES);
        one *who = &self->all[lane][test_below(&self->random, SLOTS)];
        if (ls_store_next_free(world, lane, 0) < SLOTS) {
            ls_entity born = ls_store_spawn(world, lane);
            who = &self->all[lane][ls_entity_slot(born)];
            *who = (one){.entity = born};
        }
        uint32_t column = test_below(&self->random, COLUMNS);
        column = column == RULE ? NODE : column;
        if (who->entity && (column != ROPE || test_below(&self->random, 4) == 0))
            attach(self, who, column);
    }
    self->rule =
        (rule){.king = some_reference(self, 0),
               .heirs = {some_reference(self, 0), some_reference(self, 0), some_reference(self, 0)},
               .memory = some_reference(self, 0),
               .count = 2};
    *singleton(world) = self->rule;
    for (uint32_t column = 0; column < COLUMNS; column++)
        world->versions[column]++;
}

static bool is_dying(const bool dying[LANES][SLOTS], const model *self, ls_entity entity)
{
    uint32_t lane = ls_entity_lane(entity), slot = ls_entity_slot(entity);
    return entity && dying[lane][slot] && self->all[lane][slot].entity == entity;
}

static bool is_pulled(const bool dying[LANES][SLOTS], const model *self, const one *who)
{
    bool pulled = who->has[NODE] && is_dying(dying, self, who->node.parent);
    for (uint32_t i = 0; who->has[ROPE] && i < 2; i++)
        pulled |= is_dying(dying, self, who->rope.ends[i]);
    for (uint32_t i = 0; who->has[ROPE] && i < who->rope.count; i++)
        pulled |= is_dying(dying, self, who->rope.knots[i]);
    return pulled;
}

static void null_one(const bool dying[LANES][SLOTS], model *self, ls_entity *reference)
{
    if (is_dying(dying, self, *reference)) {
        *reference = LS_ENTITY_NULL;
        self->nulled++;
    }
}

static void kill_in_model(model *self, bool dying[LANES][SLOTS])
{
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t i = 0; i < LANES * SLOTS; i++) {
            one *who = &self->all[i / SLOTS][i % SLOTS];
            if (!who->entity || dying[i / SLOTS][i % SLOTS] || !is_pulled(dying, self, who))
                continue;
            moved = dying[i / SLOTS][i % SLOTS] = true;
            self->pulled++;
        }
    }
    for (uint32_t i = 0; i < LANES * SLOTS; i++) {
        one *who = &self->all[i / SLOTS][i % SLOTS];
        if (!who->entity || dying[i / SLOTS][i % SLOTS])
            continue;
        null_one(dying, self, &who->node.target);
        for (uint32_t item = 0; item < who->crew.count; item++)
            null_one(dying, self, &who->crew.members[item]);
    }
    null_one(dying, self, &self->rule.king);
    for (uint32_t item = 0; item < self->rule.count; item++)
        null_one(dying, self, &self->rule.heirs[item]);
    for (uint32_t i = 0; i < LANES * SLOTS; i++) {
        if (dying[i / SLOTS][i % SLOTS])
            self->all[i / SLOTS][i % SLOTS] = (one){0};
    }
}

/* Adds despawn marks as several workers would: some twice, some of dead entities. */
static void kill_some(model *self, uint32_t count)
{
    bool dying[LANES][SLOTS] = {{false}};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t lane = test_below(&self->random, LANES), slot = test_below(&self->random, SLOTS);
        ls_entity entity = self->all[lane][slot].entity;
        for (uint32_t times = 1 + test_below(&self->random, 2); times > 0; times--)
            harness_mark(self->world, test_below(&self->random, 5),
                         entity ? entity : ls_entity_make(lane, slot, 1));
        dying[lane][slot] = entity != LS_ENTITY_NULL;
        self->marked += entity != LS_ENTITY_NULL;
    }
    ls_despawn_sweep(self->world);
    kill_in_model(self, dying);
}

static void compare_cell(const model *self, one *who, ls_entity at, uint32_t column)
{
    static const cells zero;
    ls_world *world = self->world;
    uint32_t slot = ls_entity_slot(at);
    ls_page *page = ls_world_page(world, column, ls_entity_lane(at), slot / LS_PAGE_SLOTS);
    if (!page && !who->has[column])
        return;
    assert_non_null(page);
    assert_int_equal(ls_page_has(page, slot), who->has[column]);
    size_t bytes = world->sources[column].cell_bytes;
    const uint8_t *cell = ls_page_cells(page) + bytes * (slot % LS_PAGE_SLOTS);
    if (memcmp(cell, who->has[column] && bytes ? cell_of(who, column) : &zero, bytes) != 0)
        fail_msg("component %s of %llx", world->program->components[column]->name,
                 (unsigned long long)who->entity);
}

static void compare(model *self)
{
    for (uint32_t lane = 0; lane < LANES; lane++) {
        for (uint32_t slot = 0; slot < SLOTS; slot++) {
            one *who = &self->all[lane][slot];
            ls_entity at = ls_entity_make(lane, slot, 0);
            ls_page *lives =
                ls_world_page(self->world, ls_liveness(self->world), lane, slot / LS_PAGE_SLOTS);
            assert_int_equal(lives && ls_page_has(lives, slot), who->entity != LS_ENTITY_NULL);
            if (who->entity)
                assert_true(ls_store_is_alive(self->world, who->entity));
            for (uint32_t column = 0; column < COLUMNS; column++) {
                if (column != RULE)
                    compare_cell(self, who, at, column);
            }
        }
    }
    assert_memory_equal(singleton(self->world), &self->rule, sizeof self->rule);
}

static uint8_t *encode(const ls_snapshot *snapshot, size_t *count)
{
    uint8_t *bytes;
    ls_snapshot_encode(snapshot, &bytes, count);
    return bytes;
}

TEST(test_despawn_agrees_with_a_fixpoint)
{
    static model self;
    static const uint32_t reaches[] = {SLOTS, 2, 40, 5};
    ls_sim sim = HARNESS_STORE(components, lanes);
    uint64_t seed = harness_seed("test_despawn_agrees_with_a_fixpoint"), pulled = 0, nulled = 0;
    uint32_t rounds = getenv("LOCKSTEP_LONG") ? 2000 : 60;
    for (uint32_t round = 0; round < rounds; round++) {
        harness world;
        harness_begin(&world, &sim, 1);
        self = (model){.world = world.world,
                       .random = seed + round,
                       .near = reaches[round % LS_COUNT_OF(reaches)]};
        change(&self, round % 3 ? 4000 : 800);
        for (uint32_t tick = 0; tick < 16; tick++) {
            ls_snapshot *snapshot = ls_world_snapshot(world.world);
            size_t before_count;
            uint8_t *before = encode(snapshot, &before_count);
            if (test_below(&self.random, 3) == 0)
                change(&self, test_below(&self.random, 300));
            kill_some(&self, test_below(&self.random, 2) ? 3 : 30);
            compare(&self);
            size_t after_count;
            uint8_t *after = encode(snapshot, &after_count);
            assert_int_equal(after_count, before_count);
            assert_memory_equal(after, before, before_count);
            ls_free(before);
            ls_free(after);
            ls_snapshot_destroy(snapshot);
        }
        pulled += self.pulled;
        nulled += self.nulled;
        harness_end(&world);
    }
    print_message("%u pulled, %u nulled\n", (uint32_t)pulled, (uint32_t)nulled);
    assert_true(pulled > 1000 && nulled > 1000);
}

/* Later sweeps must not damage the index of an unchanged column: see core/run/despawn.c. */
TEST(test_despawn_in_a_column_that_rests)
{
    static model self;
    ls_sim sim = HARNESS_STORE(components, lanes);
    harness world;
    harness_begin(&world, &sim, 1);
    self = (model){.world = world.world,
                   .random = harness_seed("test_despawn_in_a_column_that_rests"),
                   .near = SLOTS};
    change(&self, 1200);
    for (uint32_t tick = 0; tick < 300; tick++) {
        kill_some(&self, 1);
        compare(&self);
    }
    /* Despawns whole pages at once, then uses the slots again. */
    for (uint32_t times = 0; times < 2; times++) {
        change(&self, 8000);
        for (uint32_t i = 0; i < LANES * SLOTS; i++)
            attach(&self, &self.all[i / SLOTS][i % SLOTS], NODE);
        kill_some(&self, 30 * SLOTS);
        compare(&self);
    }
    harness_end(&world);
}

TEST(test_despawn_refuses_a_singleton_that_would_die)
{
    static const ls_field fields[] = {LS_FIELD_ENTITY(node, parent, LS_CASCADE),
                                      LS_FIELD_ENTITY(node, target, LS_NULL),
                                      LS_FIELD_ENTITY(node, memory, LS_KEEP)};
    static const ls_component mortal = LS_SINGLETON_TABLE(node, "mortal", fields);
    ls_error error = {""};
    assert_int_equal(ls_component_check(&mortal, &error), LS_ERROR_USAGE);
    assert_non_null(strstr(error.text, "\"mortal\""));
    assert_non_null(strstr(error.text, "\"parent\""));
    assert_non_null(strstr(error.text, "LS_NULL"));
}
