/* Bounded arrays, compared with the plainest model; unused items stay zero. */
#include "harness.h"

typedef struct bag {
    uint16_t things[5];
    uint16_t count;
    uint8_t fence;
} bag;

static void assert_bag(const bag *self, uint32_t count, const uint16_t *things)
{
    assert_int_equal(self->count, count);
    for (uint32_t i = 0; i < LS_COUNT_OF(self->things); i++)
        assert_int_equal(self->things[i], i < count ? things[i] : 0);
    assert_int_equal(self->fence, 0xee);
}

TEST(test_items_keep_their_order)
{
    bag self = {.fence = 0xee};
    for (uint16_t thing = 1; thing <= 5; thing++)
        assert_true(ls_items_push(LS_ITEMS(&self, things, count), &thing));
    assert_bag(&self, 5, (const uint16_t[]){1, 2, 3, 4, 5});
    assert_false(ls_items_push(LS_ITEMS(&self, things, count), &(uint16_t){6}));
    assert_bag(&self, 5, (const uint16_t[]){1, 2, 3, 4, 5});
    assert_true(ls_items_remove(LS_ITEMS(&self, things, count), 1));
    assert_bag(&self, 4, (const uint16_t[]){1, 3, 4, 5});
    assert_false(ls_items_remove(LS_ITEMS(&self, things, count), 4));
    assert_true(ls_items_insert(LS_ITEMS(&self, things, count), 0, &(uint16_t){9}));
    assert_bag(&self, 5, (const uint16_t[]){9, 1, 3, 4, 5});
    assert_false(ls_items_insert(LS_ITEMS(&self, things, count), 2, &(uint16_t){9}));
    assert_true(ls_items_remove(LS_ITEMS(&self, things, count), 4));
    assert_false(ls_items_insert(LS_ITEMS(&self, things, count), 5, &(uint16_t){9}));
    assert_true(ls_items_insert(LS_ITEMS(&self, things, count), 4, &(uint16_t){7}));
    assert_bag(&self, 5, (const uint16_t[]){9, 1, 3, 4, 7});
    ls_items_clear(LS_ITEMS(&self, things, count));
    assert_bag(&self, 0, NULL);
    assert_false(ls_items_remove(LS_ITEMS(&self, things, count), 0));
}

TEST(test_items_follow_the_model)
{
    uint64_t seed = harness_seed("test_items_follow_the_model");
    bag self = {.fence = 0xee};
    uint16_t model[16];
    uint32_t count = 0;
    for (uint32_t round = 0; round < 20000; round++) {
        uint16_t thing = (uint16_t)test_random(&seed);
        uint32_t at = test_below(&seed, 7);
        if (test_below(&seed, 2)) {
            bool is_right = count < 5 && at <= count;
            assert_int_equal(ls_items_insert(LS_ITEMS(&self, things, count), at, &thing), is_right);
            for (uint32_t i = count; is_right && i > at; i--)
                model[i] = model[i - 1];
            if (is_right)
                model[at] = thing;
            count += is_right;
        } else {
            bool is_right = at < count;
            assert_int_equal(ls_items_remove(LS_ITEMS(&self, things, count), at), is_right);
            for (uint32_t i = at; is_right && i + 1 < count; i++)
                model[i] = model[i + 1];
            count -= is_right;
        }
        assert_bag(&self, count, model);
    }
}

/* Even if other code wrote a wrong count, no call leaves the array. */
TEST(test_items_survive_a_wrong_count)
{
    bag self = {.things = {1, 2, 3, 4, 5}, .count = 60000, .fence = 0xee};
    assert_false(ls_items_push(LS_ITEMS(&self, things, count), &(uint16_t){9}));
    assert_false(ls_items_insert(LS_ITEMS(&self, things, count), 0, &(uint16_t){9}));
    assert_false(ls_items_remove(LS_ITEMS(&self, things, count), 0));
    ls_items_clear(LS_ITEMS(&self, things, count));
    assert_bag(&self, 0, NULL);
}
