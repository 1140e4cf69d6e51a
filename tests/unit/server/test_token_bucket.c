#include "server/token_bucket.h"
#include "tests/support/test.h"

TEST(test_token_bucket_starts_full_and_refills)
{
    ls_token_bucket bucket;
    ls_token_bucket_init(&bucket, 10, 20);
    for (uint32_t i = 0; i < 20; i++)
        assert_true(ls_token_bucket_take(&bucket, S, 1));
    assert_false(ls_token_bucket_take(&bucket, S, 1));
    assert_false(ls_token_bucket_take(&bucket, S + S / 10 - 1, 1));
    assert_true(ls_token_bucket_take(&bucket, S + S / 10, 1));
    assert_false(ls_token_bucket_take(&bucket, S + S / 10, 1));
}

TEST(test_token_bucket_never_exceeds_its_burst)
{
    ls_token_bucket bucket;
    ls_token_bucket_init(&bucket, UINT64_C(1) << 32, 5);
    assert_true(ls_token_bucket_take(&bucket, 0, 5));
    assert_true(ls_token_bucket_take(&bucket, UINT64_MAX, 5));
    assert_false(ls_token_bucket_take(&bucket, UINT64_MAX, 1));
    assert_false(ls_token_bucket_take(&bucket, UINT64_MAX, 6));
}

TEST(test_token_bucket_loses_no_fraction)
{
    ls_token_bucket bucket;
    ls_token_bucket_init(&bucket, 3, 1);
    uint32_t taken = 0;
    for (uint64_t now = 0; now <= 100 * S; now += S / 1000)
        taken += ls_token_bucket_take(&bucket, now, 1);
    assert_in_range(taken, 299, 301);
}

TEST(test_token_bucket_ignores_time_that_falls)
{
    ls_token_bucket bucket;
    ls_token_bucket_init(&bucket, 1, 1);
    assert_true(ls_token_bucket_take(&bucket, 10 * S, 1));
    assert_false(ls_token_bucket_take(&bucket, 5 * S, 1));
    assert_false(ls_token_bucket_take(&bucket, 10 * S, 1));
}

TEST(test_token_bucket_gives_back_up_to_its_burst)
{
    ls_token_bucket bucket;
    ls_token_bucket_init(&bucket, 1, 10);
    assert_true(ls_token_bucket_take(&bucket, 0, 10));
    ls_token_bucket_give(&bucket, 4);
    assert_true(ls_token_bucket_take(&bucket, 0, 4));
    assert_false(ls_token_bucket_take(&bucket, 0, 1));
    ls_token_bucket_give(&bucket, UINT64_MAX);
    assert_true(ls_token_bucket_take(&bucket, 0, 10));
    assert_false(ls_token_bucket_take(&bucket, 0, 1));
}

TEST(test_token_bucket_tells_what_it_has)
{
    ls_token_bucket bucket;
    ls_token_bucket_init(&bucket, 1, 10);
    assert_true(ls_token_bucket_has(&bucket, 0, 10));
    assert_false(ls_token_bucket_has(&bucket, 0, 11));
    assert_true(ls_token_bucket_take(&bucket, 0, 10));
    assert_int_equal(ls_token_bucket_missing(&bucket, 0), 10);
    assert_false(ls_token_bucket_has(&bucket, 3 * S - 1, 3));
    assert_true(ls_token_bucket_has(&bucket, 3 * S, 3));
    assert_int_equal(ls_token_bucket_missing(&bucket, 3 * S), 7);
}
