#include "test.h"

TEST(test_entropy_system_differs)
{
    uint8_t a[32], b[32];
    ls_entropy_fill(NULL, a, sizeof a);
    ls_entropy_fill(&(ls_entropy){0}, b, sizeof b);
    assert_memory_not_equal(a, b, sizeof a);
}

TEST(test_entropy_injected_repeats)
{
    uint64_t seed_a = 7, seed_b = 7;
    ls_entropy source_a = test_entropy(&seed_a), source_b = test_entropy(&seed_b);
    uint8_t a[32], b[32];
    ls_entropy_fill(&source_a, a, sizeof a);
    ls_entropy_fill(&source_b, b, sizeof b);
    assert_memory_equal(a, b, sizeof a);
}

TEST(test_entropy_wipe_zeroes)
{
    uint8_t secret[16] = "secret", zeros[16] = {0};
    ls_wipe(secret, sizeof secret);
    assert_memory_equal(secret, zeros, sizeof secret);
}
