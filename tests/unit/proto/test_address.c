#include "test.h"

#include <lockstep/address.h>

#include <arpa/inet.h>

static ls_address ipv6(const char *host, uint16_t port)
{
    ls_address address = {.port = {(uint8_t)(port >> 8), (uint8_t)port}};
    assert_int_equal(inet_pton(AF_INET6, host, address.host), 1);
    return address;
}

static void assert_text(ls_address address, const char *expected)
{
    char text[LS_ADDRESS_TEXT_BYTES];
    ls_address_format(&address, text);
    assert_string_equal(text, expected);
}

TEST(test_address_formats_ipv4_as_dotted_quad)
{
    assert_text((ls_address)LS_ADDRESS_IPV4(192, 0, 2, 1, 40001), "192.0.2.1:40001");
    assert_text((ls_address)LS_ADDRESS_IPV4(0, 0, 0, 0, 0), "0.0.0.0:0");
    assert_text((ls_address)LS_ADDRESS_IPV4(255, 255, 255, 255, 65535), "255.255.255.255:65535");
    assert_text(ipv6("::ffff:192.0.2.1", 7777), "192.0.2.1:7777");
}

TEST(test_address_formats_ipv6_in_brackets)
{
    assert_text(ipv6("2001:DB8:0:0::1", 7777), "[2001:db8::1]:7777");
    assert_text((ls_address){0}, "[::]:0");
    assert_text(ipv6("1111:2222:3333:4444:5555:6666:7777:8888", 65535),
                "[1111:2222:3333:4444:5555:6666:7777:8888]:65535");
    char text[LS_ADDRESS_TEXT_BYTES];
    ls_address address = ipv6("fe80::1", 1);
    ls_address_format_host(&address, text);
    assert_string_equal(text, "fe80::1");
}

TEST(test_address_formats_the_zone_of_link_local_addresses)
{
    ls_address address = ipv6("fe80::1", 7777), other = ipv6("2001:db8::1", 7777);
    ls_address_set_zone(&address, 4000000000);
    assert_int_equal(ls_address_zone(&address), 4000000000);
    assert_text(address, "[fe80::1%4000000000]:7777");
    memset(address.host + 8, 0xff, 8);
    address.port[0] = address.port[1] = 0xff;
    assert_text(address, "[fe80::ffff:ffff:ffff:ffff%4000000000]:65535");
    ls_address_set_zone(&other, 2);
    assert_text(other, "[2001:db8::1]:7777");
    assert_int_equal(ls_address_zone(&other), 0);
}

TEST(test_address_knows_loopback)
{
    ls_address loopback = ipv6("::1", 1), mapped = ipv6("::ffff:127.9.9.9", 1);
    ls_address other = ipv6("::2", 1), ipv4 = LS_ADDRESS_IPV4(128, 0, 0, 1, 1);
    ls_address high = ipv6("7f00::1", 1);
    assert_true(ls_address_is_loopback(&loopback));
    assert_true(ls_address_is_loopback(&mapped));
    assert_false(ls_address_is_loopback(&other));
    assert_false(ls_address_is_loopback(&ipv4));
    assert_false(ls_address_is_loopback(&high));
}

/* A /64 and a /56 of IPv6, an address and a /24 of IPv4. */
TEST(test_address_hosts_and_networks)
{
    static const struct {
        const char *a, *b;
        bool is_host, is_network;
    } cases[] = {
        {"2001:db8:1:100::1", "2001:db8:1:100:ffff::2", true, true},
        {"2001:db8:1:100::1", "2001:db8:1:1ff::1", false, true},
        {"2001:db8:1:100::1", "2001:db8:1:200::1", false, false},
        {"::ffff:192.0.2.1", "::ffff:192.0.2.1", true, true},
        {"::ffff:192.0.2.1", "::ffff:192.0.2.2", false, true},
        {"::ffff:192.0.2.1", "::ffff:192.0.3.1", false, false},
        {"::ffff:192.0.2.1", "::fffe:192.0.2.1", false, false},
    };
    for (uint32_t i = 0; i < LS_COUNT_OF(cases); i++) {
        ls_address a = ipv6(cases[i].a, 1), b = ipv6(cases[i].b, 2);
        ls_remote_origin from_a = ls_address_origin(&a), from_b = ls_address_origin(&b);
        assert_int_equal(ls_remote_key_is_same(&from_a.host, &from_b.host), cases[i].is_host);
        assert_int_equal(ls_remote_key_is_same(&from_a.network, &from_b.network),
                         cases[i].is_network);
        assert_false(from_a.is_local);
    }
}
