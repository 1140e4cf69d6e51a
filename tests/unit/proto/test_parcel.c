#include "test.h"

#include "proto/parcel.h"

static void test_parcel_inbox_gives_the_earliest_first(void **state)
{
    (void)state;
    ls_line *line = ls_alloc(sizeof *line);
    line->references = 1;
    ls_inbox inbox = {0};
    uint64_t seed = 3;
    assert_true(ls_inbox_next_ns(&inbox) == UINT64_MAX);
    for (uint32_t i = 0; i < 1000; i++) {
        ls_parcel *parcel = ls_parcel_create(line, LS_PARCEL_MESSAGE, NULL);
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
    assert_int_equal(line->references, 1);
    ls_line_release(line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parcel_inbox_gives_the_earliest_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
