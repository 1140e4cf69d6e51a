#include "test.h"

#include "proto/endpoint.h"

#include <arpa/inet.h>

static ls_address ipv6(const char *host, uint16_t port)
{
    ls_address address = {.port = {(uint8_t)(port >> 8), (uint8_t)port}};
    assert_int_equal(inet_pton(AF_INET6, host, address.host), 1);
    return address;
}

static void assert_returns(ls_address address, int family)
{
    ls_endpoint endpoint;
    ls_endpoint_from_address(&address, family, &endpoint);
    assert_int_equal(endpoint.any.sa_family, family);
    ls_address back = ls_endpoint_address(&endpoint);
    assert_memory_equal(&back, &address, sizeof address);
}

TEST(test_endpoint_and_address_are_one_to_one)
{
    const ls_address ipv4 = LS_ADDRESS_IPV4(192, 0, 2, 1, 0x1234);
    assert_returns(ipv4, AF_INET);
    assert_returns(ipv4, AF_INET6); /* as a socket for both families says it */
    assert_returns(ipv6("2001:db8::1", 0x1234), AF_INET6);
    ls_endpoint endpoint;
    ls_endpoint_from_address(&ipv4, AF_INET, &endpoint);
    assert_int_equal(endpoint.ipv4.sin_port, htons(0x1234));
    assert_int_equal(endpoint.ipv4.sin_addr.s_addr, htonl(0xc0000201));
    assert_int_equal(ls_endpoint_bytes(AF_INET), sizeof(struct sockaddr_in));
    assert_int_equal(ls_endpoint_bytes(AF_INET6), sizeof(struct sockaddr_in6));
}

/* Two peers with one link-local address on two interfaces are two. */
TEST(test_endpoint_keeps_the_interface_of_a_link_local_address)
{
    ls_endpoint endpoint = {
        .ipv6 = {.sin6_family = AF_INET6, .sin6_port = htons(7777), .sin6_scope_id = 3}};
    assert_int_equal(inet_pton(AF_INET6, "fe80::1", &endpoint.ipv6.sin6_addr), 1);
    ls_address third = ls_endpoint_address(&endpoint);
    endpoint.ipv6.sin6_scope_id = 4;
    ls_address fourth = ls_endpoint_address(&endpoint);
    assert_memory_not_equal(&third, &fourth, sizeof third);
    assert_returns(third, AF_INET6);
    ls_endpoint back;
    ls_endpoint_from_address(&third, AF_INET6, &back);
    assert_int_equal(back.ipv6.sin6_scope_id, 3);
    assert_memory_equal(&back.ipv6.sin6_addr, &endpoint.ipv6.sin6_addr, 16);
}
