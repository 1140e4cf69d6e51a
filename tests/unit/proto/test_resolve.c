#include "test.h"

#include "proto/host_name.h"

TEST(test_resolve_knows_addresses_without_a_resolver)
{
    ls_address address, ipv4 = LS_ADDRESS_IPV4(192, 0, 2, 1, 7777);
    assert_true(ls_resolve_numeric("192.0.2.1", 7777, &address));
    assert_memory_equal(&address, &ipv4, sizeof address);
    assert_true(ls_resolve_numeric("::ffff:192.0.2.1", 7777, &address));
    assert_memory_equal(&address, &ipv4, sizeof address);
    assert_true(ls_resolve_numeric("2001:db8::1", 80, &address));
    char text[LS_ADDRESS_TEXT_BYTES];
    ls_address_format(&address, text);
    assert_string_equal(text, "[2001:db8::1]:80");
    assert_false(ls_resolve_numeric("localhost", 80, &address));
    assert_false(ls_resolve_numeric("2001:db8::1::", 80, &address));
    assert_false(ls_resolve_numeric("", 80, &address));
}

TEST(test_resolve_finds_loopback_once)
{
    ls_address found[8];
    uint32_t count = 0;
    ls_error error;
    assert_ok(ls_resolve("localhost", 7777, found, LS_COUNT_OF(found), &count, &error));
    assert_in_range(count, 1, 8);
    for (uint32_t i = 0; i < count; i++) {
        assert_true(ls_address_is_loopback(&found[i]));
        assert_int_equal(ls_address_port(&found[i]), 7777);
        for (uint32_t k = 0; k < i; k++)
            assert_memory_not_equal(&found[i], &found[k], sizeof found[i]);
    }
    assert_ok(ls_resolve("127.0.0.1", 1, found, 1, &count, &error));
    assert_int_equal(count, 1);
}

TEST(test_resolve_names_a_host_without_addresses)
{
    ls_address found;
    uint32_t count = 7;
    ls_error error;
    assert_int_equal(ls_resolve("no.such.host.invalid", 1, &found, 1, &count, &error), LS_ERROR_IO);
    assert_int_equal(count, 0);
    assert_non_null(strstr(error.text, "no.such.host.invalid"));
}

/* One address of a family: the one that the resolver prefers. */
TEST(test_resolve_both_has_one_of_each_family)
{
    ls_address found[8], both[2];
    uint32_t found_count, count;
    ls_error error;
    assert_ok(ls_resolve("localhost", 7777, found, LS_COUNT_OF(found), &found_count, &error));
    assert_ok(ls_resolve_both("localhost", 7777, both, &count, &error));
    assert_in_range(count, 1, 2);
    for (uint32_t i = 0; i < count; i++)
        assert_true(ls_address_is_loopback(&both[i]));
    if (count == 2)
        assert_int_not_equal(ls_address_is_ipv4(&both[0]), ls_address_is_ipv4(&both[1]));
    assert_ok(ls_resolve_both("192.0.2.1", 7777, both, &count, &error));
    assert_int_equal(count, 1);
    assert_int_equal(ls_resolve_both("no.such.host.invalid", 1, both, &count, &error), LS_ERROR_IO);
    assert_int_equal(count, 0);
}
