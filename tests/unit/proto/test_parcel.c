#include "test.h"

#include "tests/support/parcel.h"

static void test_parcel_inbox_gives_the_earliest_first(void **state)
{
    ls_inbox inbox = {0};
    uint64_t seed = 3;
    assert_true(ls_inbox_next_ns(&inbox) == UINT64_MAX);
    for (uint32_t i = 0; i < 1000; i++) {
        ls_parcel *parcel = ls_parcel_create(LS_PARCEL_MESSAGE, NULL);
        parcel->due_ns = test_random(&seed) % 50;
        parcel->order = i;
        ls_inbox_push(&inbox, parcel);
    }
    uint64_t due_ns = 0, order = 0;
    for (uint32_t i = 0; i < 900; i++) {
        assert_true(ls_inbox_next_ns(&inbox) >= due_ns);
        ls_parcel *parcel = ls_inbox_pop(&inbox);
        assert_true(parcel->due_ns > due_ns ||
                    (parcel->due_ns == due_ns && parcel->order >= order));
        due_ns = parcel->due_ns;
        order = parcel->order;
        ls_parcel_destroy(parcel);
    }
    ls_inbox_reset(&inbox);
    assert_true(ls_inbox_next_ns(&inbox) == UINT64_MAX);
}

static void test_parcel_clone_is_its_own(void **state)
{
    const uint8_t bytes[3] = {1, 2, 3};
    ls_packet packet = {.channel = LS_CHANNEL_TICKS, .bytes = 3, .data = bytes};
    ls_parcel *parcel = ls_parcel_create(LS_PARCEL_DATAGRAM, &packet);
    parcel->connect_id = 9;
    ls_parcel *clone = ls_parcel_clone(parcel);
    parcel->data[0] = 0;
    ls_parcel_destroy(parcel);
    assert_memory_equal(clone->data, bytes, 3);
    assert_int_equal(clone->bytes, 3);
    assert_int_equal(clone->connect_id, 9);
    assert_int_equal(clone->kind, LS_PARCEL_DATAGRAM);
    ls_parcel_destroy(clone);
}

int main(void)
{
    return RUN_TESTS(test_parcel_inbox_gives_the_earliest_first, test_parcel_clone_is_its_own);
}
