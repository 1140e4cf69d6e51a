/* The bare side that works on whole words gives the same result as a loop over entities. */
#include "benches/core/words.h"

#include <lockstep/random.h>

#include "tests/unit/core/harness.h"

enum { ENTITIES = 64 * 7 + 19, WORDS = ENTITIES / 64 + 1, PATTERNS = 200 };

/* Full, empty and random words, up to the last entity. */
static void make_which(uint64_t *which, uint64_t pattern)
{
    ls_random_stream stream = ls_random_child(ls_random_root(3), pattern);
    for (uint32_t word = 0; word < WORDS; word++) {
        uint32_t kind = ls_random_below(ls_random_draw(stream, 2 * word), 3);
        which[word] = kind == 0 ? 0 : kind == 1 ? UINT64_MAX : ls_random_draw(stream, 2 * word + 1);
    }
    which[WORDS - 1] &= (UINT64_C(1) << (ENTITIES % 64)) - 1;
}

static bool has(const uint64_t *words, uint32_t i)
{
    return words[i / 64] >> (i % 64) & 1;
}

typedef void fill(scene_load *loads, const uint64_t *which, uint32_t first, uint32_t end);

static void compare(fill *on, fill *off, uint64_t pattern)
{
    uint64_t which[WORDS], present[WORDS], before[WORDS];
    scene_load loads[ENTITIES];
    make_which(which, pattern);
    make_which(before, pattern + PATTERNS);
    memcpy(present, before, sizeof present);
    memset(loads, 0xee, sizeof loads);
    /* In two halves, as two threads do it. */
    words_set(present, which, 128, ENTITIES);
    words_set(present, which, 0, 128);
    on(loads, which, 0, 128);
    on(loads, which, 128, ENTITIES);
    for (uint32_t i = 0; i < ENTITIES; i++) {
        assert_int_equal(has(present, i), has(before, i) || has(which, i));
        assert_int_equal(loads[i].low, has(which, i) ? i : UINT64_C(0xeeeeeeeeeeeeeeee));
        assert_int_equal(loads[i].high, has(which, i) ? 1 : UINT64_C(0xeeeeeeeeeeeeeeee));
    }
    words_clear(present, which, 0, ENTITIES);
    off(loads, which, 0, ENTITIES);
    for (uint32_t i = 0; i < ENTITIES; i++) {
        assert_int_equal(has(present, i), has(before, i) && !has(which, i));
        assert_int_equal(loads[i].low, has(which, i) ? 0 : UINT64_C(0xeeeeeeeeeeeeeeee));
        assert_int_equal(loads[i].high, has(which, i) ? 0 : UINT64_C(0xeeeeeeeeeeeeeeee));
    }
}

TEST(test_words_do_what_a_loop_over_entities_does)
{
    for (uint64_t pattern = 0; pattern < PATTERNS; pattern++) {
        compare(words_fill_runs, words_zero_runs, pattern);
        compare(words_fill_bits, words_zero_bits, pattern);
    }
}
