#include "server/load_budget.h"
#include "tests/support/test.h"
#include <lockstep/limits.h>

enum { CHUNK = LS_CHUNK_BYTES_MAX };

static const ls_load_limits host_limits = {.snapshots = LS_SERVER_LOADS_PER_HOST_MIN,
                                           .bytes_per_s = LS_SERVER_SNAPSHOT_BYTES_PER_HOST_S};

/* Takes chunks as soon as the budget permits, for `duration_ns` from `now_ns` on. Returns their
 * bytes. */
static uint64_t pull(ls_load_budget *budget, uint64_t now_ns, uint64_t duration_ns,
                     uint32_t snapshot_bytes)
{
    uint64_t bytes = 0;
    for (uint64_t end_ns = now_ns + duration_ns; now_ns <= end_ns; now_ns += 10 * MS)
        while (ls_load_budget_take(budget, now_ns, CHUNK, snapshot_bytes))
            bytes += CHUNK;
    return bytes;
}

TEST(test_load_budget_counts_whole_snapshots_of_any_size)
{
    static const uint32_t sizes[] = {4u << 20, LS_SERVER_LOAD_BYTES_MIN, 1u << 20};
    for (uint32_t i = 0; i < LS_COUNT_OF(sizes); i++) {
        ls_load_budget budget;
        ls_load_budget_init_session(&budget, 0);
        uint64_t duration_ns = 60 * S, size = sizes[i];
        uint64_t sent = pull(&budget, 0, duration_ns, sizes[i]);
        uint64_t max = (LS_SERVER_LOADS + duration_ns / LS_SERVER_LOAD_AGAIN_NS) * size;
        assert_in_range(sent, max - size / 100, max);
        assert_true(ls_load_budget_is_spent(&budget, duration_ns));
        assert_int_equal(ls_load_budget_rank(&budget, duration_ns), LS_EGRESS_RANK_LAST - 1);
        sent = pull(&budget, duration_ns + LS_SERVER_LOAD_AGAIN_NS - S, S, sizes[i]);
        assert_in_range(sent, size - 2 * CHUNK, size);
    }
}

/* Two snapshots may be sent at full rate: a load and a reload over a fast line. Further ones are
 * paced. */
TEST(test_load_budget_paces_further_snapshots)
{
    enum { SIZE = 1 << 20 };
    ls_load_budget budget;
    ls_load_budget_init_session(&budget, 0);
    uint64_t sent = pull(&budget, 0, S / 4, SIZE);
    assert_in_range(sent, LS_SERVER_LOADS_AT_ONCE * SIZE, LS_SERVER_LOADS_AT_ONCE * SIZE * 9 / 8);
    assert_true(ls_load_budget_is_spent(&budget, S / 4));
    sent += pull(&budget, S / 4, 8 * S - S / 4, SIZE);
    uint64_t max = (LS_SERVER_LOADS_AT_ONCE + 8 * S / LS_SERVER_LOAD_PACE_NS) * SIZE;
    assert_in_range(sent, max - SIZE / 100, max);
}

/* A tiny snapshot counts as LS_SERVER_LOAD_BYTES_MIN bytes, so it can be sent many times before
 * the budget is spent. */
TEST(test_load_budget_counts_small_snapshots_as_larger)
{
    ls_load_budget budget;
    ls_load_budget_init_session(&budget, 0);
    assert_int_equal(pull(&budget, 0, 0, 1), LS_SERVER_LOADS_AT_ONCE * LS_SERVER_LOAD_BYTES_MIN);
    uint64_t max = LS_SERVER_LOADS_AT_ONCE * LS_SERVER_LOAD_BYTES_MIN;
    assert_in_range(pull(&budget, LS_SERVER_LOAD_PACE_NS * LS_SERVER_LOADS_AT_ONCE, 0, 1),
                    max - CHUNK, max);
}

/* The bytes sent at once never exceed what a client may request at once. */
TEST(test_load_budget_bounds_bytes_at_once)
{
    ls_load_budget budget;
    ls_load_budget_init_session(&budget, 0);
    assert_int_equal(pull(&budget, 0, 0, 8 << 20), LS_CLIENT_WINDOW_MAX_BYTES);
}

TEST(test_load_budget_refuses_nothing_of_the_largest_snapshot)
{
    ls_load_budget budget;
    ls_load_budget_init_session(&budget, 0);
    uint64_t sent = pull(&budget, 0, 40 * S, LS_SNAPSHOT_BYTES_MAX);
    assert_true(sent > LS_SNAPSHOT_BYTES_MAX);
    assert_in_range(sent, 0, 41ull * LS_SERVER_SNAPSHOT_BYTES_PER_S);
    assert_in_range(ls_load_budget_rank(&budget, 40 * S), 0, LS_EGRESS_RANK_LAST / 4);
}

TEST(test_load_budget_gives_back)
{
    ls_load_budget budget;
    ls_load_budget_init_session(&budget, 0);
    for (uint32_t i = 0; i < 1000000; i++) {
        assert_true(ls_load_budget_take(&budget, 0, CHUNK, 1 << 20));
        ls_load_budget_give(&budget, CHUNK, 1 << 20);
    }
    assert_int_equal(ls_load_budget_rank(&budget, 0), 0);
}

/* Sessions of one host share a budget that is large enough for a whole match on bad lines. */
TEST(test_load_budget_of_a_host_is_larger)
{
    ls_load_budget budget;
    ls_load_budget_init_host(&budget, host_limits, 0);
    assert_int_equal(pull(&budget, 0, 0, 1 << 20), 4 << 20);
    uint64_t sent = pull(&budget, 0, 60 * S, 1 << 20) + (4 << 20);
    uint64_t max = (uint64_t)(LS_SERVER_LOADS_PER_HOST + LS_SERVER_LOADS_PER_HOST_MIN) << 20;
    assert_in_range(sent, max - (1 << 20), max);
    sent = pull(&budget, 60 * S, 60 * S, 1 << 20);
    assert_in_range(sent, (LS_SERVER_LOADS_PER_HOST_MIN - 1) << 20,
                    LS_SERVER_LOADS_PER_HOST_MIN << 20);
}

/* Limits above the first LS_SERVER_LOADS_PER_HOST raise what is sent at once too. */
TEST(test_load_budget_of_a_host_has_the_limits_it_is_given)
{
    ls_load_budget budget;
    ls_load_budget_init_host(&budget, (ls_load_limits){.snapshots = 600, .bytes_per_s = 8u << 20},
                             0);
    assert_true(ls_load_budget_has(&budget, 0, 600));
    assert_false(ls_load_budget_has(&budget, 0, 601));
    assert_int_equal(pull(&budget, 0, 0, 1 << 20), 4 << 20);
    assert_false(ls_load_budget_has(&budget, 0, 597));
    assert_true(ls_load_budget_has(&budget, 0, 596));
    assert_in_range(pull(&budget, 0, 10 * S, 1 << 20), 79 << 20, 80 << 20);
}

TEST(test_load_budget_takes_half_of_a_limit)
{
    ls_load_budget session, host;
    ls_load_budget_init_session(&session, 100000);
    ls_load_budget_init_host(&host, host_limits, 100000);
    assert_in_range(pull(&session, 0, 10 * S, 1 << 20), 10 * 50000, 11 * 50000);
    assert_in_range(pull(&host, 0, 10 * S, 1 << 20), 10 * 50000, 11 * 50000);
}
