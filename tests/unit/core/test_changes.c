/* The list of changes, compared with a comparison of every slot, and what the list leaves out. */
#include "sample_fixture.h"

#include "core/state/store.h"
#include "core/state/world_state.h"
#include <lockstep/changes.h>

enum { CHANGES_MAX = 20000 };

typedef struct list {
    ls_change changes[CHANGES_MAX];
    uint32_t count, max;
} list;

static list found, wanted;

static bool keep(void *argument, const ls_change *change)
{
    list *all = argument;
    assert_true(all->count < CHANGES_MAX);
    all->changes[all->count++] = *change;
    return all->count != all->max;
}

static void set(ls_change *change, uint32_t column)
{
    change->components[column / 64] |= (uint64_t)1 << (column % 64);
}

static uint32_t generation_of(const ls_world *world, uint32_t lane, uint32_t slot)
{
    const ls_page *page = ls_world_page(world, ls_liveness(world), lane, slot / LS_PAGE_SLOTS);
    return page ? ls_page_generations(page)[slot % LS_PAGE_SLOTS] : 0;
}

static bool differs(const ls_component *component, const void *one, const void *other)
{
    return !one != !other || (one && memcmp(one, other, component->bytes) != 0);
}

static void want(const ls_change *change, bool always)
{
    bool is_some = always;
    for (uint32_t word = 0; word < LS_CHANGE_WORDS; word++)
        is_some |= change->components[word] != 0;
    if (is_some)
        keep(&wanted, change);
}

static void want_life(const ls_world *world, ls_entity entity, ls_change_kind kind)
{
    ls_change change = {.entity = entity, .kind = kind};
    if (!(ls_entity_generation(entity) & 1))
        return;
    for (uint32_t column = 0; column < ls_liveness(world); column++) {
        const ls_component *component = world->program->components[column];
        if (!component->is_singleton && ls_world_cell(world, component, entity))
            set(&change, column);
    }
    want(&change, true);
}

static void want_slot(const ls_world *before, const ls_world *after, uint32_t lane, uint32_t slot)
{
    uint32_t one = generation_of(before, lane, slot), other = generation_of(after, lane, slot);
    ls_change change = {.entity = ls_entity_make(lane, slot, one), .kind = LS_CHANGE_CELLS};
    if (one != other) {
        want_life(before, ls_entity_make(lane, slot, one), LS_CHANGE_VANISHED);
        want_life(after, ls_entity_make(lane, slot, other), LS_CHANGE_APPEARED);
        return;
    }
    for (uint32_t column = 0; (one & 1) && column < ls_liveness(before); column++) {
        const ls_component *component = before->program->components[column];
        if (!component->is_singleton &&
            differs(component, ls_world_cell(before, component, change.entity),
                    ls_world_cell(after, component, change.entity)))
            set(&change, column);
    }
    want(&change, false);
}

static void compare_all(const ls_world *before, const ls_world *after)
{
    ls_change singletons = {.entity = LS_ENTITY_NULL, .kind = LS_CHANGE_CELLS};
    found.count = wanted.count = found.max = wanted.max = 0;
    for (uint32_t column = 0; column < ls_liveness(before); column++) {
        const ls_component *component = before->program->components[column];
        if (component->is_singleton && differs(component, ls_world_singleton(before, component),
                                               ls_world_singleton(after, component)))
            set(&singletons, column);
    }
    want(&singletons, false);
    for (uint32_t lane = 0; lane < before->program->lane_count; lane++) {
        for (uint32_t slot = 0; slot < 4096; slot++)
            want_slot(before, after, lane, slot);
    }
    ls_world_changes(before, after, keep, &found);
    assert_int_equal(found.count, wanted.count);
    for (uint32_t i = 0; i < found.count; i++) {
        assert_int_equal(found.changes[i].entity, wanted.changes[i].entity);
        assert_int_equal(found.changes[i].kind, wanted.changes[i].kind);
        assert_memory_equal(found.changes[i].components, wanted.changes[i].components,
                            sizeof found.changes[i].components);
    }
}

TESTS_AROUND(sample_begin, harness_teardown);

TEST(test_changes_are_all_that_differs)
{
    harness *self = *state;
    uint64_t random = harness_seed("test_changes_are_all_that_differs");
    ls_world *beside = ls_world_create_sibling(self->world), *far = harness_world(self);
    uint32_t kinds[3] = {0};
    for (uint32_t round = 0; round < 40; round++) {
        ls_world *worlds[3] = {self->world, beside, far};
        sample_advance(worlds[test_below(&random, 3)], 1 + test_below(&random, 4), NULL);
        compare_all(worlds[round % 3], worlds[(round + 1) % 3]);
        for (uint32_t i = 0; i < found.count; i++)
            kinds[found.changes[i].kind]++;
    }
    assert_true(kinds[LS_CHANGE_VANISHED] && kinds[LS_CHANGE_APPEARED] && kinds[LS_CHANGE_CELLS]);
    ls_world_destroy(far);
    ls_world_destroy(beside);
}

TEST(test_changes_of_equal_worlds_are_none)
{
    harness *self = *state;
    ls_world *far = harness_world(self);
    sample_advance(self->world, 12, NULL);
    sample_advance(far, 12, NULL);
    found.count = found.max = 0;
    ls_world_changes(self->world, self->world, keep, &found);
    ls_world_changes(self->world, far, keep, &found);
    assert_int_equal(found.count, 0);
    ls_world_destroy(far);
}

TEST(test_changes_name_one_cell_of_one_entity)
{
    harness *self = *state;
    sample_advance(self->world, 3, NULL);
    ls_world *beside = ls_world_create_sibling(self->world);
    char what[64];
    assert_true(ls_world_flip_bit(beside, 3, what, sizeof what));
    found.count = found.max = 0;
    ls_world_changes(self->world, beside, keep, &found);
    assert_int_equal(found.count, 1);
    assert_int_equal(found.changes[0].kind, LS_CHANGE_CELLS);
    uint32_t count = 0;
    for (uint32_t column = 0; column < ls_liveness(beside); column++) {
        if (!ls_change_has(&found.changes[0], column))
            continue;
        const char *name = beside->program->components[column]->name;
        assert_memory_equal(what, name, strlen(name));
        count++;
    }
    assert_int_equal(count, 1);
    ls_world_destroy(beside);
}

TEST(test_changes_end_when_the_visitor_says_so)
{
    harness *self = *state;
    ls_world *beside = ls_world_create_sibling(self->world);
    sample_advance(beside, 20, NULL);
    found.count = found.max = 0;
    ls_world_changes(self->world, beside, keep, &found);
    uint32_t all = found.count;
    assert_true(all > 10);
    for (uint32_t max = 1; max < all; max++) {
        found = (list){.max = max};
        ls_world_changes(self->world, beside, keep, &found);
        assert_int_equal(found.count, max);
    }
    ls_world_destroy(beside);
}
