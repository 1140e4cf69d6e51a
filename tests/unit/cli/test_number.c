#include "cli/common/number.h"

#include "test.h"

TEST(test_number_takes_whole_texts)
{
    uint64_t value = 0;
    assert_true(ls_parse_u64("0", 0, 9, &value) && value == 0);
    assert_true(ls_parse_u64("007", 0, 9, &value) && value == 7);
    assert_true(ls_parse_u64("18446744073709551615", 0, UINT64_MAX, &value));
    assert_true(value == UINT64_MAX);
    int64_t own = 0;
    assert_true(ls_parse_i64("-9223372036854775808", &own) && own == INT64_MIN);
    assert_true(ls_parse_i64("9223372036854775807", &own) && own == INT64_MAX);
}

TEST(test_number_refuses_the_rest)
{
    static const char *const bad[] = {
        "", " 1", "1 ", "+1", "-", "--1", "1x", "x", "0x10", "1.5", "99999999999999999999"};
    uint64_t value = 42;
    int64_t own = 42;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(ls_parse_u64(bad[i], 0, UINT64_MAX, &value));
        assert_false(ls_parse_i64(bad[i], &own));
    }
    assert_false(ls_parse_u64("-1", 0, UINT64_MAX, &value));
    assert_false(ls_parse_u64("4", 5, 9, &value));
    assert_false(ls_parse_u64("10", 5, 9, &value));
    assert_true(value == 42 && own == 42);
}

TEST(test_number_with_a_point)
{
    uint64_t value = 0;
    assert_true(ls_parse_decimal("2.5", 4, UINT64_MAX, &value) && value == 25000);
    assert_true(ls_parse_decimal("100", 4, 1000000, &value) && value == 1000000);
    assert_true(ls_parse_decimal("0.0001", 4, 1000000, &value) && value == 1);
    assert_true(ls_parse_decimal("18446744073709551615", 0, UINT64_MAX, &value));
    assert_true(value == UINT64_MAX);
    static const char *const bad[] = {"",
                                      ".5",
                                      "5.",
                                      "1..2",
                                      "1.2.3",
                                      "-1",
                                      "1e3",
                                      " 1",
                                      "1.23456",
                                      "100.0001",
                                      "1,5",
                                      "1.x",
                                      "18446744073709551616"};
    value = 42;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(ls_parse_decimal(bad[i], 4, 1000000, &value));
    assert_false(ls_parse_decimal("18446744073709551616", 0, UINT64_MAX, &value));
    assert_false(ls_parse_decimal("18446744073709551615", 1, UINT64_MAX, &value));
    assert_int_equal(value, 42);
}

TEST(test_number_of_bytes)
{
    static const char *const bad[] = {"",     "0",   "0G",        "-1",
                                      " 1",   "G",   "1K",        "1kB",
                                      "1.5G", "1 G", "20000000T", "18446744073709551616"};
    uint64_t value;
    assert_true(ls_parse_bytes("1", &value) && value == 1);
    assert_true(ls_parse_bytes("2k", &value) && value == 2000);
    assert_true(ls_parse_bytes("500M", &value) && value == 500000000);
    assert_true(ls_parse_bytes("20G", &value) && value == UINT64_C(20000000000));
    assert_true(ls_parse_bytes("18446744T", &value) && value == UINT64_C(18446744000000000000));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(ls_parse_bytes(bad[i], &value));
    assert_true(value == UINT64_C(18446744000000000000));
}
