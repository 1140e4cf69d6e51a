#include "cli/network/network_impairment.h"

#include "test.h"

enum { PACKETS = 20000, STEP_NS = 1000000 };

typedef struct tally {
    uint32_t lost, copies, doubled, corrupted, truncated, reordered, overrun;
    uint64_t digest;
} tally;

static tally play(const ls_impairment_conditions *conditions, uint64_t seed, uint64_t flow)
{
    ls_impairment impair;
    ls_impairment_init(&impair, conditions, seed, flow, false);
    tally result = {0};
    for (uint32_t i = 0; i < PACKETS; i++) {
        uint64_t now_ns = 5 * MS + (uint64_t)i * STEP_NS;
        ls_impairment_fate fate = ls_impairment_next(&impair, 100, now_ns);
        /* A packet arrives, or exactly one flag gives the reason why not. */
        assert_int_equal(fate.is_lost + fate.is_overrun, fate.copies == 0);
        assert_true(fate.copies <= LS_IMPAIRMENT_COPIES_MAX && fate.reordered <= fate.copies);
        assert_true(fate.is_truncated ? fate.bytes < 100 : fate.bytes == 100);
        for (uint32_t k = 0; k < fate.copies; k++) {
            assert_true(fate.due_ns[k] >= now_ns + conditions->delay_ns);
            result.digest = (result.digest ^ fate.due_ns[k]) * 0x100000001b3ULL;
        }
        result.digest = (result.digest ^ fate.bytes ^ fate.flipped_bit << 8) * 0x100000001b3ULL;
        result.lost += fate.is_lost;
        result.overrun += fate.is_overrun;
        result.copies += fate.copies;
        result.doubled += fate.copies > 1;
        result.corrupted += fate.is_corrupted;
        result.truncated += fate.is_truncated;
        result.reordered += fate.reordered;
    }
    return result;
}

/* A tolerance of 10 % is more than five standard deviations for every expectation below. */
static void assert_near(uint32_t count, uint32_t expected)
{
    assert_in_range(count, expected - expected / 10, expected + expected / 10);
}

TEST(test_network_impairment_nothing)
{
    const ls_impairment_conditions none = {0};
    ls_impairment impair;
    ls_impairment_init(&impair, &none, 1, 0, false);
    for (uint32_t i = 0; i < 1000; i++) {
        ls_impairment_fate fate = ls_impairment_next(&impair, i, i);
        assert_int_equal(fate.copies, 1);
        assert_int_equal(fate.due_ns[0], i);
        assert_int_equal(fate.bytes, i);
        assert_false(fate.is_corrupted || fate.is_truncated || fate.reordered);
    }
}

TEST(test_network_impairment_chances)
{
    const ls_impairment_conditions conditions = {.loss = 200000,
                                                 .reorder = 300000,
                                                 .reorder_delay_ns = 40 * MS,
                                                 .duplicate = 250000,
                                                 .corrupt = 250000,
                                                 .truncate = 250000};
    tally result = play(&conditions, 3, 0);
    uint32_t arrived = PACKETS - result.lost;
    assert_near(result.lost, PACKETS / 5);
    assert_near(result.doubled, arrived / 4);
    assert_near(result.truncated, arrived / 4);
    assert_near(result.corrupted, arrived / 4);
    assert_near(result.reordered, result.copies * 3 / 10);
    assert_int_equal(result.copies, arrived + result.doubled);
}

TEST(test_network_impairment_certainty)
{
    ls_impairment_conditions conditions = {.loss = LS_PROBABILITY_ONE};
    assert_int_equal(play(&conditions, 1, 0).lost, PACKETS);
    conditions.burst_ns = 100 * MS;
    assert_int_equal(play(&conditions, 1, 0).lost, PACKETS);
    conditions =
        (ls_impairment_conditions){.corrupt = LS_PROBABILITY_ONE, .truncate = LS_PROBABILITY_ONE};
    assert_int_equal(play(&conditions, 1, 0).truncated, PACKETS);
}

TEST(test_network_impairment_repeats)
{
    const ls_impairment_conditions conditions = {.loss = 100000,
                                                 .delay_ns = 20 * MS,
                                                 .jitter_ns = 30 * MS,
                                                 .duplicate = 10000,
                                                 .corrupt = 10000};
    tally first = play(&conditions, 7, 2), again = play(&conditions, 7, 2);
    assert_true(first.digest == again.digest && first.lost == again.lost);
    assert_true(play(&conditions, 8, 2).digest != first.digest);
    assert_true(play(&conditions, 7, 3).digest != first.digest);
}

/* Other conditions do not change which packets are lost. */
TEST(test_network_impairment_draws_are_apart)
{
    const ls_impairment_conditions plain = {.loss = 100000};
    const ls_impairment_conditions rich = {.loss = 100000,
                                           .jitter_ns = MS,
                                           .duplicate = 500000,
                                           .corrupt = 500000,
                                           .truncate = 500000};
    ls_impairment one, other, down;
    ls_impairment_init(&one, &plain, 5, 1, false);
    ls_impairment_init(&other, &rich, 5, 1, false);
    ls_impairment_init(&down, &plain, 5, 1, true);
    uint32_t differing = 0;
    for (uint32_t i = 0; i < PACKETS; i++) {
        bool is_lost = ls_impairment_next(&one, 50, i).is_lost;
        assert_int_equal(ls_impairment_next(&other, 50, i).is_lost, is_lost);
        differing += ls_impairment_next(&down, 50, i).is_lost != is_lost;
    }
    assert_near(differing, PACKETS * 18 / 100); /* 2 * 0.1 * 0.9: the directions are independent */
}

TEST(test_network_impairment_jitter_is_even)
{
    const ls_impairment_conditions conditions = {.delay_ns = 10 * MS, .jitter_ns = 20 * MS};
    ls_impairment impair;
    ls_impairment_init(&impair, &conditions, 11, 0, false);
    uint32_t quarters[4] = {0};
    for (uint32_t i = 0; i < PACKETS; i++) {
        uint64_t jitter_ns = ls_impairment_next(&impair, 1, 0).due_ns[0] - 10 * MS;
        assert_true(jitter_ns <= 20 * MS);
        quarters[jitter_ns < 20 * MS ? jitter_ns / (5 * MS) : 3]++;
    }
    for (uint32_t i = 0; i < 4; i++)
        assert_near(quarters[i], PACKETS / 4);
}

/* Bursts lose the same share of packets, but in few runs of about the requested length. */
TEST(test_network_impairment_bursts)
{
    const ls_impairment_conditions conditions = {.loss = 200000, .burst_ns = 20 * MS};
    ls_impairment impair;
    ls_impairment_init(&impair, &conditions, 2, 0, false);
    uint32_t lost = 0, stretches = 0;
    bool was_lost = false;
    for (uint32_t i = 0; i < 10 * PACKETS; i++) {
        bool is_lost = ls_impairment_next(&impair, 1, (uint64_t)i * STEP_NS).is_lost;
        lost += is_lost;
        stretches += is_lost && !was_lost;
        was_lost = is_lost;
    }
    assert_near(lost, 2 * PACKETS);
    assert_near(stretches, 2 * PACKETS / 20);
}

/* Bursts are periods of time: sending twice as often loses packets in the same periods. */
TEST(test_network_impairment_bursts_are_periods)
{
    const ls_impairment_conditions conditions = {.loss = 300000, .burst_ns = 10 * MS};
    ls_impairment rare, often;
    ls_impairment_init(&rare, &conditions, 4, 0, false);
    ls_impairment_init(&often, &conditions, 4, 0, false);
    for (uint64_t i = 0; i < 5000; i++) {
        bool is_lost = ls_impairment_next(&rare, 1, 2 * i * MS).is_lost;
        assert_int_equal(ls_impairment_next(&often, 1, 2 * i * MS).is_lost, is_lost);
        (void)ls_impairment_next(&often, 1, (2 * i + 1) * MS);
    }
}

TEST(test_network_impairment_rate)
{
    /* 128 bytes with headers per millisecond, over a link of half that rate. */
    const ls_impairment_conditions conditions = {.rate = 64000};
    tally result = play(&conditions, 1, 0);
    uint32_t queued = (uint32_t)(LS_IMPAIRMENT_RATE_QUEUE_NS / (2 * MS));
    assert_near(result.copies, PACKETS / 2 + queued);
    assert_int_equal(result.overrun + result.copies, PACKETS);
    ls_impairment impair;
    ls_impairment_init(&impair, &conditions, 1, 0, false);
    assert_int_equal(ls_impairment_next(&impair, 100, 0).due_ns[0], 2 * MS);
    assert_int_equal(ls_impairment_next(&impair, 100, 0).due_ns[0], 4 * MS);
    assert_int_equal(ls_impairment_next(&impair, 100, 100 * MS).due_ns[0], 102 * MS);
}

TEST(test_network_impairment_share_passes_one_line)
{
    const ls_impairment_conditions conditions = {.rate = 64000};
    ls_impairment one, other;
    uint64_t free_ns = 0;
    ls_impairment_init(&one, &conditions, 1, 0, false);
    ls_impairment_init(&other, &conditions, 1, 1, false);
    ls_impairment_share(&one, &free_ns);
    ls_impairment_share(&other, &free_ns);
    assert_int_equal(ls_impairment_next(&one, 100, 0).due_ns[0], 2 * MS);
    assert_int_equal(ls_impairment_next(&other, 100, 0).due_ns[0], 4 * MS);
    assert_int_equal(ls_impairment_next(&one, 100, 0).due_ns[0], 6 * MS);
}

TEST(test_network_impairment_damage_flips_one_bit)
{
    const ls_impairment_conditions conditions = {.corrupt = LS_PROBABILITY_ONE};
    ls_impairment impair;
    ls_impairment_init(&impair, &conditions, 9, 0, false);
    for (uint32_t i = 0; i < 1000; i++) {
        uint8_t data[32] = {0};
        uint32_t bytes = 1 + i % sizeof data, bits = 0;
        ls_impairment_fate fate = ls_impairment_next(&impair, bytes, 0);
        ls_impairment_damage(&fate, data);
        for (uint32_t k = 0; k < sizeof data; k++) {
            assert_true(data[k] == 0 || k < bytes);
            bits += (uint32_t)__builtin_popcount(data[k]);
        }
        assert_int_equal(bits, 1);
    }
    assert_false(ls_impairment_next(&impair, 0, 0).is_corrupted);
}

TEST(test_network_impairment_profiles)
{
    ls_impairment_conditions conditions;
    assert_true(ls_impairment_profile("lan", &conditions));
    assert_true(conditions.loss == 0 && conditions.delay_ns == 0);
    assert_true(ls_impairment_profile("bad", &conditions));
    assert_true(conditions.loss == 50000 && conditions.delay_ns == 100 * MS);
    assert_true(ls_impairment_profile("terrible", &conditions));
    assert_true(conditions.loss == 200000 && conditions.reorder_delay_ns == 50 * MS);
    assert_true(ls_impairment_profile("reorder", &conditions));
    assert_true(conditions.reorder == 300000 && conditions.reorder_delay_ns == 40 * MS);
    assert_true(ls_impairment_profile("wifi", &conditions));
    assert_false(ls_impairment_profile("WIFI", &conditions));
    assert_true(conditions.loss == 20000); /* unchanged */
}
