#include "core/base/sort.h"
#include "tests/support/test.h"
#include <lockstep/random.h>

#include <stdlib.h>
#include <string.h>

enum { SEED = 4, COUNT_MAX = 3000 };

typedef struct arrays {
    ls_sort_item items[COUNT_MAX], scratch[COUNT_MAX], expected[COUNT_MAX];
} arrays;

static int setup(void **state)
{
    *state = ls_alloc(sizeof(arrays));
    return 0;
}

static int teardown(void **state)
{
    ls_free(*state);
    return 0;
}

static void sort_naively(ls_sort_item *items, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j > 0 && items[j - 1].key > items[j].key; j--) {
            ls_sort_item item = items[j];
            items[j] = items[j - 1];
            items[j - 1] = item;
        }
}

static void check_sort(arrays *a, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        a->items[i].value = (uint32_t)i;
        a->expected[i] = a->items[i];
    }
    sort_naively(a->expected, count);
    ls_sort(a->items, a->scratch, count);
    for (size_t i = 0; i < count; i++) {
        assert_true(a->items[i].key == a->expected[i].key);
        assert_int_equal(a->items[i].value, a->expected[i].value);
    }
}

/* Few bits give many equal keys, which tests stability; `rotated` moves them to other digits. */
static void fill(arrays *a, size_t count, unsigned bits, unsigned rotated)
{
    ls_random_stream stream = ls_random_child(ls_random_root(SEED), count * 64 + bits);
    for (size_t i = 0; i < count; i++) {
        uint64_t key = ls_random_draw(stream, i) >> (64 - bits);
        a->items[i].key = key << rotated | key >> ((64 - rotated) & 63);
    }
}

TESTS_AROUND(setup, teardown);

TEST(test_sort_every_small_count)
{
    print_message("seed %d\n", SEED);
    for (size_t count = 0; count <= 300; count++)
        for (unsigned bits = 1; bits <= 64; bits += 9) {
            fill(*state, count, bits, (unsigned)count % 64);
            check_sort(*state, count);
        }
}

TEST(test_sort_large_counts)
{
    static const size_t counts[] = {511, 512, 513, 1000, COUNT_MAX};
    print_message("seed %d\n", SEED);
    for (size_t i = 0; i < LS_COUNT_OF(counts); i++)
        for (unsigned bits = 1; bits <= 64; bits += 7) {
            fill(*state, counts[i], bits, (11 * bits) % 64);
            check_sort(*state, counts[i]);
        }
}

TEST(test_sort_ordered_inputs)
{
    arrays *a = *state;
    for (size_t count = 1; count <= COUNT_MAX; count = count * 3 / 2 + 1) {
        for (size_t i = 0; i < count; i++)
            a->items[i].key = i;
        check_sort(a, count);
        for (size_t i = 0; i < count; i++)
            a->items[i].key = (count - i) << 40;
        check_sort(a, count);
        for (size_t i = 0; i < count; i++)
            a->items[i].key = 7;
        check_sort(a, count);
        a->items[count - 1].key = 0;
        check_sort(a, count);
    }
}

/* The sort must not touch memory after `count`, nor the fields that it does not compare. */
TEST(test_sort_stays_inside)
{
    arrays *a = *state;
    for (size_t count = 0; count < 1000; count += 37) {
        fill(a, COUNT_MAX, 20, 0);
        memset(a->scratch, 0x5a, sizeof a->scratch);
        memcpy(a->expected, a->items, sizeof a->items);
        ls_sort(a->items, a->scratch, count);
        for (size_t i = count; i < COUNT_MAX; i++) {
            assert_true(a->items[i].key == a->expected[i].key);
            assert_true(a->scratch[i].key == 0x5a5a5a5a5a5a5a5aULL);
        }
    }
    ls_sort(NULL, NULL, 0);
}
