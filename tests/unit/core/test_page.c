/* Masks of a page's slots. */
#include "harness.h"

#include "core/state/page.h"

TEST(test_page_masks_agree_with_a_walk_by_bits)
{
    uint64_t random = harness_seed("test_page_masks_agree_with_a_walk_by_bits");
    for (uint32_t round = 0; round < 300; round++) {
        uint64_t mask[LS_PAGE_WORDS];
        for (uint32_t word = 0; word < LS_PAGE_WORDS; word++) {
            mask[word] = test_random(&random);
            if (round % 3 == 0)
                mask[word] = test_below(&random, 2) ? 0 : UINT64_MAX;
            if (round % 3 == 1)
                mask[word] &= test_random(&random) & test_random(&random) & test_random(&random);
        }
        uint32_t set = LS_PAGE_SLOTS, clear = LS_PAGE_SLOTS;
        for (uint32_t slot = LS_PAGE_SLOTS; slot-- > 0;) {
            bool is_set = mask[slot / 64] >> (slot % 64) & 1;
            set = is_set ? slot : set;
            clear = is_set ? clear : slot;
            assert_int_equal(ls_mask_next_set(mask, slot), set);
            assert_int_equal(ls_mask_next_clear(mask, slot), clear);
        }
        assert_int_equal(ls_mask_next_set(mask, LS_PAGE_SLOTS), LS_PAGE_SLOTS);
        assert_int_equal(ls_mask_next_clear(mask, LS_PAGE_SLOTS), LS_PAGE_SLOTS);
    }
}
