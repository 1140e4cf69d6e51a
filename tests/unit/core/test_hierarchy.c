/* Hierarchies in a running simulation: a cascading reference to the parent, and a join that finds
 * the children. */
#include "harness.h"

#include "tests/support/counted_memory.h"

#include "core/run/key_join_internal.h"

LS_COMPONENT(member, ENTITY(parent, LS_CASCADE), U64(depth));

LS_COMPONENTS(components, member);
static const char *const lanes[] = {"a", "b"};
#define CHILDREN                                                                                   \
    {                                                                                              \
        .component = &member_component, .offset = offsetof(member, parent)                         \
    }

enum { WIDTH = 4, DEPTH = 3, TREE = 1 + 4 + 16 + 64 };

static struct {
    ls_entity roots[2];
    uint32_t met; /* entities visited by the walk over the first root's tree */
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
    ls_despawn(context, family.roots[0]);
    family.roots[0] = family.roots[1];
    family.roots[1] = grow_tree(context, LS_ENTITY_NULL, 0);
}

static const ls_system family_setup = {.name = "grow",
                                       .mode = LS_SEQUENTIAL,
                                       .match = grow,
                                       .terms = LS_TERM_LIST(LS_OTHERS_STRUCTURE(member_component)),
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

static const ls_system family_systems[] = {
    {.name = "cut",
     .mode = LS_SEQUENTIAL,
     .match = cut,
     .terms = LS_TERM_LIST(LS_OTHERS_STRUCTURE(member_component)),
     .lanes = "a, b",
     .after = "meet"},
    {.name = "meet",
     .mode = LS_SEQUENTIAL,
     .match = meet,
     .terms = LS_TERM_LIST(LS_OTHERS_READ(member_component)),
     .joins = LS_JOINS(CHILDREN)},
};

/* In each tick a tree is despawned and another spawned. */
TEST(test_hierarchy_asks_for_no_memory_once_warm)
{
    ls_sim sim = HARNESS_SIM(components, lanes, family_systems);
    sim.setup = &family_setup;
    memset(&family, 0, sizeof family);
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
