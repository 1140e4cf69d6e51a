#include "test.h"

#include "proto/message.h"

/* Asserts whether an update can be decoded. */
static void expect_update(const ls_update *update, bool is_valid)
{
    ls_plain plain;
    ls_update got;
    assert_true(ls_update_encode(update, &plain));
    assert_int_equal(ls_update_decode(&plain, 0, &got), is_valid);
}

/* A batch is one number for 2 to 256 roots up to the ack. */
TEST(test_message_roots_are_a_batch)
{
    ls_update update = {.ack = 300, .root_first = 45, .root_count = 1, .batch_count = 256}, got;
    update.roots[0] = 77;
    ls_plain plain;
    assert_true(ls_update_encode(&update, &plain));
    assert_true(ls_update_decode(&plain, 0, &got));
    assert_int_equal(got.root_first, 45);
    assert_int_equal(got.root_count, 1);
    assert_int_equal(got.batch_count, 256);
    assert_int_equal(got.roots[0], 77);
    update.root_first = 46; /* up to 301, which is after the ack */
    expect_update(&update, false);
    update.batch_count = 257;
    update.root_first = 40;
    expect_update(&update, false);
    update.batch_count = 2;
    expect_update(&update, true);
    assert_true(ls_update_encode(&update, &plain));
    plain.data[16] = 1; /* behind ack, stamp, flags, the number of roots and their age */
    assert_false(ls_update_decode(&plain, 0, &got));
}

/* The number of a batch depends on the first tick, on each root and on their order. */
TEST(test_message_roots_have_order_and_place)
{
    static const uint64_t firsts[] = {5, 5, 5, 6}, roots[][2] = {{1, 2}, {2, 1}, {1, 3}, {1, 2}};
    uint64_t batches[LS_COUNT_OF(firsts)];
    for (uint32_t i = 0; i < LS_COUNT_OF(firsts); i++) {
        batches[i] = ls_root_batch_add(ls_root_batch_add(firsts[i], roots[i][0]), roots[i][1]);
        for (uint32_t k = 0; k < i; k++)
            assert_int_not_equal(batches[i], batches[k]);
    }
}
