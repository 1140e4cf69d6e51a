/* Hierarchies in a running simulation: a cascading reference to the parent, and a join that finds
 * the children. */
#include "harness.h"

#include "tests/support/counted_memory.h"

#include "core/run/despawn.h"
#include "core/run/key_join_internal.h"

typedef struct member {
    ls_entity parent;
    uint64_t depth;
} member;

static const ls_field member_fields[] = {LS_FIELD_ENTITY(member, parent, LS_CASCADE),
                                         LS_FIELD(member, depth, LS_TYPE_U64)};
static const ls_component members = LS_COMPONENT_TABLE(member, "member", member_fields);
static const ls_component *const components[] = {&members};
static const char *const lanes[] = {"a", "b"};
#define CHILDREN                                                                                   \
    {                                                                                              \
        .component = &members, .offset = offsetof(member, parent)                                  \
    }

enum { WIDTH = 4, DEPTH = 3, TREE = 1 + 4 + 16 + 64 };

static struct {
    ls_entity roots[2];
    ls_entity doomed[4];
    uint32_t doomed_count;
    uint32_t met; /* entities visited by the walk over the first root's tree */
    bool rebuilds;
} family;

static ls_entity grow_tree(ls_context *context, ls_entity parent, uint32_t depth)
{
    const member cell = {parent, depth};
    ls_entity entity = ls_spawn(context, depth % 2);
    ls_cell_attach(context, 0, entity, &cell);
    for (uint32_t i = 0; depth < DEPTH && i < WIDTH; i++)
        grow_tree(context, entity, depth + 1);
    return entity;
}

static void grow(ls_context *context, const ls_entity *entities)
{
    family.roots[0] = grow_tree(context, LS_ENTITY_NULL, 0);
    family.roots[1] = grow_tree(context, LS_ENTITY_NULL, 0);
}

static uint32_t walk_tree(const ls_context *context, ls_entity entity, uint32_t depth)
{
    ls_join_walk walk;
    ls_entity child;
    uint64_t last = 0;
    uint32_t count = 1;
    ls_join_begin(context, 0, entity, &walk);
    while (ls_join_next(&walk, &child)) {
        const member *cell = ls_cell_find(context, 0, child);
        assert_non_null(cell);
        assert_true(cell->parent == entity && cell->depth == depth + 1);
        assert_true((child & UINT32_MAX) > last);
        last = child & UINT32_MAX;
        count += walk_tree(context, child, depth + 1);
    }
    return count;
}

static void meet(ls_context *context, const ls_entity *entities)
{
    family.met = walk_tree(context, family.roots[0], 0);
}

static void cut(ls_context *context, const ls_entity *entities)
{
    for (uint32_t i = 0; i < family.doomed_count; i++)
        ls_despawn(context, family.doomed[i]);
    family.doomed_count = 0;
    if (!family.rebuilds)
        return;
    ls_despawn(context, family.roots[0]);
    family.roots[0] = family.roots[1];
    family.roots[1] = grow_tree(context, LS_ENTITY_NULL, 0);
}

static void join_ends(ls_context *context, const ls_entity *entities)
{
    if (ls_tick(context) ==
        0) /* makes the second tree a cycle: its root becomes a child of a leaf */
        ((member *)ls_cell_write(context, 0, family.roots[1]))->parent = family.doomed[0];
}

static const ls_system family_setup = {.name = "grow",
                                       .mode = LS_SEQUENTIAL,
                                       .match = grow,
                                       .terms = LS_TERM_LIST(LS_OTHERS_STRUCTURE(members)),
                                       .lanes = "a, b"};

static uint32_t count_living(const ls_world *world)
{
    uint32_t count = 0;
    for (uint32_t lane = 0; lane < 3u; lane++) {
        for (uint32_t page = 0; page < 4; page++) {
            const ls_page *lives = ls_world_page(world, ls_liveness(world), lane, page);
            for (uint32_t word = 0; lives && word < LS_PAGE_WORDS; word++)
                count += (uint32_t)__builtin_popcountll(lives->present[word]);
        }
    }
    return count;
}

/* Returns the entity at `depth` of the tree: the first child of the first child, and so on. */
static ls_entity descendant(ls_world *world, ls_entity root, uint32_t depth)
{
    ls_join_walk walk;
    for (; depth > 0; depth--) {
        ls_join_index_begin(ls_join_prepare(world, 0), root, &walk);
        assert_true(ls_join_next(&walk, &root));
    }
    return root;
}

static const ls_system family_systems[] = {
    {.name = "close",
     .mode = LS_SEQUENTIAL,
     .match = join_ends,
     .terms = LS_TERM_LIST(LS_OTHERS_WRITE(members)),
     .before = "cut, meet"},
    {.name = "cut",
     .mode = LS_SEQUENTIAL,
     .match = cut,
     .terms = LS_TERM_LIST(LS_OTHERS_STRUCTURE(members)),
     .lanes = "a, b",
     .after = "meet"},
    {.name = "meet",
     .mode = LS_SEQUENTIAL,
     .match = meet,
     .terms = LS_TERM_LIST(LS_OTHERS_READ(members)),
     .joins = LS_JOINS(CHILDREN)},
};

static void test_hierarchy_dies_below_a_parent(void **state)
{
    ls_sim sim = HARNESS_SIM(components, lanes, family_systems);
    sim.setup = &family_setup;
    memset(&family, 0, sizeof family);
    harness self;
    harness_begin(&self, &sim, 1);
    ls_world *world = self.world;
    assert_int_equal(count_living(world), 2 * TREE);

    /* Despawn a leaf of the cycle that join_ends() made. */
    family.doomed[0] = descendant(world, family.roots[1], DEPTH);
    family.doomed_count = 1;
    harness_tick(world, NULL);
    assert_int_equal(family.met, TREE);
    assert_int_equal(count_living(world),
                     TREE); /* the leaf takes the root with it, and the root all others */

    /* Despawn a child and its own child in one tick, the lower one first. */
    family.doomed[0] = descendant(world, family.roots[0], 2);
    family.doomed[1] = descendant(world, family.roots[0], 1);
    family.doomed_count = 2;
    harness_tick(world, NULL);
    assert_int_equal(count_living(world), TREE - 21);
    harness_tick(world, NULL);
    assert_int_equal(family.met, TREE - 21);

    family.doomed[0] = descendant(world, family.roots[0], 2);
    family.doomed_count = 1;
    harness_tick(world, NULL);
    assert_int_equal(count_living(world), TREE - 21 - 5);
    family.doomed[0] = family.roots[0];
    family.doomed_count = 1;
    harness_tick(world, NULL);
    assert_int_equal(count_living(world), 0);
    harness_end(&self);
}

/* In each tick a tree is despawned and another spawned. */
static void test_hierarchy_asks_for_no_memory_once_warm(void **state)
{
    ls_sim sim = HARNESS_SIM(components, lanes, family_systems);
    sim.systems++; /* without "close", which moves members */
    sim.system_count--;
    sim.setup = &family_setup;
    memset(&family, 0, sizeof family);
    family.rebuilds = true;
    harness self;
    harness_begin(&self, &sim, 1);
    calls = 0;
    for (uint32_t tick = 0; tick < 200; tick++) {
        if (tick == 20) {
            assert_true(calls > 0);
            calls = 0;
        }
        harness_tick(self.world, NULL);
        assert_int_equal(family.met, TREE);
        assert_int_equal(count_living(self.world), 2 * TREE);
    }
    assert_int_equal(calls, 0);
    harness_end(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hierarchy_dies_below_a_parent),
        cmocka_unit_test(test_hierarchy_asks_for_no_memory_once_warm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
